// Lanes: consecutive numbers with their intervals, gathered from strided tensors into scratch
// memory. Used by the kernels that reduce over windows, rows and axes.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/reference/dot.h"
#include "oracles/reference/kernel.h"

namespace anecheck::reference {

class LaneBuffer {
 public:
  LaneBuffer(Arena& arena, size_t capacity, bool point) : point_(point) {
    value_ = arena.Allocate<double>(capacity);
    low_ = high_ = value_;
    if (point) return;
    low_ = arena.Allocate<double>(capacity);
    high_ = arena.Allocate<double>(capacity);
    nan_ = arena.Allocate<uint8_t>(capacity);
  }

  // Sets lane `at` to element `i` of `tensor`.
  void Set(size_t at, const BoundedTensor& tensor, size_t i) {
    value_[at] = tensor.value[i];
    if (point_) return;
    low_[at] = tensor.low[i];
    high_[at] = tensor.high[i];
    nan_[at] = tensor.NanAt(i) ? 1 : 0;
  }
  // Sets lane `at` to the negative of element `i`.
  void SetNegated(size_t at, const BoundedTensor& tensor, size_t i) {
    value_[at] = -tensor.value[i];
    if (point_) return;
    low_[at] = -tensor.high[i];
    high_[at] = -tensor.low[i];
    nan_[at] = tensor.NanAt(i) ? 1 : 0;
  }
  // Sets lane `at` to the magnitude of element `i`.
  void SetMagnitude(size_t at, const BoundedTensor& tensor, size_t i) {
    value_[at] = std::fabs(tensor.value[i]);
    if (point_) return;
    const double a = std::fabs(tensor.low[i]);
    const double b = std::fabs(tensor.high[i]);
    const bool crosses = tensor.low[i] < 0 && tensor.high[i] > 0;
    low_[at] = crosses ? 0 : a < b ? a : b;
    high_[at] = a < b ? b : a;
    nan_[at] = tensor.NanAt(i) ? 1 : 0;
  }
  void SetZero(size_t at) {
    value_[at] = 0;
    if (point_) return;
    low_[at] = high_[at] = 0;
    nan_[at] = 0;
  }
  Lanes lanes(size_t from = 0) const {
    const double* value = value_ + from;
    if (point_) return {value, value, value};
    return {value, low_ + from, high_ + from, nan_ + from};
  }
  bool AnyNan(size_t count) const {
    bool any = false;
    for (size_t i = 0; !point_ && i < count; ++i) any |= nan_[i] != 0;
    return any;
  }

 private:
  bool point_;
  double* value_ = nullptr;
  double* low_ = nullptr;
  double* high_ = nullptr;
  uint8_t* nan_ = nullptr;
};

// Returns the lanes of a tensor from element `start` on, without a copy.
inline Lanes LanesAt(const BoundedTensor& tensor, size_t start) {
  const double* value = tensor.value + start;
  if (tensor.point()) return {value, value, value};
  const uint8_t* nan = tensor.nan == nullptr ? nullptr : tensor.nan + start;
  return {value, tensor.low + start, tensor.high + start, nan};
}

inline void GatherStrided(const BoundedTensor& tensor, int64_t start, int64_t stride, size_t count,
                          LaneBuffer& lanes, size_t at) {
  for (size_t i = 0; i < count; ++i, start += stride) {
    lanes.Set(at + i, tensor, static_cast<size_t>(start));
  }
}

inline void GatherOffsets(const BoundedTensor& tensor, int64_t start,
                          std::span<const int64_t> offsets, LaneBuffer& lanes) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    lanes.Set(i, tensor, static_cast<size_t>(start + offsets[i]));
  }
}

// Returns the largest (smallest) of `count` numbers, NaN if one of them is NaN, or -infinity
// (+infinity) if there are none.
inline double Largest(const double* values, size_t count) {
  double best = -kInfinity;
  for (size_t i = 0; i < count; ++i) {
    if (values[i] > best || values[i] != values[i]) best = values[i];
    if (best != best) break;
  }
  return best;
}
inline double Smallest(const double* values, size_t count) {
  double best = kInfinity;
  for (size_t i = 0; i < count; ++i) {
    if (values[i] < best || values[i] != values[i]) best = values[i];
    if (best != best) break;
  }
  return best;
}

}  // namespace anecheck::reference
