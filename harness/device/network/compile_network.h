// The second input language of the compiler: a property list of layers, in place of MIL text.
#pragma once

#include <memory>
#include <string_view>

#include "harness/base/result.h"
#include "harness/device/executable.h"
#include "harness/device/op_builder.h"

namespace anecheck::device {

// Whether `content` begins as a property list of either encoding does.
bool IsPropertyList(std::string_view content);

// Compiles a network description to one function, "main". Its weight file is looked for in the
// settings' model folder. Ports are named by the input symbols and by the units whose results are
// outputs; no source tells the names that Espresso gives them. Precondition: settings.direct.
// Errors as those of CompileProgram: descriptions that cannot be read and those of more than one
// procedure (specification 001, section 5.5) are refused by the Parser, layers without an operation
// and extents that the description states otherwise than they come out by the Frontend.
Result<std::shared_ptr<const Executable>> CompileNetwork(std::string_view content,
                                                         const CompileSettings& settings,
                                                         Backend backend);

}  // namespace anecheck::device
