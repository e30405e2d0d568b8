#include "harness/lowering/netlist_axes.h"

#include <algorithm>
#include <array>

namespace anecheck {
namespace {

constexpr std::array<std::string_view, 5> kFive = {"Batch", "Channel", "Depth", "Height", "Width"};
constexpr std::array<std::string_view, 4> kFour = {"Batch", "Channel", "Height", "Width"};

std::optional<int64_t>& Extent(netlist::Extents& extents, std::string_view axis) {
  if (axis == "Batch") return extents.batch;
  if (axis == "Channel") return extents.channels;
  if (axis == "Depth") return extents.depth;
  if (axis == "Height") return extents.height;
  return extents.width;
}

}  // namespace

std::span<const std::string_view> NetlistAxes(int rank) {
  if (rank == 5) return kFive;
  if (rank < 1 || rank > 4) return {};
  return std::span(kFour).last(static_cast<size_t>(rank));
}

std::optional<int> NetlistAxis(std::string_view name, int rank) {
  const auto axes = NetlistAxes(rank);
  const auto found = std::find(axes.begin(), axes.end(), name);
  if (found == axes.end()) return std::nullopt;
  return static_cast<int>(found - axes.begin());
}

netlist::Extents ToExtents(const Shape& shape) {
  netlist::Extents extents;
  const auto axes = NetlistAxes(shape.rank());
  for (size_t i = 0; i < axes.size(); ++i) {
    Extent(extents, axes[i]) = shape[static_cast<int>(i)];
  }
  return extents;
}

std::optional<Shape> FromExtents(const netlist::Extents& extents) {
  netlist::Extents copy = extents;
  int count = 0;
  for (const std::string_view axis : kFive) count += Extent(copy, axis).has_value() ? 1 : 0;
  Shape shape;
  for (const std::string_view axis : NetlistAxes(count)) {
    const std::optional<int64_t>& extent = Extent(copy, axis);
    if (!extent) return std::nullopt;
    shape.Append(*extent);
  }
  if (shape.rank() == 0) return std::nullopt;
  return shape;
}

netlist::Extents ToConstantExtents(const Shape& shape) {
  if (shape.rank() > 0) return ToExtents(shape);
  netlist::Extents extents;
  extents.channels = extents.depth = extents.height = extents.width = extents.interleave = 1;
  return extents;
}

std::optional<Shape> FromConstantExtents(const netlist::Extents& extents) {
  if (extents == netlist::Extents()) return Shape();
  const bool whole = extents.channels && extents.height && extents.width;
  if (extents.batch || extents.depth != 1 || !whole) return FromExtents(extents);
  const Shape shape = {*extents.channels, *extents.height, *extents.width};
  return shape == Shape{1, 1, 1} ? Shape() : shape;
}

}  // namespace anecheck
