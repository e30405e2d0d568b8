// Padding, and planes that become channels or come from channels. All of them are copies.
#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/base/half.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

uint32_t ExtentAt(const View& view, int axis) {
  return view.axes[static_cast<size_t>(axis)].extent;
}

// Makes a constant with the extents of `like`, but `length` along the axis, filled with `bits`.
View Filled(Planner& planner, const View& like, int axis, uint32_t length, uint16_t bits) {
  auto extents = ExtentsOf(like);
  extents[static_cast<size_t>(axis)] = length;
  size_t count = 1;
  for (const uint32_t extent : extents) count *= extent;
  return planner.Image(extents, std::vector<uint16_t>(count, bits));
}

// Returns the element of an axis that padding puts at `at`, which may lie outside the axis. It is
// the nearest element or the mirrored element. `symmetric` repeats the edge.
int64_t ElementAt(std::string_view mode, int64_t at, int64_t extent) {
  if (mode == "replicate") return std::clamp<int64_t>(at, 0, extent - 1);
  const int64_t edge = mode == "symmetric" ? 1 : 0;
  if (at < 0) return -at - edge;
  return at < extent ? at : 2 * (extent - 1) + edge - at;
}

// Pads an axis with `before` elements before it and `after` elements after it. The padding consists
// of elements of the axis.
Status PadWithElements(Planner& planner, const View& x, int axis, std::string_view mode,
                       int64_t before, int64_t after, const View& result) {
  const int64_t extent = ExtentAt(x, axis);
  std::vector<uint32_t> indices;
  for (int64_t at = -before; at < extent + after; ++at) {
    const int64_t element = ElementAt(mode, at, extent);
    if (element < 0 || element >= extent) return Refuse("pad: too few elements to mirror");
    indices.push_back(static_cast<uint32_t>(element));
  }
  return Pick(planner, x, axis, indices, result);
}

// The channels of the position (row, column) in a block of `side`. The channel axis consists of two
// axes, positions and channels, and either may be the outer axis.
struct ChannelPlace {
  uint32_t begin = 0, step = 1;
};
ChannelPlace PlaceInBlock(OpKind kind, uint32_t row, uint32_t column, uint32_t side,
                          uint32_t channels) {
  const uint32_t place = row * side + column;
  const bool outside = kind == OpKind::kDepthToSpace || kind == OpKind::kSpaceToDepth;
  return outside ? ChannelPlace{place * channels, 1} : ChannelPlace{place, side * side};
}

}  // namespace

// Pads before and after, along one axis after the other, with constants or elements.
Status EncodePad(Planner& planner, const NodeView& node) {
  using P = params::Pad;
  ANECHECK_ASSIGN(View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const std::string_view mode = node.String(P::kMode, "constant");
  const uint16_t bits = DoubleToHalf(node.Float(P::kConstantVal, 0)).bits;
  const auto pad = node.Ints(P::kPad);
  const int first = kAxes - static_cast<int>(pad.size() / 2);
  for (int axis = first; axis < kAxes; ++axis) {
    const auto at = static_cast<size_t>(2 * (axis - first));
    if (pad[at] < 0 || pad[at + 1] < 0) return Refuse("pad: a negative padding");
    if (pad[at] == 0 && pad[at + 1] == 0) continue;
    const auto before = static_cast<uint32_t>(pad[at]), after = static_cast<uint32_t>(pad[at + 1]);
    auto extents = ExtentsOf(x);
    extents[static_cast<size_t>(axis)] += before + after;
    ANECHECK_ASSIGN(const View padded, planner.Temporary(extents));
    if (mode != "constant") {
      ANECHECK_RETURN_IF_ERROR(PadWithElements(planner, x, axis, mode, before, after, padded));
      x = padded;
      continue;
    }
    std::vector<View> parts;
    if (before > 0) parts.push_back(Filled(planner, x, axis, before, bits));
    parts.push_back(x);
    if (after > 0) parts.push_back(Filled(planner, x, axis, after, bits));
    ANECHECK_RETURN_IF_ERROR(Join(planner, parts, padded, axis));
    x = padded;
  }
  return planner.Copy(x, y);
}

// Copies each position of a block to its own channels. The elements at a position are a plane of
// every `side`-th row and column.
Status EncodeToDepth(Planner& planner, const NodeView& node) {
  using P = params::Blocks;
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const auto side = static_cast<uint32_t>(node.Int(P::kFactor, 1));
  auto extents = ExtentsOf(y);
  extents[1] = ExtentAt(x, 1);
  for (uint32_t row = 0; row < side; ++row) {
    for (uint32_t column = 0; column < side; ++column) {
      ANECHECK_ASSIGN(const View plane, planner.Temporary(extents));
      ANECHECK_RETURN_IF_ERROR(Slice(planner, x, {0, 0, row, column}, {1, 1, side, side}, plane));
      const ChannelPlace at = PlaceInBlock(KindOf(node.schema()), row, column, side, extents[1]);
      ANECHECK_RETURN_IF_ERROR(planner.Copy(plane, Part(y, 1, at.begin, extents[1], at.step)));
    }
  }
  return {};
}

// Joins the channels of each row of a block as alternating columns of every `side`-th row.
Status EncodeToSpace(Planner& planner, const NodeView& node) {
  using P = params::Blocks;
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const auto side = static_cast<uint32_t>(node.Int(P::kFactor, 1));
  const uint32_t channels = ExtentAt(y, 1);
  for (uint32_t row = 0; row < side; ++row) {
    std::vector<View> columns;
    for (uint32_t column = 0; column < side; ++column) {
      const ChannelPlace at = PlaceInBlock(KindOf(node.schema()), row, column, side, channels);
      columns.push_back(Part(x, 1, at.begin, channels, at.step));
    }
    const View rows = Part(y, 2, row, ExtentAt(x, 2), side);
    ANECHECK_RETURN_IF_ERROR(Join(planner, columns, rows, 3, side));
  }
  return {};
}

}  // namespace anecheck::encoder
