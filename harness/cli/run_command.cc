// `anecheck run`: a campaign.
#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/log.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/campaign_flags.h"
#include "harness/cli/command.h"

namespace anecheck {
namespace {

std::atomic<bool> interrupted{false};

void Interrupt(int) { interrupted.store(true); }

std::string SummaryText(const CampaignSummary& summary, const CampaignOptions& options) {
  std::string text = fmt::format(
      "{} cases, {} judged, {} inconclusive, {} new findings, {} known defects met\n",
      summary.cases, summary.judged, summary.inconclusive, summary.findings, summary.known_defects);
  for (const FindingRecord& finding : summary.list) {
    text += fmt::format("  {} {} {} on {}{}: {} ({} cases)\n    {}\n", finding.id, finding.verdict,
                        finding.op.empty() ? "-" : finding.op, finding.target,
                        finding.known_defect.empty() ? "" : " " + finding.known_defect,
                        finding.summary, finding.occurrences, finding.replay);
  }
  text += fmt::format("seed {}; results in {}\n", options.seed, options.db);
  return text;
}

struct RunFlags {
  CampaignFlags campaign;
  bool json = false;
  bool strict = false;
};

int Run(const RunFlags& flags, const std::string& command) {
  Result<CampaignOptions> options = ToOptions(flags.campaign);
  if (!options.ok()) return Fail(options.error());
  options->command = command;
  std::signal(SIGINT, Interrupt);
  std::signal(SIGTERM, Interrupt);
  ProgressLine line;
  const auto progress = [&](const CampaignProgress& state) {
    if (!line.visible()) return;
    const double rate = state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0;
    const bool counted = state.wanted < (uint64_t{1} << 40);
    line.Update(fmt::format("{}{} cases, {:.0f}/s, {} findings, {:.0f} s", state.done,
                            counted ? fmt::format("/{}", state.wanted) : "", rate, state.findings,
                            state.seconds));
  };
  const RunnerFactory factory = [&] { return MakeRunner(*options); };
  const Result<CampaignSummary> summary = RunCampaign(*options, factory, progress, &interrupted);
  if (!summary.ok()) return Fail(summary.error());
  Print(flags.json ? SummaryToJson(*summary).dump(2) : SummaryText(*summary, *options));
  if (summary->interrupted) LogWarning("interrupted; everything finished so far is recorded");
  const bool found = summary->findings > 0 || (flags.strict && summary->known_defects > 0);
  return found ? kExitFindings : kExitClean;
}

}  // namespace

void AddRunCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("run", "Generate, run, judge and record cases");
  auto flags = std::make_shared<RunFlags>();
  AddCampaignFlags(*command, flags->campaign);
  command->add_flag("--json", flags->json, "Print the summary as JSON");
  command->add_flag("--strict", flags->strict, "Exit with 1 for known defects too");
  command->footer(
      "Example: anecheck run --cases 2000 --seed 1 --targets h13,h17s --db results.sqlite");
  command->callback([command, flags, &selected] {
    selected = [command, flags] {
      return Run(*flags, "anecheck run " + command->config_to_str(false, false));
    };
  });
}

}  // namespace anecheck
