// ML Programs as MIL text: the two forms of one program meet in it, and readers of the text read
// both.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mlmodel/flexible_shapes.h"

namespace anecheck::mlmodel {

// The MIL text of a program in protocol buffers (message Program): functions in the order of the
// file, arguments and attributes in the order of their names, as compiled texts have them. Text has
// no place for doc strings and for specializations of functions other than the one of the
// function's opset; they are left out. Errors: kMalformed for bytes that are no such message,
// kInvalid and kUnsupported for models that MIL text cannot spell, each naming the operation;
// kLimit for a text above mil::kMaxTextSize, and for one that is out of proportion to the file.
// Functions whose inputs are flexible by the description get the attribute
// FlexibleShapeInformation, unless they have one.
Result<std::string> ProgramText(std::string_view program, std::span<const InputShapes> inputs = {});

}  // namespace anecheck::mlmodel
