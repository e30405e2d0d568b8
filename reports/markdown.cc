#include "reports/markdown.h"

#include <fmt/format.h>
#include <map>

#include "harness/base/counted.h"
#include "harness/campaign/campaign.h"
#include "harness/judging/lean_watch.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

// The maximum number of findings in a summary. The page lists all findings.
constexpr size_t kShownFindings = 50;

// Returns for example "2 pass, 1 wrong, 1 inconclusive". The sum is the number of cases.
std::string VerdictCounts(const ReportData& data) {
  std::map<Verdict, int64_t, ByText> counts;
  for (const RunInfo& run : data.runs) {
    for (const auto& [verdict, cases] : run.verdicts) counts[verdict] += cases;
  }
  std::string text = fmt::format("{} {}", counts[Verdict::kPass], Verdict::kPass);
  for (const auto& [verdict, cases] : counts) {
    if (verdict != Verdict::kPass) text += fmt::format(", {} {}", cases, verdict);
  }
  return text;
}

std::string RunsTable(const ReportData& data) {
  std::string text =
      "| run | evidence | engine | chip | compiler | runner | seed | cases | state | started |\n"
      "|---|---|---|---|---|---|---:|---:|---|---|\n";
  for (const RunInfo& run : data.runs) {
    const std::string provenance = run.provenance == Provenance::kSimulated
                                       ? "**SIMULATED**"
                                       : std::string(ToText(run.provenance));
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                        EscapeMarkdown(run.name), provenance, EscapeMarkdown(run.engine),
                        EscapeMarkdown(run.chip), EscapeMarkdown(run.compiler_version),
                        EscapeMarkdown(run.runner), run.seed, run.cases, ToText(run.state),
                        EscapeMarkdown(run.started));
  }
  return text;
}

std::string FindingsTable(const ReportData& data, FindingKind kind) {
  const bool known = kind == FindingKind::kKnownDefect;
  std::string text;
  size_t rows = 0, left = 0;
  for (const FindingInfo& finding : data.findings) {
    if (KindOfFinding(finding.verdict) != kind) continue;
    if (rows == kShownFindings) {
      ++left;
      continue;
    }
    ++rows;
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} |\n", MarkdownCode(finding.op),
        EscapeMarkdown(finding.target), ToText(data.runs[finding.run].provenance),
        known ? EscapeMarkdown(finding.defects.ToText()) : std::string(ToText(finding.verdict)),
        finding.occurrences, EscapeMarkdown(finding.summary), MarkdownCode(finding.replay));
  }
  if (rows == 0) return "None.\n";
  text = fmt::format(
      "| operation | target | evidence | {} | cases | summary | run it again |\n"
      "|---|---|---|---|---:|---|---|\n{}",
      known ? "defect" : "verdict", text);
  if (left > 0) text += fmt::format("\n{} more in report.html.\n", left);
  return text;
}

// Returns for example "Probes: 3 as published, 1 otherwise, 0 unmeasured, 2 with nothing
// published.". Empty if there are no probes.
std::string ProbeCounts(const ReportData& data) {
  if (data.probes.empty()) return "";
  return fmt::format(
      "Probes: {} as published, {} otherwise, {} unmeasured, {} with nothing published.\n\n",
      data.Probes(ProbeStanding::kAsPublished), data.Probes(ProbeStanding::kOtherwise),
      data.Probes(ProbeStanding::kUnmeasured), data.Probes(ProbeStanding::kNothingPublished));
}

// Lists probes that differ from the published figure or were not measured.
std::string ProbesTable(const ReportData& data) {
  if (data.probes.empty()) return "";
  std::string rows;
  for (const ProbeInfo& probe : data.probes) {
    if (probe.standing != ProbeStanding::kOtherwise &&
        probe.standing != ProbeStanding::kUnmeasured) {
      continue;
    }
    rows += fmt::format("| {} | {} | {} | {} | {} | {} |\n", MarkdownCode(probe.probe),
                        EscapeMarkdown(probe.target), ToText(data.runs[probe.run].provenance),
                        EscapeMarkdown(probe.measured), EscapeMarkdown(probe.published),
                        EscapeMarkdown(probe.message));
  }
  const std::string head =
      "| probe | target | evidence | measured | published | why unmeasured |\n"
      "|---|---|---|---|---|---|\n";
  return "\n## Probes not as published\n\n" + (rows.empty() ? "None.\n" : head + rows);
}

// Lists the operations whose errors lean. A lean is summed over all runs, so it is no finding.
std::string LeansTable(const LeansByKey& all) {
  std::string rows;
  for (const auto& [key, leans] : all) {
    auto leaning = LeaningOf(leans, key.target);
    if (!leaning) continue;
    rows += fmt::format("| {} | {} | {} | {} | {} |\n", MarkdownCode(key.op),
                        EscapeMarkdown(key.target), ToText(key.route), ToText(key.provenance),
                        EscapeMarkdown(DescribeLeaning(*leaning)));
  }
  if (rows.empty()) return "";
  return "\n## Errors that lean\n\n| operation | target | route | evidence | which way |\n"
         "|---|---|---|---|---|\n" +
         rows;
}

}  // namespace

std::string SummaryMarkdown(const ReportData& data, const Matrix& matrix) {
  std::string text = "# anecheck report\n\n";
  if (data.AnySimulated()) {
    text +=
        "> **SIMULATED**: results marked simulated come from the simulated engine. They say "
        "nothing about silicon.\n\n";
  }
  text += fmt::format("{}: {}.\n\nFindings of one defect each: {} new, {}, {}.\n\n",
                      Counted(data.Cases(), "case"), VerdictCounts(data), data.NewFindings(),
                      Counted(data.Unconfirmed(), "unconfirmed deviation"),
                      Counted(data.KnownDefects(), "known defect"));
  text += ProbeCounts(data);
  text += "## Runs\n\n" + RunsTable(data);
  text += ProbesTable(data);
  text += "\n## New findings\n\n" + FindingsTable(data, FindingKind::kNew);
  text += "\n## Unconfirmed deviations\n\n" + FindingsTable(data, FindingKind::kUnconfirmed);
  text += LeansTable(data.leans);
  text += "\n## Known defects\n\n" + FindingsTable(data, FindingKind::kKnownDefect);
  Matrix met = matrix;
  KeepMetTargets(met);
  text += "\n## Operations by targets with results\n\n";
  text += met.columns.empty() ? "None.\n" : MatrixMarkdown(met);
  return text;
}

}  // namespace anecheck::reports
