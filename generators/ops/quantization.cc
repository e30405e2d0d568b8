// How element-type conversions are drawn.
#include <algorithm>
#include <array>
#include <cmath>

#include "generators/drawer.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// There and back: int32 and bool are no program outputs on the engine's path (facts/mil.md), so the
// integer never leaves the graph.
bool DrawCast(Drawer& drawer, ValueId x) {
  using P = params::Cast;
  constexpr std::array<std::string_view, 2> kWays = {"int32", "fp32"};
  // What an integer conversion makes of NaN and infinities is said nowhere.
  const std::string_view way =
      drawer.mode() == CaseMode::kSpecial ? "fp32" : drawer.choices().Pick(kWays);
  const ValueRange range = drawer.range(x);
  const bool to_integer = way == "int32";
  drawer.Begin(OpKind::kCast);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddString(P::kDtype, way);
  const ValueRange truncated = {std::trunc(range.low), std::trunc(range.high), true};
  if (!drawer.Finish(to_integer ? truncated : range)) return false;
  const ValueId between = drawer.graph().nodes().back().first_result;
  drawer.Begin(OpKind::kCast);
  drawer.graph().AddArgument(P::kX, between);
  drawer.graph().AddString(P::kDtype, "fp16");
  return drawer.Finish(drawer.range(between));
}

}  // namespace

constinit const OpGenerator kGeneratorCast = {OpKind::kCast, true, 2, DrawCast};

}  // namespace anecheck
