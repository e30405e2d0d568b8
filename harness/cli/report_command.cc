// `anecheck report`: writes a folder of reports from results files.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/report_progress.h"
#include "reports/write_reports.h"

namespace anecheck {
namespace {

struct ReportFlags {
  std::vector<std::string> db;
  std::string out;
  bool json = false;
};

int Run(const ReportFlags& flags) {
  const auto data = reports::WriteReports(flags.db, flags.out, ReportProgressLine());
  if (!data.ok()) return Fail(data.error());
  const std::string page = flags.out + "/report.html";
  const int64_t otherwise = data->Probes(reports::ProbeStanding::kOtherwise);
  const std::string probes =
      data->probes.empty()
          ? ""
          : fmt::format(", probes: {}, {} of them differ from the published figure",
                        data->probes.size(), otherwise);
  if (flags.json) {
    Print(DumpJson({{"report", page},
                    {"simulated", data->AnySimulated()},
                    {"runs", data->runs.size()},
                    {"cases", data->Cases()},
                    {"findings", data->NewFindings()},
                    {"known_defects", data->KnownDefects()},
                    {"unconfirmed", data->Unconfirmed()},
                    {"probes", data->probes.size()},
                    {"probes_otherwise", otherwise}},
                   2));
  } else {
    PrintText(
        fmt::format("{}cases: {}, runs: {}, new findings: {}, unconfirmed deviations: {}, known "
                    "defects: {}{}\n{}",
                    data->AnySimulated() ? "SIMULATED: " : "", data->Cases(), data->runs.size(),
                    data->NewFindings(), data->Unconfirmed(), data->KnownDefects(), probes, page));
  }
  return kExitClean;
}

}  // namespace

void AddReportCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("report", "Write HTML, JSON, JUnit, SARIF, Markdown, CSV");
  auto flags = std::make_shared<ReportFlags>();
  command.AddOption("--db", flags->db, "Results files").Check(FileName()).Required();
  command.AddOption("--out", flags->out, "Folder to write to").Check(FileName()).Required();
  command.AddFlag("--json", flags->json, "Print the figures as JSON");
  command.Footer("Example: anecheck report --db results.sqlite --out report");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
