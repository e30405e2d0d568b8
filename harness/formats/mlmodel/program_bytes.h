// Writes MIL programs in the form of model files. The inverse of program_text.h.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mlmodel {

// Returns the message Program of a parsed program. If ProgramText reads that message,
// ProgramDifference finds no difference from `program`. The message has no fields for labels of
// blocks and for the version of the text. `left_out` names an attribute of functions that is not
// written, because a model file has it outside the program. Errors, each with the offset in the
// text: kUnsupported for parts that the message cannot express (buffer types, opsets of single
// operations, values of unknown type), kInvalid if a literal does not have its type.
Result<std::string> ProgramBytes(const mil::Program& program, std::string_view left_out = {});

}  // namespace anecheck::mlmodel
