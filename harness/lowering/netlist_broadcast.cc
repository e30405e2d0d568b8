#include "harness/lowering/netlist_broadcast.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "harness/lowering/netlist_axes.h"

namespace anecheck {
namespace {

constexpr std::string_view kDepth = "Depth";
constexpr int kDepthAxis = 2;
constexpr int kRankWithDepth = 5;

struct Growth {
  std::string axis;
  int64_t size = 0;
};

// Returns the entries of BroadcastInfo; empty if it is not a list of Dimension and Size.
std::optional<std::vector<Growth>> GrowthOf(const netlist::Unit& unit) {
  const tree::Value* items = unit.Param("BroadcastInfo");
  if (items == nullptr || items->AsArray() == nullptr) return std::nullopt;
  std::vector<Growth> growth;
  for (const tree::Value& item : *items->AsArray()) {
    const tree::Dict* dict = item.AsDict();
    const tree::Value* axis = dict == nullptr ? nullptr : dict->Find("Dimension");
    const tree::Value* size = dict == nullptr ? nullptr : dict->Find("Size");
    if (axis == nullptr || size == nullptr) return std::nullopt;
    if (axis->AsString() == nullptr || size->AsInteger() == nullptr) return std::nullopt;
    growth.push_back({*axis->AsString(), *size->AsInteger()});
  }
  return growth;
}

Error Wrong(const netlist::Unit& unit, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("unit {}: {}", unit.name, what));
}

Shape WithDepth(const Shape& shape) {
  Shape result;
  for (int axis = 0; axis < kRankWithDepth; ++axis) {
    // Axes that a lower rank lacks get the extent 1.
    const int own = axis < kDepthAxis ? axis + shape.rank() - (kRankWithDepth - 1)
                                      : axis + shape.rank() - kRankWithDepth;
    result.Append(axis == kDepthAxis || own < 0 ? 1 : shape[own]);
  }
  return result;
}

}  // namespace

bool GivesDepth(const netlist::Unit& broadcast, int operand_rank) {
  const auto growth = GrowthOf(broadcast);
  return growth && operand_rank < kRankWithDepth &&
         std::ranges::any_of(*growth, [](const Growth& g) { return g.axis == kDepth; });
}

Result<NetlistBroadcast> ReadBroadcast(const netlist::Unit& broadcast, const Shape& operand) {
  const auto growth = GrowthOf(broadcast);
  if (!growth) return Wrong(broadcast, "BroadcastInfo is no list of Dimension and Size");
  NetlistBroadcast result;
  result.read_as = GivesDepth(broadcast, operand.rank()) ? WithDepth(operand) : operand;
  result.reps.assign(static_cast<size_t>(result.read_as.rank()), 1);
  for (const Growth& g : *growth) {
    const auto axis = NetlistAxis(g.axis, result.read_as.rank());
    if (!axis) return Wrong(broadcast, fmt::format("the operand has no axis {}", g.axis));
    const int64_t extent = result.read_as[*axis];
    if (extent == g.size) continue;
    if (extent != 1 || g.size < 1) {
      return Wrong(broadcast, fmt::format("{} grows from {} to {}: only an axis of 1 element does",
                                          g.axis, extent, g.size));
    }
    result.reps[static_cast<size_t>(*axis)] = g.size;
  }
  return result;
}

}  // namespace anecheck
