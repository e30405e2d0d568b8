// Loads the elements that no operation computes: inputs, constants and states.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Sets the elements of an input or a constant of any data type. The tensor's type and size must be
// set. `bytes` holds the elements as stored (little-endian).
void Load(const Contract& contract, Arena& arena, BoundedTensor& tensor,
          std::span<const uint8_t> bytes);

// Sets the elements of a state to zero, which it holds before the first write.
void LoadZeros(Arena& arena, BoundedTensor& tensor);

}  // namespace anecheck::reference
