// Writes MIL programs in the form of model files. It is the inverse of program_text.h.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mlmodel {

// The message Program of a parsed program. If ProgramText reads that message, ProgramDifference
// finds no difference from `program`. Labels of blocks and the version of the text have no place in
// the message and are left out. `left_out` names an attribute of functions that is not written,
// because a model file states it elsewhere. Errors, each with the place in the text: kUnsupported
// for parts that the message cannot express (buffer types, opsets of single operations, values of
// no known type), kInvalid if a literal is not of its type.
Result<std::string> ProgramBytes(const mil::Program& program, std::string_view left_out = {});

}  // namespace anecheck::mlmodel
