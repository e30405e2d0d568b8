// Integer arithmetic that reports overflow and does not wrap. It is for sizes that are computed
// from untrusted numbers, such as element counts, byte sizes and offsets.
#pragma once

#include <concepts>
#include <optional>
#include <span>

namespace anecheck {

// a + b, or nothing if the sum does not fit in T.
template <std::integral T>
constexpr std::optional<T> CheckedAdd(T a, T b) {
  T result{};
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// a * b, or nothing if the product does not fit in T.
template <std::integral T>
constexpr std::optional<T> CheckedMul(T a, T b) {
  T result{};
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// The product of all factors (1 for none), or nothing if it does not fit in T. If a factor is zero,
// the product is zero even if the other factors overflow.
template <std::integral T>
constexpr std::optional<T> CheckedProduct(std::span<const T> factors) {
  for (const T factor : factors) {
    if (factor == 0) return T{0};
  }
  std::optional<T> product = T{1};
  for (const T factor : factors) {
    if (!product) return std::nullopt;
    product = CheckedMul(*product, factor);
  }
  return product;
}

}  // namespace anecheck
