// The elements that no operation computes: inputs, constants and states.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Sets the elements of an input or a constant of any data type, whose type and size are set.
// `bytes` holds them as stored (little-endian).
void Load(const Contract& contract, Arena& arena, BoundedTensor& tensor,
          std::span<const uint8_t> bytes);

// Sets the elements of a state before anything was written into it.
void LoadZeros(Arena& arena, BoundedTensor& tensor);

}  // namespace anecheck::reference
