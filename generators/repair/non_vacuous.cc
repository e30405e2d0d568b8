#include "generators/repair/non_vacuous.h"

#include <algorithm>

#include "generators/repair/input_search.h"
#include "generators/restrict.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using Inputs = SensitivitySearch::Inputs;
using Witnesses = SensitivitySearch::Witnesses;

// Returns a mode whose inputs stay in the usual range. Its inputs lack the large values with which
// `mode` drives results to infinity.
CaseMode Tame(CaseMode mode) {
  return mode == CaseMode::kSpecial || mode == CaseMode::kBoundary ? CaseMode::kFloat : mode;
}

// On the engine's path, a program output cannot be a bool or a 32-bit integer (facts/mil.md).
bool CanBeOutput(const Graph& graph, ValueId id) {
  const DType dtype = graph.type(id).dtype;
  return graph.value(id).kind == ValueKind::kResult && dtype != DType::kBool &&
         dtype != DType::kInt32;
}

size_t AtRest(const Witnesses& witnesses) {
  return static_cast<size_t>(
      std::ranges::count_if(witnesses, [](const auto& witness) { return !witness.has_value(); }));
}

// One attempt to find inputs for a graph. It has the inputs, changes of the inputs, and witnesses
// for the outputs that the changes move.
struct Trial {
  Inputs inputs;
  std::vector<Inputs> changes;
  Witnesses witnesses;
};

// Replaces outputs that no change of the inputs moves. The replacements are the nearest preceding
// values that move and on which no judged value depends.
class Retreat {
 public:
  Retreat(const Graph& graph, SensitivitySearch& search)
      : graph_(graph),
        search_(search),
        chosen_(graph.values().size(), false),
        seen_(graph.values().size(), false) {}

  std::vector<ValueId> Outputs() {
    for (const ValueId output : graph_.outputs()) Choose(output);
    std::vector<bool> covered(graph_.values().size(), false);
    std::vector<ValueId> outputs;
    // Goes from the last value to the first, because judging a value also judges its operands.
    for (ValueId id = static_cast<ValueId>(graph_.values().size()); id-- > 0;) {
      if (chosen_[id] && !covered[id]) outputs.push_back(id);
      if (chosen_[id] || covered[id]) CountBytes(id, covered);
    }
    std::ranges::reverse(outputs);
    return outputs;
  }

 private:
  void Choose(ValueId id) {
    const Value& value = graph_.value(id);
    if (seen_[id] || value.kind != ValueKind::kResult) return;
    seen_[id] = true;
    chosen_[id] = CanBeOutput(graph_, id) && Moves(id);
    if (chosen_[id]) return;
    for (const Argument& argument : graph_.arguments(graph_.node(value.producer))) {
      Choose(argument.value);
    }
  }

  bool Moves(ValueId id) {
    search_.LookAt({&id, 1}, found_);
    return found_[0].has_value();
  }

  void CountBytes(ValueId id, std::vector<bool>& covered) const {
    const Value& value = graph_.value(id);
    if (value.kind != ValueKind::kResult) return;
    for (const Argument& argument : graph_.arguments(graph_.node(value.producer))) {
      covered[argument.value] = true;
    }
  }

  const Graph& graph_;
  SensitivitySearch& search_;
  Witnesses found_;
  std::vector<bool> chosen_, seen_;
};

// Inputs whose elements are all zero. Zeros lie below most thresholds and never overflow.
Inputs Zeros(std::span<const Tensor> inputs) {
  Inputs changed(inputs.begin(), inputs.end());
  for (Tensor& tensor : changed) std::ranges::fill(tensor.bytes, uint8_t{0});
  return changed;
}

// Positive numbers that all differ from the old ones. They change the inputs even without choices.
Inputs Ramp(std::span<const Tensor> inputs) {
  Inputs changed(inputs.begin(), inputs.end());
  for (Tensor& tensor : changed) {
    std::vector<double> numbers(static_cast<size_t>(tensor.type.shape.Elements()));
    DecodeElements(tensor.type.dtype, tensor.bytes, numbers);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto step = static_cast<double>(i % 8 + 1);
      numbers[i] = numbers[i] == step ? step + 8 : step;
    }
    EncodeElements(tensor.type.dtype, numbers, tensor.bytes);
  }
  return changed;
}

// Makes the graph that replaces `from` if no value of `from` moves. It applies relu, which every
// family has, to the first input.
void Rectify(const Graph& from, Graph& graph) {
  graph.Clear();
  graph.name = from.name;
  const ValueId x = graph.AddInput({DType::kFp16, from.type(0).shape});
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(0, x);
  const Result<ValueId> y = graph.FinishNode();
  if (y.ok()) graph.AddOutput(*y);
}

// Finds a witness for each output that a change moves. `search` must be at the trial's inputs.
void Prove(SensitivitySearch& search, ChoiceStream& choices, CaseMode mode, const Graph& graph,
           Trial& trial) {
  trial.witnesses.assign(graph.outputs().size(), std::nullopt);
  trial.changes.clear();
  const auto move = [&](Inputs change) {
    trial.changes.push_back(std::move(change));
    search.Move(trial.changes.back(), trial.changes.size() - 1, trial.witnesses);
  };
  // One random change moves most outputs. Zeros and Ramp move more of the others than a second one.
  move(GenerateInputs(choices, graph, Tame(mode)));
  if (AtRest(trial.witnesses) > 0) move(Zeros(trial.inputs));
  if (AtRest(trial.witnesses) > 0) move(Ramp(trial.inputs));
}

Result<Trial> Try(SensitivitySearch& search, ChoiceStream& choices, CaseMode mode,
                  const Contract& contract, const Graph& graph, Inputs inputs) {
  Trial trial{.inputs = std::move(inputs), .changes = {}, .witnesses = {}};
  ANECHECK_RETURN_IF_ERROR(search.Start(graph, trial.inputs, graph.outputs(), contract));
  Prove(search, choices, mode, graph, trial);
  return trial;
}

void Keep(std::span<const size_t> kept, Inputs& inputs) {
  Inputs left;
  left.reserve(kept.size());
  for (const size_t input : kept) left.push_back(std::move(inputs[input]));
  inputs = std::move(left);
}

void Cut(SensitivitySearch& search, Graph& graph, Trial& trial) {
  const std::vector<ValueId> outputs = Retreat(graph, search).Outputs();
  search.LookAt(outputs, trial.witnesses);
  if (outputs.empty()) return;
  RestrictedGraph restricted = Restrict(graph, outputs);
  Keep(restricted.inputs, trial.inputs);
  for (Inputs& change : trial.changes) Keep(restricted.inputs, change);
  graph = std::move(restricted.graph);
}

}  // namespace

Result<bool> CaseRepair::Search(ChoiceStream& choices, CaseMode mode, const Contract& contract,
                                const Graph& graph, Inputs& inputs) {
  ANECHECK_RETURN_IF_ERROR(searches_[0].Start(graph, inputs, graph.outputs(), contract));
  kept_ = 0;
  if (ValuesOf(mode) == CaseMode::kInteger) return false;
  const std::vector<ValueId> flawed = FindFlawed(graph, mode, searches_[0]);
  if (flawed.empty()) return false;
  Inputs other = CalmerInputs(choices, mode, inputs, InputsOf(graph, flawed));
  ANECHECK_RETURN_IF_ERROR(searches_[1].Start(graph, other, graph.outputs(), contract));
  if (FindFlawed(graph, mode, searches_[1]).size() >= flawed.size()) return true;
  inputs = std::move(other);
  kept_ = 1;
  return true;
}

Result<SensitivityProof> CaseRepair::Run(ChoiceStream& choices, CaseMode mode,
                                         const Contract& contract, Graph& graph,
                                         std::vector<Tensor>& inputs,
                                         std::vector<Estimate>& expected) {
  ANECHECK_ASSIGN(const bool searched, Search(choices, mode, contract, graph, inputs));
  Trial best{.inputs = std::move(inputs), .changes = {}, .witnesses = {}};
  Prove(searches_[kept_], choices, mode, graph, best);
  // If an output does not move, tries inputs that drive no result to infinity. Further inputs of
  // the same mode would cost as much as the first, and hardly one in ten moves another value.
  if (AtRest(best.witnesses) > 0 && Tame(mode) != mode && !searched) {
    ANECHECK_ASSIGN(Trial other, Try(searches_[1], choices, mode, contract, graph,
                                     GenerateInputs(choices, graph, Tame(mode))));
    if (AtRest(other.witnesses) < AtRest(best.witnesses)) {
      best = std::move(other);
      kept_ = 1;
    }
  }
  SensitivitySearch& search = searches_[kept_];
  if (AtRest(best.witnesses) > 0) Cut(search, graph, best);
  if (best.witnesses.empty()) {
    Graph rectified;
    Rectify(graph, rectified);
    graph = std::move(rectified);
    ANECHECK_ASSIGN(best, Try(search, choices, Tame(mode), contract, graph,
                              GenerateInputs(choices, graph, Tame(mode))));
  }
  inputs = std::move(best.inputs);
  expected = search.TakeBounds(std::move(expected));
  SensitivityProof proof{.witnesses = {}, .changes = std::move(best.changes)};
  proof.witnesses.reserve(best.witnesses.size());
  for (const std::optional<Witness>& witness : best.witnesses) proof.witnesses.push_back(*witness);
  return proof;
}

}  // namespace anecheck
