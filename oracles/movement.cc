#include "oracles/movement.h"

namespace anecheck {
namespace {

std::optional<Witness> Compare(const Estimate& bounds, const Estimate& moved, size_t change) {
  for (size_t i = 0; i < bounds.value.size(); ++i) {
    const double to = moved.value[i];
    if (!Admits(bounds, i, to)) return Witness{change, i, bounds.low[i], bounds.high[i], to};
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<std::optional<Witness>>> MovementSearch::Find(const Graph& graph,
                                                                 std::span<const Tensor> inputs,
                                                                 std::span<const Inputs> changes,
                                                                 std::span<const ValueId> values,
                                                                 const Contract& contract) {
  ANECHECK_RETURN_IF_ERROR(at_inputs_.Run(graph, inputs, contract));
  std::vector<std::optional<Witness>> found(values.size());
  if (bounds_.size() < values.size()) bounds_.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) at_inputs_.Stored(values[i], bounds_[i]);
  size_t open = values.size();
  for (size_t change = 0; change < changes.size() && open > 0; ++change) {
    if (!at_change_.Run(graph, changes[change], contract).ok()) continue;
    for (size_t i = 0; i < values.size(); ++i) {
      if (found[i]) continue;
      at_change_.Stored(values[i], moved_);
      found[i] = Compare(bounds_[i], moved_, change);
      open -= found[i] ? 1 : 0;
    }
  }
  return found;
}

}  // namespace anecheck
