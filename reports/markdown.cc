#include "reports/markdown.h"

#include <fmt/format.h>

#include "reports/text.h"

namespace anecheck::reports {
namespace {

// A summary is read at a glance; the page has the rest.
constexpr size_t kShownFindings = 50;

std::string RunsTable(const ReportData& data) {
  std::string text =
      "| evidence | engine | chip | compiler | runner | seed | cases | state | started |\n"
      "|---|---|---|---|---|---:|---:|---|---|\n";
  for (const RunInfo& run : data.runs) {
    const std::string provenance =
        run.provenance == "simulated" ? "**SIMULATED**" : EscapeMarkdown(run.provenance);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", provenance,
                        EscapeMarkdown(run.engine), EscapeMarkdown(run.chip),
                        EscapeMarkdown(run.compiler_version), EscapeMarkdown(run.runner),
                        EscapeMarkdown(run.seed), run.cases, EscapeMarkdown(run.state),
                        EscapeMarkdown(run.started));
  }
  return text;
}

std::string FindingsTable(const ReportData& data, bool is_new) {
  std::string text;
  size_t rows = 0, left = 0;
  for (const FindingInfo& finding : data.findings) {
    if (finding.is_new != is_new) continue;
    if (rows == kShownFindings) {
      ++left;
      continue;
    }
    ++rows;
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} |\n", MarkdownCode(finding.op),
        EscapeMarkdown(finding.target), EscapeMarkdown(data.runs[finding.run].provenance),
        EscapeMarkdown(is_new ? finding.verdict : finding.known_defect), finding.occurrences,
        EscapeMarkdown(finding.summary), MarkdownCode(finding.replay));
  }
  if (rows == 0) return "None.\n";
  text = fmt::format(
      "| operation | target | evidence | {} | cases | summary | run it again |\n"
      "|---|---|---|---|---:|---|---|\n{}",
      is_new ? "verdict" : "defect", text);
  if (left > 0) text += fmt::format("\n{} more in report.html.\n", left);
  return text;
}

}  // namespace

std::string SummaryMarkdown(const ReportData& data, const Matrix& matrix) {
  const int64_t fresh = data.NewFindings();
  std::string text = "# anecheck report\n\n";
  if (data.AnySimulated()) {
    text +=
        "> **SIMULATED**: results marked simulated come from the simulated engine. They say "
        "nothing about silicon.\n\n";
  }
  text += fmt::format("{} cases: {} pass, {} inconclusive. {} new findings, {} known defects.\n\n",
                      data.Cases(), data.CasesWith("pass"), data.CasesWith("inconclusive"), fresh,
                      static_cast<int64_t>(data.findings.size()) - fresh);
  text += "## Runs\n\n" + RunsTable(data);
  text += "\n## New findings\n\n" + FindingsTable(data, true);
  text += "\n## Known defects\n\n" + FindingsTable(data, false);
  text += "\n## Operations by targets with results\n\n";
  Matrix met = matrix;
  KeepMetTargets(met);
  text += MatrixMarkdown(met);
  return text;
}

}  // namespace anecheck::reports
