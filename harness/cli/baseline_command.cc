// `anecheck baseline`: records and compares numeric baselines, and searches for changes.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/log.h"
#include "harness/baseline/blame.h"
#include "harness/baseline/compare.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/contract_flag.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/file_name.h"
#include "harness/cli/named_ops.h"
#include "harness/cli/whole_number.h"
#include "reports/baseline_junit.h"

namespace anecheck {
namespace {

struct BaselineFlags {
  CampaignFlags campaign;
  std::string out;
  std::string file, against, junit;
  std::vector<std::string> files;
  std::vector<std::string> fail_on = {"worse", "now-rejected", "out-of-bound"};
  DriftThresholds thresholds;
  bool with_cases = false;
  bool json = false;
};

constexpr uint64_t kCasesOfAnEntry = 2;

Result<Baseline> Load(const std::string& path) {
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(path));
  return BaselineFromJson(text, path);
}

// Runs the `stored` cases. If there are none, runs cases that the generator draws.
Result<Baseline> RecordWith(std::vector<BaselineCase> stored, const CampaignOptions& options) {
  ProgressLine line;
  const auto progress = [&](const CampaignProgress& state) {
    if (line.due()) line.Update(CampaignProgressText(state));
  };
  const RunnerFactory runner = [&options] { return MakeRunner(options); };
  return stored.empty() ? RecordBaseline(options, runner, progress)
                        : RecordBaselineOf(std::move(stored), options, runner, progress);
}

Result<Baseline> RecordAsked(const BaselineFlags& flags) {
  ANECHECK_ASSIGN(CampaignOptions options, ToOptions(flags.campaign));
  ANECHECK_RETURN_IF_ERROR(KeepNamedOps(flags.campaign, options));
  ANECHECK_RETURN_IF_ERROR(TryDefects(options));
  if (flags.campaign.cases == 0) options.cases = kCasesOfAnEntry;
  for (const CaseMode mode : options.modes) {
    if (mode <= CaseMode::kLargeAxis) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--mode {}: a baseline holds no cases of it; `anecheck baseline "
                                 "record --help` lists the modes",
                                 ToText(mode)));
  }
  std::vector<BaselineCase> stored;
  if (flags.with_cases) {
    ANECHECK_ASSIGN(stored, DrawBaselineCases(options));
  }
  return RecordWith(std::move(stored), options);
}

int Record(const BaselineFlags& flags) {
  const Result<Baseline> baseline = RecordAsked(flags);
  if (!baseline.ok()) return Fail(baseline.error());
  if (baseline->entries.empty()) {
    return Fail(
        MakeError(ErrorCode::kInvalid,
                  "--ops, --mode: the generator draws no case of these operations in these modes"));
  }
  const Status written = WriteFileAtomic(flags.out, BaselineToJson(*baseline));
  if (!written.ok()) return Fail(written.error());
  if (flags.json) {
    Print(DumpJson(Json{{"out", flags.out},
                        {"entries", baseline->entries.size()},
                        {"provenance", ToText(baseline->provenance)}},
                   2));
  } else {
    PrintText(fmt::format("{}: {} of {}, {} evidence", flags.out,
                          Counted(baseline->entries.size(), "entry", "entries"),
                          Counted(baseline->cases, "case"), baseline->provenance));
  }
  return kExitClean;
}

// Keeps only the entries that --ops and --targets select.
void Keep(const CampaignOptions& wanted, bool targets, Baseline& baseline) {
  std::erase_if(baseline.entries, [&](const BaselineEntry& entry) {
    const OpDefinition* op = FindOp(entry.op);
    if (!wanted.ops.all() && (op == nullptr || !wanted.ops.test(op->schema.id))) return true;
    return targets && std::ranges::none_of(wanted.targets, [&](const CampaignTarget& target) {
             return target.name == entry.target;
           });
  });
}

// Returns the entries to compare with those of `before`. Reads them from --against or, without
// --against, runs the cases of `before` to make them.
Result<Baseline> After(const BaselineFlags& flags, const CampaignOptions& wanted, bool targets,
                       const Baseline& before) {
  if (!flags.against.empty()) {
    ANECHECK_ASSIGN(Baseline after, Load(flags.against));
    Keep(wanted, targets, after);
    return after;
  }
  ANECHECK_ASSIGN(CampaignOptions options, OptionsOf(before));
  options.jobs = wanted.jobs;
  options.runner = wanted.runner;
  options.worker = wanted.worker;
  options.defects = wanted.defects;
  ANECHECK_RETURN_IF_ERROR(TryDefects(options));
  return RecordWith(before.stored, options);
}

std::string DriftNames() {
  std::string names;
  for (size_t i = 0; i < kDriftCount; ++i) {
    names += fmt::format("{}{}", i > 0 ? ", " : "", DriftName(static_cast<Drift>(i)));
  }
  return names;
}

Result<std::vector<Drift>> Failing(const std::vector<std::string>& names) {
  std::vector<Drift> failing;
  for (const std::string& name : names) {
    const auto drift = DriftFromName(name);
    if (!drift) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("--fail-on {}: must be one of {}", name, DriftNames()));
    }
    failing.push_back(*drift);
  }
  return failing;
}

std::string ComparisonText(const BaselineComparison& comparison) {
  using Line = std::array<std::string_view, 4>;
  std::vector<std::pair<Line, std::string_view>> lines;
  std::array<size_t, 4> widths{};
  for (const EntryDrift& entry : comparison.entries) {
    if (entry.drift == Drift::kIdentical) continue;
    const Line line = {DriftName(entry.drift), entry.before.op, entry.before.configuration,
                       entry.before.target};
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    lines.emplace_back(line, entry.detail);
  }
  std::string text;
  for (const auto& [line, detail] : lines) {
    for (size_t i = 0; i < line.size(); ++i) text += fmt::format("{:<{}}  ", line[i], widths[i]);
    text += fmt::format("{}\n", detail);
  }
  for (size_t i = 0; i < kDriftCount; ++i) {
    if (comparison.counts[i] == 0) continue;
    text += fmt::format("{} {}\n", comparison.counts[i], DriftName(static_cast<Drift>(i)));
  }
  return text;
}

int Compare(const BaselineFlags& flags, bool targets) {
  const auto failing = Failing(flags.fail_on);
  if (!failing.ok()) return Fail(failing.error());
  const Result<CampaignOptions> wanted = ToOptions(flags.campaign);
  if (!wanted.ok()) return Fail(wanted.error());
  Result<Baseline> before = Load(flags.file);
  if (!before.ok()) return Fail(before.error());
  Keep(*wanted, targets, *before);
  if (before->entries.empty()) {
    return Fail(MakeError(
        ErrorCode::kInvalid,
        fmt::format("{}: has no entry that --ops, --targets and --contract leave", flags.file)));
  }
  const Result<Baseline> after = After(flags, *wanted, targets, *before);
  if (!after.ok()) return Fail(after.error());
  const BaselineComparison comparison = CompareBaselines(*before, *after, flags.thresholds);
  if (comparison.counts[static_cast<size_t>(Drift::kNotComparable)] == comparison.entries.size()) {
    return Fail(
        MakeError(ErrorCode::kInvalid,
                  fmt::format("{}: none of {} can be compared: the generator makes "
                              "different cases; record a new baseline",
                              flags.file, Counted(comparison.entries.size(), "entry", "entries"))));
  }
  if (!flags.junit.empty()) {
    const Status written =
        WriteFileAtomic(flags.junit, reports::BaselineJUnitXml(comparison, *failing));
    if (!written.ok()) return Fail(written.error());
  }
  flags.json ? Print(DumpJson(ComparisonToJson(comparison), 2))
             : PrintText(ComparisonText(comparison));
  const bool fails = std::ranges::any_of(
      *failing, [&](Drift drift) { return comparison.counts[static_cast<size_t>(drift)] > 0; });
  return fails ? kExitFindings : kExitClean;
}

std::string BlameText(const BlameReport& report, const std::vector<std::string>& files) {
  std::string text;
  for (const Blame& blame : report.entries) {
    const BaselineEntry& entry = blame.drift.before;
    text += fmt::format("{} {} on {}: {} since {} ({}, {}); not yet in {}\n", entry.op,
                        entry.configuration, entry.target, DriftName(blame.first_drift),
                        files[blame.first_after], report.recorded[blame.first_after],
                        report.engine[blame.first_after], files[blame.last_before]);
  }
  return text + fmt::format("{} changed; {} of {} read\n",
                            Counted(report.entries.size(), "entry", "entries"), report.files_read,
                            Counted(files.size(), "file"));
}

int BlameFiles(const BaselineFlags& flags) {
  const auto report = BlameDrifts(
      flags.files.size(), [&](size_t index) { return Load(flags.files[index]); }, flags.thresholds);
  if (!report.ok()) return Fail(report.error());
  flags.json ? Print(DumpJson(BlameToJson(*report, flags.files), 2))
             : PrintText(BlameText(*report, flags.files));
  return report->entries.empty() ? kExitClean : kExitFindings;
}

void AddThresholds(CommandLine& command, DriftThresholds& thresholds) {
  command
      .AddOption("--share", thresholds.share,
                 "Allowed relative rise of each statistic, in addition to its own threshold")
      .Check(NumberFromZero())
      .ShowDefault();
  command.AddOption("--mean-ulp", thresholds.mean_ulp, "Allowed rise of the mean error, in ulp")
      .Check(NumberFromZero())
      .ShowDefault();
  command.AddOption("--bias-ulp", thresholds.bias_ulp, "Allowed rise of the bias, in ulp")
      .Check(NumberFromZero())
      .ShowDefault();
  command.AddOption("--max-ulp", thresholds.max_ulp, "Allowed rise of the largest error, in ulp")
      .Check(NumberFromZero())
      .ShowDefault();
  command
      .AddOption("--mean-relative", thresholds.mean_relative,
                 "Allowed rise of the mean relative error")
      .Check(NumberFromZero())
      .ShowDefault();
  command
      .AddOption(
          "--outside", thresholds.outside,
          "Number of elements of an entry that may leave, or come into, their interval without "
          "a change of the class")
      .ShowDefault();
}

void AddSelection(CommandLine& command, CampaignFlags& flags) {
  command.AddOption("--targets,--target", flags.targets, "Compiler targets: h13,h17s or all");
  AddContractFlag(command, flags.contract);
  command.AddOption("--ops", flags.ops, "Only these operations: conv,add");
  command
      .AddOption("--jobs", flags.jobs,
                 "Number of worker processes (default: one for each processor)")
      .Check(WholeNumber(1, kMostJobs));
  AddRunnerFlags(command, flags);
}

void AddRecord(CommandLine& group, const std::shared_ptr<BaselineFlags>& flags,
               Selected& selected) {
  CommandLine command = group.AddCommand(
      "record", "Record an engine's outputs for fixed cases of one operation each");
  command.AddOption("--out", flags->out, "File to write").Check(FileName()).Required();
  command.AddOption("--seed", flags->campaign.seed, "Seed of the cases")
      .Check(WholeNumber(0))
      .ShowDefault();
  command
      .AddOption("--cases", flags->campaign.cases,
                 "Number of cases for each operation, configuration and target (default 2)")
      .Check(WholeNumber(1, kMostCases));
  command.AddOption("--mode", flags->campaign.modes,
                    "Configurations: integer, float, cancellation, special, boundary, "
                    "large-axis (default: integer,float)");
  command.AddFlag("--with-cases", flags->with_cases,
                  "Keep the cases in the file, so that it does not depend on the generator; they "
                  "are drawn for the first target and run on all targets");
  AddSelection(command, flags->campaign);
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer("Example: anecheck baseline record --targets h13 --out h13.json");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Record(*flags); }; });
}

void AddCompare(CommandLine& group, const std::shared_ptr<BaselineFlags>& flags,
                Selected& selected) {
  CommandLine command =
      group.AddCommand("compare", "Compare a baseline with another one, or with the engine");
  command.AddOption("file", flags->file, "The baseline").Required();
  command.AddOption("--against", flags->against, "A newer baseline (default: run its cases now)");
  AddSelection(command, flags->campaign);
  AddThresholds(command, flags->thresholds);
  command
      .AddOption("--fail-on", flags->fail_on,
                 fmt::format("Classes that cause exit code 1, some of: {}", DriftNames()))
      .Delimiter(',')
      .ShowDefault();
  command.AddFlag("--json", flags->json, "Print JSON");
  command.AddOption("--junit", flags->junit, "Write JUnit XML to this file");
  command.Footer(
      "Example: anecheck baseline compare corpus/baselines/simulated.json\nExit code 1: an entry "
      "belongs to a "
      "class that --fail-on names.");
  command.WhenChosen([command, flags, &selected] {
    selected = [command, flags] {
      const bool targets = command.IsGiven("--targets") || command.IsGiven("--contract");
      return Compare(*flags, targets);
    };
  });
}

void AddBlame(CommandLine& group, const std::shared_ptr<BaselineFlags>& flags, Selected& selected) {
  CommandLine command =
      group.AddCommand("blame", "Find by bisection which of many baselines introduced each change");
  command.AddOption("files", flags->files, "Baselines, oldest first").Required();
  AddThresholds(command, flags->thresholds);
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer(
      "Example: anecheck baseline blame runs/*.json\nExit code 1: the newest differs from the "
      "oldest.");
  command.WhenChosen([flags, &selected] { selected = [flags] { return BlameFiles(*flags); }; });
}

}  // namespace

void AddBaselineCommand(CommandLine& app, Selected& selected) {
  CommandLine group = app.AddCommand("baseline", "Record an engine's outputs and find changes");
  group.RequireCommand(1, 1);
  group.Footer("Example: anecheck baseline compare h13.json");
  const auto flags = std::make_shared<BaselineFlags>();
  AddRecord(group, flags, selected);
  AddCompare(group, flags, selected);
  AddBlame(group, flags, selected);
}

}  // namespace anecheck
