// `anecheck check`: a model author's own model on a runner: does it compile and run where it was
// asked to, which operation goes wrong first, which values come near a cliff, and what each target
// attests without it having been reached.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/log.h"
#include "harness/base/parallel_for.h"
#include "harness/base/shell_word.h"
#include "harness/campaign/artifact.h"
#include "harness/campaign/cliffs.h"
#include "harness/campaign/judge_case.h"
#include "harness/campaign/locate.h"
#include "harness/campaign/reach_counter.h"
#include "harness/campaign/run_record.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/file_name.h"
#include "harness/cli/model_file.h"
#include "harness/cli/typed_command.h"
#include "harness/cli/whole_number.h"
#include "harness/cli/with_file.h"
#include "harness/graph/validate.h"
#include "harness/lowering/boundary_casts.h"
#include "harness/lowering/host_edges.h"
#include "harness/targets/catalog.h"
#include "oracles/catalogue.h"
#include "oracles/legality/legality.h"
#include "oracles/legality/rules.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

using nlohmann::ordered_json;

struct CheckFlags {
  CampaignFlags campaign;
  std::string model;
  std::string weights;
  std::string inputs;
  std::string command;  // what to type to check it again
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

// The model's operations on one target: those that the tables attest by the route of the case and
// the run did not reach, and those that the tables do not attest, with the layer's own words.
Result<ordered_json> TargetReport(const Case& item, bool reached, const CaseRecord& record) {
  ANECHECK_ASSIGN(const Target* const target, TargetCatalog::Builtin().Find(item.target.name));
  ANECHECK_ASSIGN(const legality::Route route, legality::ParseRoute(item.route));
  std::set<std::string> attested;
  ordered_json refused = ordered_json::array();
  for (const Node& node : item.graph.nodes()) {
    const NodeView view(item.graph, node);
    ANECHECK_ASSIGN(const legality::Verdict verdict,
                    legality::Judge(legality::InstanceOf(view), *target, route));
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
                       {"route", item.route},
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
  HostEdges edges;
  PeeledGraph peeled;
  uint64_t synthesised = 0;
};

// Adds made-up numbers for every input of the graph that no array has the name of.
void MakeUp(const Graph& graph, uint64_t seed, std::vector<npz::NamedArray>& arrays) {
  const std::vector<Tensor> tensors = MadeUpInputs(graph, seed);
  const std::vector<ValueId> inputs = graph.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = graph.value(inputs[i]).name;
    if (std::ranges::find(arrays, name, &npz::NamedArray::name) != arrays.end()) continue;
    std::vector<double> elements(static_cast<size_t>(tensors[i].type.shape.Elements()));
    DecodeElements(tensors[i].type.dtype, tensors[i].bytes, elements);
    arrays.push_back(ToArray(name, tensors[i].type, elements));
  }
}

// Puts in the place of made-up numbers, or adds, what the host computes for the engine.
Status ComputeHostEdges(const Graph& host, const std::string& path,
                        std::vector<npz::NamedArray>& arrays) {
  if (host.nodes().empty()) return {};
  ANECHECK_ASSIGN(const std::vector<Tensor> inputs, InputsFromArrays(host, arrays, path));
  ANECHECK_ASSIGN(const std::vector<Estimate> values, Evaluate(host, inputs, IeeeContract()));
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& name = host.value(host.outputs()[i]).name;
    std::erase_if(arrays, [&](const npz::NamedArray& array) { return array.name == name; });
    arrays.push_back(ToArray(name, values[i].type, values[i].value));
  }
  return {};
}

// What an engine makes of a broken part would say nothing of the model.
Status CheckPart(const Graph& part, std::string_view whose) {
  const Status valid = ValidateGraph(part);
  if (valid.ok()) return {};
  return MakeError(ErrorCode::kInternal,
                   fmt::format("the {}'s part of the model is broken: {}; please report the model",
                               whose, valid.error().message));
}

// The model's parts, and each of its outputs once: two may be casts of one value, which an engine
// gives once.
Status Split(const Graph& model, Prepared& prepared) {
  prepared.edges = SplitHostEdges(model);
  prepared.peeled = PeelBoundaryCasts(prepared.edges.graph);
  Graph& graph = prepared.item.graph;
  graph = prepared.peeled.graph;
  graph.ClearOutputs();
  for (const ValueId output : prepared.peeled.graph.outputs()) {
    const auto given = graph.outputs();
    if (std::ranges::find(given, output) == given.end()) graph.AddOutput(output);
  }
  ANECHECK_RETURN_IF_ERROR(CheckPart(graph, "engine"));
  if (prepared.edges.host.nodes().empty()) return {};
  return CheckPart(prepared.edges.host, "host");
}

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
  WarnOfUnusedInputs(model.graph, arrays);
  Prepared prepared;
  prepared.synthesised = model.synthesised;
  ANECHECK_RETURN_IF_ERROR(Split(model.graph, prepared));
  Case& item = prepared.item;
  if (flags.inputs.empty()) {
    LogWarning("no --inputs: every input is filled with made-up numbers between -1 and 1");
    for (const Graph* part : {&item.graph, &prepared.edges.host}) {
      MakeUp(*part, flags.campaign.seed, arrays);
    }
  }
  ANECHECK_RETURN_IF_ERROR(ComputeHostEdges(prepared.edges.host, flags.inputs, arrays));
  ANECHECK_ASSIGN(item.inputs, InputsFromArrays(item.graph, arrays, flags.inputs));
  return prepared;
}

// What is the same for every target and route.
struct Setting {
  const CheckFlags& flags;
  const CampaignOptions& options;
  const RunnerIdentity& identity;
  const Case& model;
};

// What one target by one route shows.
struct Shown {
  CampaignTarget target;
  std::string route;
  BatchRecord batch;  // the case, as a results file has it
  std::optional<FindingRecord> finding;
  std::string node;  // the operation that it is about: its first result
  ordered_json warnings, report;
  ordered_json location;        // null where nothing deviates
  ordered_json not_looked_for;  // null where cliffs were
};

// Gives the finding an id and the command that runs it again: from the results file or, without
// one, this check.
void Complete(const Setting& setting, const Case& item, const CaseOutcome& outcome,
              const RunReply& reply, FindingRecord& finding) {
  finding.id = FindingId(finding.signature, outcome.record.fingerprint);
  finding.replay = setting.flags.command;
  const std::string& db = setting.options.db;
  if (db.empty()) return;
  finding.replay = fmt::format("anecheck replay {} --db {}", finding.id, ShellWord(db));
  finding.artifact =
      ArtifactToJson(setting.options, setting.identity, item, outcome, reply, finding.id).dump();
}

// Why a model cannot be given to an engine by a route.
Error Unspelled(const Setting& setting, const Shown& shown, Error error) {
  if (shown.route == "netlist") error.message += "; give --route mil";
  return WithFile(setting.flags.model, std::move(error));
}

// A case is made for each target and dropped again: a model may be large.
Status CheckTarget(const Setting& setting, Runner& runner, uint64_t index, Shown& shown) {
  Case item = setting.model;
  item.index = index;
  item.seed = setting.options.seed;
  item.target = shown.target;
  item.route = shown.route;
  const Status spelled = SpellCase(item);
  if (!spelled.ok()) return Unspelled(setting, shown, spelled.error());
  Evaluation evaluation;
  ANECHECK_ASSIGN(const Expectation expectation, Expect(item, item.target.family, evaluation));
  shown.warnings = CliffsJson(item.graph, item.target.name, expectation.cliffs);
  if (!expectation.not_looked_for.empty()) {
    shown.not_looked_for = {{"target", item.target.name}, {"reason", expectation.not_looked_for}};
  }
  const RunRequest request = RequestOf(item);
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  CaseOutcome outcome = JudgeCase(item, item.route, replies[0], evaluation, expectation.outputs);
  if (outcome.record.verdict == "wrong" || outcome.record.verdict == "known-defect") {
    ANECHECK_ASSIGN(const Location location, Locate(item, replies[0], runner, evaluation));
    shown.location = {
        {"target", item.target.name},          {"located", location.judged},
        {"first_wrong", location.first_wrong}, {"name", location.node},
        {"message", location.message},         {"known_defect", location.known_defect}};
  }
  ANECHECK_RETURN_IF_ERROR(Refine(item, replies[0], runner, evaluation, outcome));
  ANECHECK_RETURN_IF_ERROR(ChargeDefect(item, replies[0], runner, evaluation, outcome));
  const bool reached = replies[0].status == RunStatus::kOk && outcome.record.backend == "ane";
  ANECHECK_ASSIGN(shown.report, TargetReport(item, reached, outcome.record));
  CountReach(item, outcome, shown.batch, ProvedOn(setting.identity, item.target.name));
  if (IsSuspect(outcome.record.verdict)) {
    shown.finding = DescribeFinding(item, outcome);
    Complete(setting, item, outcome, replies[0], *shown.finding);
    shown.node = outcome.node;
  }
  shown.batch.cases.push_back(std::move(outcome.record));
  return {};
}

// Every target by every route.
std::vector<Shown> Places(const CampaignOptions& options) {
  std::vector<Shown> places;
  for (const CampaignTarget& target : options.targets) {
    for (const char* route : {"mil", "netlist"}) {
      if (options.route != "both" && options.route != route) continue;
      Shown& place = places.emplace_back();
      place.target = target;
      place.route = route;
    }
  }
  return places;
}

// Each part with a runner of its own.
Status CheckAll(const Setting& setting, std::vector<Shown>& all) {
  const auto jobs = static_cast<uint64_t>(setting.options.jobs);
  return ParallelChunks(all.size(), (all.size() + jobs - 1) / jobs, setting.options.jobs,
                        [&](uint64_t begin, uint64_t end) -> Status {
                          ANECHECK_ASSIGN(const auto runner, MakeRunner(setting.options));
                          for (uint64_t i = begin; i < end; ++i) {
                            ANECHECK_RETURN_IF_ERROR(CheckTarget(setting, *runner, i, all[i]));
                          }
                          return {};
                        });
}

// Further cases of a signature count in its first finding and have no id, as in a campaign.
CampaignSummary Summarise(std::vector<Shown>& all) {
  CampaignSummary summary;
  for (Shown& shown : all) {
    CountCases(shown.batch.cases[0], 1, summary);
    if (!shown.finding) continue;
    FindingRecord& finding = *shown.finding;
    const auto listed =
        std::ranges::find(summary.list, finding.signature, &FindingRecord::signature);
    if (listed != summary.list.end()) {
      ++listed->occurrences;
      finding.id.clear();
    } else {
      CountFinding(finding.verdict, summary);
      summary.list.push_back(finding);
      summary.list.back().artifact.clear();
    }
    shown.batch.findings.push_back(finding);
  }
  return summary;
}

// Appends the check to the results file as a finished run.
Status Record(const Setting& setting, const std::vector<Shown>& all, CampaignSummary& summary) {
  ANECHECK_ASSIGN(Store store, Store::Open(setting.options.db));
  ANECHECK_ASSIGN(const int64_t run,
                  store.BeginRun(DescribeRun(setting.options, setting.identity)));
  for (const Shown& shown : all) ANECHECK_RETURN_IF_ERROR(store.Append(run, shown.batch));
  ANECHECK_RETURN_IF_ERROR(store.ReadReplays(run, summary.list));
  return store.FinishRun(run, "finished", UtcNow());
}

ordered_json ToJson(const CheckFlags& flags, const RunnerIdentity& identity,
                    const Prepared& prepared, const CampaignSummary& summary,
                    std::vector<Shown>& all) {
  const ordered_json none = ordered_json::array();
  ordered_json json = {{"model", flags.model},
                       {"runner", identity.runner},
                       {"provenance", ProvenanceName(identity.provenance)},
                       {"engine", identity.engine},
                       {"synthesised_constants", prepared.synthesised},
                       {"made_up_inputs", flags.inputs.empty()},
                       {"boundary_casts_left_out",
                        {{"inputs", prepared.peeled.inputs}, {"outputs", prepared.peeled.outputs}}},
                       {"on_the_host",
                        {{"computed", prepared.edges.computed},
                         {"widened_outputs", prepared.edges.widened},
                         {"outputs_left_out", prepared.edges.left_out}}},
                       {"summary", CountsToJson(summary)},
                       {"findings", none},
                       {"locations", none},
                       {"warnings", none},
                       {"cliffs_not_looked_for", none},
                       {"targets", none}};
  for (const FindingRecord& finding : summary.list) {
    ordered_json& entry = json["findings"].emplace_back(FindingToJson(finding));
    entry["name"] = all[finding.case_index].node;
    entry["message"] = finding.summary;
  }
  for (Shown& shown : all) {
    for (ordered_json& warning : shown.warnings) json["warnings"].push_back(std::move(warning));
    if (!shown.location.is_null()) json["locations"].push_back(std::move(shown.location));
    if (!shown.not_looked_for.is_null()) {
      json["cliffs_not_looked_for"].push_back(std::move(shown.not_looked_for));
    }
    json["targets"].push_back(std::move(shown.report));
  }
  return json;
}

Result<Report> Check(const CheckFlags& flags) {
  ANECHECK_ASSIGN(CampaignOptions options, ToOptions(flags.campaign));
  ANECHECK_RETURN_IF_ERROR(TryDefects(options.defects));
  ANECHECK_ASSIGN(const Prepared prepared, Prepare(flags));
  std::vector<Shown> all = Places(options);
  options.cases = all.size();
  options.command = flags.command;
  ANECHECK_ASSIGN(const auto runner, MakeRunner(options));
  ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
  ANECHECK_RETURN_IF_ERROR(CheckTargets(options, identity));
  const Setting setting = {flags, options, identity, prepared.item};
  ANECHECK_RETURN_IF_ERROR(CheckAll(setting, all));
  CampaignSummary summary = Summarise(all);
  if (!options.db.empty()) ANECHECK_RETURN_IF_ERROR(Record(setting, all, summary));
  return Report{ToJson(flags, identity, prepared, summary, all), summary.findings > 0};
}

std::string Join(const ordered_json& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
  return text;
}

std::string Text(const ordered_json& json, const char* key) { return json[key].get<std::string>(); }

std::string TargetText(const ordered_json& target) {
  std::string text = fmt::format(
      "{}{}: {}{}{}\n", Text(target, "target"),
      Text(target, "route") == "mil" ? "" : " by " + Text(target, "route"), Text(target, "verdict"),
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

// What of the model's numbers is made up.
std::string MadeUp(const ordered_json& json) {
  const auto constants = json["synthesised_constants"].get<uint64_t>();
  const bool inputs = json["made_up_inputs"].get<bool>();
  if (constants == 0) return inputs ? "made-up inputs" : "";
  return fmt::format("{} made-up constants{}", constants, inputs ? " and made-up inputs" : "");
}

// What the host does of the model, a line each.
std::string HostText(const ordered_json& host) {
  constexpr std::pair<const char*, std::string_view> kLines[] = {
      {"computed", "the host computes what an engine takes no operands of"},
      {"widened_outputs", "an engine gives fp16: int32 outputs that the host widens"},
      {"outputs_left_out", "outputs that no engine has a part in, not judged"}};
  std::string text;
  for (const auto& [key, what] : kLines) {
    if (!host[key].empty()) text += fmt::format("{}: {}\n", what, Join(host[key]));
  }
  return text;
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
  text += HostText(json["on_the_host"]);
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
  const std::string made_up = MadeUp(json);
  if (!made_up.empty() && json["cliffs_not_looked_for"].empty()) {
    text += fmt::format("the values that cliffs were looked for in follow from {}\n", made_up);
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
  command
      ->add_option("--route", campaign.route,
                   "Compile route: MIL text, a network description, or both")
      ->check(CLI::IsMember({"mil", "netlist", "both"}))
      ->capture_default_str();
  command->add_option("--seed", campaign.seed, "Seed of made-up inputs")
      ->check(WholeNumber(0))
      ->capture_default_str();
  campaign.jobs = 1;
  command->add_option("--jobs", campaign.jobs, "Targets and routes that run at once")
      ->check(WholeNumber(1, kMostJobs))
      ->capture_default_str();
  AddRunnerFlags(*command, campaign);
  AddDefectsFlag(*command, campaign.defects);
  campaign.db.clear();
  command
      ->add_option("--db", campaign.db,
                   "Results file to record in, for replay, shrink and report (default: none)")
      ->check(FileName());
  command->add_flag("--json", flags->json, "Print JSON");
  command->footer("Example: anecheck check model.mil --inputs in.npz --target h13");
  command->callback([command, flags, &selected] {
    flags->command = TypedCommand(*command, flags->campaign.seed);
    selected = [flags] { return Run(*flags); };
  });
}

}  // namespace anecheck
