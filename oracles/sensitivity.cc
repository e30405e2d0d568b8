#include "oracles/sensitivity.h"

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

Status SensitivitySearch::Start(const Graph& graph, std::span<const Tensor> inputs,
                                std::span<const ValueId> values, const Contract& contract) {
  ANECHECK_RETURN_IF_ERROR(at_inputs_.Run(graph, inputs, contract));
  for (Change& change : changes_) change.evaluated = false;
  SetValues(values);
  return {};
}

void SensitivitySearch::SetValues(std::span<const ValueId> values) {
  values_.assign(values.begin(), values.end());
  bounds_.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) at_inputs_.Stored(values[i], bounds_[i]);
}

void SensitivitySearch::Move(std::span<const Tensor> change, size_t number, Witnesses& found) {
  if (std::ranges::all_of(found, [](const auto& witness) { return witness.has_value(); })) return;
  while (changes_.size() <= number) changes_.emplace_back();
  changes_[number].evaluated = changes_[number].evaluation.RunValues(at_inputs_, change).ok();
  Look(number, found);
}

void SensitivitySearch::LookAt(std::span<const ValueId> values, Witnesses& found) {
  SetValues(values);
  found.assign(values.size(), std::nullopt);
  for (size_t number = 0; number < changes_.size(); ++number) Look(number, found);
}

void SensitivitySearch::Look(size_t number, Witnesses& found) const {
  const Change& change = changes_[number];
  if (!change.evaluated) return;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (!found[i]) found[i] = Compare(bounds_[i], change.evaluation.Values(values_[i]), number);
  }
}

std::vector<Estimate> SensitivitySearch::TakeBounds(std::vector<Estimate> memory) {
  return std::exchange(bounds_, std::move(memory));
}

}  // namespace anecheck
