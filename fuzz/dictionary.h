// The dictionary of a target: the words and numbers that its format gives a meaning, taken from
// what its generator writes, in the form that libFuzzer and AFL++ read.
#pragma once

#include <string>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

// One `"..."` entry a line, at most 500; empty for targets without a generator. Deterministic.
std::string MakeDictionary(const FuzzTarget& target);

}  // namespace anecheck::fuzz
