// Compares two MIL programs, because text and model files spell the same program in several ways.
#pragma once

#include <string>

#include "harness/formats/mil/program.h"

namespace anecheck::mlmodel {

// The first difference between the programs, in words; empty if they are the same. It ignores the
// order of arguments and attributes, labels of blocks, the version of the text, whether a scalar's
// type is T or tensor<T, []>, a tuple of one value, an empty pair of a dictionary, and how numbers
// and strings are spelled. NaNs of fp32 and fp64 are equal.
std::string ProgramDifference(const mil::Program& a, const mil::Program& b);

}  // namespace anecheck::mlmodel
