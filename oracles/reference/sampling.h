// Samples images between their pixels. Computes positions as exact fractions, weights, and the
// results that a conforming engine may compute from them. Used by the image kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/reference/discrete.h"

namespace anecheck::reference {

// A position along one axis, and the interval in which an engine's position may lie. The position
// is exactly numerator / denominator. Precondition: denominator > 0.
struct Position {
  double numerator = 0;
  double denominator = 1;
  double low = 0;
  double high = 0;

  double value() const { return numerator / denominator; }
};

// Returns a position whose computation errs by at most `relative` times the sum of its magnitude
// and the axis's extent. A whole number is assumed to be exact on every engine.
Position MakePosition(double numerator, double denominator, int64_t extent, double relative);

// The rule for numbers beyond the edge of an image.
enum class Edge : uint8_t { kConstant, kBorder, kReflection, kSymmetric };

// One image of height x width elements inside a tensor.
struct Plane {
  const BoundedTensor* x = nullptr;
  size_t first = 0;
  int64_t height = 1;
  int64_t width = 1;
  Edge edge = Edge::kBorder;
  double outside = 0;  // the number beyond the edge for Edge::kConstant
};

// A result before rounding. NaN ends and `nan` have the same meaning as in Raw. If `members` is not
// empty, it lists the only admitted numbers, ascending.
struct Sampled {
  double value = 0;
  double low = 0;
  double high = 0;
  uint8_t nan = 0;
  std::span<const double> members = {};
};
Sampled Anything(double value);
// Returns the hull of two results, with the value of the first result.
Sampled Either(const Sampled& a, const Sampled& b);

// Returns the weighted mean of the four pixels around (y, x). The value is exact to 2^-100. The
// bound allows an engine to round weights, products and the sums along each axis, in both usual
// orders of operations.
Sampled SampleLinear(const KernelContext& context, const Plane& plane, const Position& y,
                     const Position& x);
// The chosen pixel along one axis, and the pixels that an engine may choose instead: from `first`
// to `last` and, if sources allow two choices, from `other_first` to `other_last`.
struct PixelRange {
  int64_t chosen = 0;
  int64_t first = 0;
  int64_t last = 0;
  int64_t other_first = 0;
  int64_t other_last = -1;

  int64_t count() const { return (last - first + 1) + (other_last - other_first + 1); }
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (int64_t i = first; i <= last; ++i) visit(i);
    for (int64_t i = other_first; i <= other_last; ++i) visit(i);
  }
};
// Returns `range` with the pixels of `other` as further choices.
PixelRange EitherRange(const PixelRange& range, const PixelRange& other);
// Returns the pixel nearest to a position. Admits both of two equally near pixels.
PixelRange NearestTo(const Position& position);

// Reads one pixel. If an engine may read any of several pixels, the result is one of these pixels,
// not a number between them.
class NearestSampler {
 public:
  // Its result is valid until the next call.
  Sampled operator()(const Plane& plane, const PixelRange& y, const PixelRange& x);

 private:
  void AddNumbers(const Plane& plane, int64_t row, int64_t column);

  std::vector<double> numbers_;
  bool countable_ = false;
};

// Stores `sample(i)` for each element of the result. MIL does not say how a blend of integers is
// rounded, so the whole numbers on both sides are admitted.
template <typename Sample>
void StoreSamples(KernelContext& context, BoundedTensor& result, const Sample& sample) {
  const Raw raw = AllocateRaw(context, result.size, true);
  MemberSets sets(context);
  for (size_t i = 0; i < result.size; ++i) {
    const Sampled sampled = sample(i);
    if (!sampled.members.empty()) sets.Set(i, sampled.members);
    raw.value[i] = sampled.value;
    raw.low[i] = sampled.low;
    raw.high[i] = sampled.high;
    raw.nan[i] = sampled.nan;
    if (IsFloat(result.type.dtype)) continue;
    raw.value[i] = std::floor(sampled.value + 0.5);
    raw.low[i] = std::floor(sampled.low);
    raw.high[i] = std::ceil(sampled.high);
  }
  if (IsFloat(result.type.dtype)) {
    StoreFloats(context, result, raw);
  } else {
    StoreExact(result, raw);
  }
  sets.MergeInto(result);
}

}  // namespace anecheck::reference
