// `anecheck check`: a model author's own model on a runner: does it compile and run where it was
// asked to, which operation goes wrong first, which values come near a cliff, and what each target
// attests without it having been reached.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/log.h"
#include "harness/campaign/judge_case.h"
#include "harness/campaign/locate.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/model_file.h"
#include "harness/cli/typed_command.h"
#include "harness/targets/catalog.h"
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

// A magnitude from which an operation of some family no longer behaves (facts/numerics.md).
struct Cliff {
  std::string_view what;
  double at = 0;
  bool (*applies)(const NodeView& node) = nullptr;
  bool of_operand = false;  // the first operand's magnitude counts, not the result's
};

bool IsSumOfProducts(const NodeView& node) {
  constexpr std::string_view kOps[] = {"conv",   "conv_transpose", "linear",   "matmul",
                                       "einsum", "ne_conv",        "ne_matmul"};
  return std::find(std::begin(kOps), std::end(kOps), node.op()) != std::end(kOps);
}
bool IsWidthSlice(const NodeView& node) {
  return node.op() == "slice_by_size" || node.op() == "slice_by_index";
}
bool IsSoftplus(const NodeView& node) { return node.op() == "softplus"; }
bool IsAny(const NodeView&) { return true; }

constexpr Cliff kCliffs[] = {
    {"accumulator port: a sum of 32768 or more becomes an infinity (A13, A14, A17)", 32768,
     IsSumOfProducts, false},
    {"crop gain: a slice with an offset on the last axis overflows from 4095 on (A13, A14)", 4095,
     IsWidthSlice, true},
    {"softplus gives 0 where its exponential overflows, from 10.4 on (A13, A16, A17)", 10.4,
     IsSoftplus, true},
    {"fp16 ends at 65504", 65504, IsAny, false},
};
// A value this close to a cliff is reported.
constexpr double kNear = 0.75;

double LargestMagnitude(const Estimate& estimate) {
  double most = 0;
  for (size_t i = 0; i < estimate.value.size(); ++i) {
    for (const double end : {estimate.low[i], estimate.high[i]}) {
      if (std::fabs(end) > most) most = std::fabs(end);
    }
  }
  return most;
}

ordered_json FindCliffs(const Graph& graph, const Evaluation& evaluation) {
  ordered_json warnings = ordered_json::array();
  Estimate estimate;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView node(graph, id);
    if (node.node().result_count == 0 || !IsFloat(node.ResultType().dtype)) continue;
    for (const Cliff& cliff : kCliffs) {
      if (!cliff.applies(node)) continue;
      const ValueId value =
          cliff.of_operand ? graph.arguments(node.node())[0].value : node.Result();
      if (graph.type(value).dtype != DType::kFp16) continue;
      evaluation.Intermediate(value, estimate);
      const double magnitude = LargestMagnitude(estimate);
      if (!(magnitude >= kNear * cliff.at)) continue;
      warnings.push_back({{"op", node.op()},
                          {"name", graph.value(node.Result()).name},
                          {"magnitude", magnitude},
                          {"cliff", cliff.at},
                          {"what", cliff.what}});
      break;
    }
  }
  return warnings;
}

// ---- targets ------------------------------------------------------------------------------------

// The model's operations on one target: those that the conversion route attests and the run did not
// reach, and those below whose floor the target lies.
ordered_json TargetReport(const Graph& graph, const CampaignTarget& target, bool reached,
                          const CaseRecord& record) {
  std::set<std::string_view> attested;
  std::set<std::string_view> below;
  for (const Node& node : graph.nodes()) {
    const bool admits = DefinitionOf(*node.schema).family_floor <= target.family;
    (admits ? attested : below).insert(node.schema->name);
  }
  ordered_json json = {{"target", target.name},
                       {"verdict", record.verdict},
                       {"stage", record.stage},
                       {"message", record.message}};
  json["attested_not_reached"] = ordered_json::array();
  if (!reached) {
    for (const std::string_view op : attested) json["attested_not_reached"].push_back(op);
  }
  json["below_floor"] = ordered_json::array();
  for (const std::string_view op : below) json["below_floor"].push_back(op);
  return json;
}

// ---- the run ------------------------------------------------------------------------------------

struct Report {
  ordered_json json;
  bool found = false;
};

Result<Report> Check(const CheckFlags& flags) {
  ANECHECK_ASSIGN(CampaignOptions options, ToOptions(flags.campaign));
  ANECHECK_ASSIGN(const ModelFile model, LoadModel(flags.model, flags.weights));
  if (model.synthesised > 0) {
    LogWarning(fmt::format("{} is not there: its {} constants are filled with made-up numbers",
                           model.weights, model.synthesised));
  }
  Case item;
  item.graph = model.graph;
  if (flags.inputs.empty()) {
    item.inputs = MadeUpInputs(model.graph);
  } else {
    ANECHECK_ASSIGN(const auto arrays, npz::ReadNpzFile(flags.inputs));
    ANECHECK_ASSIGN(item.inputs, InputsFromArrays(model.graph, arrays));
  }
  item.route = options.route;
  ANECHECK_RETURN_IF_ERROR(SpellCase(item));
  ANECHECK_ASSIGN(const auto runner, MakeRunner(options));
  ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
  Evaluation evaluation;
  ANECHECK_RETURN_IF_ERROR(
      evaluation.Run(item.graph, item.inputs, ConformingContract(options.targets[0].family)));
  Report report;
  report.json["model"] = flags.model;
  report.json["runner"] = identity.runner;
  report.json["provenance"] = ProvenanceName(identity.provenance);
  report.json["engine"] = identity.engine;
  report.json["synthesised_constants"] = model.synthesised;
  const ordered_json warnings = FindCliffs(item.graph, evaluation);
  ordered_json locations = ordered_json::array();
  ordered_json targets = ordered_json::array();
  ordered_json findings = ordered_json::array();
  uint64_t judged = 0;
  uint64_t inconclusive = 0;
  uint64_t fresh = 0;
  for (const CampaignTarget& target : options.targets) {
    item.target = target;
    const RunRequest request = RequestOf(item);
    ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner->Run({&request, 1}));
    CaseOutcome outcome = JudgeCase(item, item.route, replies[0], evaluation);
    if (outcome.record.verdict == "wrong" || outcome.record.verdict == "known-defect") {
      ANECHECK_ASSIGN(const Location location, Locate(item, replies[0], *runner, evaluation));
      locations.push_back({{"target", target.name},
                           {"located", location.judged},
                           {"first_wrong", location.first_wrong},
                           {"known_defect", location.known_defect}});
    }
    ANECHECK_RETURN_IF_ERROR(Refine(item, replies[0], *runner, evaluation, outcome));
    const CaseRecord& record = outcome.record;
    const bool ran = replies[0].status == RunStatus::kOk;
    judged += ran && record.verdict != "inconclusive" ? 1 : 0;
    inconclusive += record.verdict == "inconclusive" ? 1 : 0;
    const bool is_new = IsNewFinding(record.verdict) && !outcome.engine_lacks_op;
    fresh += is_new ? 1 : 0;
    if (is_new || !outcome.known_defect.empty()) {
      findings.push_back({{"op", outcome.op},
                          {"target", target.name},
                          {"verdict", record.verdict},
                          {"known_defect", outcome.known_defect},
                          {"message", record.message}});
    }
    targets.push_back(TargetReport(item.graph, target, ran && record.backend == "ane", record));
  }
  report.json["summary"] = {{"cases", options.targets.size()},
                            {"judged", judged},
                            {"inconclusive", inconclusive},
                            {"findings", fresh},
                            {"known_defects", findings.size() - fresh}};
  report.found = fresh > 0;
  report.json["findings"] = findings;
  report.json["locations"] = locations;
  report.json["warnings"] = warnings;
  report.json["targets"] = targets;
  return report;
}

std::string Join(const ordered_json& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
  return text;
}

std::string ReportText(const ordered_json& json) {
  std::string text =
      fmt::format("{}{} on {} ({})\n", EvidenceMark(json["provenance"].get<std::string>()),
                  json["model"].get<std::string>(), json["runner"].get<std::string>(),
                  json["provenance"].get<std::string>());
  for (const auto& target : json["targets"]) {
    text += fmt::format("{}: {}{}{}\n", target["target"].get<std::string>(),
                        target["verdict"].get<std::string>(),
                        target["message"].get<std::string>().empty() ? "" : ": ",
                        target["message"].get<std::string>());
    if (!target["attested_not_reached"].empty()) {
      text += fmt::format("  attested, not reached: {}\n", Join(target["attested_not_reached"]));
    }
    if (!target["below_floor"].empty()) {
      text += fmt::format("  not native on this family: {}\n", Join(target["below_floor"]));
    }
  }
  for (const auto& location : json["locations"]) {
    const std::string first = location["first_wrong"].get<std::string>();
    const std::string known = location["known_defect"].get<std::string>();
    text += fmt::format("{}: {}\n", location["target"].get<std::string>(),
                        !location["located"].get<bool>()
                            ? "the operation that goes wrong could not be located"
                        : first.empty() ? "explained by documented defects: " + known
                                        : "the first operation that goes wrong is " + first);
  }
  for (const auto& warning : json["warnings"]) {
    text += fmt::format("near a cliff: {} \"{}\" reaches {:.6g}; {}\n",
                        warning["op"].get<std::string>(), warning["name"].get<std::string>(),
                        warning["magnitude"].get<double>(), warning["what"].get<std::string>());
  }
  if (json["warnings"].empty()) text += "no value comes near a known cliff\n";
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
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer("Example: anecheck check model.mil --inputs in.npz --target h13");
  command->callback([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
