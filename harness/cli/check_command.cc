// `anecheck check`: a model author's own model on a runner: does it compile and run where it was
// asked to, which operation goes wrong first, which values come near a cliff, and what each target
// attests without it having been reached.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/log.h"
#include "harness/campaign/cliffs.h"
#include "harness/campaign/judge_case.h"
#include "harness/campaign/locate.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/model_file.h"
#include "harness/cli/typed_command.h"
#include "harness/lowering/boundary_casts.h"
#include "harness/targets/catalog.h"
#include "oracles/catalogue.h"
#include "oracles/legality/legality.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

using nlohmann::ordered_json;

struct CheckFlags {
  CampaignFlags campaign;
  std::string model;
  std::string weights;
  std::string inputs;
  bool json = false;
};

// ---- cliffs -------------------------------------------------------------------------------------

// The model's values on the ideal engine of a target's family: what is expected of each output and,
// where every value can be kept, how near they come to a cliff.
struct Expectation {
  std::vector<Estimate> outputs;
  std::vector<Cliff> cliffs;
  std::string not_looked_for;  // why there are no cliffs
};

Result<Expectation> Expect(const Case& item, int family, Evaluation& evaluation) {
  Expectation expectation;
  const Contract& contract = ConformingContract(family);
  const Status kept = evaluation.Run(item.graph, item.inputs, contract);
  if (kept.ok()) {
    expectation.cliffs =
        FindCliffs(item.graph, item.inputs, evaluation, family, DeparturesInForce());
  } else {
    if (kept.error().code != ErrorCode::kLimit) return kept.error();
    expectation.not_looked_for = kept.error().message;
    ANECHECK_RETURN_IF_ERROR(evaluation.RunForOutputs(item.graph, item.inputs, contract));
  }
  for (const ValueId output : item.graph.outputs()) {
    evaluation.Stored(output, expectation.outputs.emplace_back());
  }
  return expectation;
}

ordered_json CliffsJson(const Graph& graph, const std::string& target,
                        const std::vector<Cliff>& cliffs) {
  ordered_json warnings = ordered_json::array();
  for (const Cliff& cliff : cliffs) {
    const NodeView node(graph, cliff.node);
    warnings.push_back({{"target", target},
                        {"op", node.op()},
                        {"name", graph.value(node.Result()).name},
                        {"cliff", cliff.id},
                        {"what", cliff.what},
                        {"past", cliff.past},
                        {"elements", cliff.elements},
                        {"operand", cliff.operand},
                        {"result", cliff.result}});
  }
  return warnings;
}

// ---- targets ------------------------------------------------------------------------------------

// The model's operations on one target: those that the tables attest by the conversion route and
// the run did not reach, and those that the tables do not attest, with the layer's own words.
Result<ordered_json> TargetReport(const Case& item, bool reached, const CaseRecord& record) {
  ANECHECK_ASSIGN(const Target* const target, TargetCatalog::Builtin().Find(item.target.name));
  std::set<std::string> attested;
  ordered_json refused = ordered_json::array();
  for (const Node& node : item.graph.nodes()) {
    const NodeView view(item.graph, node);
    ANECHECK_ASSIGN(const legality::Verdict verdict,
                    legality::Judge(legality::InstanceOf(view), *target, legality::Route::kMil));
    if (verdict.outcome == legality::Outcome::kNative ||
        verdict.outcome == legality::Outcome::kDecomposed) {
      attested.insert(std::string(view.op()));
      continue;
    }
    const legality::LayerVerdict* const stopper = verdict.Stopper();
    refused.push_back({{"op", view.op()},
                       {"name", item.graph.value(node.first_result).name},
                       {"outcome", legality::OutcomeName(verdict.outcome)},
                       {"layer", stopper == nullptr ? "" : LayerName(stopper->layer)},
                       {"reason", stopper == nullptr ? "" : stopper->reason}});
  }
  ordered_json json = {{"target", item.target.name},
                       {"verdict", record.verdict},
                       {"stage", record.stage},
                       {"message", record.message}};
  json["attested_not_reached"] = ordered_json::array();
  if (!reached) json["attested_not_reached"] = attested;
  json["not_attested"] = std::move(refused);
  return json;
}

// ---- the run ------------------------------------------------------------------------------------

struct Report {
  ordered_json json;
  bool found = false;
};

// The model as it is run, with inputs.
struct Prepared {
  Case item;
  PeeledGraph peeled;
  uint64_t synthesised = 0;
};

Result<Prepared> Prepare(const CheckFlags& flags) {
  std::vector<npz::NamedArray> arrays;
  if (!flags.inputs.empty()) {
    ANECHECK_ASSIGN(arrays, npz::ReadNpzFile(flags.inputs));
  }
  ANECHECK_ASSIGN(const ModelFile model,
                  LoadModel(flags.model, flags.weights, ShapesOfArrays(arrays)));
  if (model.synthesised > 0) {
    LogWarning(fmt::format("{} is not there: its {} constants are filled with made-up numbers",
                           model.weights, model.synthesised));
  }
  Prepared prepared;
  prepared.synthesised = model.synthesised;
  prepared.peeled = PeelBoundaryCasts(model.graph);
  Case& item = prepared.item;
  item.graph = prepared.peeled.graph;
  if (flags.inputs.empty()) {
    LogWarning("no --inputs: every input is filled with made-up numbers between -1 and 1");
    item.inputs = MadeUpInputs(item.graph);
  } else {
    ANECHECK_ASSIGN(item.inputs, InputsFromArrays(item.graph, arrays));
  }
  return prepared;
}

// What the targets add up to.
struct Tally {
  uint64_t judged = 0;
  uint64_t inconclusive = 0;
  uint64_t fresh = 0;
  ordered_json warnings = ordered_json::array();
  ordered_json not_looked_for = ordered_json::array();
  ordered_json locations = ordered_json::array();
  ordered_json targets = ordered_json::array();
  ordered_json findings = ordered_json::array();
};

Status CheckTarget(Case& item, Runner& runner, Tally& tally) {
  Evaluation evaluation;
  ANECHECK_ASSIGN(const Expectation expectation, Expect(item, item.target.family, evaluation));
  for (auto& warning : CliffsJson(item.graph, item.target.name, expectation.cliffs)) {
    tally.warnings.push_back(std::move(warning));
  }
  if (!expectation.not_looked_for.empty()) {
    tally.not_looked_for.push_back(
        {{"target", item.target.name}, {"reason", expectation.not_looked_for}});
  }
  const RunRequest request = RequestOf(item);
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  CaseOutcome outcome = JudgeCase(item, item.route, replies[0], evaluation, expectation.outputs);
  if (outcome.record.verdict == "wrong" || outcome.record.verdict == "known-defect") {
    ANECHECK_ASSIGN(const Location location, Locate(item, replies[0], runner, evaluation));
    tally.locations.push_back({{"target", item.target.name},
                               {"located", location.judged},
                               {"first_wrong", location.first_wrong},
                               {"name", location.node},
                               {"message", location.message},
                               {"known_defect", location.known_defect}});
  }
  ANECHECK_RETURN_IF_ERROR(Refine(item, replies[0], runner, evaluation, outcome));
  const CaseRecord& record = outcome.record;
  const bool ran = replies[0].status == RunStatus::kOk;
  tally.judged += ran && record.verdict != "inconclusive" ? 1 : 0;
  tally.inconclusive += record.verdict == "inconclusive" ? 1 : 0;
  const bool is_new = IsNewFinding(record.verdict);
  tally.fresh += is_new ? 1 : 0;
  if (is_new || !outcome.known_defect.empty()) {
    tally.findings.push_back({{"op", outcome.op},
                              {"name", outcome.node},
                              {"target", item.target.name},
                              {"verdict", record.verdict},
                              {"known_defect", outcome.known_defect},
                              {"message", record.message}});
  }
  ANECHECK_ASSIGN(ordered_json target, TargetReport(item, ran && record.backend == "ane", record));
  tally.targets.push_back(std::move(target));
  return {};
}

Result<Report> Check(const CheckFlags& flags) {
  ANECHECK_ASSIGN(const CampaignOptions options, ToOptions(flags.campaign));
  ANECHECK_ASSIGN(Prepared prepared, Prepare(flags));
  Case& item = prepared.item;
  item.route = options.route;
  ANECHECK_RETURN_IF_ERROR(SpellCase(item));
  ANECHECK_ASSIGN(const auto runner, MakeRunner(options));
  ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
  Tally tally;
  for (const CampaignTarget& target : options.targets) {
    item.target = target;
    ANECHECK_RETURN_IF_ERROR(CheckTarget(item, *runner, tally));
  }
  Report report;
  report.json = {{"model", flags.model},
                 {"runner", identity.runner},
                 {"provenance", ProvenanceName(identity.provenance)},
                 {"engine", identity.engine},
                 {"synthesised_constants", prepared.synthesised},
                 {"made_up_inputs", flags.inputs.empty()},
                 {"boundary_casts_left_out",
                  {{"inputs", prepared.peeled.inputs}, {"outputs", prepared.peeled.outputs}}},
                 {"summary",
                  {{"cases", options.targets.size()},
                   {"judged", tally.judged},
                   {"inconclusive", tally.inconclusive},
                   {"findings", tally.fresh},
                   {"known_defects", tally.findings.size() - tally.fresh}}},
                 {"findings", tally.findings},
                 {"locations", tally.locations},
                 {"warnings", tally.warnings},
                 {"cliffs_not_looked_for", tally.not_looked_for},
                 {"targets", tally.targets}};
  report.found = tally.fresh > 0;
  return report;
}

std::string Join(const ordered_json& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
  return text;
}

std::string Text(const ordered_json& json, const char* key) { return json[key].get<std::string>(); }

std::string TargetText(const ordered_json& target) {
  std::string text =
      fmt::format("{}: {}{}{}\n", Text(target, "target"), Text(target, "verdict"),
                  Text(target, "message").empty() ? "" : ": ", Text(target, "message"));
  if (!target["attested_not_reached"].empty()) {
    text += fmt::format("  attested, not reached: {}\n", Join(target["attested_not_reached"]));
  }
  for (const auto& refused : target["not_attested"]) {
    text += fmt::format("  not attested: {} \"{}\": {}{}{}{}\n", Text(refused, "op"),
                        Text(refused, "name"), Text(refused, "outcome"),
                        Text(refused, "layer").empty() ? "" : " by the ", Text(refused, "layer"),
                        Text(refused, "reason").empty() ? "" : ": " + Text(refused, "reason"));
  }
  return text;
}

std::string LocationText(const ordered_json& location) {
  std::string what;
  if (!location["located"].get<bool>()) {
    what = "the operation that goes wrong could not be located";
  } else if (Text(location, "first_wrong").empty()) {
    what = "explained by documented defects: " + Text(location, "known_defect");
  } else {
    what = fmt::format("the first operation that goes wrong is {} \"{}\": {}",
                       Text(location, "first_wrong"), Text(location, "name"),
                       Text(location, "message"));
  }
  return fmt::format("{}: {}\n", Text(location, "target"), what);
}

std::string CliffText(const ordered_json& warning) {
  const std::string where = fmt::format("{}: {} \"{}\"", Text(warning, "target"),
                                        Text(warning, "op"), Text(warning, "name"));
  const bool past = warning["past"].get<bool>();
  const std::string reach =
      fmt::format("its first operand reaches {:.6g}, its result {:.6g}",
                  warning["operand"].get<double>(), warning["result"].get<double>());
  const std::string what = fmt::format("{} ({})", Text(warning, "cliff"), Text(warning, "what"));
  if (Text(warning, "cliff") == "fp16") {
    return fmt::format("{} is {} a cliff: {}; {}\n", where, past ? "past" : "near", reach,
                       Text(warning, "what"));
  }
  const auto elements = warning["elements"].get<uint64_t>();
  return past ? fmt::format("{} is past a cliff: {} changes {} elements; {}\n", where, what,
                            elements, reach)
              : fmt::format(
                    "{} is near a cliff: with a first operand a third larger {} would change "
                    "{} elements; {}\n",
                    where, what, elements, reach);
}

std::string ReportText(const ordered_json& json) {
  std::string text =
      fmt::format("{}{} on {} ({})\n", EvidenceMark(Text(json, "provenance")), Text(json, "model"),
                  Text(json, "runner"), Text(json, "provenance"));
  const ordered_json& casts = json["boundary_casts_left_out"];
  if (!casts["inputs"].empty() || !casts["outputs"].empty()) {
    text += fmt::format(
        "an engine takes and gives fp16: run without the casts of fp32 inputs ({}) and outputs "
        "({})\n",
        Join(casts["inputs"]), Join(casts["outputs"]));
  }
  for (const auto& target : json["targets"]) text += TargetText(target);
  for (const auto& location : json["locations"]) text += LocationText(location);
  for (const auto& warning : json["warnings"]) text += CliffText(warning);
  for (const auto& skipped : json["cliffs_not_looked_for"]) {
    text += fmt::format("{}: cliffs were not looked for: {}\n", Text(skipped, "target"),
                        Text(skipped, "reason"));
  }
  if (json["warnings"].empty() && json["cliffs_not_looked_for"].empty()) {
    text += "no value comes near a known cliff\n";
  }
  return text;
}

int Run(const CheckFlags& flags) {
  const auto report = Check(flags);
  if (!report.ok()) return Fail(report.error());
  Print(flags.json ? report->json.dump(2) : ReportText(report->json));
  return report->found ? kExitFindings : kExitClean;
}

}  // namespace

void AddCheckCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("check", "Run and judge a model of your own");
  auto flags = std::make_shared<CheckFlags>();
  command->add_option("model", flags->model, "MIL text, or a graph as JSON")->required();
  command->add_option("--weights", flags->weights,
                      "Weight side file of the MIL (default: where the MIL says)");
  command->add_option("--inputs", flags->inputs, "Inputs by name, .npz (default: made-up numbers)");
  CampaignFlags& campaign = flags->campaign;
  command->add_option("--target,--targets", campaign.targets, "Compiler targets, h13,h17s or all")
      ->capture_default_str();
  command->add_option("--runner", campaign.runner, "What to run on")->capture_default_str();
  command->add_option(
      "--espresso-lib", campaign.library,
      "Library with the e5rt_* symbols (default: the system's, or the simulated engine)");
  command->add_option("--fault", campaign.faults,
                      "Plant a defect in the simulated engine, by its id");
  command->add_option("--quirk", campaign.quirks,
                      "Force a known defect of the simulated engine: D01=on, all=off");
  AddDefectsFlag(*command);
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer("Example: anecheck check model.mil --inputs in.npz --target h13");
  command->callback([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
