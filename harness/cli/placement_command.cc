// `anecheck placement`: compares Core ML's analytics of a model with the published planner.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/check/analytics_file.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/with_file.h"
#include "harness/formats/mil/parser.h"
#include "harness/models/model.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

struct PlacementFlags {
  std::string file, target = "h16g", evidence;
  bool json = false;
};

struct Placement {
  std::vector<AnalyticsRow> rows;
  Plan plan;
  double cost = 0;  // of the backends that Core ML chose, in milliseconds
  // Predicted from the cost model of `check`, not from the estimates in the file.
  PlanPrediction prediction;
};

Result<Placement> Read(const PlacementFlags& flags) {
  ANECHECK_ASSIGN(std::string text, ReadTextFile(flags.file));
  const auto program = mil::Parse(std::move(text));
  if (!program.ok()) return WithFile(flags.file, program.error());
  auto rows = ReadAnalytics(*program);
  if (!rows.ok()) return WithFile(flags.file, rows.error());
  // Costs depend only on shapes, so the weights may be missing.
  ANECHECK_ASSIGN(const Model model, Model::Open(flags.file, {.made_up = true}));
  ANECHECK_ASSIGN(const ModelGraph read, model.Read());
  Placement placement;
  placement.rows = std::move(*rows);
  placement.prediction = PredictPlan(placement.rows, read.graph);
  std::vector<BackendCosts> costs;
  std::vector<Backend> way;
  for (const AnalyticsRow& row : placement.rows) {
    costs.push_back(row.costs);
    way.push_back(row.selected);
  }
  placement.plan = CheapestPlan(costs);
  placement.cost = CostOf(costs, way).value_or(0);
  return placement;
}

// Returns the backends that any cheapest plan chooses for an operation. Several backends are a tie.
Json Possible(const Plan& plan, size_t row) {
  Json names = Json::array();
  for (size_t k = 0; k < kBackends && row < plan.possible.size(); ++k) {
    if (plan.possible[row][k]) names.push_back(BackendName(static_cast<Backend>(k)));
  }
  return names;
}

Json ToJson(const Placement& placement) {
  Json operations = Json::array();
  for (size_t i = 0; i < placement.rows.size(); ++i) {
    const AnalyticsRow& row = placement.rows[i];
    Json costs = Json::object();
    for (size_t k = 0; k < kBackends; ++k) {
      if (row.costs[k]) costs[BackendName(static_cast<Backend>(k))] = *row.costs[k];
    }
    const bool known = placement.prediction.known[i];
    operations.push_back({{"op", row.op},
                          {"name", row.name},
                          {"selected", BackendName(row.selected)},
                          {"cheapest", Possible(placement.plan, i)},
                          {"predicted", known ? Possible(placement.prediction.plan, i) : Json()},
                          {"milliseconds", costs},
                          {"refusal", row.refusal}});
  }
  return {{"operations", operations},
          {"selected_milliseconds", placement.cost},
          {"cheapest_milliseconds", placement.plan.milliseconds}};
}

std::string ToText(const Json& json) {
  std::string text;
  for (const Json& row : json["operations"]) {
    text += fmt::format("{:28} {:28} {:12}", row["op"].get<std::string>(),
                        row["name"].get<std::string>(), row["selected"].get<std::string>());
    for (const auto& [backend, cost] : row["milliseconds"].items()) {
      text += fmt::format(" {} {:.6f}", backend, cost.get<double>());
    }
    std::string predicted;
    for (const Json& backend : row["predicted"]) {
      predicted += (predicted.empty() ? "" : "/") + backend.get<std::string>();
    }
    text += " predicted " + (predicted.empty() ? "nothing: no estimate" : predicted);
    const auto refusal = row["refusal"].get<std::string>();
    text += refusal.empty() ? "\n" : fmt::format(" engine: {}\n", refusal);
  }
  return text + fmt::format("chosen: {:.6f} ms; cheapest by the published planner: {:.6f} ms\n",
                            json["selected_milliseconds"].get<double>(),
                            json["cheapest_milliseconds"].get<double>());
}

int Run(const PlacementFlags& flags) {
  const auto target = FindTarget(flags.target);
  if (!target.ok()) return Fail(target.error());
  const auto placement = Read(flags);
  if (!placement.ok()) return Fail(placement.error());
  if (!flags.evidence.empty()) {
    const Status written = WriteFileAtomic(
        flags.evidence, evidence::StatementsJson(
                            EvidenceOf(placement->rows, (*target)->compiler_name, flags.file)));
    if (!written.ok()) return Fail(written.error());
  }
  const Json json = ToJson(*placement);
  flags.json ? Print(DumpJson(json, 2)) : PrintText(ToText(json));
  return kExitClean;
}

}  // namespace

void AddPlacementCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand(
      "placement", "Show the placement of a model's operations by Core ML, from its analytics.mil");
  auto flags = std::make_shared<PlacementFlags>();
  command.AddOption("file", flags->file, "analytics.mil of a compiled model's bundle")
      .Check(FileName())
      .Required();
  command.AddOption("--target", flags->target, "Target or chip for which the model was compiled")
      .ShowDefault();
  command
      .AddOption("--evidence", flags->evidence,
                 "Also write the statements about the engine to this file, for `matrix`")
      .Check(FileName());
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer("Example: anecheck placement analytics.mil --target M4 --evidence m4.json");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
