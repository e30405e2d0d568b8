#include "harness/cli/check_run.h"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <span>
#include <utility>

#include "harness/base/counted.h"
#include "harness/base/parallel_for.h"
#include "harness/base/shell_word.h"
#include "harness/campaign/progress.h"
#include "harness/check/model_parts.h"
#include "harness/cli/prepared_model.h"
#include "harness/cli/with_file.h"
#include "harness/findings/artifact.h"
#include "harness/graph/fingerprint.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/locate.h"
#include "harness/judging/reach_counter.h"
#include "harness/runners/analytics.h"
#include "harness/runners/chip_target.h"
#include "oracles/plan/plan.h"

namespace anecheck {
namespace {

// Gives the finding an id and the command that runs it again. This is a replay from the results
// file or, without a results file, the command of this check.
void Complete(const CheckSetting& setting, const Case& item, const CaseOutcome& outcome,
              const RunReply& reply, FindingRow& finding) {
  finding.id = FindingId(finding.signature, GraphFingerprint(item.graph));
  finding.replay = setting.command;
  const std::string& db = setting.options.db;
  if (db.empty()) return;
  finding.replay = fmt::format("anecheck replay {} --db {}", finding.id, ShellWord(db));
  finding.artifact =
      ArtifactToJson(setting.options, setting.identity, item, outcome, reply, finding.id).dump();
}

Status Spell(const CheckSetting& setting, Case& item) {
  const Status spelled = SpellCase(item);
  if (spelled.ok()) return {};
  Error error = spelled.error();
  if (item.route == Route::kNetlist) error.message += "; give --route mil";
  return WithFile(setting.model, std::move(error));
}

// Gives `item` the seed, target and route of `model`.
void TakePlace(const Case& model, Case& item) {
  item.seed = model.seed;
  item.target = model.target;
  item.route = model.route;
}

// A part that runs alone, and the operations of the model that the engine computes in it.
struct AskedPart {
  Case item;
  std::vector<NodeId> nodes;
};

// Makes the case of a part. Cuts off casts and integers at its edges, as at the edges of a model.
Result<AskedPart> Ask(const Graph& graph, const ModelPart& part) {
  ANECHECK_ASSIGN(PreparedModel prepared, PreparePart(part.graph, part.inputs));
  AskedPart asked{std::move(prepared.item), {}};
  const std::bitset<kOpCount> ops = OpsOf(asked.item.graph);
  for (const NodeId id : part.nodes) {
    if (ops[graph.node(id).schema->id]) asked.nodes.push_back(id);
  }
  return asked;
}

class PartRunner {
 public:
  PartRunner(const CheckSetting& setting, Runner& runner, const Case& item,
             std::vector<bool> outside, const ModelValues& values, CheckRuns& runs)
      : setting_(setting),
        runner_(runner),
        item_(item),
        runs_(runs),
        large_(IsLarge(item.graph)),
        outside_(std::move(outside)),
        values_(values),
        cutter_(item.graph, item.inputs, values) {
    scratch_.UseThreads(setting.threads);
  }

  Result<PartsShown> Run() {
    std::vector<NodeId> suspects;
    if (!large_ && std::ranges::find(outside_, true) == outside_.end()) {
      // The only part is the whole model, which the engine has refused already, so it does not run
      // again.
      for (NodeId id = 0; id < outside_.size(); ++id) suspects.push_back(id);
    } else {
      ANECHECK_ASSIGN(suspects, RunAround());
    }
    shown_.searched = !suspects.empty();
    for (const NodeId id : suspects) ANECHECK_RETURN_IF_ERROR(Try(id));
    if (!shown_.refused.empty()) ANECHECK_RETURN_IF_ERROR(RunAround());
    return std::move(shown_);
  }

 private:
  // Runs the parts. Returns the operations of the parts that the engine refuses.
  Result<std::vector<NodeId>> RunAround() {
    std::vector<NodeId> suspects;
    shown_.parts = Json::array();
    for (const ModelPart& part : cutter_.Around(outside_, kMostProgramWeights)) {
      ANECHECK_ASSIGN(AskedPart asked, Ask(item_.graph, part));
      if (asked.nodes.empty()) continue;
      ANECHECK_ASSIGN(const CheckRun* const run, RunAsked(asked));
      const std::vector<NodeId> own = OwnOf(asked.nodes);
      shown_.parts.push_back({{"operations", own.size()},
                              {"first", OperationJson(item_.graph, own.front())},
                              {"last", OperationJson(item_.graph, own.back())},
                              {"verdict", ToText(run->record().verdict)},
                              {"stage", ToText(run->record().step)},
                              {"message", run->record().message},
                              {"one_by_one", run->one_by_one}});
      if (!run->taken) suspects.insert(suspects.end(), asked.nodes.begin(), asked.nodes.end());
    }
    return suspects;
  }

  // Returns those of `nodes` that are the model's own. Returns all if the tool added each of them.
  std::vector<NodeId> OwnOf(const std::vector<NodeId>& nodes) const {
    std::vector<NodeId> own = nodes;
    std::erase_if(own, [&](NodeId id) { return item_.graph.node(id).added; });
    return own.empty() ? nodes : own;
  }

  // Runs an operation alone.
  Status Try(NodeId id) {
    const std::optional<ModelPart> part = cutter_.Alone(id);
    if (!part) return {};
    ANECHECK_ASSIGN(AskedPart asked, Ask(item_.graph, *part));
    if (asked.nodes.empty()) return {};
    ANECHECK_ASSIGN(const CheckRun* const run, RunAsked(asked));
    if (run->taken) return {};
    outside_[id] = true;
    Json& entry = shown_.refused.emplace_back(OperationJson(item_.graph, id));
    entry["verdict"] = ToText(run->record().verdict);
    entry["message"] = run->record().message;
    return {};
  }

  // The result is valid until the next call.
  Result<const CheckRun*> RunAsked(AskedPart& asked) {
    TakePlace(item_, asked.item);
    const std::vector<Estimate> expected = large_ ? Expected(asked.item) : std::vector<Estimate>();
    ANECHECK_ASSIGN(const CheckRun* const run,
                    RunCheck(setting_, runner_, asked.item, scratch_, expected, runs_));
    if (run->reached) shown_.reached.insert(asked.nodes.begin(), asked.nodes.end());
    if (run->taken) {
      shown_.ran.insert(asked.nodes.begin(), asked.nodes.end());
      ANECHECK_RETURN_IF_ERROR(
          MeasureErrors(setting_, item_.graph, values_, runner_, asked.item, shown_.errors));
    }
    return run;
  }

  // Returns the expected outputs, and keeps no other values. Returns an empty list if the oracle
  // cannot compute them, and then judging reports the reason.
  std::vector<Estimate> Expected(const Case& item) {
    const Contract& contract = ConformingContract(item.target.family);
    std::vector<Estimate> expected;
    if (!scratch_.RunForOutputs(item.graph, item.inputs, contract).ok()) return expected;
    for (const ValueId output : item.graph.outputs()) {
      scratch_.Stored(output, expected.emplace_back());
    }
    return expected;
  }

  const CheckSetting& setting_;
  Runner& runner_;
  const Case& item_;
  CheckRuns& runs_;
  const bool large_;
  std::vector<bool> outside_;
  const ModelValues& values_;
  ModelParts cutter_;
  Evaluation scratch_;
  PartsShown shown_;
};

Json LocationJson(const Case& item, const Location& location) {
  return {{"target", item.target.name},          {"located", location.judged},
          {"first_wrong", location.first_wrong}, {"name", location.node},
          {"message", location.message},         {"known_defect", location.defects.ToText()}};
}

Json OneByOneJson(const Graph& graph, const Location& location) {
  const auto count = [&](Verdict verdict) {
    size_t own = 0;
    for (NodeId id = 0; id < location.nodes.size(); ++id) {
      own += location.nodes[id].verdict == verdict && !graph.node(id).added ? 1 : 0;
    }
    return own;
  };
  return {{"right", count(Verdict::kPass)},
          {"known_defect", count(Verdict::kKnownDefect)},
          {"defects", location.defects.ToText()},
          {"unconfirmed", count(Verdict::kUnconfirmed)},
          {"not_judged", count(Verdict::kInconclusive)}};
}

// Measures the time since its first call. Safe for several threads.
class TimeSinceFirstCall {
 public:
  double Seconds() {
    std::call_once(once_, [this] { start_ = Clock::now(); });
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::once_flag once_;
  Clock::time_point start_;
};

// One run of a case, and its result.
class OneRun {
 public:
  OneRun(const CheckSetting& setting, Runner& runner, Case& item, Evaluation& evaluation)
      : setting_(setting), runner_(runner), item_(item), evaluation_(evaluation) {}

  Status Execute(std::span<const Estimate> expected) {
    ANECHECK_RETURN_IF_ERROR(Spell(setting_, item_));
    const RunRequest request = RequestOf(item_);
    const std::string where = fmt::format("{} by {}: ", item_.target.name, item_.route);
    const std::string operations = Counted(OwnAmong(item_.graph.nodes().size()), "operation");
    setting_.tell(fmt::format("{}running {}", where, operations));
    ANECHECK_ASSIGN(std::vector<RunReply> replies, runner_.Run({&request, 1}));
    setting_.tell(fmt::format("{}judging {}", where, operations));
    reply_ = std::move(replies[0]);
    outcome_ = JudgeCase(item_, reply_, evaluation_, expected);
    const bool executed = reply_.status == RunStatus::kOk;
    run_.taken = executed && outcome_.verdict() != Verdict::kMisplaced;
    run_.reached = executed && outcome_.backend == kEngineBackend;
    ANECHECK_RETURN_IF_ERROR(LookInside());
    ANECHECK_RETURN_IF_ERROR(Refine(item_, reply_, runner_, evaluation_, outcome_));
    return ChargeDefect(item_, reply_, runner_, evaluation_, outcome_);
  }

  // If the bounds of the whole execution are too wide for a verdict, returns the first wrong
  // operation as a separate case.
  std::optional<Case> WrongAlone() {
    if (location_.first_wrong.empty()) return std::nullopt;
    Case alone;
    TakePlace(item_, alone);
    alone.graph = std::move(location_.wrong_alone);
    alone.inputs = std::move(location_.wrong_inputs);
    return alone;
  }

  // Call this if the operation is right when it runs alone, so that only the whole program is
  // wrong.
  void BlameWrong() {
    outcome_.shown.Worsen({.verdict = Verdict::kWrong,
                           .message = location_.message + "; alone it is right",
                           .op = location_.first_wrong,
                           .node = location_.node});
  }

  CheckRun Finish(const CheckRuns& runs) && {
    CountReach(item_, outcome_, run_.batch, ProvedOn(setting_.identity, item_.target.name));
    const bool stated = outcome_.verdict() == Verdict::kRejected && runs.stated(item_);
    if (IsSuspect(outcome_.verdict()) && !stated) {
      run_.finding = DescribeFinding(item_, outcome_);
      Complete(setting_, item_, outcome_, reply_, *run_.finding);
      run_.node = outcome_.shown.node();
    }
    run_.batch.cases.push_back(RecordOf(item_, outcome_));
    return std::move(run_);
  }

 private:
  // Returns how many of the first `end` nodes are the model's own operations.
  size_t OwnAmong(size_t end) const {
    const auto nodes = std::span(item_.graph.nodes()).first(end);
    return static_cast<size_t>(std::ranges::count(nodes, false, &Node::added));
  }

  Status LookInside() {
    const Verdict verdict = outcome_.verdict();
    const bool vague = verdict == Verdict::kInconclusive && run_.taken && !outcome_.verified;
    if (verdict != Verdict::kWrong && verdict != Verdict::kKnownDefect && !vague) return {};
    TimeSinceFirstCall time;
    const auto judging = [&](size_t done, size_t of) {
      setting_.tell(fmt::format("{} by {}: judging one by one, {} of {}{}", item_.target.name,
                                item_.route, OwnAmong(done), Counted(OwnAmong(of), "operation"),
                                TimeLeftText(time.Seconds(), done, of)));
    };
    ANECHECK_ASSIGN(Location location, Locate(item_, reply_, runner_, evaluation_, {}, judging));
    if (!vague || !location.first_wrong.empty()) run_.location = LocationJson(item_, location);
    if (!vague || !location.judged) return {};
    run_.one_by_one = OneByOneJson(item_.graph, location);
    location_ = std::move(location);
    return {};
  }

  const CheckSetting& setting_;
  Runner& runner_;
  Case& item_;
  Evaluation& evaluation_;
  CheckRun run_;
  RunReply reply_;
  CaseOutcome outcome_;
  Location location_;  // set if the bounds of the whole execution are too wide for a verdict
};

}  // namespace

Result<const CheckRun*> RunCheck(const CheckSetting& setting, Runner& runner, Case& item,
                                 Evaluation& evaluation, std::span<const Estimate> expected,
                                 CheckRuns& runs) {
  const size_t place = runs.list.size();
  item.index = runs.Next();
  OneRun run(setting, runner, item, evaluation);
  ANECHECK_RETURN_IF_ERROR(run.Execute(expected));
  std::optional<Case> alone = run.WrongAlone();
  if (!alone) {
    runs.list.push_back(std::move(run).Finish(runs));
    return &runs.list[place];
  }
  alone->index = item.index + runs.step;
  OneRun further(setting, runner, *alone, evaluation);
  ANECHECK_RETURN_IF_ERROR(further.Execute({}));
  CheckRun shown = std::move(further).Finish(runs);
  if (!shown.finding) run.BlameWrong();
  runs.list.push_back(std::move(run).Finish(runs));
  runs.list.push_back(std::move(shown));
  return &runs.list[place];
}

Status MeasureErrors(const CheckSetting& setting, const Graph& model, const ModelValues& values,
                     Runner& runner, const Case& item,
                     std::map<std::string, OperationError, std::less<>>& errors) {
  Case every = item;
  every.graph = WithEveryResult(item.graph);
  if (!SpellCase(every).ok()) return {};
  const RunRequest request = RequestOf(every);
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  const auto outputs = every.graph.outputs();
  const std::vector<Tensor>& answers = replies[0].outputs;
  if (replies[0].status != RunStatus::kOk || answers.size() != outputs.size()) return {};
  std::map<std::string_view, ValueId> by_name;
  for (ValueId id = 0; id < model.values().size(); ++id) by_name[model.value(id).name] = id;
  std::vector<ValueId> compared(outputs.size(), kNoValue);  // the model's value for each output
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto found = by_name.find(every.graph.value(outputs[i]).name);
    if (found == by_name.end() || model.value(found->second).kind != ValueKind::kResult) continue;
    const Tensor& expected = values[found->second];
    const bool same = IsFloat(expected.type.dtype) && answers[i].type == expected.type;
    if (same) compared[i] = found->second;
  }
  std::vector<OperationError> measured(outputs.size());
  ANECHECK_RETURN_IF_ERROR(ParallelFor(outputs.size(), setting.threads, [&](uint64_t i) -> Status {
    if (compared[i] != kNoValue) measured[i] = MeasureOperation(values[compared[i]], answers[i]);
    return {};
  }));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (compared[i] != kNoValue) errors.emplace(model.value(compared[i]).name, measured[i]);
  }
  return {};
}

bool IsLarge(const Graph& graph) {
  uint64_t bytes = 0;
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kConst)) {
    bytes += static_cast<uint64_t>(graph.type(id).ByteSize());
  }
  return bytes > kMostProgramWeights;
}

Result<PartsShown> RunParts(const CheckSetting& setting, Runner& runner, const Case& item,
                            std::vector<bool> outside, const ModelValues& values, CheckRuns& runs) {
  return PartRunner(setting, runner, item, std::move(outside), values, runs).Run();
}

Json OperationJson(const Graph& graph, NodeId node) {
  const NodeView of(graph, node);
  return {{"op", of.op()}, {"name", plan::OperationName(of)}};
}

}  // namespace anecheck
