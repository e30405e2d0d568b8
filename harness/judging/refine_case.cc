// Finds the operation that has a case's defect, and the defect's explanation, by further runs.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/cases/execution.h"
#include "harness/cases/second_execution.h"
#include "harness/judging/against.h"
#include "harness/judging/charge_unseen.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/locate.h"
#include "harness/judging/locate_task.h"
#include "harness/judging/relation.h"
#include "harness/judging/second_witness.h"
#include "harness/runners/emulator_runner.h"
#include "oracles/catalogue.h"
#include "oracles/defect_search.h"
#include "oracles/judge.h"

namespace anecheck {
namespace {

void Downgrade(OutputVerdict& output, Verdict verdict, const DefectSet& defects) {
  output.verdict = verdict;
  output.defects = defects;
}

// Explains each wrong output by the operations on which it depends. No operation is wrong alone.
void ExplainOutputs(const Case& item, const Location& location, CaseOutcome& outcome) {
  std::set<std::string> terms;
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    OutputVerdict& output = outcome.outputs[i];
    if (output.verdict != Verdict::kWrong) continue;
    const Explanation explanation = ExplainOutput(item.graph, i, location);
    if (!explanation.complete) continue;
    if (!explanation.terms.empty()) {
      Downgrade(output, Verdict::kUnconfirmed, explanation.defects);
      output.reason += "; forbidden only by terms that were never measured: " + explanation.terms;
      terms.insert(output.reason);
    } else if (!explanation.defects.empty()) {
      Downgrade(output, Verdict::kKnownDefect, explanation.defects);
    }
  }
  const auto wrong = [](const OutputVerdict& output) { return output.verdict == Verdict::kWrong; };
  if (std::ranges::any_of(outcome.outputs, wrong)) return;
  ShownVerdict explained = {
      .message = outcome.message(), .op = outcome.shown.op(), .node = outcome.shown.node()};
  if (!terms.empty()) {
    explained.verdict = Verdict::kUnconfirmed;
    explained.message = *terms.begin();
  } else if (!location.defects.empty()) {
    explained.verdict = Verdict::kKnownDefect;
    explained.defects = location.defects;
  } else {
    return;
  }
  outcome.shown = Outcome(std::move(explained));
}

void Charge(const Graph& graph, NodeId id, CaseOutcome& outcome) {
  if (id == kNoNode) return;
  const Node& node = graph.node(id);
  outcome.shown.Charge(std::string(node.schema->name), node.result_count > 0
                                                           ? graph.value(node.first_result).name
                                                           : outcome.shown.node());
}

// Charges the first operation that the outcome's defects change, according to their description.
void ChargeFirst(const Case& item, CaseOutcome& outcome) {
  Charge(item.graph,
         FirstToDepart(item.graph, item.inputs, item.target.family, outcome.shown.defects()),
         outcome);
}

// Charges the first operation that alone shows the outcome's defects or unmeasured terms.
void ChargeLocated(const Case& item, const Location& location, CaseOutcome& outcome) {
  if (outcome.verdict() == Verdict::kKnownDefect) {
    Charge(item.graph, FirstWithDefect(location, outcome.shown.defects()), outcome);
  } else if (outcome.verdict() == Verdict::kUnconfirmed) {
    Charge(item.graph, FirstUnconfirmed(location), outcome);
  }
}

// Checks whether only terms that were never measured forbid the outputs. Single operations cannot
// be judged.
Status JudgeWholeOutputs(const Case& item, const RunReply& reply, Runner& runner,
                         CaseOutcome& outcome) {
  ANECHECK_ASSIGN(const bool of_engine, AnswersForAnEngine(runner));
  if (!of_engine) return {};
  Location location{.judged = true};
  location.nodes.assign(item.graph.nodes().size(), {.verdict = Verdict::kPass});
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    if (outcome.outputs[i].verdict != Verdict::kWrong) continue;
    if (reply.outputs[i].type != item.graph.type(item.graph.outputs()[i])) return {};
    const ValueId output = item.graph.outputs()[i];
    std::string never =
        NeverMeasured(item.graph, item.inputs, i, reply.outputs[i], item.target.family);
    if (never.empty()) return {};
    location.nodes[item.graph.value(output).producer].terms = std::move(never);
  }
  ExplainOutputs(item, location, outcome);
  return {};
}

// The place of an execution's error. `apart` is set if only this program shows the error: a
// separate program of the same shape, or its first execution, yields other values.
struct LocatedExecution {
  Location location;
  std::string_view apart;
  // Whether `apart` was found by a run of a separate program. Otherwise it is set because no
  // separate program could show the error.
  bool compared = false;
};

bool GaveTheSame(const RunReply& answer, const RunReply& there) {
  if (answer.status != RunStatus::kOk || !SamePlacement(answer, there)) return false;
  return std::ranges::equal(answer.outputs, there.outputs, {}, &Tensor::bytes, &Tensor::bytes);
}

Result<LocatedExecution> LocateExecution(const Case& item, const RunReply& reply,
                                         const Execution& execution, Runner& runner,
                                         Evaluation& evaluation) {
  LocatedExecution found;
  Case own = CaseOf(item, execution);
  if (!HasOwnProgram(item, execution)) {
    if (execution.second) found.apart = kSecond;
  } else if (SpellCase(own).ok()) {
    const RunReply there = ReplyOf(item, reply, execution);
    ANECHECK_ASSIGN(found.location, Locate(own, there, runner, evaluation));
    if (found.location.judged) return found;
    RunRequest request = RequestOf(own);
    request.settings.repeat = false;
    ANECHECK_ASSIGN(const std::vector<RunReply> answers, runner.Run({&request, 1}));
    found.compared = !GaveTheSame(answers.front(), there);
    if (found.compared) found.apart = execution.second ? kSecond : kRange;
  }
  ANECHECK_ASSIGN(found.location, Locate(item, reply, runner, evaluation, execution));
  return found;
}

// Changes outputs that only a wide interval explains to wrong.
void MakeWrong(CaseOutcome& outcome) {
  for (const size_t i : outcome.vague) {
    outcome.outputs[i].verdict = Verdict::kWrong;
    outcome.outputs[i].defects.clear();
  }
  outcome.shown.Worsen({.verdict = Verdict::kWrong,
                        .message = outcome.message(),
                        .op = outcome.shown.op(),
                        .node = outcome.shown.node(),
                        .deviation = outcome.shown.deviation()});
}

// Returns whether the outcome can be refined: it is wrong, or only a wide interval explains it.
bool IsOpen(const CaseOutcome& outcome) {
  const Verdict verdict = outcome.verdict();
  if (verdict == Verdict::kKnownDefect) return !outcome.vague.empty() || outcome.vague_further;
  // Each output is right if only two outputs contradict each other.
  return verdict == Verdict::kWrong && !outcome.unpaired;
}

// If the runner executes a container, adds to the message the task in which it first goes wrong.
void NameTask(const Case& own, Runner& runner, CaseOutcome& outcome) {
  auto* const source = dynamic_cast<ContainerSource*>(&runner.Inner());
  if (source == nullptr) return;
  const auto container = source->ContainerOf(RequestOf(own));
  if (!container.ok() || !*container) return;
  const int family = own.target.family;
  const std::array contracts = {ConformingContract(family), DepartingContract(family)};
  const auto found = LocateTask(own.graph, own.inputs, **container, contracts);
  if (!found.ok() || !*found) return;
  const Outcome& shown = outcome.shown;
  outcome.shown = Outcome({.verdict = shown.verdict(),
                           .message = shown.message() + "; " + (*found)->ToString(),
                           .op = shown.op(),
                           .node = shown.node(),
                           .defects = shown.defects()});
}

// If no run showed the inner results, looks for the operation to charge by ChargeUnseen. A program
// that hung once may hang again, so its operations are not run alone.
Status ChargeUnlessSeen(const LocatedExecution& found, const Case& own, Runner& runner,
                        CaseOutcome& outcome) {
  const std::string& why = found.location.unseen;
  if (why.empty()) return {};
  const bool alone = found.apart.empty() && why != ToText(RunStatus::kHung);
  return ChargeUnseen(own, why, alone, runner, outcome);
}

// `own` is the execution as a case; `there` is the reply to it.
Status RefineBy(const LocatedExecution& found, const Case& own, const RunReply& there,
                Runner& runner, CaseOutcome& outcome) {
  const bool vague = outcome.verdict() == Verdict::kKnownDefect;
  outcome.apart = found.apart;
  if (!found.location.judged) {
    // If the separate program yields other values, a wide interval that admits both explains
    // nothing.
    if (vague && found.compared) MakeWrong(outcome);
    if (!vague) ANECHECK_RETURN_IF_ERROR(JudgeWholeOutputs(own, there, runner, outcome));
    ANECHECK_RETURN_IF_ERROR(ChargeUnlessSeen(found, own, runner, outcome));
    if (!vague && outcome.verdict() == Verdict::kWrong) NameTask(own, runner, outcome);
    return {};
  }
  if (found.location.first_wrong.empty()) {
    ExplainOutputs(own, found.location, outcome);
    outcome.explained = 0;
    for (const JudgedNode& node : found.location.nodes) outcome.explained += node.explained;
    ChargeLocated(own, found.location, outcome);
    return {};
  }
  outcome.shown.Charge(found.location.first_wrong, found.location.node);
  outcome.shown.Deviate(found.location.deviation);
  if (vague) MakeWrong(outcome);
  NameTask(own, runner, outcome);
  return {};
}

// Refines one execution. `outcome` is the verdict on this execution.
Result<CaseOutcome> RefineExecution(const Case& item, const RunReply& reply,
                                    const Execution& execution, Runner& runner,
                                    Evaluation& evaluation, CaseOutcome outcome) {
  const Case own = CaseOf(item, execution);
  const RunReply there = ReplyOf(item, reply, execution);
  outcome.execution = execution;
  if (IsOpen(outcome)) {
    ANECHECK_ASSIGN(const LocatedExecution found,
                    LocateExecution(item, reply, execution, runner, evaluation));
    ANECHECK_RETURN_IF_ERROR(RefineBy(found, own, there, runner, outcome));
  }
  if (execution.first() || !outcome.shown.node().empty()) return outcome;
  if (outcome.verdict() == Verdict::kKnownDefect) {
    ChargeFirst(own, outcome);
  } else if (const std::string reader = ReaderOfState(item.graph);
             execution.second && !reader.empty()) {
    outcome.shown.Charge(reader);
  }
  return outcome;
}

// Returns a text such as "at 3 along axis 1 of x, and not where a program has that shape alone: ".
std::string Introduction(const Case& item, const CaseOutcome& shown) {
  std::string words = WhereIs(item, shown.execution);
  const bool compared = !shown.apart.empty() && HasOwnProgram(item, shown.execution);
  if (compared && words.empty()) words = "of a program with a range of shapes";
  if (compared) {
    words += shown.execution.second ? ", and not in a first execution by the same inputs"
                                    : ", and not where a program has that shape alone";
  }
  return words.empty() ? words : words + ": ";
}

// Takes the verdict of a further execution if it is worse.
void TakeWorse(const Case& item, const CaseOutcome& shown, CaseOutcome& outcome) {
  const Verdict verdict = shown.verdict();
  // The inputs of a second execution were not searched for outputs that can be judged.
  if (verdict == Verdict::kInconclusive && shown.of_second_run() && !item.again.empty()) return;
  const std::string& node = shown.shown.node();
  const bool worse = outcome.shown.Worsen({.verdict = verdict,
                                           .message = Introduction(item, shown) + shown.message(),
                                           .op = shown.shown.op(),
                                           .node = node.substr(0, node.find(kAtFirst)),
                                           .defects = shown.shown.defects(),
                                           .deviation = shown.shown.deviation()});
  if (!worse) return;
  outcome.execution = shown.execution;
  outcome.apart = shown.apart;
}

// Refines each execution separately, because the explanation of one shows nothing about another.
Status RefineValues(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
                    CaseOutcome& outcome) {
  if (!IsOpen(outcome)) return {};
  const auto refine = [&](const Execution& execution, CaseOutcome judged) {
    return RefineExecution(item, reply, execution, runner, evaluation, std::move(judged));
  };
  const auto judge = [&](const Execution& execution) {
    return JudgeCase(CaseOf(item, execution), ReplyOf(item, reply, execution), evaluation);
  };
  const std::vector<Execution> others = FurtherExecutions(item, reply);
  // A case with a single execution already has the verdict on its first execution.
  const bool single = others.empty() && item.further.empty();
  ANECHECK_ASSIGN(CaseOutcome refined, refine({}, single ? std::move(outcome) : judge({})));
  refined.shown.Introduce(Introduction(item, refined));
  for (const Execution& execution : others) {
    ANECHECK_ASSIGN(const CaseOutcome shown, refine(execution, judge(execution)));
    TakeWorse(item, shown, refined);
    const bool other_inputs = execution.shape || !item.again.empty();
    if (other_inputs) refined.explained += shown.explained;
  }
  JudgeBeside(item, reply, refined);
  outcome = std::move(refined);
  return {};
}

// Makes a known defect unconfirmed if it may be chance (NeedsWitness) and no other run confirms it.
Status RequireWitness(const Case& item, Runner& runner, Evaluation& evaluation,
                      CaseOutcome& outcome) {
  if (!NeedsWitness(item, outcome)) return {};
  const RefineFunction refine = [&](const Case& other, const RunReply& reply, CaseOutcome& seen) {
    return RefineValues(other, reply, runner, evaluation, seen);
  };
  ANECHECK_ASSIGN(const std::string why,
                  SeekWitness(item, outcome.shown.defects(), runner, evaluation, refine));
  if (why.empty()) return {};
  if (outcome.shown.node().empty()) ChargeFirst(item, outcome);
  for (OutputVerdict& output : outcome.outputs) {
    if (output.verdict != Verdict::kKnownDefect) continue;
    Downgrade(output, Verdict::kUnconfirmed, {});
    output.reason += why;
  }
  outcome.shown = Outcome({.verdict = Verdict::kUnconfirmed,
                           .message = outcome.message() + why,
                           .op = outcome.shown.op(),
                           .node = outcome.shown.node()});
  return {};
}

}  // namespace

Status Refine(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
              CaseOutcome& outcome) {
  if (item.mode == CaseMode::kMetamorphic && outcome.verdict() == Verdict::kPass) {
    return JudgeRelation(item, reply, runner, evaluation, outcome);
  }
  if (outcome.verdict() == Verdict::kDiffers) return LocateDifference(item, runner, outcome);
  ANECHECK_RETURN_IF_ERROR(RefineValues(item, reply, runner, evaluation, outcome));
  return RequireWitness(item, runner, evaluation, outcome);
}

Status ChargeDefect(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
                    CaseOutcome& outcome) {
  const bool known = outcome.verdict() == Verdict::kKnownDefect;
  if (!known || !outcome.shown.node().empty()) return {};
  if (outcome.rewritten) {
    const Graph& graph = outcome.rewritten->graph;
    const NodeId first =
        FirstToDepart(graph, item.inputs, item.target.family, outcome.shown.defects());
    if (first != kNoNode) outcome.shown.Charge(std::string(graph.node(first).schema->name));
    return {};
  }
  ANECHECK_ASSIGN(const LocatedExecution found,
                  LocateExecution(item, reply, outcome.execution, runner, evaluation));
  const Case own = CaseOf(item, outcome.execution);
  ChargeLocated(own, found.location, outcome);
  if (outcome.shown.node().empty()) ChargeFirst(own, outcome);
  return {};
}

}  // namespace anecheck
