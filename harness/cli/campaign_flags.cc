#include "harness/cli/campaign_flags.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

#include "harness/base/lower_case.h"
#include "harness/base/near_words.h"
#include "harness/base/parallel_for.h"
#include "harness/base/real_text.h"
#include "harness/cases/options_json.h"
#include "harness/cli/command_line.h"
#include "harness/cli/contract_flag.h"
#include "harness/cli/file_name.h"
#include "harness/cli/whole_number.h"
#include "harness/runners/emulator_runner.h"
#include "harness/runners/roundtrip_runner.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck {
namespace {

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return parts;
}

Status ReadTargets(const std::string& list, CampaignOptions& options) {
  Result<std::vector<const Target*>> targets = TargetCatalog::Builtin().FindList(list);
  if (!targets.ok()) {
    return MakeError(targets.error().code,
                     fmt::format("--targets {}: {}", list, targets.error().message));
  }
  for (const Target* target : *targets) {
    const auto& family = target->family();
    if (!family.known()) {
      // "all" selects every target that can be judged. If the user names another target, that is an
      // error.
      if (list == "all") continue;
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("--targets {}: no source gives its family, so that no case can "
                                   "be judged; name another target",
                                   target->name));
    }
    options.targets.push_back({LowerCase(target->name), static_cast<int>(family.value())});
  }
  return {};
}

// Replaces the targets by the contract that --contract names, for an engine that is no ANE.
Status ReadContract(const CampaignFlags& flags, CampaignOptions& options) {
  const auto wrong = [&](std::string_view why) {
    return MakeError(ErrorCode::kInvalid, fmt::format("--contract {}: {}", flags.contract, why));
  };
  ANECHECK_ASSIGN(const CampaignTarget target, ReadContractFlag(flags.contract, options.defects));
  if (!flags.runner.starts_with("exec:")) {
    return wrong("only an external program can be another engine; give --runner exec:COMMAND");
  }
  if (flags.route != ToText(RouteSet::kMil)) return wrong("give --route mil, or leave it out");
  if (std::ranges::find(options.modes, CaseMode::kMustReject) != options.modes.end()) {
    return wrong("the ANE's rules do not bind this engine; leave out --mode must-reject");
  }
  if (options.steer) return wrong("--steer aims at the cells of a chip; leave one of the two out");
  options.targets = {target};
  return {};
}

Status ReadQuirks(const std::vector<std::string>& quirks, CampaignOptions& options) {
  for (const std::string& list : quirks) {
    for (const std::string& text : Split(list)) {
      Result<QuirkSetting> quirk = ParseQuirk(text);
      if (!quirk.ok()) return MakeError(ErrorCode::kInvalid, "--" + quirk.error().message);
      options.worker.quirks.push_back(std::move(quirk).value());
    }
  }
  return {};
}

bool ReadNumber(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Status ReadShard(std::string_view text, CampaignOptions& options) {
  if (text.empty()) return {};
  const size_t slash = text.find('/');
  uint64_t index = 0, count = 0;
  if (slash == std::string_view::npos || !ReadNumber(text.substr(0, slash), index) ||
      !ReadNumber(text.substr(slash + 1), count) || index < 1 || index > count) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--shard {}: must be i/n with i from 1 to n, such as 2/8", text));
  }
  options.shard = index - 1;
  options.shards = count;
  return {};
}

// The flag also accepts "large_axis" for "large-axis".
std::optional<CaseMode> ModeNamed(std::string name) {
  std::ranges::replace(name, '_', '-');
  return FindWord<CaseMode>(name);
}

// Some settings act only on the engine that the runner e5rt loads. Refuses them if the flags name
// another runner, except that the emulator also takes --fault.
Status CheckRunnerTakes(const CampaignFlags& flags) {
  if (flags.runner == "e5rt") return {};
  const std::pair<const char*, bool> given[] = {
      {"--files", flags.files},
      {"--fault", !flags.faults.empty() && !IsEmulatorRunner(flags.runner)},
      {"--quirk", !flags.quirks.empty()},
      {"--espresso-lib", !flags.library.empty()}};
  for (const auto& [name, is_given] : given) {
    if (!is_given) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} --runner {}: only the runner e5rt loads an engine; leave one "
                                 "of the two out",
                                 name, flags.runner));
  }
  return {};
}

Status ReadModes(const CampaignFlags& flags, CampaignOptions& options) {
  for (const std::string& name : Split(flags.modes)) {
    const auto mode = ModeNamed(name);
    if (!mode) {
      return MakeError(ErrorCode::kInvalid, fmt::format("--mode {}: must be one of {}", name,
                                                        fmt::join(AllWords<CaseMode>(), ", ")));
    }
    if (flags.route == ToText(RouteSet::kNetlist) && IsOfMilAlone(*mode)) {
      return MakeError(
          ErrorCode::kInvalid,
          fmt::format(
              "--mode {} --route netlist: such cases exist in MIL text only; give --route mil",
              name));
    }
    options.modes.push_back(*mode);
  }
  return {};
}

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const OpDefinition* op : AllOps()) names.emplace_back(op->schema.name);
  return names;
}

// Reports print the label as a heading and in a cell of a table, so it must be one short line.
Status ReadLabel(const std::string& label, CampaignOptions& options) {
  const bool one_line = std::ranges::none_of(
      label, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
  if (!one_line || label.size() > kLongestLabel) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--label: must be one line of at most {} bytes", kLongestLabel));
  }
  options.label = label;
  return {};
}

// If the front end of the target refuses every operation that is given as MIL text, returns the
// reason. Otherwise returns an empty string.
std::string RefusesMil(const Target& target) {
  const auto verdict = legality::Judge({.op = "relu"}, target, Route::kMil);
  if (!verdict.ok()) return verdict.error().message;
  const legality::LayerVerdict& front = verdict->at(legality::Layer::kFrontEnd);
  return front.ruling == legality::Ruling::kReject ? front.reason : "";
}

}  // namespace

void AddRunnerFlags(CommandLine& command, CampaignFlags& flags) {
  command
      .AddOption("--runner", flags.runner,
                 "Runner: e5rt, roundtrip (no engine: write, read back, compare), emulator (no "
                 "engine: encode a container, execute it on the CPU; emulator:exact rounds once), "
                 "or exec:COMMAND for an external program")
      .ShowDefault();
  command.AddOption(
      "--espresso-lib", flags.library,
      "Library with the e5rt_* symbols (default: the system's, or the simulated engine)");
  command.AddOption("--fault", flags.faults, "Plant a fault in the simulated engine, by its id");
  command.AddOption(
      "--quirk", flags.quirks,
      "Switch on or off a known defect of the simulated engine, or an interpretation of an unclear "
      "source: D01=on, all=off, newest-compiler=on (limits that compilers of 2026 showed)");
  command
      .AddOption("--case-timeout", flags.case_timeout_ms,
                 "Time limit of a case in milliseconds; a case that takes longer counts as a hang")
      .Check(WholeNumber(1, kMostMilliseconds))
      .ShowDefault();
}

void AddCampaignFlags(CommandLine& command, CampaignFlags& flags) {
  command
      .AddOption("--cases", flags.cases, "Number of cases (default 1000, or no limit with --time)")
      .Check(WholeNumber(1, kMostCases));
  command.AddOption("--time", flags.time, "Time limit of the campaign: 90s, 15m, 2h");
  command
      .AddOption("--seed", flags.seed, "Seed of the campaign; the same seed makes the same cases")
      .Check(WholeNumber(0))
      .ShowDefault();
  command
      .AddOption("--jobs", flags.jobs,
                 "Number of worker processes (default: one for each processor); results do not "
                 "depend on it")
      .Check(WholeNumber(1, kMostJobs));
  command.AddOption("--shard", flags.shard,
                    "Run part i of n, 2/8; all parts together make the same cases as the whole; a "
                    "part has whole batches of 256 cases");
  command.AddFlag("--steer", flags.steer,
                  "Aim half of the cases at operations and pairs that no case has used yet");
  command.AddFlag("--small", flags.small,
                  "Draw small graphs only: up to 12 nodes and, if the operation allows it, 64 "
                  "elements per tensor and 1024 products per operation");
  command.AddFlag("--files", flags.files,
                  "Compare the descriptor and the container that the simulated compiler writes "
                  "with the lowering plan");
  command
      .AddOption("--targets,--target", flags.targets,
                 "Compiler targets: h13,h17s, or all targets that can be judged")
      .ShowDefault();
  AddContractFlag(command, flags.contract);
  command.AddOption("--mode", flags.modes,
                    "Modes of cases: integer, float, cancellation, special, boundary, large-axis, "
                    "compressed, state, "
                    "shape-ranges, must-reject, metamorphic (default: a mix of the first six)");
  command.AddOption("--ops", flags.ops, "Only these operations: conv,add");
  command
      .AddOption("--route", flags.route,
                 "Compile route: MIL text, network descriptions, or both in turn")
      .OneOf({RouteSet::kMil, RouteSet::kNetlist, RouteSet::kBoth})
      .ShowDefault();
  AddRunnerFlags(command, flags);
  command.AddOption("--label", flags.label,
                    "Name of the run on pages and in reports: \"macOS 26.1 nightly\"");
  command.AddOption("--db", flags.db, "Results file").Check(FileName()).ShowDefault();
}

Result<double> ParseDuration(std::string_view text) {
  constexpr std::pair<char, double> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  std::string_view digits = text;
  double factor = 1;
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    factor = seconds;
    digits.remove_suffix(1);
  }
  const double number = RealFromText<double>(digits).value_or(0);
  if (!(number > 0) || number > 1e7) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("--time {}: must be a number of seconds, or end in s, m or h", text));
  }
  return number * factor;
}

Result<CampaignOptions> ToOptions(const CampaignFlags& flags) {
  CampaignOptions options;
  options.seed = flags.seed;
  options.cases = flags.cases;
  if (!flags.time.empty()) {
    ANECHECK_ASSIGN(options.max_seconds, ParseDuration(flags.time));
    if (flags.cases == 0) options.cases = kUnlimitedCases;
  } else if (flags.cases == 0) {
    options.cases = 1000;
  }
  options.jobs = flags.jobs > 0 ? flags.jobs : DefaultJobs();
  ANECHECK_RETURN_IF_ERROR(ReadShard(flags.shard, options));
  options.steer = flags.steer;
  options.small = flags.small;
  options.worker.keep_files = flags.files;
  ANECHECK_RETURN_IF_ERROR(CheckRunnerTakes(flags));
  if (options.steer && options.shards > 1) {
    return MakeError(ErrorCode::kInvalid,
                     "--steer cannot be given with --shard: a shard knows only its own coverage; "
                     "leave one of the two out");
  }
  if (flags.targets.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     "--targets: no target is named; `anecheck targets` lists them");
  }
  ANECHECK_RETURN_IF_ERROR(ReadModes(flags, options));
  options.defects = flags.defects;
  ANECHECK_RETURN_IF_ERROR(flags.contract.empty() ? ReadTargets(flags.targets, options)
                                                  : ReadContract(flags, options));
  if (flags.ops) options.ops.reset();
  for (const std::string& name : Split(flags.ops.value_or(""))) {
    const OpDefinition* op = FindOp(name);
    if (op == nullptr) {
      const std::string_view reason = OpVocabulary().ReasonWithout(name);
      return MakeError(
          ErrorCode::kInvalid,
          reason.empty()
              ? fmt::format("--ops {}: no such operation{}; `anecheck ops` lists them", name,
                            DidYouMean(name, OpNames()))
              : fmt::format(
                    "--ops {}: the generator cannot draw it: {}; `anecheck ops` lists the others",
                    name, reason));
    }
    options.ops.set(op->schema.id);
  }
  if (options.ops.none()) {
    return MakeError(ErrorCode::kInvalid,
                     "--ops: no operation is named; `anecheck ops` lists them");
  }
  ANECHECK_ASSIGN(options.routes, FromText<RouteSet>(flags.route));
  options.runner = flags.runner;
  if (flags.against == kRoundtripRunner) {
    return MakeError(
        ErrorCode::kInvalid,
        "--against roundtrip: it gives no outputs; give e5rt, emulator or exec:COMMAND");
  }
  options.against = flags.against;
  options.worker.library = flags.library;
  for (const std::string& list : flags.faults) {
    for (std::string& fault : Split(list)) options.worker.faults.push_back(std::move(fault));
  }
  ANECHECK_RETURN_IF_ERROR(ReadQuirks(flags.quirks, options));
  options.worker.case_timeout_ms = flags.case_timeout_ms;
  ANECHECK_RETURN_IF_ERROR(ReadLabel(flags.label, options));
  options.db = flags.db;
  return options;
}

Status KeepTargetsOfRoute(const CampaignFlags& flags, CampaignOptions& options) {
  if (flags.route == ToText(RouteSet::kNetlist) || flags.runner == kRoundtripRunner) return {};
  std::vector<CampaignTarget> kept;
  for (const CampaignTarget& target : options.targets) {
    if (IsAnyEngine(target.family)) return {};
    ANECHECK_ASSIGN(const Target* known, TargetCatalog::Builtin().Find(target.name));
    const std::string refusal = RefusesMil(*known);
    if (refusal.empty()) {
      kept.push_back(target);
    } else if (flags.targets != "all") {
      return MakeError(
          ErrorCode::kInvalid,
          fmt::format("--targets {} --route {}: every case would be refused ({}); give "
                      "--route netlist",
                      target.name, flags.route, refusal));
    }
  }
  options.targets = std::move(kept);
  return {};
}

Status KeepOpsOfRunner(const RunnerIdentity& identity, CampaignOptions& options) {
  if (identity.ops.empty()) return {};
  std::bitset<kOpCount> computed;
  for (const std::string& name : identity.ops) {
    if (const OpDefinition* op = FindOp(name)) computed.set(op->schema.id);
  }
  options.ops &= computed;
  if (options.ops.any()) return {};
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("--runner {}: computes none of the operations, by the \"ops\" of "
                               "its hello; `anecheck ops` lists them",
                               identity.runner));
}

}  // namespace anecheck
