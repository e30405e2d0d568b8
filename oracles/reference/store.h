// The last step of every kernel. It converts unrounded results to values of the element type with
// the intervals that the contract permits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "oracles/reference/kernel.h"
#include "oracles/reference/rounding.h"

namespace anecheck::reference {

// Results before rounding. `value` is exact or rounded to odd. If `low` is null, all conforming
// engines have the same result up to rounding. Otherwise [low, high] contains every engine's
// unrounded result and `nan` (may be null) admits NaN. If `beyond` is not null, its bits (Beyond)
// admit infinities besides [low, high]. [low, high] is empty if low > high. `fixed` marks sums of
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

// Lets element `at` admit every number and NaN, since no source defines the engine's result.
// Precondition: `raw` has bounds.
void PutAnything(const Raw& raw, size_t at, double value);

// Returns the rounded end of an interval, moved by `ulp` neighbours. Exact zeros and infinities
// have no error, and no error changes the sign.
double Neighbour(const Grid& grid, double end, int ulp);

// Stores float results. Rounds value once. Widens [low, high] by `ulp` neighbours of the rounded
// ends, except at an exact zero or infinity. If permitted, also admits unrounded results.
void StoreFloats(KernelContext& context, BoundedTensor& result, const Raw& raw, int ulp = 0);

// Stores integer or bool results, which are exact already and finite.
void StoreExact(BoundedTensor& result, const Raw& raw);

// Returns element `i` of a constant, which may be fp32 although results are fp16.
double ConstantAt(KernelContext& context, const BoundedTensor& constant, size_t i);
// Returns the operand at a parameter. If it is fp32 and results are fp16, or if it is int32 and
// results are float, KernelContext::Read reads every element.
BoundedTensor& OperandAsRead(KernelContext& context, int parameter);
// As OperandAsRead, but returns null if the operand is absent.
BoundedTensor* OptionalAsRead(KernelContext& context, int parameter);

// Returns a float attribute of an operation with operands of `dtype`. If it is absent, returns
// `fallback` rounded to `dtype`. An engine that is not an ANE may also hold `fallback` in fp32.
double Literal(KernelContext& context, DType dtype, int parameter, double fallback);
// As above, with the result's type as `dtype`.
double Literal(KernelContext& context, int parameter, double fallback);

// Whether a NaN operand acts as NaN and an invalid operation returns NaN. If not, a result that is
// NaN by IEEE's rules is unbounded.
inline bool KeepsNan(const Contract& contract) {
  return contract.Find(Effect::kNanAsInfinity) == nullptr &&
         contract.Find(Effect::kNanResultAsZero) == nullptr;
}

// Returns the operand of an operation for which the law of plain numbers does not cover exponent
// 31. An infinity becomes any number from 2^16 on, and NaN becomes unbounded. Returns `x` if the
// family has no such law or all elements are finite.
BoundedTensor& OpenNumbers(KernelContext& context, BoundedTensor& x);

// Returns the grid of `dtype` under the context's contract.
Grid GridOf(const KernelContext& context, DType dtype);

// Returns one end of an interval, rounded to its grid or unrounded, whichever is farther out.
// Hardware of fp32 class rounds an "unrounded" number to fp32, and may then round it to the grid.
// With more than two terms, this number may be a tie although the exact number is not.
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
