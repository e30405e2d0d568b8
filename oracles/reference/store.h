// The last step of every kernel: unrounded results become values of the element type with the
// interval that the contract permits. Used by all reference kernels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "oracles/reference/kernel.h"
#include "oracles/reference/rounding.h"

namespace anecheck::reference {

// Results before rounding. `value` is exact or rounded to odd. If `low` is null the result is the
// same for every conforming engine up to rounding; otherwise [low, high] contains every engine's
// unrounded result and `nan` (may be null) admits NaN. If `beyond` is not null its bits (Beyond)
// admit infinities beside [low, high], which is empty if low lies above high. `fixed` marks sums of
// the fixed-point accumulator (fixed_point.h), which no step rounds to fp32.
struct Raw {
  double* value = nullptr;
  double* low = nullptr;
  double* high = nullptr;
  uint8_t* nan = nullptr;
  uint8_t* beyond = nullptr;
  bool fixed = false;
};

// Allocates arrays for `count` elements from the context's arena. If `bounds` is true, also
// allocates low, high and nan, and clears nan. `beyond` is left null.
Raw AllocateRaw(KernelContext& context, size_t count, bool bounds);

// Lets element `at` be any number or NaN, since no source defines the engine's result.
// Precondition: `raw` has bounds.
void PutAnything(const Raw& raw, size_t at, double value);

// The rounded end of an interval, moved by `ulp` neighbours. Exact zeros and infinities have no
// error, and no error changes the sign.
double Neighbour(const Grid& grid, double end, int ulp);

// Stores float results: rounds value once and widens [low, high] by `ulp` neighbours of the rounded
// ends (but not at an exact zero or infinity) and by the freedom to stay unrounded.
void StoreFloats(KernelContext& context, BoundedTensor& result, const Raw& raw, int ulp = 0);

// Stores integer or bool results, which are exact already and finite.
void StoreExact(BoundedTensor& result, const Raw& raw);

// Element `i` of a constant, which may be fp32 beside fp16 results.
double ConstantAt(KernelContext& context, const BoundedTensor& constant, size_t i);
// The operand at a parameter. If it is fp32 beside fp16 results, or int32 beside float results,
// every element is read by KernelContext::Read.
BoundedTensor& OperandAsRead(KernelContext& context, int parameter);
// As OperandAsRead, but null if the operand is absent.
BoundedTensor* OptionalAsRead(KernelContext& context, int parameter);

// A float attribute beside operands of `dtype`. If it is absent, returns `fallback` rounded to
// `dtype`; an engine that is not an ANE may also hold it in fp32.
double Literal(KernelContext& context, DType dtype, int parameter, double fallback);
// As above, with the result's type as `dtype`.
double Literal(KernelContext& context, int parameter, double fallback);

// Whether a NaN operand acts as NaN and an invalid operation returns NaN. If not, a result that is
// NaN by IEEE's rules may be anything.
inline bool KeepsNan(const Contract& contract) {
  return contract.Find(Effect::kNanAsInfinity) == nullptr &&
         contract.Find(Effect::kNanResultAsZero) == nullptr;
}

// The operand of an operation for which the law of plain numbers does not cover exponent 31: an
// infinity is any number from 2^16 on, NaN is anything. `x` itself if the family has no such law or
// all elements are finite.
BoundedTensor& OpenNumbers(KernelContext& context, BoundedTensor& x);

// The grid of the result's element type under the context's contract.
Grid GridOf(const KernelContext& context, DType dtype);

// One end of an interval, rounded to its grid or unrounded, whichever is farther out. The
// "unrounded" form of fp32-class hardware is rounded to fp32, and may then also be rounded to the
// grid: with more than two terms it may meet a tie that the exact number misses. `store` rounds to
// the grid.
template <typename Store>
inline double OuterLow(const Store& store, double x, bool wide) {
  const double single = RoundToFloat(x);
  const double held = wide && single < x ? single : x;
  const double stored = store(held);
  return wide && !(stored < held) ? held : stored;
}
template <typename Store>
inline double OuterHigh(const Store& store, double x, bool wide) {
  const double single = RoundToFloat(x);
  const double held = wide && single > x ? single : x;
  const double stored = store(held);
  return wide && !(stored > held) ? held : stored;
}
// As OuterLow and OuterHigh, for a sum of the fixed-point accumulator, whose unrounded form is the
// sum itself.
template <typename Store>
inline double OuterFixedLow(const Store& store, double x, bool wide) {
  return wide ? std::min(x, store(x)) : store(x);
}
template <typename Store>
inline double OuterFixedHigh(const Store& store, double x, bool wide) {
  return wide ? std::max(x, store(x)) : store(x);
}

}  // namespace anecheck::reference
