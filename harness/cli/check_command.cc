// `anecheck check`: runs a user's model. Reports whether it compiles and runs on the target, the
// first wrong operation, the values near a cliff, and the operations that are attested for a target
// but were not reached.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/base/parallel_for.h"
#include "harness/base/shell_word.h"
#include "harness/base/terminal_text.h"
#include "harness/campaign/run_row.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/check_answer.h"
#include "harness/cli/check_cliffs.h"
#include "harness/cli/check_containers.h"
#include "harness/cli/check_open.h"
#include "harness/cli/check_place.h"
#include "harness/cli/check_run.h"
#include "harness/cli/check_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/contract_flag.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/file_name.h"
#include "harness/cli/model_flags.h"
#include "harness/cli/prepared_model.h"
#include "harness/cli/target_flags.h"
#include "harness/cli/typed_command.h"
#include "harness/cli/whole_number.h"
#include "harness/runners/emulator_runner.h"
#include "harness/targets/catalog.h"
#include "oracles/catalogue.h"
#include "oracles/contract.h"
#include "oracles/legality/legality.h"
#include "oracles/legality/rules.h"
#include "oracles/oracle.h"
#include "reports/model_page.h"

namespace anecheck {
namespace {

struct CheckFlags {
  CampaignFlags campaign;
  ModelFlags model;
  TargetFlags target;
  std::string inputs;
  std::vector<std::string> containers;  // files and folders
  // Returns the command line that checks a function of the model again.
  std::function<std::string(const std::string& function)> command;
  bool json = false;
  bool why = false;
  std::string fail_on, html;
  int steps = 0;
};

// ---- the run ------------------------------------------------------------------------------------

struct Report {
  Json json;
  Graph graph;  // the graph whose operations the answer lists
  bool found = false;
  std::string asks;  // asks for extents; if not empty, the model was not run
};

// As in a campaign, only the first case of a signature gets an id. Each further case of the
// signature counts as an occurrence of that finding.
void Count(CheckRun& run, CampaignSummary& summary) {
  CountCase(run.record(), summary);
  if (!run.finding) return;
  FindingRow& finding = *run.finding;
  const auto listed = std::ranges::find(summary.list, finding.signature, &FindingRow::signature);
  if (listed != summary.list.end()) {
    ++listed->occurrences;
    finding.id.clear();
  } else {
    CountFinding(finding.verdict, summary);
    summary.list.push_back(finding);
    summary.list.back().artifact.clear();
  }
  run.batch.findings.push_back(finding);
}

// Appends the check to the results file as a finished run.
Status Record(const CheckSetting& setting, const std::vector<CheckPlace>& all,
              CampaignSummary& summary) {
  ANECHECK_ASSIGN(Store store, Store::Open(setting.options.db));
  ANECHECK_ASSIGN(const int64_t run,
                  store.BeginRun(DescribeRun(setting.options, setting.identity)));
  for (const CheckPlace& shown : all) {
    for (const CheckRun& shown_run : shown.runs.list) {
      ANECHECK_RETURN_IF_ERROR(store.Append(run, shown_run.batch));
    }
  }
  ANECHECK_RETURN_IF_ERROR(store.ReadReplays(run, summary.list));
  return store.FinishRun(run, RunState::kFinished, UtcNow());
}

// Returns the operation that the finding of a case is about.
std::string NodeOf(const std::vector<CheckPlace>& all, uint64_t case_index) {
  for (const CheckPlace& shown : all) {
    for (const CheckRun& run : shown.runs.list) {
      if (run.record().index == case_index) return run.node;
    }
  }
  return "";
}

Json ToJson(const CheckFlags& flags, const std::string& function, const RunnerIdentity& identity,
            const PreparedModel& prepared, const CampaignSummary& summary,
            std::vector<CheckPlace>& all) {
  const Json none = Json::array();
  Json json = {{"model", flags.model.model},
               {"function", function},
               {"runner", identity.runner},
               {"provenance", ToText(identity.provenance)},
               {"engine", identity.engine},
               {"made_up_constants", prepared.synthesised},
               {"made_up_inputs", flags.inputs.empty()},
               {"states_given", prepared.states},
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
  for (const FindingRow& finding : summary.list) {
    Json& entry = json["findings"].emplace_back(FindingToJson(finding));
    entry["name"] = NodeOf(all, finding.case_index);
    entry["message"] = finding.summary;
  }
  for (CheckPlace& shown : all) {
    for (Json& warning : shown.warnings) json["warnings"].push_back(std::move(warning));
    for (CheckRun& run : shown.runs.list) {
      if (!run.location.is_null()) json["locations"].push_back(std::move(run.location));
    }
    if (!shown.not_looked_for.is_null()) {
      json["cliffs_not_looked_for"].push_back(std::move(shown.not_looked_for));
    }
    json["targets"].push_back(std::move(shown.report));
  }
  return json;
}

// Reports on a model that cannot run because its inputs lack extents.
Result<Report> JudgeFunction(const CheckFlags& flags, const Model& model,
                             const std::string& function, std::span<const ModelShape> open,
                             std::span<const CheckPlace> all) {
  const std::vector<JudgedPlace> places(all.begin(), all.end());
  Report report;
  ANECHECK_ASSIGN(report.json, JudgeOpenAxes(model, function, open, places));
  report.json["model"] = flags.model.model;
  report.json["function"] = function;
  report.asks = fmt::format("{}: {} {}: give extents by an array of --inputs to run the model",
                            flags.model.model, open.front().input,
                            report.json["open_inputs"][0]["shape"].get<std::string>());
  return report;
}

Result<Report> CheckFunction(const CheckFlags& flags, CampaignOptions options, const Model& model,
                             const std::string& function) {
  ANECHECK_ASSIGN(const TargetCatalog catalog, LoadCatalog(flags.target));
  ANECHECK_ASSIGN(std::vector<CheckPlace> all, CheckPlaces(options, catalog, Order(flags.target)));
  if (flags.inputs.empty()) {
    ANECHECK_ASSIGN(const std::vector<ModelShape> open, model.OpenInputs(function));
    if (!open.empty()) return JudgeFunction(flags, model, function, open, all);
  }
  Result<PreparedModel> read = PrepareModel(model, function, {flags.inputs, flags.campaign.seed});
  if (!read.ok() && read.error().code == ErrorCode::kInvalid && flags.inputs.empty()) {
    // This error means that the model does not accept its own default extents.
    ANECHECK_ASSIGN(const auto open, model.OpenInputs(function, OpenAxes::kAll));
    if (!open.empty()) return JudgeFunction(flags, model, function, open, all);
  }
  ANECHECK_ASSIGN(const PreparedModel prepared, std::move(read));
  options.command = flags.command(model.functions().size() > 1 ? function : "");
  ANECHECK_ASSIGN(const auto runner, MakeRunner(options));
  ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
  ANECHECK_RETURN_IF_ERROR(CheckTargets(options, identity));
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].runs.first = i;
    all[i].runs.step = all.size();
    all[i].steps = flags.steps;
  }
  ProgressLine line;
  std::mutex mutex;
  const CheckSetting setting = {
      flags.model.model,
      options.command,
      options,
      identity,
      [&](std::string_view doing) {
        const std::lock_guard lock(mutex);
        line.Update(doing);
      },
      std::max(1, DefaultJobs() / std::clamp(options.jobs, 1,
                                             static_cast<int>(std::max<size_t>(all.size(), 1))))};
  ANECHECK_RETURN_IF_ERROR(CheckAll(setting, prepared, all));
  CampaignSummary summary;
  options.cases = 0;
  for (CheckPlace& shown : all) {
    for (CheckRun& run : shown.runs.list) Count(run, summary);
    options.cases += shown.runs.list.size();
  }
  if (!options.db.empty()) ANECHECK_RETURN_IF_ERROR(Record(setting, all, summary));
  return Report{ToJson(flags, function, identity, prepared, summary, all), prepared.item.graph,
                summary.findings > 0};
}

// The options of the command. For a container, its runner and target replace those of the command.
Result<CampaignOptions> OptionsOf(const CheckFlags& flags, const std::string& container) {
  if (container.empty()) return ToOptions(flags.campaign);
  CampaignFlags campaign = flags.campaign;
  campaign.runner = std::string(kContainerRunner) + container;
  ANECHECK_ASSIGN(campaign.targets, TargetOfContainer(container));
  return ToOptions(campaign);
}

// Returns a report for the requested function or, if none was requested, for each function.
Result<std::vector<Report>> CheckModel(CheckFlags flags, const std::string& container) {
  const bool any_route = flags.campaign.route.empty();
  if (any_route) flags.campaign.route = ToText(RouteSet::kMil);
  Result<CampaignOptions> asked = OptionsOf(flags, container);
  const Result<Model> opened = Model::Open(flags.model.model, flags.model.weights);
  if (!opened.ok()) return asked.ok() ? opened.error() : asked.error();
  const Model& model = *opened;
  if (any_route && model.IsNetwork()) {
    flags.campaign.route = ToText(RouteSet::kNetlist);
    asked = OptionsOf(flags, container);
  }
  ANECHECK_ASSIGN(const CampaignOptions options, std::move(asked));
  ANECHECK_RETURN_IF_ERROR(TryDefects(options));
  std::vector<std::string> functions = model.functions();
  if (!flags.model.function.empty()) functions = {flags.model.function};
  std::vector<Report> reports;
  for (const std::string& function : functions) {
    auto report = CheckFunction(flags, options, model, function);
    if (!report.ok()) {
      Error error = report.error();
      if (functions.size() > 1) error.message.insert(0, fmt::format("function {}: ", function));
      return error;
    }
    if (!container.empty()) report->json["container"] = container;
    reports.push_back(std::move(*report));
  }
  return reports;
}

// Returns the reports of one pair. Turns an error into a report, so that other pairs are checked.
std::vector<Report> CheckPair(const CheckFlags& flags, const ContainerPair& pair) {
  const auto unpaired = [&](const std::string& error) {
    std::vector<Report> reports(1);
    reports[0].json = UnpairedReport(pair, error);
    reports[0].found = true;
    return reports;
  };
  if (pair.model.empty()) return unpaired("no model has the container's name");
  if (pair.container.empty()) return unpaired("no container has the model's name");
  CheckFlags own = flags;
  own.model.model = pair.model;
  auto reports = CheckModel(own, pair.container);
  return reports.ok() ? std::move(*reports) : unpaired(reports.error().message);
}

Result<std::vector<Report>> Check(const CheckFlags& flags) {
  if (flags.containers.empty()) return CheckModel(flags, "");
  ANECHECK_ASSIGN(const std::vector<ContainerPair> pairs,
                  PairsOf(flags.model.model, flags.containers));
  if (pairs.size() == 1) {
    CheckFlags own = flags;
    own.model.model = pairs.front().model;
    return CheckModel(own, pairs.front().container);
  }
  std::vector<Report> reports;
  for (const ContainerPair& pair : pairs) {
    for (Report& report : CheckPair(flags, pair)) reports.push_back(std::move(report));
  }
  return reports;
}

// A single report is printed as an object, and several reports are an array.
std::string JsonText(std::vector<Report>& reports) {
  if (reports.size() == 1) return reports.front().json.dump(2);
  Json functions = Json::array();
  for (Report& report : reports) functions.push_back(std::move(report.json));
  return functions.dump(2);
}

Status WritePage(const CheckFlags& flags, const std::vector<Report>& all) {
  if (flags.html.empty()) return {};
  std::vector<reports::CheckedFunction> functions;
  functions.reserve(all.size());
  for (const Report& report : all) {
    if (!IsUnpaired(report.json)) functions.push_back({&report.json, &report.graph});
  }
  return WriteFileAtomic(flags.html, reports::ModelHtml(functions));
}

// Adds to each report the conditions of --fail-on that it meets. Returns whether there are any.
bool AddFailures(const FailOn& conditions, std::vector<Report>& all) {
  bool failed = false;
  for (Report& report : all) {
    if (IsUnpaired(report.json)) continue;
    const std::vector<std::string> failures = Failures(conditions, report.json);
    report.json["fail_on"] = failures;
    failed |= !failures.empty();
  }
  return failed;
}

// Prints the rules' answer for functions that were not run because they lack extents, and returns
// the error that asks for the extents.
std::optional<Error> AskForExtents(const CheckFlags& flags, std::vector<Report>& reports) {
  std::string text, asks;
  for (const Report& report : reports) {
    if (report.asks.empty()) continue;
    text += OpenAxesText(report.json);
    if (asks.empty()) asks = report.asks;
  }
  if (asks.empty()) return std::nullopt;
  flags.json ? Print(JsonText(reports)) : PrintText(text);
  return MakeError(ErrorCode::kInvalid, asks);
}

// Several containers get one table, followed by the details of the containers that deviate.
std::string ReportsText(const CheckFlags& flags, const std::vector<Report>& all) {
  if (all.size() == 1) return CheckText(all.front().json, flags.why, TerminalColumns());
  std::string text;
  if (!flags.containers.empty()) {
    std::vector<const Json*> reports;
    reports.reserve(all.size());
    for (const Report& report : all) reports.push_back(&report.json);
    text = PairTable(reports);
  }
  for (const Report& report : all) {
    const bool listed = !flags.containers.empty();
    if (IsUnpaired(report.json) || (listed && !report.found && !flags.why)) continue;
    text += fmt::format("{}{}function {}:\n{}", text.empty() ? "" : "\n",
                        listed ? report.json["container"].get<std::string>() + ", " : "",
                        report.json["function"].get<std::string>(),
                        CheckText(report.json, flags.why, TerminalColumns()));
  }
  return text;
}

int Run(const CheckFlags& flags) {
  const auto conditions = ParseFailOn(flags.fail_on);
  if (!conditions.ok()) return Fail(conditions.error());
  auto reports = Check(flags);
  if (!reports.ok()) return Fail(reports.error());
  if (const auto asks = AskForExtents(flags, *reports)) return Fail(*asks);
  const bool failed = AddFailures(*conditions, *reports);
  const Status page = WritePage(flags, *reports);
  if (!page.ok()) return Fail(page.error());
  const bool found = std::ranges::any_of(*reports, &Report::found);
  if (flags.json) {
    Print(JsonText(*reports));
  } else {
    PrintText(ReportsText(flags, *reports));
  }
  return found || failed ? kExitFindings : kExitClean;
}

}  // namespace

void AddCheckCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("check", "Run a model and judge its outputs");
  auto flags = std::make_shared<CheckFlags>();
  AddModelFlags(command, flags->model);
  command.AddOption(
      "--inputs", flags->inputs,
      "Inputs and initial states by name, .npz (default: made-up numbers, and zeros for states)");
  command.AddOption(
      "--container", flags->containers,
      "Hardware containers (.hwx, .ane) that a compiler made from the model, or folders with .hwx "
      "files: the emulator executes each on their target. If the model is a folder of models, they "
      "are "
      "paired with the containers by name");
  CampaignFlags& campaign = flags->campaign;
  command
      .AddOption("--target,--targets", campaign.targets,
                 "Targets or chips, h13,h17s, M1,A17 Pro or all")
      .ShowDefault();
  AddContractFlag(command, campaign.contract);
  campaign.route.clear();
  command
      .AddOption(
          "--route", campaign.route,
          "Compile route: MIL text, a network description, or both (default: mil, or netlist "
          "for a network description)")
      .OneOf({RouteSet::kMil, RouteSet::kNetlist, RouteSet::kBoth});
  command.AddOption("--seed", campaign.seed, "Seed of made-up inputs")
      .Check(WholeNumber(0))
      .ShowDefault();
  campaign.jobs = 1;
  command.AddOption("--jobs", campaign.jobs, "Number of targets and routes that run in parallel")
      .Check(WholeNumber(1, kMostJobs))
      .ShowDefault();
  campaign.case_timeout_ms = 120'000;  // a model is larger than the graphs of campaigns
  AddRunnerFlags(command, campaign);
  AddTargetFlags(command, flags->target);
  AddDefectsFlag(command, campaign.defects);
  campaign.db.clear();
  command
      .AddOption("--db", campaign.db, "Results file for replay, shrink and report (default: none)")
      .Check(FileName());
  command.AddOption("--fail-on", flags->fail_on,
                    "Further conditions that cause exit code 1, as new findings do: host, refused, "
                    "cliff, error:0.01 (a relative error above 0.01)");
  command.AddOption("--html", flags->html, "Also write the model's graph and the answer as a page")
      .Check(FileName());
  command
      .AddOption("--steps", flags->steps,
                 "Run a model with states this many times, each time from the states that the "
                 "previous run left, and print the error of each step")
      .Check(WholeNumber(1, 10'000));
  command.AddFlag("--why", flags->why, "Also print the rule and the source of each refusal");
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer("Example: anecheck check MyModel.mlpackage --target M1,M4 --html model.html");
  command.WhenChosen([command, flags, &selected] {
    flags->command = [command, flags = flags.get()](const std::string& function) {
      const bool add = !function.empty() && flags->model.function.empty();
      return TypedCommand(command, flags->campaign.seed,
                          add ? "--function " + ShellWord(function) : "");
    };
    selected = [flags] { return Run(*flags); };
  });
}

}  // namespace anecheck
