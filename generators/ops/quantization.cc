// Draws conversions of element types.
#include <algorithm>
#include <array>
#include <cmath>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// An element type and the range of its integers. The range of a converted value is clipped to this
// range. Floats keep their range, and bools are 0 and 1.
struct Way {
  std::string_view dtype;
  double low = 0, high = 0;
};
constexpr std::array<Way, 8> kWays = {{{"int32", -0x1p31, 0x1p31},
                                       {"fp32"},
                                       {"fp32"},
                                       {"int8", -128, 127},
                                       {"uint8", 0, 255},
                                       {"int16", -32768, 32767},
                                       {"uint16", 0, 65535},
                                       {"bool", 0, 1}}};

// Converts x and converts the result back, so that the graph does not return the integer. int32 and
// bool cannot be program outputs on the engine's path (facts/mil.md).
bool DrawCast(Drawer& drawer, ValueId x) {
  using P = params::Cast;
  // No source states how an integer conversion treats NaN and infinities.
  const ValueRange range = drawer.range(x);
  Way way = drawer.mode() == CaseMode::kSpecial ? kWays[1] : drawer.choices().Pick(kWays);
  // A conversion to bool gives true for nearly all fractions, and truncation to integers leaves few
  // different values of a short range.
  const bool vanishes = way.dtype == "bool" || range.high - range.low <= 2;
  if (!range.integer && way.low != way.high && vanishes && !drawer.DrawsRestful()) way = kWays[1];
  const bool to_integer = way.low != way.high;
  drawer.Begin(OpKind::kCast);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddString(P::kDtype, way.dtype);
  const auto fit = [&](double number) { return std::clamp(std::trunc(number), way.low, way.high); };
  const ValueRange truncated = way.dtype == "bool"
                                   ? ValueRange{0, 1, true}
                                   : ValueRange{fit(range.low), fit(range.high), true};
  if (!drawer.Finish(to_integer ? truncated : range)) return false;
  const ValueId between = drawer.Last();
  drawer.Begin(OpKind::kCast);
  drawer.graph().AddArgument(P::kX, between);
  drawer.AddString(P::kDtype, "fp16");
  return drawer.Finish(drawer.range(between));
}

}  // namespace

constinit const OpGenerator kGeneratorCast = {OpKind::kCast, true, 2, DrawCast};

}  // namespace anecheck
