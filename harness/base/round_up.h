// Sizes and addresses rounded up to a granule.
#pragma once

#include <cstdint>

namespace anecheck {

// The smallest multiple of `unit` that is at least `value`. `unit` must not be 0, and
// `value + unit - 1` must be below 2^64.
constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace anecheck
