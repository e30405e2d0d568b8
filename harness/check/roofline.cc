#include "harness/check/roofline.h"

#include <algorithm>
#include <iterator>

#include "harness/cases/placement_cost.h"

namespace anecheck {
namespace {

constexpr double kTeraflopsPerMs = 1e9, kGigabytesPerMs = 1e6;

constexpr RooflineChip kChips[] = {
    {"h13", "M1", 3.25 * kTeraflopsPerMs, 9.0 * kGigabytesPerMs, 0.23},
    {"h17s", "M5", 8.9 * kTeraflopsPerMs, 57 * kGigabytesPerMs, 0.11},
};

}  // namespace

const RooflineChip* FindRoofline(std::string_view target) {
  const auto* chip = std::ranges::find(kChips, target, &RooflineChip::target);
  return chip == std::end(kChips) ? nullptr : chip;
}

Roofline RooflineOf(const NodeView& node, const RooflineChip& chip) {
  Roofline roofline;
  roofline.flops = ProductFlops(node);
  const Graph& graph = node.graph();
  for (const Argument& argument : graph.arguments(node.node())) {
    roofline.bytes += static_cast<double>(graph.type(argument.value).ByteSize());
  }
  for (uint32_t i = 0; i < node.node().result_count; ++i) {
    roofline.bytes += static_cast<double>(node.ResultType(i).ByteSize());
  }
  roofline.compute_ms = roofline.flops / chip.flops_per_ms;
  roofline.memory_ms = roofline.bytes / chip.bytes_per_ms;
  return roofline;
}

}  // namespace anecheck
