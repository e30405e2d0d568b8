// MIL programs in the form of model files: the inverse of program_text.h.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mlmodel {

// The message Program of a parsed program. The result of ProgramText for it is the same program:
// see SameProgram. Parts without a place in the message are left out: labels of blocks and the
// version of the text. Errors, each with the place in the text: kUnsupported for parts that the
// message cannot express (buffer types, opsets of single operations, values of no known type),
// kInvalid where a literal is none of its type. Attributes of functions called `left_out` are not
// written: a model file says the same elsewhere.
Result<std::string> ProgramBytes(const mil::Program& program, std::string_view left_out = {});

}  // namespace anecheck::mlmodel
