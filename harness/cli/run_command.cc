// `anecheck run`: runs a campaign.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/event_stream.h"
#include "harness/campaign/resume.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/colour.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/file_name.h"
#include "harness/cli/interruption.h"
#include "harness/cli/named_ops.h"
#include "harness/cli/typed_command.h"
#include "oracles/defect_words.h"

namespace anecheck {
namespace {

// Counts the judged cases by the kind of judgement. Omits inconclusive cases.
std::string JudgedText(const CampaignSummary& summary) {
  const uint64_t others = summary.cases - summary.judged - summary.inconclusive;
  if (others == 0) return fmt::format("{} judged", summary.judged);
  return fmt::format("{} judged by values, {} only by refusal, acceptance or failure",
                     summary.judged, others);
}

// Returns the lines on a new finding, with the command that replays it.
std::string FindingLines(const FindingRow& finding) {
  return fmt::format("  {} {} {} on {}: {} ({})\n    {}\n", finding.id, finding.verdict,
                     finding.op.empty() ? "-" : finding.op, finding.target, finding.summary,
                     Counted(finding.occurrences, "case"), finding.replay);
}

// Returns the line on a documented defect or an unconfirmed deviation.
std::string OtherLine(const FindingRow& finding) {
  const std::string words =
      finding.defects.empty() ? finding.summary : DefectWords(finding.defects, finding.op);
  return fmt::format("  {} {} {} on {}: {} ({})\n", finding.id, finding.verdict,
                     finding.op.empty() ? "-" : finding.op, finding.target, words,
                     Counted(finding.occurrences, "case"));
}

// Returns one line for each of the most frequent reasons that cases are inconclusive.
std::string ReasonLines(const CampaignSummary& summary) {
  std::string text;
  for (const InconclusiveReason& counted : FrequentReasons(summary)) {
    text += fmt::format("  {} inconclusive: {}\n", Counted(counted.cases, "case"), counted.reason);
  }
  return text;
}

// Returns the last line, which states whether the run passed. It agrees with the exit code.
std::string VerdictLine(const CampaignSummary& summary, bool strict) {
  if (summary.cases > 0 && summary.inconclusive == summary.cases) {
    return Coloured(Colour::kYellow, "NO RESULT") + ": no case could be judged\n";
  }
  const std::string counts = fmt::format("{}, {}, {}", Counted(summary.findings, "new finding"),
                                         Counted(summary.known_defects, "known defect"),
                                         Counted(summary.unconfirmed, "unconfirmed deviation"));
  const bool failed = HasFindings(summary, strict);
  const std::string most = IsMostlyInconclusive(summary)
                               ? fmt::format("; most cases are inconclusive: {} of {}",
                                             summary.inconclusive, summary.cases)
                               : "";
  return fmt::format("{}: {}{}{}\n",
                     failed ? Coloured(Colour::kRed, "FAILED") : Coloured(Colour::kGreen, "PASSED"),
                     counts, most, summary.interrupted ? "; the run is not finished" : "");
}

std::string SummaryText(const CampaignSummary& summary, const CampaignOptions& options,
                        bool strict) {
  std::string text = fmt::format(
      "{}{}, {}, {} inconclusive, {}, {} met{}\n", EvidenceMark(summary.provenance),
      Counted(summary.cases, "case"), JudgedText(summary), summary.inconclusive,
      Counted(summary.findings, "new finding"), Counted(summary.known_defects, "known defect"),
      summary.unconfirmed == 0 ? "" : ", " + Counted(summary.unconfirmed, "unconfirmed deviation"));
  text += ReasonLines(summary);
  for (const FindingRow& finding : summary.list) {
    if (IsNewFinding(finding.verdict)) text += FindingLines(finding);
  }
  for (const FindingRow& finding : summary.list) {
    if (!IsNewFinding(finding.verdict)) text += OtherLine(finding);
  }
  text += fmt::format("seed {}; results in {}\n", options.seed, options.db);
  return text + VerdictLine(summary, strict);
}

struct RunFlags {
  CampaignFlags campaign;
  std::string events;
  bool json = false;
  bool strict = false;
  bool resume = false;
};

// The options that a resumed run takes from the command line. None of them changes results.
constexpr std::string_view kWithResume[] = {"--resume", "--db",     "--jobs",  "--time",
                                            "--json",   "--strict", "--events"};

// Returns the first given option that --resume reads from the results file; empty if there is none.
std::string Contradiction(const CommandLine& command) {
  for (const std::string& name : command.Given()) {
    if (std::ranges::find(kWithResume, name) == std::end(kWithResume)) return name;
  }
  return "";
}

Result<ResumePoint> ResumeFrom(const RunFlags& flags) {
  ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(flags.campaign.db));
  ANECHECK_ASSIGN(ResumePoint point, ReadResumePoint(store));
  ANECHECK_ASSIGN(const CampaignOptions given, ToOptions(flags.campaign));
  point.options.jobs = given.jobs;
  point.options.max_seconds = given.max_seconds;
  return point;
}

// Opens the stream of events. Call this after all options were read, so that a command with wrong
// options leaves the events of an earlier run unchanged.
Status OpenEvents(const RunFlags& flags, std::optional<EventStream>& events) {
  if (flags.events.empty()) return {};
  ANECHECK_ASSIGN(EventStream opened, EventStream::Open(flags.events, flags.resume));
  events.emplace(std::move(opened));
  return {};
}

// Sets `events` to the requested stream, and `options` to the options of the campaign.
Result<CampaignSummary> RunOrResume(const RunFlags& flags, const std::string& command,
                                    std::optional<EventStream>& events, CampaignOptions& options,
                                    const std::function<void(const CampaignProgress&)>& progress,
                                    const Interruption& interruption) {
  const RunnerFactory factory = [&options] { return MakeRunner(options); };
  if (!flags.resume) {
    ANECHECK_ASSIGN(options, ToOptions(flags.campaign));
    ANECHECK_RETURN_IF_ERROR(KeepTargetsOfRoute(flags.campaign, options));
    ANECHECK_RETURN_IF_ERROR(KeepNamedOps(flags.campaign, options));
    ANECHECK_RETURN_IF_ERROR(TryDefects(options));
    options.command = command;
    ANECHECK_RETURN_IF_ERROR(OpenEvents(flags, events));
    ANECHECK_ASSIGN(const auto runner, MakeRunner(options));
    ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
    ANECHECK_RETURN_IF_ERROR(KeepOpsOfRunner(identity, options));
    options.least_saving_us = identity.least_saving_us;
    if (events) events->Started(options, identity.provenance, identity.engine, false);
    return RunCampaign(options, factory, progress, interruption.flag());
  }
  ANECHECK_ASSIGN(ResumePoint point, ResumeFrom(flags));
  options = point.options;
  ANECHECK_RETURN_IF_ERROR(TryDefects(options));
  LogInfo(fmt::format("run {} of {}, begun {}, {}: {}", point.run, options.db, point.started,
                      point.state == RunState::kFinished ? "is finished" : "goes on",
                      point.command));
  ANECHECK_RETURN_IF_ERROR(OpenEvents(flags, events));
  if (events) events->Started(options, point.provenance, point.engine, true);
  if (point.state == RunState::kFinished) return std::move(point.summary);
  return ResumeCampaign(options, std::move(point), factory, progress, interruption.flag());
}

int Run(const RunFlags& flags, const std::string& command) {
  const Interruption interruption;
  std::optional<EventStream> events;
  ProgressLine line;
  const auto progress = [&](const CampaignProgress& state) {
    if (events) events->Batch(state);
    if (line.due()) line.Update(CampaignProgressText(state));
  };
  CampaignOptions options;
  const Result<CampaignSummary> summary =
      RunOrResume(flags, command, events, options, progress, interruption);
  if (events && !summary.ok()) events->Failed(summary.error());
  if (!summary.ok()) return Fail(summary.error());
  if (events) events->Finished(*summary);
  if (events && !events->status().ok()) LogWarning(events->status().error().message);
  // Events on standard output replace the summary.
  if (flags.events != "-") {
    flags.json ? Print(SummaryToJson(*summary).dump(2))
               : PrintText(SummaryText(*summary, options, flags.strict));
  }
  // The exit code of a run without results equals that of a clean run, so a warning reports it.
  if (summary->cases > 0 && summary->inconclusive == summary->cases) {
    LogWarning(
        "no result: every case is inconclusive; column `message` of the table `cases` gives the "
        "reasons");
  }
  if (summary->interrupted) {
    LogWarning(fmt::format(
        "{}; every finished batch is recorded; resume with: anecheck run --resume --db {}",
        interruption.asked() ? "interrupted" : "stopped by --time", options.db));
    // The exit code must tell a script that a signal stopped the run before its end, even if the
    // run has findings. A run that --time stopped ended as requested. The results file records the
    // state of each run.
    if (interruption.asked()) return kExitHarness;
  }
  return HasFindings(*summary, flags.strict) ? kExitFindings : kExitClean;
}

}  // namespace

void AddRunCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("run", "Run a campaign: generate, run, judge and record cases");
  auto flags = std::make_shared<RunFlags>();
  AddCampaignFlags(command, flags->campaign);
  AddDefectsFlag(command, flags->campaign.defects);
  command.AddOption(
      "--against", flags->campaign.against,
      "Second runner, named as for --runner; a case whose outputs differ in any bit is a finding");
  command.AddFlag("--json", flags->json, "Print the summary as JSON");
  command
      .AddOption("--events", flags->events,
                 "Write events as JSON Lines to this file; -: standard output")
      .Check(FileName());
  command.AddFlag("--strict", flags->strict,
                  "Exit with 1 for known defects and unconfirmed deviations as well");
  command.AddFlag("--resume", flags->resume,
                  "Resume the newest unfinished run of the results file");
  command.Footer(
      "Example: anecheck run --cases 2000 --seed 1 --targets h13,h17s --db results.sqlite");
  command.WhenChosen([command, flags, &selected] {
    selected = [command, flags] {
      const std::string wrong = flags->resume ? Contradiction(command) : "";
      if (!wrong.empty()) {
        return Fail(MakeError(ErrorCode::kInvalid,
                              fmt::format("{} cannot be given with --resume, which takes it from "
                                          "the results file",
                                          wrong)));
      }
      return Run(*flags, TypedCommand(command, flags->campaign.seed));
    };
  });
}

}  // namespace anecheck
