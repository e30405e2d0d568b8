// Numbers for missing data: inputs, and constants whose weight file is not there.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// Returns the bytes of a constant, packed as graphs hold them. Equal types and seeds give equal
// bytes. Matrices are scaled so that activations keep their magnitude; vectors are small and
// positive.
std::vector<uint8_t> MadeUpConstant(const TensorType& type, uint64_t seed);

// Sets exactly as many bits in each made-up mask of a sparse constant as the constant has data
// elements.
void FitMasks(Graph& graph);

// Returns numbers between -1 and 1 for every input; integers are 0 or 1. Equal graphs and seeds
// give equal numbers.
std::vector<Tensor> MadeUpInputs(const Graph& graph, uint64_t seed = 1);

}  // namespace anecheck
