// Draws operations that move data.
#include <algorithm>
#include <array>

#include "generators/drawer.h"
#include "generators/short_list.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

bool DrawReshape(Drawer& drawer, ValueId x) {
  ChoiceStream& choices = drawer.choices();
  int64_t left = drawer.shape(x).Elements();
  const int rank = static_cast<int>(choices.Range(1, 5));
  AxisList shape;
  for (int axis = 0; axis + 1 < rank; ++axis) {
    // The largest divisor of the remaining elements that is at most a drawn extent.
    int64_t extent = std::min<int64_t>(left, choices.Range(1, 16));
    while (left % extent != 0) --extent;
    shape.push_back(extent);
    left /= extent;
  }
  shape.push_back(left);
  drawer.Begin(OpKind::kReshape);
  drawer.graph().AddArgument(params::Reshape::kX, x);
  drawer.AddInts(params::Reshape::kShape, shape);
  return drawer.Finish(drawer.range(x));
}

bool DrawTranspose(Drawer& drawer, ValueId x) {
  const int rank = drawer.shape(x).rank();
  if (rank < 2) return false;
  AxisList perm;
  for (int axis = 0; axis < rank; ++axis) perm.push_back(axis);
  for (int axis = rank - 1; axis > 0; --axis) {
    const auto other = drawer.choices().Below(static_cast<uint64_t>(axis) + 1);
    std::swap(perm[static_cast<size_t>(axis)], perm[other]);
  }
  drawer.Begin(OpKind::kTranspose);
  drawer.graph().AddArgument(params::Transpose::kX, x);
  drawer.AddInts(params::Transpose::kPerm, perm);
  return drawer.Finish(drawer.range(x));
}

bool DrawConcat(Drawer& drawer, ValueId x) {
  using P = params::Concat;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1 || shape.Elements() > drawer.options().max_elements) return false;
  ChoiceStream& choices = drawer.choices();
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  ShortList<ValueId> parts = {x};
  const uint64_t more = 1 + choices.Below(2);
  for (uint64_t i = 0; i < more; ++i) {
    Shape part = shape;
    if (choices.Chance(1, 3)) part[axis] = drawer.Extent(8);
    parts.push_back(drawer.SameShape(part, kNoValue, drawer.type(x).dtype));
  }
  if (choices.Coin()) std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  const bool alike =
      std::ranges::all_of(parts, [&](ValueId part) { return drawer.shape(part) == shape; });
  // Network descriptions have no key for `interleave`.
  const bool interleave = alike && !drawer.options().direct && choices.Chance(1, 3);
  drawer.Begin(OpKind::kConcat);
  ValueRange range = drawer.range(x);
  for (const ValueId part : parts) {
    drawer.graph().AddArgument(P::kValues, part);
    range = EitherOf(range, drawer.range(part));
  }
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  if (!drawer.options().direct) drawer.AddBool(P::kInterleave, interleave);
  return drawer.Finish(range);
}

bool DrawPad(Drawer& drawer, ValueId x) {
  using P = params::Pad;
  const Shape shape = drawer.shape(x);
  // Only height and width can be padded, not channels (facts/netlist_layers.csv, padding).
  if (shape.rank() < 2 || shape.Elements() > drawer.options().max_elements) return false;
  ChoiceStream& choices = drawer.choices();
  constexpr std::array<std::string_view, 3> kModes = {"constant", "constant", "replicate"};
  std::string_view mode = choices.Pick(kModes);
  // Reflection needs the texture engine, which exists from A14 on (specification 003, byte 0x81d).
  if (drawer.options().family >= 3 && choices.Chance(1, 4)) {
    mode = choices.Coin() ? "reflect" : "symmetric";
  }
  AxisList pad;
  for (int axis = shape.rank() - 2; axis < shape.rank(); ++axis) {
    const int64_t inside = mode == "reflect" ? shape[axis] - 1 : shape[axis];
    const bool mirrors = mode == "reflect" || mode == "symmetric";
    const int64_t most = mirrors ? std::min<int64_t>(3, inside) : 3;
    pad.push_back(choices.Range(0, most));
    pad.push_back(choices.Range(0, most));
  }
  const double value = mode == "constant" ? static_cast<double>(choices.Range(-4, 4)) : 0;
  drawer.Begin(OpKind::kPad);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kPad, pad);
  drawer.AddString(P::kMode, mode);
  drawer.AddFloat(P::kConstantVal, value);
  ValueRange range = drawer.range(x);
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
  return drawer.Finish(range);
}

bool DrawSliceBySize(Drawer& drawer, ValueId x) {
  using P = params::SliceBySize;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  ChoiceStream& choices = drawer.choices();
  AxisList begin;
  AxisList size;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool whole = !choices.Chance(1, 2);
    const int64_t from = whole ? 0 : choices.Range(0, shape[axis] - 1);
    begin.push_back(from);
    const bool to_end = choices.Chance(1, 6);
    size.push_back(to_end ? -1 : whole ? shape[axis] : choices.Range(1, shape[axis] - from));
  }
  drawer.Begin(OpKind::kSliceBySize);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kBegin, begin);
  drawer.AddInts(P::kSize, size);
  return drawer.Finish(drawer.range(x));
}

}  // namespace

constinit const OpGenerator kGeneratorReshape = {OpKind::kReshape, true, 4, DrawReshape};
constinit const OpGenerator kGeneratorTranspose = {OpKind::kTranspose, true, 4, DrawTranspose};
constinit const OpGenerator kGeneratorConcat = {OpKind::kConcat, true, 4, DrawConcat};
constinit const OpGenerator kGeneratorPad = {OpKind::kPad, true, 4, DrawPad};
constinit const OpGenerator kGeneratorSliceBySize = {OpKind::kSliceBySize, true, 5,
                                                     DrawSliceBySize};

}  // namespace anecheck
