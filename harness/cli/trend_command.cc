// `anecheck trend`: shows how errors and reached operations change over many runs.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/report_progress.h"
#include "reports/trend.h"

namespace anecheck {
namespace {

struct TrendFlags {
  std::vector<std::string> db, baselines;
  std::string out;
  bool json = false;
};

Result<Json> WriteTrend(const TrendFlags& flags) {
  if (flags.db.empty() && flags.baselines.empty()) {
    return MakeError(ErrorCode::kInvalid, "trend needs --db or --baseline");
  }
  ANECHECK_ASSIGN(Json trend, reports::ReadTrend(flags.db, flags.baselines, ReportProgressLine()));
  if (flags.out.empty()) return trend;
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(flags.out));
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(flags.out + "/trend.html", std::string_view(reports::TrendHtml(trend))));
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(flags.out + "/trend.json", std::string_view(DumpJson(trend, 1) + "\n")));
  return trend;
}

int Run(const TrendFlags& flags) {
  const Result<Json> trend = WriteTrend(flags);
  if (!trend.ok()) return Fail(trend.error());
  if (flags.json) {
    Print(DumpJson(*trend));
    return kExitClean;
  }
  const Json& runs = (*trend)["runs"];
  PrintText(fmt::format("{}{}, {} in the matrix, {}\n{}",
                        (*trend)["simulated"] == true ? "SIMULATED: " : "",
                        Counted(runs.size(), "run"), Counted((*trend)["changes"].size(), "change"),
                        Counted((*trend)["findings"].size(), "defect"),
                        flags.out.empty() ? "" : flags.out + "/trend.html"));
  return kExitClean;
}

}  // namespace

void AddTrendCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("trend", "Write a page of errors and reachability over many runs");
  auto flags = std::make_shared<TrendFlags>();
  command.AddOption("--db", flags->db, "Results files").Check(FileName());
  command.AddOption("--baseline", flags->baselines, "Baselines, as further runs, oldest first");
  command.AddOption("--out", flags->out, "Folder to write trend.html and trend.json to")
      .Check(FileName());
  command.AddFlag("--json", flags->json, "Print the trend as JSON");
  command.Footer("Example: anecheck trend --db may.sqlite --db june.sqlite --out trend");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
