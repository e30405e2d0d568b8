// Numbers for missing data: inputs, and constants whose weight file is not there.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// Bytes of a constant, packed as graphs hold them; the same for the same type and seed. Matrices
// are scaled so that activations keep their size, vectors are small and positive.
std::vector<uint8_t> MadeUpConstant(const TensorType& type, uint64_t seed);

// Sets as many bits in made-up masks of sparse constants as there are data.
void FitMasks(Graph& graph);

// Numbers for every input, between -1 and 1, the same for the same graph and seed; integers are 0
// or 1.
std::vector<Tensor> MadeUpInputs(const Graph& graph, uint64_t seed = 1);

}  // namespace anecheck
