// Rounds sizes and addresses up to a multiple of a unit.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "harness/base/checked_math.h"

namespace anecheck {

// Returns the smallest multiple of `unit` that is at least `value`, for trusted numbers. `value`
// must not be negative, `unit` must be positive, and `value + unit - 1` must fit in T.
template <std::integral T>
constexpr T RoundUp(T value, std::type_identity_t<T> unit) {
  return static_cast<T>((value + unit - 1) / unit * unit);
}

// The same for numbers from a file. Returns nothing if the multiple does not fit in T.
template <std::integral T>
constexpr std::optional<T> CheckedRoundUp(T value, std::type_identity_t<T> unit) {
  const T over = static_cast<T>(value % unit);
  return over == 0 ? value : CheckedAdd(value, static_cast<T>(unit - over));
}

}  // namespace anecheck
