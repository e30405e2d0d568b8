// The second input language of the compiler: a property list of layers instead of MIL text.
#pragma once

#include <memory>
#include <string_view>

#include "harness/base/result.h"
#include "harness/device/executable.h"
#include "harness/device/op_builder.h"

namespace anecheck::device {

// Returns whether `content` begins like a property list, in either encoding.
bool IsPropertyList(std::string_view content);

// Compiles a network description to one function, "main". A relative name of its weight file is
// looked up in the settings' model folder. The names of the ports are the input symbols and the
// names of the units whose results are outputs. No source tells the names that Espresso gives to
// ports. Precondition: settings.direct. Errors: those of CompileProgram. The Parser refuses
// descriptions that cannot be read or have more than one procedure (specification 001, section
// 5.5). The Frontend refuses layers without an operation, and stated extents that differ from the
// computed ones.
Result<std::shared_ptr<const Executable>> CompileNetwork(std::string_view content,
                                                         const CompileSettings& settings,
                                                         Backend backend);

}  // namespace anecheck::device
