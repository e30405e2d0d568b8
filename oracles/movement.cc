#include "oracles/movement.h"

#include <algorithm>
#include <utility>

namespace anecheck {
namespace {

std::optional<Witness> Compare(const Estimate& bounds, std::span<const double> moved,
                               size_t change) {
  for (size_t i = 0; i < moved.size(); ++i) {
    const double to = moved[i];
    if (!Admits(bounds, i, to)) return Witness{change, i, bounds.low[i], bounds.high[i], to};
  }
  return std::nullopt;
}

}  // namespace

Status MovementSearch::Start(const Graph& graph, std::span<const Tensor> inputs,
                             std::span<const ValueId> values, const Contract& contract) {
  values_.assign(values.begin(), values.end());
  ANECHECK_RETURN_IF_ERROR(at_inputs_.Run(graph, inputs, contract));
  bounds_.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) at_inputs_.Stored(values[i], bounds_[i]);
  return {};
}

void MovementSearch::Move(std::span<const Tensor> change, size_t number, Witnesses& found) {
  if (std::ranges::all_of(found, [](const auto& witness) { return witness.has_value(); })) return;
  if (!at_change_.RunValues(at_inputs_, change).ok()) return;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (!found[i]) found[i] = Compare(bounds_[i], at_change_.Values(values_[i]), number);
  }
}

std::vector<Estimate> MovementSearch::TakeBounds() { return std::exchange(bounds_, {}); }

}  // namespace anecheck
