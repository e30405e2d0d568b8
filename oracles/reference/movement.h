// Copies elements between tensors under evaluation. Used by the movement kernels.
#pragma once

#include <cmath>

#include "oracles/reference/kernel.h"
#include "oracles/reference/layout.h"

namespace anecheck::reference {

// Allocates the arrays of `result`. `point` says that every operand is a point tensor.
void PrepareMove(KernelContext& context, BoundedTensor& result, bool point);
// Lets `result` keep the infinities that elements of `x` admit besides finite numbers. Call it
// after PrepareMove, for results of which MoveElement or PutElement sets every element.
void KeepBeyond(KernelContext& context, const BoundedTensor& x, BoundedTensor& result);

inline void MoveElement(const BoundedTensor& x, size_t from, BoundedTensor& result, size_t to) {
  result.value[to] = x.value[from];
  if (result.point()) return;
  result.low[to] = x.low[from];
  result.high[to] = x.high[from];
  result.nan[to] = x.NanAt(from) ? 1 : 0;
  if (result.members != nullptr) {
    result.members[to] = x.members == nullptr ? Members{} : x.members[from];
  }
  if (result.beyond == nullptr) return;
  const bool apart = x.beyond != nullptr;
  result.beyond[to] = apart ? x.beyond[from] : 0;
  result.finite_low[to] = apart ? x.finite_low[from] : x.low[from];
  result.finite_high[to] = apart ? x.finite_high[from] : x.high[from];
}

// Calls all(move), where move(from, to) moves an element of `x` to `result` like MoveElement.
// Checks the kind of the tensors only once, not for each element.
template <typename All>
inline void MoveElements(const BoundedTensor& x, BoundedTensor& result, const All& all) {
  if (result.point()) {
    const double* const source = x.value;
    double* const target = result.value;
    all([=](size_t from, size_t to) { target[to] = source[from]; });
  } else {
    all([&](size_t from, size_t to) { MoveElement(x, from, result, to); });
  }
}

// Sets an element to a number that is known exactly.
inline void PutElement(double number, BoundedTensor& result, size_t to) {
  result.value[to] = number;
  if (result.whole) result.whole = std::trunc(number) == number;
  if (result.point()) return;
  result.low[to] = number;
  result.high[to] = number;
  result.nan[to] = 0;
  if (result.beyond == nullptr) return;
  result.beyond[to] = 0;
  result.finite_low[to] = number;
  result.finite_high[to] = number;
}

// Whether two intervals end at zeros of different signs. The sign of a zero from either interval is
// then uncertain.
inline bool MixesZeros(double low, double high, double other_low, double other_high) {
  const auto differ = [](double a, double b) {
    return a == 0 && b == 0 && std::signbit(a) != std::signbit(b);
  };
  return differ(low, other_low) || differ(low, other_high) || differ(high, other_low) ||
         differ(high, other_high);
}

// Lets element `to` of `result` also admit the values of element `from` of `x`. Precondition:
// `result` is not a point tensor.
inline void AdmitElement(const BoundedTensor& x, size_t from, BoundedTensor& result, size_t to) {
  if (MixesZeros(x.low[from], x.high[from], result.low[to], result.high[to])) {
    result.signed_zero = false;
  }
  if (result.members != nullptr) result.members[to] = {};
  const bool only_nan = x.low[from] != x.low[from];
  const bool had_only_nan = result.low[to] != result.low[to];
  if (only_nan || had_only_nan || x.NanAt(from)) result.nan[to] = 1;
  if (only_nan) return;
  if (had_only_nan || x.low[from] < result.low[to]) result.low[to] = x.low[from];
  if (had_only_nan || x.high[from] > result.high[to]) result.high[to] = x.high[from];
}

// Lets element `at` admit every number of its type, and NaN for floats. `tensor` must not be a
// point tensor.
void AdmitAnything(BoundedTensor& tensor, size_t at);

// Combines the facts about all elements of `x` with those about the result.
inline void FinishMove(const BoundedTensor& x, BoundedTensor& result) {
  result.special |= x.special;
  result.signed_zero &= x.signed_zero;
  result.whole &= x.whole;
}

// Returns the axis of `to` whose lines have the same elements as the lines of `from` along `axis`,
// or -1 if there is none. Both shapes have the same elements in the same order.
int SameLines(const Shape& from, int axis, const Shape& to);

// Lets `result` share the arrays of `x`, because it has the same elements in another shape.
inline void Alias(const BoundedTensor& x, BoundedTensor& result) {
  result.value = x.value;
  result.low = x.low;
  result.high = x.high;
  result.nan = x.nan;
  result.special = x.special;
  result.signed_zero = x.signed_zero;
  result.whole = x.whole;
  result.members = x.members;
  result.beyond = x.beyond;
  result.finite_low = x.finite_low;
  result.finite_high = x.finite_high;
  if (x.distinct_axis < 0) return;
  result.distinct_axis = SameLines(x.type.shape, x.distinct_axis, result.type.shape);
}

// result[index] = x[start + index . source].
void MoveByStrides(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                   const Strides& source, int64_t start);
// As MoveByStrides, with strides for `view` instead of the result's shape. `view` is that shape
// with some axes split, so that its row-major order is the result's.
void MoveByView(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                const Shape& view, const Strides& source, int64_t start);

// For each axis of the result, a table of the offset into x that each index contributes.
using OffsetTables = std::array<std::span<int64_t>, Shape::kMaxRank>;
// Returns tables for `shape` with the entries `offset(axis, index)`.
template <typename Offset>
OffsetTables MakeTables(Arena& arena, const Shape& shape, const Offset& offset) {
  OffsetTables tables{};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto count = static_cast<size_t>(shape[axis]);
    const auto a = static_cast<size_t>(axis);
    tables[a] = std::span(arena.Allocate<int64_t>(count), count);
    for (size_t i = 0; i < count; ++i) tables[a][i] = offset(axis, static_cast<int64_t>(i));
  }
  return tables;
}
// result[index] = x[sum of tables[axis][index[axis]]].
void MoveByTables(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                  const OffsetTables& tables);

// Makes a point tensor in which every element is `number`. The element type must represent this
// number exactly.
void FillWith(KernelContext& context, double number, BoundedTensor& result);

// Returns the axis that an attribute names, counted from the front.
inline int AxisOf(const NodeView& node, int parameter, int64_t fallback, int rank) {
  const int64_t given = node.Int(parameter, fallback);
  return static_cast<int>(given < 0 ? given + rank : given);
}

}  // namespace anecheck::reference
