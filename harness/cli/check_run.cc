#include "harness/cli/check_run.h"

#include <algorithm>
#include <bitset>
#include <fmt/format.h>
#include <utility>

#include "harness/base/shell_word.h"
#include "harness/campaign/artifact.h"
#include "harness/campaign/judge_case.h"
#include "harness/campaign/locate.h"
#include "harness/campaign/model_parts.h"
#include "harness/campaign/reach_counter.h"
#include "harness/campaign/run_record.h"
#include "harness/cli/prepared_model.h"
#include "harness/cli/with_file.h"
#include "harness/runners/chip_target.h"

namespace anecheck {
namespace {

using nlohmann::ordered_json;

// Gives the finding an id and the command that runs it again: from the results file or, without
// one, this check.
void Complete(const CheckSetting& setting, const Case& item, const CaseOutcome& outcome,
              const RunReply& reply, FindingRecord& finding) {
  finding.id = FindingId(finding.signature, outcome.record.fingerprint);
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
  if (item.route == "netlist") error.message += "; give --route mil";
  return WithFile(setting.model, std::move(error));
}

// A part as it is run, and the model's operations that an engine is asked for with it.
struct AskedPart {
  Case item;
  std::vector<NodeId> nodes;
};

// Casts and integers at the edges of a part are left out of it as they are of a model.
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
             std::vector<bool> outside, const Evaluation& values)
      : setting_(setting),
        runner_(runner),
        item_(item),
        outside_(std::move(outside)),
        cutter_(item.graph, item.inputs, values) {}

  Result<PartsShown> Run() {
    std::vector<NodeId> suspects;
    if (std::ranges::find(outside_, true) == outside_.end()) {
      // The one part is the model, which the engine does not take.
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
  // The operations of the parts that the engine does not take.
  Result<std::vector<NodeId>> RunAround() {
    std::vector<NodeId> suspects;
    shown_.parts = ordered_json::array();
    for (const ModelPart& part : cutter_.Around(outside_)) {
      ANECHECK_ASSIGN(AskedPart asked, Ask(item_.graph, part));
      if (asked.nodes.empty()) continue;
      ANECHECK_ASSIGN(const CheckRun* const run, RunAsked(asked));
      shown_.parts.push_back({{"operations", asked.nodes.size()},
                              {"first", OperationJson(item_.graph, asked.nodes.front())},
                              {"last", OperationJson(item_.graph, asked.nodes.back())},
                              {"verdict", run->record().verdict},
                              {"stage", run->record().stage},
                              {"message", run->record().message}});
      if (!run->taken) suspects.insert(suspects.end(), asked.nodes.begin(), asked.nodes.end());
    }
    return suspects;
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
    ordered_json& entry = shown_.refused.emplace_back(OperationJson(item_.graph, id));
    entry["verdict"] = run->record().verdict;
    entry["message"] = run->record().message;
    return {};
  }

  // The last of shown_.runs then.
  Result<const CheckRun*> RunAsked(AskedPart& asked) {
    // A number that no other case has, whatever runs beside this one.
    asked.item.index = item_.index + setting_.places * (shown_.runs.size() + 1);
    asked.item.seed = item_.seed;
    asked.item.target = item_.target;
    asked.item.route = item_.route;
    ANECHECK_ASSIGN(CheckRun run, RunCheck(setting_, runner_, asked.item, scratch_, {}));
    if (run.reached) shown_.reached.insert(asked.nodes.begin(), asked.nodes.end());
    shown_.runs.push_back(std::move(run));
    return &shown_.runs.back();
  }

  const CheckSetting& setting_;
  Runner& runner_;
  const Case& item_;
  std::vector<bool> outside_;
  ModelParts cutter_;
  Evaluation scratch_;
  PartsShown shown_;
};

}  // namespace

Result<CheckRun> RunCheck(const CheckSetting& setting, Runner& runner, Case& item,
                          Evaluation& evaluation, std::span<const Estimate> expected) {
  ANECHECK_RETURN_IF_ERROR(Spell(setting, item));
  CheckRun run;
  const RunRequest request = RequestOf(item);
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  CaseOutcome outcome = JudgeCase(item, item.route, replies[0], evaluation, expected);
  if (outcome.record.verdict == "wrong" || outcome.record.verdict == "known-defect") {
    ANECHECK_ASSIGN(const Location location, Locate(item, replies[0], runner, evaluation));
    run.location = {{"target", item.target.name},          {"located", location.judged},
                    {"first_wrong", location.first_wrong}, {"name", location.node},
                    {"message", location.message},         {"known_defect", location.known_defect}};
  }
  ANECHECK_RETURN_IF_ERROR(Refine(item, replies[0], runner, evaluation, outcome));
  ANECHECK_RETURN_IF_ERROR(ChargeDefect(item, replies[0], runner, evaluation, outcome));
  const bool executed = replies[0].status == RunStatus::kOk;
  run.taken = executed && outcome.record.verdict != "misplaced";
  run.reached = executed && outcome.record.backend == "ane";
  CountReach(item, outcome, run.batch, ProvedOn(setting.identity, item.target.name));
  if (IsSuspect(outcome.record.verdict)) {
    run.finding = DescribeFinding(item, outcome);
    Complete(setting, item, outcome, replies[0], *run.finding);
    run.node = outcome.node;
  }
  run.batch.cases.push_back(std::move(outcome.record));
  return run;
}

Result<PartsShown> RunParts(const CheckSetting& setting, Runner& runner, const Case& item,
                            std::vector<bool> outside, const Evaluation& values) {
  return PartRunner(setting, runner, item, std::move(outside), values).Run();
}

ordered_json OperationJson(const Graph& graph, NodeId node) {
  const Node& of = graph.node(node);
  return {{"op", of.schema->name},
          {"name", of.result_count == 0 ? "" : graph.value(of.first_result).name}};
}

}  // namespace anecheck
