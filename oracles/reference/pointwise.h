// Functions of one variable applied to every element: the value, the interval of the function over
// the operand's interval, and the error that the contract grants. Used by activations and maths.
#pragma once

#include <algorithm>

#include "oracles/reference/store.h"

namespace anecheck::reference {

// The least and greatest value of a function over an interval.
struct Bounds {
  double low = 0;
  double high = 0;
};

// What the contract grants beyond rounding.
struct PointwiseBound {
  double table_error = 0;     // absolute, of the engine's table
  bool zero_at_zero = false;  // the table is exact at 0
  int ulp = 0;                // neighbours of the rounded result
};

template <double (*kFunction)(double)>
inline Bounds Monotone(double low, double high) {
  return {kFunction(low), kFunction(high)};
}

// `function(low, high)` gives the bounds over [low, high]; for low == high that is the value,
// accurate to about two ulp of double. NaN ends must give NaN. The operand is parameter 0.
template <typename Function>
Status Pointwise(KernelContext& context, const Function& function, const PointwiseBound& bound) {
  const BoundedTensor& x = context.Input(0);
  BoundedTensor& result = context.Result();
  const bool bounds = !x.point() || bound.table_error != 0;
  const Raw raw = AllocateRaw(context, result.size, bounds);
  for (size_t i = 0; i < result.size; ++i) {
    const Bounds at = function(x.value[i], x.value[i]);
    raw.value[i] = at.low;
    if (!bounds) continue;
    const bool same = x.low[i] == x.value[i] && x.high[i] == x.value[i];
    const Bounds range = same ? at : function(x.low[i], x.high[i]);
    const bool exact = same && bound.zero_at_zero && x.value[i] == 0;
    const double error = exact ? 0 : bound.table_error;
    raw.low[i] = WidenDown(range.low - error, error);
    raw.high[i] = WidenUp(range.high + error, error);
    raw.nan[i] = x.NanAt(i) ? 1 : 0;
  }
  StoreFloats(context, result, raw, bound.ulp);
  return {};
}

}  // namespace anecheck::reference
