#include "harness/judging/locate.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

#include "harness/cases/second_execution.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/node_cut.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/judge.h"

namespace anecheck {

Result<bool> AnswersForAnEngine(Runner& runner) {
  ANECHECK_ASSIGN(const RunnerIdentity identity, runner.Identify());
  // The emulator counts as an engine, because it uses tables and constants that a compiler wrote.
  return identity.provenance == Provenance::kSilicon ||
         identity.provenance == Provenance::kReported ||
         identity.provenance == Provenance::kEmulated;
}

std::vector<NodeId> NodesBehind(const Graph& graph, size_t output) {
  std::vector<bool> needed(graph.values().size(), false);
  needed[graph.outputs()[output]] = true;
  std::vector<NodeId> nodes;
  for (NodeId id = static_cast<NodeId>(graph.nodes().size()); id-- > 0;) {
    const Node& node = graph.node(id);
    bool used = false;
    for (uint32_t i = 0; i < node.result_count; ++i) used |= needed[node.first_result + i];
    for (const Argument& argument : graph.arguments(node)) {
      const bool state = graph.value(argument.value).kind == ValueKind::kState;
      used |= node.result_count == 0 && state && needed[argument.value];
    }
    if (!used) continue;
    for (const Argument& argument : graph.arguments(node)) needed[argument.value] = true;
    nodes.push_back(id);
  }
  std::ranges::reverse(nodes);
  return nodes;
}

Explanation ExplainOutput(const Graph& graph, size_t output, const Location& location) {
  Explanation explanation;
  std::set<std::string> terms;
  for (const NodeId id : NodesBehind(graph, output)) {
    if (id >= location.nodes.size() || location.nodes[id].verdict == Verdict::kInconclusive) {
      explanation.complete = false;
      continue;
    }
    explanation.defects.Add(location.nodes[id].defects);
    if (!location.nodes[id].terms.empty()) terms.insert(location.nodes[id].terms);
  }
  explanation.terms = fmt::format("{}", fmt::join(terms, ","));
  return explanation;
}

NodeId FirstWithDefect(const Location& location, const DefectSet& defects) {
  for (NodeId id = 0; id < location.nodes.size(); ++id) {
    if (location.nodes[id].defects.HasOneOf(defects)) return id;
  }
  return kNoNode;
}

NodeId FirstUnconfirmed(const Location& location) {
  const auto found = std::ranges::find(location.nodes, Verdict::kUnconfirmed, &JudgedNode::verdict);
  return found == location.nodes.end() ? kNoNode
                                       : static_cast<NodeId>(found - location.nodes.begin());
}

std::optional<Case> Tapped(const Case& item) {
  Case probe = InPlaceOf(item);
  probe.graph = item.graph;
  probe.inputs = item.inputs;
  probe.again = item.again;
  probe.range = item.range;
  Graph& tapped = probe.graph;
  for (const Node& node : item.graph.nodes()) {
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const ValueId id = node.first_result + i;
      const auto outputs = item.graph.outputs();
      const bool is_output = std::find(outputs.begin(), outputs.end(), id) != outputs.end();
      if (!is_output && item.graph.type(id).dtype == DType::kFp16) tapped.AddOutput(id);
    }
  }
  if (!SpellCase(probe).ok() || probe.range.has_value() != item.range.has_value()) {
    return std::nullopt;
  }
  return probe;
}

namespace {

// Returns whether `answers` begin with the outputs of the original graph.
bool BeginWith(const std::vector<Tensor>& answers, const std::vector<Tensor>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i >= answers.size() || answers[i].bytes != outputs[i].bytes) return false;
  }
  return true;
}

// Returns whether this is the first execution of a program with fixed shapes.
bool IsOwnProgram(const Case& item, const Execution& execution) {
  return execution.first() && !item.range;
}

// The values of one execution, as a tapped run shows them.
class TappedValues {
 public:
  // The arguments must outlive this object. `own` is CaseOf(item, execution).
  TappedValues(const Case& item, const Case& tapped, const Case& own)
      : item_(item), tapped_(tapped), own_(own) {}

  // Takes the values from `answer`. Returns false if they show nothing about the original graph's
  // run.
  bool Take(const RunReply& answer, const RunReply& reply, const Execution& execution) {
    const auto& outputs = answer.outputs;
    if (outputs.size() != tapped_.graph.outputs().size()) return false;
    // A further execution is judged even if the first execution gave other outputs than before.
    alike_ = !execution.first() || BeginWith(outputs, reply.outputs);
    if (!alike_ && !IsOwnProgram(item_, execution)) return false;
    const std::vector<ValueId> inputs = own_.graph.ValuesOfKind(ValueKind::kInput);
    for (size_t i = 0; i < inputs.size(); ++i) values_[inputs[i]] = &own_.inputs[i];
    if (execution.first()) return TakeOutputs(outputs, "");
    // No case has both a second execution and further shapes.
    const size_t place = execution.shape.value_or(0);
    if (place >= answer.further.size() || answer.further[place].size() != outputs.size()) {
      return false;
    }
    if (!BeginWith(answer.further[place], OutputsOf(item_, reply, execution))) return false;
    const bool both = execution.second && own_.graph.nodes().size() > item_.graph.nodes().size();
    if (both) TakeOutputs(outputs, kAtFirst);
    return TakeOutputs(answer.further[place], "");
  }

  const NodeCut::Values& values() const { return values_; }
  // Returns whether the original graph's outputs were the same as without the taps.
  bool alike() const { return alike_; }

 private:
  // Matches values by name, because the graphs of other executions have other value ids.
  bool TakeOutputs(const std::vector<Tensor>& outputs, std::string_view mark) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Value& value = tapped_.graph.value(tapped_.graph.outputs()[i]);
      const auto id = own_.graph.FindValue(fmt::format("{}{}", value.name, mark));
      if (!id) return false;
      if (own_.graph.value(*id).kind == ValueKind::kResult) values_[*id] = &outputs[i];
    }
    return true;
  }

  const Case& item_;
  const Case& tapped_;
  const Case& own_;
  NodeCut::Values values_;
  bool alike_ = false;
};

// Returns whether the engine returns wrong values for a cut as a separate program. If an engine
// fuses, it passes an operation values that no tap shows, so a right operation may seem wrong in
// the tapped graph. Returns true if the program does not run, because then nothing shows that the
// operation is right. `wrong` has the values that were wrong in the tapped graph.
Result<bool> IsWrongAlone(const Case& item, const NodeCut& cut,
                          std::span<const Tensor* const> wrong, Runner& runner,
                          Evaluation& evaluation) {
  Case alone = InPlaceOf(item);
  alone.graph = cut.graph();
  alone.inputs.assign(cut.inputs().begin(), cut.inputs().end());
  if (!SpellCase(alone).ok()) return true;
  RunRequest request = RequestOf(alone);
  request.settings.repeat = false;
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  if (replies.front().status != RunStatus::kOk) return true;
  const auto is_same = [](const Tensor& answer, const Tensor* before) {
    return answer.type == before->type && answer.bytes == before->bytes;
  };
  // These values were judged already, on the same graph and operands.
  if (std::ranges::equal(replies.front().outputs, wrong, is_same)) return true;
  const Verdict verdict = JudgeCase(alone, replies.front(), evaluation).verdict();
  // A small program may be placed on another device, which shows nothing about the engine's values.
  return verdict == Verdict::kWrong || verdict == Verdict::kMisplaced;
}

// Returns the operation's results that have a value, in the order of NodeCut's outputs.
std::vector<const Tensor*> ResultsOf(const Node& node, const NodeCut::Values& values) {
  std::vector<const Tensor*> results;
  for (uint32_t i = 0; i < node.result_count; ++i) {
    const auto found = values.find(node.first_result + i);
    if (found != values.end()) results.push_back(found->second);
  }
  return results;
}

Location Unseen(std::string_view why) {
  Location location;
  location.unseen = why;
  return location;
}

// Location::unseen if the tapped run gave other values than the original graph's run, and so shows
// nothing about it.
constexpr std::string_view kOtherValues = "other values";

// Returns the cut with an added operation that shows the flags as fp16 numbers. This is a `cast`
// or, if `reader` is a `cast`, a `select` of 1 and 0.
Graph WithShownFlags(const Graph& cut, ValueId flags, OpKind reader) {
  Graph graph = cut;
  graph.ClearOutputs();
  const TensorType numbers = {DType::kFp16, cut.type(flags).shape};
  const std::string& name = cut.value(flags).name;
  const auto all = [&](double number) {
    std::vector<uint8_t> bytes(static_cast<size_t>(numbers.ByteSize()));
    const std::vector<double> elements(static_cast<size_t>(numbers.shape.Elements()), number);
    EncodeElements(numbers.dtype, elements, bytes);
    return graph.AddConst(numbers, bytes, fmt::format("{}_{}", name, number));
  };
  if (reader == OpKind::kCast) {
    const ValueId one = all(1);
    const ValueId zero = all(0);
    graph.BeginNode(&GetOp(OpKind::kSelect).schema);
    graph.AddArgument(params::Select::kCond, flags);
    graph.AddArgument(params::Select::kA, one);
    graph.AddArgument(params::Select::kB, zero);
  } else {
    graph.BeginNode(&GetOp(OpKind::kCast).schema);
    graph.AddArgument(params::Cast::kX, flags);
    graph.AddString(params::Cast::kDtype, "fp16");
  }
  const std::string shown_name = name + "_shown";
  const Result<ValueId> shown = graph.FinishNode({&shown_name, 1});
  if (shown.ok()) graph.AddOutput(*shown);
  return graph;
}

// Returns whether a separate program shows that `comparison`, whose flags `reader` reads, is right.
Result<bool> AreFlagsRight(const Case& own, const NodeCut::Values& values, NodeId comparison,
                           NodeId reader, Runner& runner, Evaluation& evaluation) {
  NodeCut cut(own.graph, values);
  const ValueId flags = own.graph.node(comparison).first_result;
  cut.TakeAll({&comparison, 1}, {&flags, 1});
  Case item = InPlaceOf(own);
  item.graph =
      WithShownFlags(cut.graph(), cut.graph().outputs()[0], KindOf(*own.graph.node(reader).schema));
  item.inputs.assign(cut.inputs().begin(), cut.inputs().end());
  if (item.graph.outputs().empty() || !SpellCase(item).ok()) return false;
  RunRequest request = RequestOf(item);
  request.settings.repeat = false;
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  if (replies.front().status != RunStatus::kOk) return false;
  return JudgeCase(item, replies.front(), evaluation).verdict() == Verdict::kPass;
}

// All results of the first execution of a separate program. If a later execution has the same
// results, even wrong ones, they are no error of that execution.
struct FirstExecution {
  std::vector<ValueId> ids;  // of `results`
  std::vector<Tensor> results;

  // Returns whether it has the same results of the operation as `values`, as far as those exist.
  bool Has(const Node& node, const NodeCut::Values& values) const {
    size_t same = 0;
    for (size_t i = 0; i < ids.size(); ++i) {
      const bool own =
          ids[i] >= node.first_result && ids[i] - node.first_result < node.result_count;
      if (!own || !values.contains(ids[i])) continue;
      if (values.at(ids[i])->bytes != results[i].bytes) return false;
      ++same;
    }
    return same > 0;
  }
};

// Runs `own` once, with all results as outputs. Returns an empty object if the program did not run.
Result<FirstExecution> ExecuteFirst(const Case& own, Runner& runner) {
  const std::optional<Case> tapped = Tapped(own);
  if (!tapped) return FirstExecution();
  RunRequest request = RequestOf(*tapped);
  request.settings.repeat = false;
  ANECHECK_ASSIGN(std::vector<RunReply> replies, runner.Run({&request, 1}));
  const auto ids = tapped->graph.outputs();
  RunReply& reply = replies.front();
  if (reply.status != RunStatus::kOk || reply.outputs.size() != ids.size()) {
    return FirstExecution();
  }
  return FirstExecution{.ids = {ids.begin(), ids.end()}, .results = std::move(reply.outputs)};
}

Result<RunReply> RunTapped(const Case& tapped, const Execution& execution, Runner& runner) {
  RunRequest request = RequestOf(tapped);
  request.settings.repeat = execution.second;
  request.again =
      execution.second ? std::span<const Tensor>(tapped.again) : std::span<const Tensor>();
  ANECHECK_ASSIGN(std::vector<RunReply> replies, runner.Run({&request, 1}));
  return std::move(replies.front());
}

// Charges `to_charge`. `cut` has the judged operation, which may be another one.
void Charge(const Graph& graph, NodeId to_charge, const NodeCut& cut,
            const NodeJudgement& judgement, Location& location) {
  const Node& culprit = graph.node(to_charge);
  location.first_wrong = culprit.schema->name;
  location.node = graph.value(culprit.first_result).name;
  location.message = judgement.message;
  location.deviation = judgement.deviation;
  location.wrong_alone = cut.graph();
  location.wrong_inputs.assign(cut.inputs().begin(), cut.inputs().end());
}

// Returns whether all operands of the operation are inputs and constants of the graph. If they are,
// the engine computed the operation on these values, even if it fuses.
bool HasKnownOperands(const Graph& graph, NodeId id) {
  return std::ranges::none_of(graph.arguments(graph.node(id)), [&](const Argument& argument) {
    const ValueKind kind = graph.value(argument.value).kind;
    return kind == ValueKind::kResult || kind == ValueKind::kState;
  });
}

// The most operations for ChargeByGrowing, whose cost grows with the square of their number.
constexpr size_t kMostGrown = 32;

// Returns the case of a program that computes one result from the inputs of the graph, without
// other outputs. Returns nothing if the form of the case cannot express it.
std::optional<Case> UpTo(const Case& own, const NodeCut::Values& inputs, NodeId node,
                         ValueId result) {
  NodeCut cut(own.graph, inputs);
  cut.TakeAll({&node, 1}, {&result, 1});
  Case item = InPlaceOf(own);
  item.graph = cut.graph();
  item.inputs.assign(cut.inputs().begin(), cut.inputs().end());
  return SpellCase(item).ok() ? std::optional(std::move(item)) : std::nullopt;
}

// Charges the first result whose program is wrong. The programs of all earlier results were right,
// so no sound fusion of the operations before it explains the error. Returns whether it charged
// one.
Result<bool> ChargeByGrowing(const Case& own, bool of_engine, Runner& runner,
                             Evaluation& evaluation, Location& location) {
  const Graph& graph = own.graph;
  if (graph.nodes().size() > kMostGrown) return false;
  NodeCut::Values inputs;
  const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < ids.size(); ++i) inputs[ids[i]] = &own.inputs[i];
  for (const ValueId result : graph.ValuesOfKind(ValueKind::kResult)) {
    if (graph.type(result).dtype != DType::kFp16) continue;
    const Node& node = graph.node(graph.value(result).producer);
    std::optional<Case> item = UpTo(own, inputs, graph.value(result).producer, result);
    if (!item) continue;
    RunRequest request = RequestOf(*item);
    request.settings.repeat = false;
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
    if (replies.front().status != RunStatus::kOk) continue;
    const CaseOutcome outcome = JudgeCase(*item, replies.front(), evaluation);
    if (outcome.verdict() != Verdict::kWrong) continue;
    const Tensor& actual = replies.front().outputs[0];
    const int family = item->target.family;
    const bool has_values = actual.type == graph.type(result);
    if (of_engine && has_values &&
        !NeverMeasured(item->graph, item->inputs, 0, actual, family).empty()) {
      continue;
    }
    location.judged = true;
    location.first_wrong = node.schema->name;
    location.node = graph.value(node.first_result).name;
    location.message = outcome.message();
    location.deviation = outcome.shown.deviation();
    location.wrong_inputs = std::move(item->inputs);
    location.wrong_alone = std::move(item->graph);
    return true;
  }
  return false;
}

}  // namespace

Result<Location> Locate(const Case& item, const RunReply& reply, Runner& runner,
                        Evaluation& evaluation, const Execution& execution,
                        const std::function<void(size_t done, size_t of)>& judging) {
  Location location;
  const std::optional<Case> tapped = Tapped(item);
  if (!tapped) return Unseen("the form of the case has no such graph");
  ANECHECK_ASSIGN(const RunReply seen, RunTapped(*tapped, execution, runner));
  if (seen.status != RunStatus::kOk) return Unseen(ToText(seen.status));
  // Values from another backend show nothing about the engine's operations.
  if (!SamePlacement(seen, reply)) return Unseen(ToText(Verdict::kMisplaced));
  const Case own = CaseOf(item, execution);
  TappedValues values(item, *tapped, own);
  if (!values.Take(seen, reply, execution)) return Unseen(kOtherValues);
  ANECHECK_ASSIGN(const bool of_engine, AnswersForAnEngine(runner));
  location.judged = true;
  const bool runs_alone = IsOwnProgram(item, execution);
  bool wrong_alone = false;
  bool known_operands = false;  // of the first wrong operation
  bool repeats = false;         // a wrong result was the same in a first execution
  FirstExecution apart;
  if (!runs_alone && HasOwnProgram(item, execution)) {
    ANECHECK_ASSIGN(apart, ExecuteFirst(own, runner));
  }
  JudgedInOrder nodes(own, values.values(), of_engine, evaluation, judging);
  for (NodeId node = 0; node < own.graph.nodes().size() && !wrong_alone; ++node) {
    ANECHECK_ASSIGN(const NodeJudgement judgement, nodes.At(node));
    location.nodes.push_back(judgement.judged);
    location.defects.Add(judgement.judged.defects);
    if (judgement.judged.verdict != Verdict::kWrong) continue;
    if (apart.Has(own.graph.node(node), values.values())) {
      repeats = true;
      continue;
    }
    NodeId to_charge = Culprit(own.graph, values.values(), node, judgement.flags_alone);
    if (to_charge != node && runs_alone) {
      ANECHECK_ASSIGN(const bool right,
                      AreFlagsRight(own, values.values(), to_charge, node, runner, evaluation));
      if (right) to_charge = node;
    }
    NodeCut cut(own.graph, values.values());
    cut.Take(node);
    if (runs_alone) {
      const std::vector<const Tensor*> wrong = ResultsOf(own.graph.node(node), values.values());
      ANECHECK_ASSIGN(wrong_alone, IsWrongAlone(own, cut, wrong, runner, evaluation));
    }
    if (!location.first_wrong.empty() && !wrong_alone) continue;
    known_operands = HasKnownOperands(own.graph, node);
    Charge(own.graph, to_charge, cut, judgement, location);
    if (!runs_alone) break;
  }
  if (repeats && location.first_wrong.empty()) return Unseen(kOtherValues);
  if (wrong_alone || !runs_alone) return location;
  const bool open = !values.alike() || (!location.first_wrong.empty() && !known_operands);
  if (!open) return location;
  ANECHECK_ASSIGN(const bool grown, ChargeByGrowing(own, of_engine, runner, evaluation, location));
  return grown || values.alike() ? location : Unseen(kOtherValues);
}

}  // namespace anecheck
