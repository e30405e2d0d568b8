#include "harness/check/cliffs.h"

#include <algorithm>
#include <cmath>

#include "harness/base/half.h"
#include "harness/check/cliff_reach.h"
#include "harness/judging/node_cut.h"
#include "oracles/laws.h"

namespace anecheck {
namespace {

// A cliff is near if the operand divided by this is past it.
constexpr double kNear = 0.75;
constexpr double kLargestHalf = 65504;
// The limit of the accumulator, in families whose accumulator has one.
constexpr double kFixedLimit = 32768;

bool HasThreshold(Effect effect) {
  switch (effect) {
    case Effect::kPortOverflow:
    case Effect::kInteriorOverflow:
    case Effect::kWidthSliceGain:
    case Effect::kValueFrom:
    case Effect::kMayBeFrom:
      return true;
    default:
      return false;
  }
}

bool ReadsState(const Graph& graph, const Node& node) {
  return std::ranges::any_of(graph.arguments(node), [&](const Argument& argument) {
    return graph.value(argument.value).kind == ValueKind::kState;
  });
}

// Returns whether a departing engine may return an element that a conforming engine may not. A
// narrower interval, which another way of computing may give, is no departure.
bool Leaves(const Estimate& departed, const Estimate& conforming, size_t i) {
  if ((departed.flags[i] & ~conforming.flags[i]) != 0) return true;
  if ((departed.flags[i] & Estimate::kNanOnly) != 0) return false;
  return !(departed.low[i] >= conforming.low[i] && departed.high[i] <= conforming.high[i]);
}

class CliffFinder {
 public:
  CliffFinder(const Graph& graph, std::span<const Tensor> inputs, const ModelValues& results,
              int family, std::span<const Departure> departures, Evaluation& evaluation)
      : graph_(graph), results_(results), family_(family), scratch_(evaluation) {
    const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
    for (size_t i = 0; i < ids.size(); ++i) values_[ids[i]] = &inputs[i];
    for (const Departure& departure : departures) {
      const bool of_family = (departure.families >> family & 1) != 0;
      if (of_family && HasThreshold(departure.effect)) departures_.push_back(&departure);
    }
  }

  std::vector<Cliff> Run() {
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      TakeResults(id);
      const Node& node = graph_.node(id);
      if (ReadsState(graph_, node)) continue;
      NodeCut cut(graph_, values_);
      cut.Take(id);
      if (cut.graph().outputs().empty()) continue;
      std::vector<Tensor> inputs(cut.inputs().begin(), cut.inputs().end());
      operand_ = inputs.empty() ? 0 : Largest(inputs.front());
      const auto result = values_.find(node.first_result);
      result_ = result == values_.end() ? 0 : Largest(*result->second);
      const double most = MostOfSums(cut.graph(), inputs) / kNear;
      inherited_ = result_ > kLargestHalf && IsInherited(cut.graph(), inputs);
      limit_ = most * kSumSlack >= kFixedLimit && LawsOf(ConformingContract(family_)).fixed_sums;
      acting_.clear();
      for (const Departure* departure : departures_) {
        if (MayAct(*departure, cut.graph(), most)) acting_.push_back(departure);
      }
      if (!limit_ && acting_.empty()) {
        TryEnd(id);
        continue;
      }
      const size_t known = cliffs_.size();
      Try(id, cut.graph(), inputs, true);
      if (cliffs_.size() == known && Enlarge(inputs)) Try(id, cut.graph(), inputs, false);
      TryEnd(id);
    }
    return std::move(cliffs_);
  }

 private:
  void TakeResults(NodeId id) {
    const Node& node = graph_.node(id);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const ValueId value = node.first_result + i;
      if (graph_.type(value).dtype == DType::kFp16) values_[value] = &results_[value];
    }
  }

  // The largest |number| of an fp16 tensor; 0 for other types and if all are NaN.
  double Largest(const Tensor& tensor) {
    return tensor.type.dtype == DType::kFp16 ? LargestHalf(tensor.bytes) : 0;
  }

  // The numbers of an fp16 tensor, in elements_.
  void Decode(const Tensor& tensor) {
    elements_.resize(tensor.bytes.size() / 2);
    DecodeElements(DType::kFp16, tensor.bytes, elements_);
  }

  // Makes the first operand a third larger; false if it is not fp16.
  bool Enlarge(std::vector<Tensor>& inputs) {
    if (inputs.empty() || inputs.front().type.dtype != DType::kFp16) return false;
    Decode(inputs.front());
    for (double& element : elements_) {
      element =
          HalfToDouble(DoubleToHalf(std::clamp(element / kNear, -kLargestHalf, kLargestHalf)));
    }
    EncodeElements(DType::kFp16, elements_, inputs.front().bytes);
    return true;
  }

  // Returns whether operands with infinities give a finite result if these are fp16's largest
  // numbers instead.
  bool IsInherited(const Graph& cut, std::vector<Tensor> inputs) {
    bool some = false;
    for (Tensor& input : inputs) {
      if (!(Largest(input) > kLargestHalf)) continue;
      some = true;
      Decode(input);
      for (double& element : elements_) element = std::clamp(element, -kLargestHalf, kLargestHalf);
      EncodeElements(DType::kFp16, elements_, input.bytes);
    }
    if (!some || !scratch_.RunForOutputs(cut, inputs, IeeeContract()).ok()) return false;
    scratch_.Stored(cut.outputs().front(), departed_);
    return std::ranges::none_of(departed_.value, [](double value) { return std::isinf(value); });
  }

  void Try(NodeId node, const Graph& cut, std::span<const Tensor> inputs, bool past) {
    const ValueId output = cut.outputs().front();
    const Contract conforming = WithDepartures(family_, std::span<const Departure* const>());
    if (!scratch_.RunForOutputs(cut, inputs, conforming).ok()) return;
    scratch_.Stored(output, estimate_);
    if (Changed(cut, inputs, acting_)) TryEach(node, cut, inputs, past);
    if (limit_) TryLimit(node, cut, inputs, past);
  }

  void TryEach(NodeId node, const Graph& cut, std::span<const Tensor> inputs, bool past) {
    std::vector<std::string_view> seen;
    for (const Departure* departure : acting_) {
      if (std::ranges::find(seen, departure->id) != seen.end()) continue;
      const uint64_t changed = Changed(cut, inputs, {&departure, 1});
      if (changed == 0) continue;
      seen.push_back(departure->id);
      cliffs_.push_back({.node = node,
                         .id = std::string(departure->id),
                         .what = std::string(departure->what),
                         .past = past,
                         .elements = changed,
                         .operand = operand_,
                         .result = result_});
    }
  }

  // Finds sums of products that overflow the family's fixed-point accumulator but not fp16.
  void TryLimit(NodeId node, const Graph& cut, std::span<const Tensor> inputs, bool past) {
    const auto infinite = [this](size_t i) {
      return std::isinf(estimate_.low[i]) || std::isinf(estimate_.high[i]);
    };
    bool some = false;
    for (size_t i = 0; i < estimate_.value.size() && !some; ++i) some = infinite(i);
    const ValueId output = cut.outputs().front();
    if (!some || !scratch_.RunForOutputs(cut, inputs, IeeeContract()).ok()) return;
    scratch_.Stored(output, departed_);
    uint64_t changed = 0;
    for (size_t i = 0; i < estimate_.value.size(); ++i) {
      changed += infinite(i) && std::isfinite(departed_.value[i]) ? 1 : 0;
    }
    if (changed == 0) return;
    cliffs_.push_back({.node = node,
                       .id = "fixed_sums",
                       .what = "a sum of products that reaches 32768 at any step stays infinite",
                       .past = past,
                       .elements = changed,
                       .operand = operand_,
                       .result = result_});
  }

  // Returns how many elements of the first result `departures` take out of the admitted interval
  // estimate_.
  uint64_t Changed(const Graph& cut, std::span<const Tensor> inputs,
                   std::span<const Departure* const> departures) {
    if (departures.empty()) return 0;
    const Contract departed = WithDepartures(family_, departures);
    if (!scratch_.RunForOutputs(cut, inputs, departed).ok()) return 0;
    scratch_.Stored(cut.outputs().front(), departed_);
    uint64_t changed = 0;
    for (size_t i = 0; i < estimate_.value.size(); ++i) {
      changed += Leaves(departed_, estimate_, i) ? 1 : 0;
    }
    return changed;
  }

  void TryEnd(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.result_count == 0 || graph_.type(node.first_result).dtype != DType::kFp16) return;
    if (!(result_ >= kNear * kLargestHalf)) return;
    Decode(results_[node.first_result]);
    uint64_t beyond = 0;
    for (const double value : elements_) beyond += std::fabs(value) > kLargestHalf ? 1 : 0;
    cliffs_.push_back({.node = id,
                       .id = "fp16",
                       .what = "fp16 ends at 65504",
                       .past = beyond > 0,
                       .elements = beyond,
                       .operand = operand_,
                       .result = result_,
                       .inherited = inherited_});
  }

  const Graph& graph_;
  const ModelValues& results_;
  const int family_;
  std::vector<const Departure*> departures_;
  NodeCut::Values values_;
  std::vector<const Departure*> acting_;  // the departures that may change the present operation
  bool limit_ = false;  // whether sums of the present operation may leave the accumulator
  Evaluation& scratch_;
  Estimate estimate_, departed_;
  std::vector<double> elements_;
  double operand_ = 0;
  double result_ = 0;
  bool inherited_ = false;
  std::vector<Cliff> cliffs_;
};

}  // namespace

std::vector<Cliff> FindCliffs(const Graph& graph, std::span<const Tensor> inputs,
                              const ModelValues& values, int family,
                              std::span<const Departure> departures, Evaluation& evaluation) {
  return CliffFinder(graph, inputs, values, family, departures, evaluation).Run();
}

}  // namespace anecheck
