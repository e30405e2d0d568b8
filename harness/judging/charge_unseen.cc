#include "harness/judging/charge_unseen.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string>
#include <vector>

#include "harness/base/counted.h"
#include "harness/judging/isolate.h"
#include "harness/judging/locate.h"
#include "harness/judging/node_cut.h"
#include "oracles/oracle.h"
#include "oracles/right_tensor.h"

namespace anecheck {
namespace {

// A message lists at most this many operations.
constexpr size_t kMostNamed = 8;

// The values of the inputs, and the oracle's values of all fp16 results.
class RightValues {
 public:
  RightValues(const Case& item, Evaluation& evaluation) {
    const Graph& graph = item.graph;
    const std::vector<ValueId> inputs = graph.ValuesOfKind(ValueKind::kInput);
    for (size_t i = 0; i < inputs.size(); ++i) values_[inputs[i]] = &item.inputs[i];
    const Contract& contract = ConformingContract(item.target.family);
    if (!evaluation.Run(graph, item.inputs, contract).ok()) return;
    tensors_.reserve(graph.values().size());
    Estimate estimate;
    for (ValueId id = 0; id < graph.values().size(); ++id) {
      const bool shown =
          graph.value(id).kind == ValueKind::kResult && graph.type(id).dtype == DType::kFp16;
      if (!shown) continue;
      evaluation.Stored(id, estimate);
      tensors_.push_back(RightTensor(estimate));
      values_[id] = &tensors_.back();
    }
  }
  const NodeCut::Values& values() const { return values_; }
  // False if the oracle does not compute the graph.
  bool known() const { return !tensors_.empty(); }

 private:
  std::vector<Tensor> tensors_;
  NodeCut::Values values_;
};

// Returns the operations on which the first wrong output depends, in order.
std::vector<NodeId> Suspects(const Graph& graph, const CaseOutcome& outcome) {
  const auto wrong = std::ranges::find(outcome.outputs, Verdict::kWrong, &OutputVerdict::verdict);
  if (wrong == outcome.outputs.end()) return {};
  return NodesBehind(graph, static_cast<size_t>(wrong - outcome.outputs.begin()));
}

// Returns the names of the operations without repetitions, in order.
std::vector<std::string_view> NamesOf(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string_view> names;
  for (const NodeId id : nodes) {
    const std::string_view name = graph.node(id).schema->name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// Returns a list such as "transpose, reduce_max, abs".
std::string Listed(std::vector<std::string_view> names) {
  if (names.size() <= kMostNamed) return fmt::format("{}", fmt::join(names, ", "));
  const size_t others = names.size() - kMostNamed;
  names.resize(kMostNamed);
  return fmt::format("{} and {}", fmt::join(names, ", "), Counted(others, "other"));
}

class SeparatePrograms {
 public:
  SeparatePrograms(const Case& item, Runner& runner)
      : item_(item), runner_(runner), right_(item, evaluation_) {}

  // Charges the first of `nodes` that is wrong as a separate program. Returns whether it found one.
  Result<bool> ChargeOneOf(const std::vector<NodeId>& nodes, CaseOutcome& outcome) {
    if (!right_.known()) return false;
    for (const NodeId id : nodes) {
      ANECHECK_ASSIGN(const Outcome shown, Try(id));
      if (shown.verdict() != Verdict::kWrong || shown.op().empty()) continue;
      const Graph& graph = item_.graph;
      outcome.shown.Charge(shown.op(), shown.node().empty()
                                           ? graph.value(graph.node(id).first_result).name
                                           : shown.node());
      outcome.shown.Deviate(shown.deviation());
      return true;
    }
    return false;
  }

  // The statuses of programs that did not run, and their number.
  const std::set<std::string>& ends() const { return ends_; }
  size_t unjudged() const { return unjudged_; }

 private:
  Result<Outcome> Try(NodeId id) {
    NodeCut cut(item_.graph, right_.values());
    cut.Take(id);
    const bool smaller = cut.graph().nodes().size() < item_.graph.nodes().size();
    if (!smaller || cut.graph().outputs().empty()) return Outcome();
    Case alone = InPlaceOf(item_);
    alone.graph = cut.graph();
    alone.inputs.assign(cut.inputs().begin(), cut.inputs().end());
    if (!SpellCase(alone).ok()) return Outcome();
    RunRequest request = RequestOf(alone);
    request.settings.repeat = false;
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner_.Run({&request, 1}));
    const RunReply& reply = replies.front();
    CaseOutcome tried = JudgeCase(alone, reply, evaluation_);
    if (reply.status != RunStatus::kOk || tried.verdict() == Verdict::kGarbled) {
      ++unjudged_;
      ends_.insert(std::string(ToText(reply.status)));
    }
    if (tried.verdict() != Verdict::kWrong) return tried.shown;
    ANECHECK_RETURN_IF_ERROR(Refine(alone, reply, runner_, evaluation_, tried));
    return tried.shown;
  }

  const Case& item_;
  Runner& runner_;
  Evaluation evaluation_;
  RightValues right_;
  std::set<std::string> ends_;
  size_t unjudged_ = 0;
};

// Appends `words` to the message of the outcome.
void Append(const std::string& words, CaseOutcome& outcome) {
  const Outcome& shown = outcome.shown;
  outcome.shown = Outcome({.verdict = shown.verdict(),
                           .message = shown.message() + words,
                           .op = shown.op(),
                           .node = shown.node(),
                           .defects = shown.defects(),
                           .deviation = shown.deviation()});
}

}  // namespace

Status ChargeUnseen(const Case& item, std::string_view why, bool alone, Runner& runner,
                    CaseOutcome& outcome) {
  if (outcome.verdict() != Verdict::kWrong) return {};
  const std::vector<NodeId> suspects = Suspects(item.graph, outcome);
  if (suspects.size() <= 1) return {};
  std::set<std::string> ends = {std::string(why)};
  size_t unjudged = 1;
  if (alone && item.graph.nodes().size() <= kMostIsolated) {
    SeparatePrograms programs(item, runner);
    ANECHECK_ASSIGN(const bool charged, programs.ChargeOneOf(suspects, outcome));
    if (charged) {
      Append(fmt::format("; {} is wrong as a separate program", outcome.shown.op()), outcome);
      return {};
    }
    ends.insert(programs.ends().begin(), programs.ends().end());
    unjudged += programs.unjudged();
  }
  const std::vector<std::string_view> names = NamesOf(item.graph, suspects);
  outcome.shown.Charge(names.size() == 1 ? std::string(names.front()) : std::string());
  Append(fmt::format("; made by one of {}: {} could not be judged: {}", Listed(names),
                     Counted(unjudged, "partial graph"), fmt::join(ends, ", ")),
         outcome);
  return {};
}

}  // namespace anecheck
