// Operations that bring an operand into the domain of a function. Generators of roots, logarithms
// and exponentials put them before the function, so that most results are numbers.
#pragma once

#include <algorithm>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {

// Whether operands may lie outside of a function's domain. True in special and boundary cases,
// which also test NaN results.
inline bool TakesAnything(const Drawer& drawer) {
  return drawer.mode() == CaseMode::kSpecial || drawer.mode() == CaseMode::kBoundary;
}

// Returns x, or abs(x) if x may be negative.
inline ValueId NotNegative(Drawer& drawer, ValueId x) {
  if (drawer.range(x).low >= 0 || TakesAnything(drawer)) return x;
  drawer.Emit(OpKind::kAbs, {x}, {0, drawer.range(x).Magnitude(), drawer.range(x).integer});
  return drawer.Last();
}

// Returns x, or x clipped to [low, high] if x may lie outside. fp16 must represent the bounds.
inline ValueId Within(Drawer& drawer, ValueId x, double low, double high) {
  const ValueRange range = drawer.range(x);
  if ((range.low >= low && range.high <= high) || TakesAnything(drawer)) return x;
  using P = params::Clip;
  drawer.Begin(OpKind::kClip);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddFloat(P::kAlpha, low);
  drawer.graph().AddFloat(P::kBeta, high);
  drawer.Finish({std::clamp(range.low, low, high), std::clamp(range.high, low, high), false});
  return drawer.Last();
}

// A new constant whose elements have exponents of -2 to 2. No element is zero or large. If
// `positive` is true, all elements are positive.
inline ValueId ModerateConst(Drawer& drawer, const Shape& shape, bool positive) {
  const ValueId y = drawer.NewConst(shape, 4.0);
  std::vector<uint8_t> bytes(drawer.graph().ConstData(y).begin(),
                             drawer.graph().ConstData(y).end());
  for (size_t i = 1; i < bytes.size(); i += 2) {
    const int exponent = std::clamp((bytes[i] >> 2) & 0x1f, 13, 17);
    const int kept = bytes[i] & (positive ? 0x03 : 0x83);
    bytes[i] = static_cast<uint8_t>(kept | (exponent << 2));
  }
  drawer.graph().SetConstData(y, bytes);
  return y;
}

// A ModerateConst of both signs or, less often, a value that is computed from a new input and has
// magnitudes in the same range.
inline ValueId ModerateOperand(Drawer& drawer, const Shape& shape) {
  const bool magnitudes = drawer.options().ops.test(static_cast<size_t>(OpKind::kAbs));
  if (!magnitudes || !drawer.MayCompute()) return ModerateConst(drawer, shape, false);
  return Within(drawer, NotNegative(drawer, drawer.NewInput(shape)), 0.25, 4);
}

}  // namespace anecheck
