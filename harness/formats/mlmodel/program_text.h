// Spells ML Programs as MIL text, so that readers of MIL text can read both forms of a program.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mlmodel/flexible_shapes.h"

namespace anecheck::mlmodel {

// The MIL text of a program in protocol buffers (message Program). Functions have the order of the
// file. Arguments and attributes are sorted by name, as in compiled texts. Doc strings, and
// specializations of a function for other opsets than its own, have no place in the text and are
// left out. A function whose inputs are flexible according to the description gets the attribute
// FlexibleShapeInformation, unless it has one. Errors: kMalformed for bytes that are no such
// message; kInvalid and kUnsupported, with the operation, for models that MIL text cannot spell;
// kLimit for a text that is above mil::kMaxTextSize or out of proportion to the file.
Result<std::string> ProgramText(std::string_view program, std::span<const InputShapes> inputs = {});

}  // namespace anecheck::mlmodel
