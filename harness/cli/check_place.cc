#include "harness/cli/check_place.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>

#include "harness/base/counted.h"
#include "harness/base/parallel_for.h"
#include "harness/cli/check_answer.h"
#include "harness/cli/check_cliffs.h"
#include "harness/cli/check_steps.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

// Reports a run on one target, and the operations that the tables admit but no engine ran.
Json TargetReport(const Case& item, const std::vector<PlacedNode>& placed,
                  const std::set<NodeId>& reached, const CaseRow& record) {
  std::set<std::string> missed;
  for (NodeId id = 0; id < item.graph.nodes().size(); ++id) {
    if (placed[id].on_engine && !item.graph.node(id).added && !reached.contains(id)) {
      missed.emplace(NodeView(item.graph, id).op());
    }
  }
  return {{"target", item.target.name},        {"route", ToText(item.route)},
          {"verdict", ToText(record.verdict)}, {"stage", ToText(record.step)},
          {"message", record.message},         {"admitted_not_reached", missed}};
}

// Runs the model's parts, if the model is large or the engine has refused it as a whole.
Result<PartsShown> ShowParts(const CheckSetting& setting, Runner& runner, const Case& item,
                             const std::vector<PlacedNode>& placed, const ModelValues& values,
                             CheckRuns& runs) {
  std::vector<bool> outside;
  outside.reserve(placed.size());
  for (const PlacedNode& node : placed) outside.push_back(!node.on_engine);
  return RunParts(setting, runner, item, std::move(outside), values, runs);
}

// Returns the row of a model that ran only in parts. It has the verdict of the worst part.
CaseRow InParts(const CheckRuns& runs) {
  CaseRow record;
  record.verdict = Verdict::kInconclusive;
  record.message = "no operation of the model could be run";
  const CheckRun* worst = nullptr;
  for (const CheckRun& run : runs.list) {
    if (worst == nullptr || run.record().verdict > worst->record().verdict) worst = &run;
  }
  if (worst == nullptr) return record;
  record = worst->record();
  record.message = fmt::format("run in {} of at most {} MiB of weights{}{}",
                               Counted(runs.list.size(), "program"), kMostProgramWeights >> 20,
                               record.message.empty() ? "" : ": ", record.message);
  return record;
}

// By name, the engine's message for each operation that it refuses alone although the rules admit
// it.
std::map<std::string, std::string> RefusedAlone(const Json& refused) {
  std::map<std::string, std::string> words;
  for (const Json& entry : refused) {
    words[entry["name"].get<std::string>()] =
        "refused by the engine: " + entry["message"].get<std::string>();
  }
  return words;
}

// Copies the model only while it checks this place, because a model may be large.
Status CheckTarget(const CheckSetting& setting, Runner& runner, const PreparedModel& model,
                   CheckPlace& shown) {
  Case item = model.item;
  item.seed = setting.options.seed;
  item.target = shown.target;
  item.route = shown.route;
  setting.tell(fmt::format("{}: the model is evaluated", item.target.name));
  shown.runs.stated = [&shown](const Case& run) {
    if (IsAnyEngine(run.target.family)) return false;
    const auto answer = AnswerOf(run, *shown.values, shown.order);
    return answer.ok() && std::ranges::any_of(PlaceNodes(*answer), [](const PlacedNode& node) {
             return !node.on_engine;
           });
  };
  Evaluation evaluation;
  evaluation.UseThreads(setting.threads);
  ANECHECK_ASSIGN(const Expectation expectation, Expect(item, item.target.family, evaluation));
  shown.warnings = CliffsJson(item.graph, item.target.name, expectation.cliffs);
  if (!expectation.values) {
    shown.not_looked_for = {{"target", item.target.name}, {"reason", expectation.not_looked_for}};
  }
  const bool large = IsLarge(item.graph) && expectation.values;
  CheckRun whole;
  if (!large) {
    Evaluation scratch;
    scratch.UseThreads(setting.threads);
    ANECHECK_ASSIGN(const CheckRun* const run,
                    RunCheck(setting, runner, item, scratch, expectation.outputs, shown.runs));
    whole = *run;
  }
  ANECHECK_ASSIGN(const evidence::GraphAnswer answer, AnswerOf(item, *shown.values, shown.order));
  std::vector<PlacedNode> placed = PlaceNodes(answer);
  if (IsAnyEngine(item.target.family)) placed.assign(placed.size(), PlacedNode());
  PartsShown parts;
  if (whole.taken && expectation.values) {
    ANECHECK_RETURN_IF_ERROR(
        MeasureErrors(setting, item.graph, *expectation.values, runner, item, parts.errors));
  }
  if (!whole.taken && expectation.values) {
    ANECHECK_ASSIGN(parts,
                    ShowParts(setting, runner, item, placed, *expectation.values, shown.runs));
  }
  for (NodeId id = 0; whole.reached && id < item.graph.nodes().size(); ++id) {
    parts.reached.insert(id);
  }
  shown.report =
      TargetReport(item, placed, parts.reached, large ? InParts(shown.runs) : whole.record());
  const std::map<std::string, std::string> refused = RefusedAlone(parts.refused);
  plan::Plan lowering = answer.plan;
  if (std::ranges::any_of(item.graph.nodes(), &Node::added)) {
    ANECHECK_ASSIGN(lowering,
                    plan::PlanLowering(OwnPart(model), *shown.values, {item.route, shown.order}));
  }
  const bool emulated = setting.identity.provenance == Provenance::kEmulated;
  AddAnswer({.item = item,
             .answer = answer,
             .placed = placed,
             .cliffs = expectation.cliffs,
             .errors = parts.errors,
             .refused = refused,
             .model = model,
             .lowering = lowering,
             .taken = whole.taken,
             .emulated = emulated},
            shown.report);
  if (emulated) {
    for (NodeId id = 0; whole.taken && id < item.graph.nodes().size(); ++id) parts.ran.insert(id);
    ShowEmulated(parts.ran, model.edges.host.nodes().size(), shown.report);
  }
  if (shown.steps > 0) {
    ANECHECK_ASSIGN(shown.report["steps"], RunSteps(item, runner, shown.steps));
  }
  shown.report["one_by_one"] = whole.one_by_one;
  shown.report["refused_alone"] = std::move(parts.refused);
  shown.report["searched"] = parts.searched;
  shown.report["parts"] = std::move(parts.parts);
  return {};
}

}  // namespace

Result<std::vector<CheckPlace>> CheckPlaces(const CampaignOptions& options,
                                            const TargetCatalog& catalog, FamilyOrder order) {
  std::vector<CheckPlace> places;
  for (const CampaignTarget& target : options.targets) {
    for (const Route route : AllWords<Route>()) {
      if (!Has(options.routes, route)) continue;
      CheckPlace& place = places.emplace_back();
      place.target = target;
      place.order = order;
      place.route = route;
      // The rules of a chip do not apply to an engine that is no ANE, so the report leaves out
      // their answers.
      const std::string rules = IsAnyEngine(target.family) ? "h13" : target.name;
      ANECHECK_ASSIGN(place.values, catalog.Find(rules));
    }
  }
  return places;
}

Status CheckAll(const CheckSetting& setting, const PreparedModel& model,
                std::vector<CheckPlace>& all) {
  const auto jobs = static_cast<uint64_t>(setting.options.jobs);
  return ParallelChunks(all.size(), (all.size() + jobs - 1) / jobs, setting.options.jobs,
                        [&](uint64_t begin, uint64_t end) -> Status {
                          ANECHECK_ASSIGN(const auto runner, MakeRunner(setting.options));
                          for (uint64_t i = begin; i < end; ++i) {
                            ANECHECK_RETURN_IF_ERROR(CheckTarget(setting, *runner, model, all[i]));
                          }
                          return {};
                        });
}

}  // namespace anecheck
