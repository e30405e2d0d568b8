#include "harness/campaign/non_vacuous.h"

#include <algorithm>
#include <array>

#include "generators/restrict.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using Inputs = MovementSearch::Inputs;
using Witnesses = MovementSearch::Witnesses;

// Inputs that keep the range for which the graph was conditioned, without the values by which a
// mode drives results to infinity.
CaseMode Tame(CaseMode mode) {
  return mode == CaseMode::kSpecial || mode == CaseMode::kBoundary ? CaseMode::kFloat : mode;
}

// Bools and 32-bit integers are no program outputs on the engine's path (facts/mil.md).
bool CanBeOutput(const Graph& graph, ValueId id) {
  const DType dtype = graph.type(id).dtype;
  return graph.value(id).kind == ValueKind::kResult && dtype != DType::kBool &&
         dtype != DType::kInt32;
}

size_t AtRest(const Witnesses& witnesses) {
  return static_cast<size_t>(
      std::ranges::count_if(witnesses, [](const auto& witness) { return !witness.has_value(); }));
}

// One try at the values of a graph: inputs, changes of them, and what these move.
struct Trial {
  Inputs inputs;
  std::vector<Inputs> changes;
  Witnesses witnesses;
  std::vector<Estimate> expected;  // of the outputs at the inputs; empty where they are not known
};

// The outputs that can be judged in place of those at rest: an output that moves stays, one at rest
// gives way to the nearest values before it that move and that nothing judged depends on.
class Retreat {
 public:
  Retreat(const Graph& graph, std::vector<bool> moves)
      : graph_(graph),
        moves_(std::move(moves)),
        chosen_(graph.values().size(), false),
        seen_(graph.values().size(), false) {}

  std::vector<ValueId> Outputs() {
    for (const ValueId output : graph_.outputs()) Choose(output);
    std::vector<bool> covered(graph_.values().size(), false);
    std::vector<ValueId> outputs;
    // From the last value back: what a chosen value depends on is judged through it.
    for (ValueId id = static_cast<ValueId>(graph_.values().size()); id-- > 0;) {
      if (chosen_[id] && !covered[id]) outputs.push_back(id);
      if (chosen_[id] || covered[id]) Cover(id, covered);
    }
    std::ranges::reverse(outputs);
    return outputs;
  }

 private:
  void Choose(ValueId id) {
    if (seen_[id]) return;
    seen_[id] = true;
    if (moves_[id] || graph_.value(id).kind != ValueKind::kResult) {
      chosen_[id] = moves_[id];
      return;
    }
    const Node& node = graph_.node(graph_.value(id).producer);
    for (const Argument& argument : graph_.arguments(node)) Choose(argument.value);
  }

  void Cover(ValueId id, std::vector<bool>& covered) const {
    const Value& value = graph_.value(id);
    if (value.kind != ValueKind::kResult) return;
    for (const Argument& argument : graph_.arguments(graph_.node(value.producer))) {
      covered[argument.value] = true;
    }
  }

  const Graph& graph_;
  const std::vector<bool> moves_;
  std::vector<bool> chosen_, seen_;
};

// Positive numbers, each another than before: a change even where the choices have run out.
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

// Where nothing of a graph moves, its first input through the rectifier, which every family has.
void Rectify(const Graph& from, Graph& graph) {
  graph.Clear();
  graph.name = from.name;
  const ValueId x = graph.AddInput({DType::kFp16, from.type(0).shape});
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(0, x);
  const Result<ValueId> y = graph.FinishNode();
  if (y.ok()) graph.AddOutput(*y);
}

Result<Trial> Try(MovementSearch& search, ChoiceStream& choices, CaseMode mode,
                  const Contract& contract, const Graph& graph, Inputs inputs) {
  Trial trial{.inputs = std::move(inputs)};
  ANECHECK_RETURN_IF_ERROR(search.Start(graph, trial.inputs, graph.outputs(), contract));
  trial.witnesses.resize(graph.outputs().size());
  // One change moves most outputs; the others are drawn where it does not.
  trial.changes.push_back(GenerateInputs(choices, graph, Tame(mode)));
  search.Move(trial.changes[0], 0, trial.witnesses);
  if (AtRest(trial.witnesses) > 0) {
    trial.changes.push_back(GenerateInputs(choices, graph, mode));
    trial.changes.push_back(Ramp(trial.inputs));
    for (const size_t change : {size_t{1}, size_t{2}}) {
      search.Move(trial.changes[change], change, trial.witnesses);
    }
  }
  trial.expected = search.TakeBounds();
  return trial;
}

void Keep(std::span<const size_t> kept, Inputs& inputs) {
  Inputs left;
  left.reserve(kept.size());
  for (const size_t input : kept) left.push_back(std::move(inputs[input]));
  inputs = std::move(left);
}

void Cut(MovementSearch& search, Graph& graph, Trial& trial) {
  std::vector<ValueId> values;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    if (CanBeOutput(graph, id)) values.push_back(id);
  }
  Witnesses found;
  search.LookAt(values, found);
  std::vector<bool> moves(graph.values().size(), false);
  std::vector<std::optional<Witness>> witnesses(graph.values().size());
  for (size_t i = 0; i < values.size(); ++i) {
    moves[values[i]] = found[i].has_value();
    witnesses[values[i]] = found[i];
  }
  const std::vector<ValueId> outputs = Retreat(graph, std::move(moves)).Outputs();
  trial.witnesses.clear();
  trial.expected.clear();
  if (outputs.empty()) return;
  RestrictedGraph restricted = Restrict(graph, outputs);
  for (const ValueId output : outputs) trial.witnesses.push_back(witnesses[output]);
  Keep(restricted.inputs, trial.inputs);
  for (Inputs& change : trial.changes) Keep(restricted.inputs, change);
  graph = std::move(restricted.graph);
}

}  // namespace

Result<MovementProof> CaseRepair::Run(ChoiceStream& choices, CaseMode mode,
                                      const Contract& contract, Graph& graph,
                                      std::vector<Tensor>& inputs,
                                      std::vector<Estimate>& expected) {
  size_t kept = 0;
  ANECHECK_ASSIGN(Trial best, Try(searches_[0], choices, mode, contract, graph, std::move(inputs)));
  // Other inputs, where an output is at rest.
  for (size_t i = 1; i < searches_.size() && AtRest(best.witnesses) > 0; ++i) {
    ANECHECK_ASSIGN(Trial other, Try(searches_[i], choices, mode, contract, graph,
                                     GenerateInputs(choices, graph, i == 1 ? mode : Tame(mode))));
    if (AtRest(other.witnesses) >= AtRest(best.witnesses)) continue;
    best = std::move(other);
    kept = i;
  }
  if (AtRest(best.witnesses) > 0) Cut(searches_[kept], graph, best);
  if (best.witnesses.empty()) {
    Graph rectified;
    Rectify(graph, rectified);
    graph = std::move(rectified);
    ANECHECK_ASSIGN(best, Try(searches_[0], choices, Tame(mode), contract, graph,
                              GenerateInputs(choices, graph, Tame(mode))));
  }
  inputs = std::move(best.inputs);
  expected = std::move(best.expected);
  MovementProof proof{.witnesses = {}, .changes = std::move(best.changes)};
  proof.witnesses.reserve(best.witnesses.size());
  for (const std::optional<Witness>& witness : best.witnesses) proof.witnesses.push_back(*witness);
  return proof;
}

}  // namespace anecheck
