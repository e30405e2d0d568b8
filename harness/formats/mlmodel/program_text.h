// Writes ML Programs as MIL text, so that readers of MIL text can read both forms of a program.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mlmodel/flexible_shapes.h"

namespace anecheck::mlmodel {

// Returns the MIL text of a program in protocol buffers (message Program). Functions are in the
// order of the file. Arguments and attributes are sorted by name, as in compiled texts. The text
// leaves out doc strings, and specializations of a function for other opsets than its own, because
// MIL text cannot express them. A function whose inputs are flexible according to the description
// gets the attribute FlexibleShapeInformation, unless it has one. Errors: kMalformed for bytes that
// are not this message; kInvalid and kUnsupported, with the operation, for models that MIL text
// cannot express; kLimit for a text that is larger than mil::kMaxTextSize or many times larger than
// the file.
Result<std::string> ProgramText(std::string_view program, std::span<const InputShapes> inputs = {});

}  // namespace anecheck::mlmodel
