#include "harness/cli/check_answer.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/cases/placement_cost.h"
#include "harness/check/advice.h"
#include "harness/targets/catalog.h"
#include "harness/targets/chip_names.h"
#include "harness/verdict/provenance.h"
#include "oracles/contract.h"
#include "oracles/legality/rules.h"
#include "oracles/plan/plan.h"

namespace anecheck {
namespace {

constexpr std::string_view kEngine = "engine", kHost = "host", kRefused = "refused";
constexpr std::string_view kNotRun = "not run";

std::string NameOf(const Graph& graph, NodeId id) {
  return plan::OperationName(NodeView(graph, id));
}

Json ErrorJson(const OperationError& error) {
  return {{"ulp", error.ulp}, {"relative", error.relative}, {"snr_db", error.snr_db}};
}

Json RowJson(const Graph& graph, NodeId id, const PlacedNode& placed) {
  return {{"op", graph.node(id).schema->name},
          {"name", NameOf(graph, id)},
          {"placement", PlacementOf(placed)},
          {"outcome", legality::OutcomeName(placed.outcome)},
          {"layer", placed.layer},
          {"reason", placed.reason},
          {"rule", placed.rule},
          {"source", placed.source},
          {"remarks", placed.remarks},
          {"added", false},
          {"backend", ""},
          {"error", nullptr},
          {"cliffs", Json::array()}};
}

Json HostRows(const Graph& host) {
  Json rows = Json::array();
  for (NodeId id = 0; id < host.nodes().size(); ++id) {
    PlacedNode placed;
    placed.on_engine = false;
    placed.outcome = legality::Outcome::kNoPath;
    placed.reason = "an engine does not take operands of this operation's types";
    Json& row = rows.emplace_back(RowJson(host, id, placed));
    row["known"] = "";
    row["segments"] = Json::array();
  }
  return rows;
}

// Returns the number of values that pass from the engine to the host or back. A value counts at
// most once in each direction.
size_t HandOvers(const Graph& graph, const std::vector<bool>& on_engine) {
  std::set<std::pair<ValueId, bool>> crossing;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (graph.node(id).added) continue;
    for (const Argument& argument : graph.arguments(graph.node(id))) {
      const Value& value = graph.value(argument.value);
      if (value.kind != ValueKind::kResult || on_engine[value.producer] == on_engine[id]) continue;
      crossing.emplace(argument.value, on_engine[id]);
    }
  }
  return crossing.size();
}

// Adds the planner's backend for each operation to `rows`. Returns a summary of the plan.
Json AddPlan(const Graph& graph, const std::vector<bool>& on_engine, Json& rows) {
  std::vector<BackendCosts> costs;
  std::vector<NodeId> own;
  std::set<std::string> unknown;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (graph.node(id).added) continue;
    own.push_back(id);
    const NodeView node(graph, id);
    const auto estimate = EstimateCosts(node);
    if (!estimate && node.node().result_count > 0) unknown.emplace(node.op());
    BackendCosts& cost = costs.emplace_back(estimate.value_or(BackendCosts{0.0, 0.0, 0.0}));
    if (!on_engine[id]) cost[static_cast<size_t>(Backend::kAne)] = std::nullopt;
  }
  const Plan plan = CheapestPlan(costs);
  size_t engine = 0, ties = 0;
  for (size_t i = 0; i < plan.backends.size(); ++i) {
    const auto possible = std::ranges::count(plan.possible[i], true);
    rows[own[i]]["backend"] = BackendName(plan.backends[i]);
    engine += plan.backends[i] == Backend::kAne ? 1 : 0;
    ties += possible > 1 ? 1 : 0;
  }
  return {{"milliseconds", plan.milliseconds},
          {"engine", engine},
          {"operations", plan.backends.size()},
          {"ties", ties},
          {"no_estimate", unknown}};
}

void Advise(std::string_view op, const Json& row, const Advice* advice, Json& list) {
  if (advice == nullptr) return;
  const bool known = std::ranges::any_of(list, [&](const Json& entry) {
    return entry["name"] == row["name"] && entry["change"] == advice->change;
  });
  if (known) return;
  list.push_back(
      {{"op", op}, {"name", row["name"]}, {"change", advice->change}, {"source", advice->source}});
}

// Returns remarks on an operation that the rules admit: the rewrite that the code generator makes,
// the caveats of the rules that admit it, and sources that contradict the rules.
std::vector<std::string> RemarksOf(const legality::Verdict& verdict) {
  std::vector<std::string> remarks;
  for (const legality::LayerVerdict& layer : verdict.layers) {
    const bool generated = layer.layer == legality::Layer::kCodeGeneration;
    if (layer.ruling == legality::Ruling::kDecompose && generated) {
      remarks.push_back("decomposed: " + layer.reason);
    }
    if (layer.ruling != legality::Ruling::kPass) continue;
    if (layer.others.empty()) {
      const bool caveat = layer.reached && !layer.reason.empty();
      if (caveat) remarks.push_back(fmt::format("{} [{}]", layer.reason, layer.source));
      continue;
    }
    std::string text = fmt::format("sources disagree: {} [{}]", layer.reason, layer.source);
    for (const legality::OtherReading& other : layer.others) {
      text += fmt::format("; otherwise: {} [{}]", other.says, other.source);
    }
    remarks.push_back(std::move(text));
  }
  return remarks;
}

// If the whole model ran although the tables keep some of its operations off the engine, returns a
// sentence that says so. Otherwise returns an empty string.
std::string CaveatOf(const AnswerParts& parts, const Json& rows) {
  size_t refused = 0, host = 0;
  for (NodeId id = 0; parts.taken && id < rows.size(); ++id) {
    if (parts.item.graph.node(id).added) continue;
    refused += rows[id]["placement"] == kRefused ? 1 : 0;
    host += rows[id]["placement"] == kHost ? 1 : 0;
  }
  if (refused + host == 0) return "";
  const std::string_view who = parts.emulated ? "the emulator" : "this engine";
  std::string text = fmt::format("{} ran ", who);
  if (refused > 0) text += Counted(refused, "operation") + " that the tables refuse";
  if (refused > 0 && host > 0) text += " and ";
  if (host > 0) text += Counted(host, "operation") + " that the tables leave to the host";
  return text + (refused > 0 ? ": another compiler may refuse the model"
                             : ": another engine may not run the model whole");
}

// The rewrites without which the engine refuses an operation.
Json NeededRewrites(const plan::Plan& plan) {
  Json list = Json::array();
  for (const plan::Rewrite& rewrite : plan.rewrites) {
    if (plan::IsNeeded(rewrite)) list.push_back(fmt::format("{} \"{}\"", rewrite.op, rewrite.name));
  }
  return list;
}

}  // namespace

std::string_view PlacementOf(const PlacedNode& node) {
  if (node.on_engine) return kEngine;
  return node.outcome == legality::Outcome::kNoPath ? kHost : kRefused;
}

Result<evidence::GraphAnswer> AnswerOf(const Case& item, const Target& target, FamilyOrder order) {
  return evidence::AnswerOf(item.graph, target, {.route = item.route, .order = order},
                            evidence::Published());
}

std::vector<PlacedNode> PlaceNodes(const evidence::GraphAnswer& answer) {
  std::vector<PlacedNode> placed;
  for (NodeId id = 0; id < answer.operations.size(); ++id) {
    const legality::Verdict& verdict = answer.operations[id].known.verdict;
    PlacedNode& node = placed.emplace_back();
    node.on_engine = answer.Admits(id);
    node.outcome = verdict.outcome;
    node.remarks = RemarksOf(verdict);
    if (node.on_engine) continue;
    if (const plan::Layer* const part = answer.RefusedPart(id)) {
      node.layer = "lowering";
      node.reason = fmt::format("it becomes {} ({}): {}", part->name, part->op, part->reason);
      node.rule = part->rule;
      node.source = part->source;
    } else if (const legality::LayerVerdict* const stopper = verdict.Stopper()) {
      node.layer = LayerName(stopper->layer);
      node.reason = stopper->reason;
      node.rule = stopper->rule;
      node.source = stopper->source;
    }
  }
  return placed;
}

void ShowEmulated(const std::set<NodeId>& ran, size_t before, Json& report) {
  Json& rows = report["operations"];
  for (NodeId id = 0; id + before < rows.size(); ++id) {
    Json& row = rows[id + before];
    if (row["placement"] != kEngine) continue;
    row["placement"] = ran.contains(id) ? ToText(Provenance::kEmulated) : kNotRun;
  }
}

bool IsKeptOff(const Json& row) {
  return row["placement"] == kRefused || row["placement"] == kHost;
}

void AddAnswer(const AnswerParts& parts, Json& report) {
  const Graph& graph = parts.item.graph;
  Json rows = Json::array(), advice = Json::array();
  std::vector<bool> on_engine;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    Json& row = rows.emplace_back(RowJson(graph, id, parts.placed[id]));
    row.update(IsAnyEngine(parts.item.target.family)
                   ? Json{{"known", ""}, {"segments", Json::array()}}
                   : evidence::OperationAnswerJson(parts.answer, id));
    const std::string name = NameOf(graph, id);
    const auto refused = parts.refused.find(name);
    if (refused != parts.refused.end()) {
      row["placement"] = kRefused;
      row["reason"] = refused->second;
    }
    on_engine.push_back(row["placement"] == kEngine);
    const auto error = parts.errors.find(name);
    if (error != parts.errors.end()) row["error"] = ErrorJson(error->second);
  }
  for (NodeId id = 0; id < rows.size(); ++id) rows[id]["added"] = graph.node(id).added;
  report["title"] = TargetTitle(parts.item.target.name);
  report["caveat"] = CaveatOf(parts, rows);
  report["lowering"] = {{"compiles", parts.lowering.compiles()},
                        {"compiles_with_bridges", parts.lowering.compiles_with_bridges()},
                        {"dispatches", parts.lowering.dispatches},
                        {"without_edges", parts.model.WithoutEdges()},
                        {"rewritten_first", NeededRewrites(parts.lowering)}};
  report["plan"] = AddPlan(graph, on_engine, rows);
  report["hand_overs"] = HandOvers(graph, on_engine);
  for (const Cliff& cliff : parts.cliffs) {
    Json& row = rows[cliff.node];
    row["cliffs"].push_back(fmt::format("{} {}", cliff.past ? "past" : "near", cliff.id));
    if (graph.node(cliff.node).added || cliff.inherited) continue;
    const std::string_view op = graph.node(cliff.node).schema->name;
    Advise(op, row, AdviceOnCliff(op, cliff.id), advice);
  }
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (on_engine[id] || graph.node(id).added) continue;
    const std::string_view op = graph.node(id).schema->name;
    Advise(op, rows[id], AdviceOnRefusal(op, rows[id]["reason"].get<std::string>()), advice);
  }
  Json all = HostRows(parts.model.edges.host);
  for (Json& row : rows) all.push_back(std::move(row));
  report["operations"] = std::move(all);
  report["advice"] = std::move(advice);
}

Result<FailOn> ParseFailOn(std::string_view list) {
  FailOn conditions;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string word(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    constexpr std::string_view kError = "error:";
    char* end = nullptr;
    if (word == "host") {
      conditions.host = true;
    } else if (word == "refused") {
      conditions.refused = true;
    } else if (word == "cliff") {
      conditions.cliff = true;
    } else if (word.starts_with(kError) && word.size() > kError.size()) {
      conditions.error = std::strtod(word.c_str() + kError.size(), &end);
    }
    const bool number = end != nullptr && *end == '\0' && conditions.error >= 0;
    if (word == "host" || word == "refused" || word == "cliff" || number) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--fail-on: \"{}\" is none of host, refused, cliff and "
                                 "error:NUMBER, the largest relative error",
                                 word));
  }
  return conditions;
}

std::vector<std::string> Failures(const FailOn& conditions, const Json& json) {
  std::vector<std::string> failures;
  for (const Json& target : json["targets"]) {
    size_t host = 0, refused = 0, cliffs = 0, inexact = 0;
    for (const Json& row : target["operations"]) {
      const bool own = !row["added"].get<bool>();
      host += own && row["placement"] == kHost ? 1 : 0;
      refused += own && row["placement"] == kRefused ? 1 : 0;
      cliffs += row["cliffs"].size();
      const bool above =
          !row["error"].is_null() && !(row["error"]["relative"].get<double>() <= conditions.error);
      inexact += above ? 1 : 0;
    }
    const auto fail = [&](bool asked, size_t count, std::string_view what, std::string_view rest) {
      if (!asked || count == 0) return;
      failures.push_back(
          fmt::format("{}: {}{}", target["title"].get<std::string>(), Counted(count, what), rest));
    };
    fail(conditions.host, host, "operation", " on the host");
    fail(conditions.refused, refused, "operation", " refused");
    fail(conditions.cliff, cliffs, "cliff", "");
    fail(conditions.error >= 0, inexact, "operation", " with a larger error");
  }
  return failures;
}

}  // namespace anecheck
