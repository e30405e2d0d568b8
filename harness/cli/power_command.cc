// `anecheck power`: measures how well campaigns find defects of the simulated engine.
#include <fmt/format.h>
#include <memory>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/log.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/interruption.h"
#include "harness/cli/whole_number.h"
#include "harness/power/power.h"
#include "harness/power/subject.h"
#include "harness/runners/e5rt_library.h"
#include "reports/power_page.h"

namespace anecheck {
namespace {

// Campaigns that hunt for a fault run on three families, because all five would take too long. The
// family with the fewest defects comes first, because campaigns find a fault there soonest. Clean
// campaigns run on the families A13 to A17.
constexpr std::string_view kHuntTargets = "h15,h13,h17s";
constexpr std::string_view kCleanTargets = "h13,h14,h15,h16,h17s";

struct PowerFlags {
  CampaignFlags campaign;
  PowerOptions options;
  std::string out, not_found;
  std::vector<std::string> ways;
  bool no_magnitudes = false;
  bool list = false;
  bool json = false;
};

Status WriteFolder(const std::string& folder, const PowerReport& report) {
  const Json json = PowerToJson(report);
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(folder));
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(folder + "/power.json", DumpJson(json, 1) + "\n"));
  return WriteFileAtomic(folder + "/power.html", reports::PowerHtml(json));
}

std::string ProgressText(const PowerReport& report) {
  size_t found = 0;
  for (const HuntResult& hunt : report.hunts) found += hunt.found ? 1 : 0;
  return fmt::format("{} of {} found, {}, {}, {:.0f} s", found,
                     Counted(report.hunts.size(), "defect"),
                     Counted(report.clean.size(), "clean campaign"),
                     Counted(report.magnitudes.size(), "magnitude"), report.seconds);
}

// Returns the named ways. "all" selects every way, and an empty list selects the first way.
Result<std::vector<Way>> WaysNamed(const std::vector<std::string>& names) {
  std::vector<Way> ways;
  for (const std::string& name : names) {
    if (name == "all") {
      const auto all = AllWords<Way>();
      return std::vector<Way>(all.begin(), all.end());
    }
    auto way = FromText<Way>(name);
    if (!way.ok()) return MakeError(way.error().code, "--way " + way.error().message);
    ways.push_back(*way);
  }
  if (ways.empty()) ways.push_back(Way::kMarked);
  return ways;
}

Result<PowerReport> Measure(PowerFlags& flags, const Interruption& interruption) {
  ANECHECK_ASSIGN(const CampaignOptions campaign, ToOptions(flags.campaign));
  PowerOptions& options = flags.options;
  options.targets = campaign.targets;
  if (flags.campaign.targets == kHuntTargets) {
    CampaignFlags clean = flags.campaign;
    clean.targets = kCleanTargets;
    ANECHECK_ASSIGN(CampaignOptions all, ToOptions(clean));
    options.clean_targets = std::move(all.targets);
  }
  options.hunt.seed = campaign.seed;
  options.hunt.jobs = campaign.jobs;
  options.hunt.library = flags.campaign.library;
  options.only = flags.campaign.faults;
  ANECHECK_ASSIGN(options.ways, WaysNamed(flags.ways));
  options.magnitudes = !flags.no_magnitudes;
  if (!flags.not_found.empty()) {
    ANECHECK_ASSIGN(options.not_found, ReadNotFound(flags.not_found));
  }
  ProgressLine line;
  Status written;
  const auto progress = [&](const PowerReport& report) {
    if (line.due()) line.Update(ProgressText(report));
    // Writes the pages after every step, so that the user can read a long measurement early and an
    // interruption loses nothing.
    if (!flags.out.empty() && written.ok()) written = WriteFolder(flags.out, report);
  };
  ANECHECK_ASSIGN(PowerReport report, MeasurePower(options, progress, interruption.flag()));
  if (!written.ok()) return written.error();
  return report;
}

// Lists the values of --fault and --quirk.
Result<std::string> ListSubjects(const PowerFlags& flags) {
  ANECHECK_ASSIGN(const CampaignOptions campaign, ToOptions(flags.campaign));
  const std::string& library = flags.campaign.library;
  ANECHECK_ASSIGN(const E5rtLibrary engine,
                  OpenE5rtLibrary(library.empty() ? DefaultEspressoPath() : library));
  ANECHECK_ASSIGN(const std::vector<Subject> subjects, ReadSubjects(engine, campaign.targets));
  if (flags.json) {
    Json list = Json::array();
    for (const Subject& subject : subjects) {
      list.push_back({{"id", subject.id},
                      {"group", SubjectGroupName(subject.group)},
                      {"kind", subject.kind},
                      {"op", subject.op},
                      {"description", subject.description}});
    }
    return DumpJson(list, 2);
  }
  std::string text;
  for (const Subject& subject : subjects) {
    text += fmt::format("{:<34} {:<13} {:<14} {}\n", subject.id, SubjectGroupName(subject.group),
                        subject.kind, subject.description);
  }
  return text;
}

int Run(PowerFlags& flags) {
  if (flags.list) {
    const Result<std::string> list = ListSubjects(flags);
    if (!list.ok()) return Fail(list.error());
    flags.json ? Print(*list) : PrintText(*list);
    return kExitClean;
  }
  const Interruption interruption;
  const Result<PowerReport> report = Measure(flags, interruption);
  if (!report.ok()) return Fail(report.error());
  flags.json ? Print(DumpJson(PowerToJson(*report), 2)) : PrintText(PowerToText(*report));
  if (!flags.json && !flags.out.empty()) Print(flags.out + "/power.html");
  if (report->interrupted) {
    LogWarning("interrupted; only finished hunts are shown");
    return kExitHarness;
  }
  const bool lost = report->lost && !report->lost->empty();
  return lost || report->FalseFindings() > 0 ? kExitFindings : kExitClean;
}

}  // namespace

void AddPowerCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("power", "Measure which planted faults and known defects campaigns find");
  auto flags = std::make_shared<PowerFlags>();
  CampaignFlags& campaign = flags->campaign;
  PowerOptions& options = flags->options;
  campaign.targets = kHuntTargets;
  command.AddOption("--cases", options.hunt.cases, "Largest number of cases of one hunt")
      .Check(WholeNumber(1, kMostCases))
      .ShowDefault();
  command
      .AddOption("--max-seconds", options.hunt.max_seconds,
                 "Time limit of one hunt in seconds; 0: no limit")
      .Check(NumberFromZero())
      .ShowDefault();
  command
      .AddOption("--clean-cases", options.clean_cases,
                 "Number of cases of a campaign without faults; each target gets one with the "
                 "known defects off and one with them on")
      .Check(WholeNumber(0, kMostCases))
      .ShowDefault();
  command
      .AddOption("--shrink-tries", options.hunt.shrink_tries,
                 "Largest number of candidates that run while a finding is shrunk")
      .Check(WholeNumber(0))
      .ShowDefault();
  command
      .AddOption("--case-timeout", options.hunt.case_timeout_ms,
                 "Time limit of a case in milliseconds; a case that takes longer counts as a hang")
      .Check(WholeNumber(1, kMostMilliseconds))
      .ShowDefault();
  command
      .AddOption("--fault", campaign.faults,
                 "Hunt only this planted fault or known defect, by its id")
      .Delimiter(',');
  command
      .AddOption("--way", flags->ways,
                 "How the harness sees the engine: marked (default) as the simulated one, "
                 "unmarked (judged as a real one), exec (a program of the exec protocol), or all")
      .Delimiter(',');
  command.AddFlag("--no-magnitudes", flags->no_magnitudes,
                  "Do not measure the smallest error that campaigns find in each operation");
  command
      .AddOption("--magnitudes-of", options.magnitudes_of,
                 "Measure only the smallest error that campaigns find in these operations or "
                 "classes: add,convolution")
      .Delimiter(',');
  command
      .AddOption("--targets,--target", campaign.targets,
                 "Compiler targets: h13,h17s or all; clean campaigns take h13, h14, h15, h16 and "
                 "h17s by default")
      .ShowDefault();
  command.AddOption("--seed", campaign.seed, "Seed of every campaign")
      .Check(WholeNumber(0))
      .ShowDefault();
  command
      .AddOption("--jobs", campaign.jobs,
                 "Number of worker processes (default: one for each processor)")
      .Check(WholeNumber(1, kMostJobs));
  command.AddOption("--espresso-lib", campaign.library,
                    "The simulated engine (default: the one beside the tool)");
  command.AddOption("--not-found", flags->not_found,
                    "File of the faults and defects that hunts are known to miss, one id per line. "
                    "Exit code 1 if a hunt runs all its cases and misses a fault that the file "
                    "does not name, or if ten or more hunts find nothing");
  command.AddFlag("--list", flags->list, "List the faults and known defects, and measure nothing");
  command.AddOption("--out", flags->out, "Folder for power.html and power.json").Check(FileName());
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer(
      "Example: anecheck power --cases 2000 --fault conv-bias-dropped,D01\nExit code 1: a finding "
      "on the engine without planted faults, or with --not-found a fault outside the file that was "
      "not found.");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
