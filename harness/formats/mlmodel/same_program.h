// Compares two MIL programs. Text and model files have several forms of the same program.
#pragma once

#include <string>

#include "harness/formats/mil/program.h"

namespace anecheck::mlmodel {

// Returns a description of the first difference between the programs, or "" if they are the same.
// Ignores the order of arguments and attributes, labels of blocks, the version of the text and
// empty pairs of a dictionary. T and tensor<T, []>, a value and a tuple of this value, and
// different spellings of the same number or string are equal. NaNs of fp32 and fp64 are equal.
std::string ProgramDifference(const mil::Program& a, const mil::Program& b);

}  // namespace anecheck::mlmodel
