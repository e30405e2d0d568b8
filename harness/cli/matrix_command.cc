// `anecheck matrix`: operations by targets, each cell the furthest stage that was reached.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "reports/html.h"
#include "reports/json.h"
#include "reports/matrix.h"
#include "reports/query.h"

namespace anecheck {
namespace {

struct MatrixFlags {
  std::vector<std::string> db;
  std::string format = "md";
  std::string targets = "all";
};

int Run(const MatrixFlags& flags) {
  const auto data = reports::ReadReportData(flags.db);
  if (!data.ok()) return Fail(data.error());
  reports::Matrix matrix = reports::BuildMatrix(*data);
  if (const Status kept = reports::KeepTargets(flags.targets, matrix); !kept.ok()) {
    return Fail(kept.error());
  }
  if (flags.format == "csv") Print(reports::MatrixCsv(matrix));
  if (flags.format == "md") Print(reports::MatrixMarkdown(matrix));
  if (flags.format == "json") Print(DumpJson(reports::MatrixJson(matrix), 2));
  if (flags.format == "html") Print(reports::ReportHtml(reports::ReportJson(*data, matrix)));
  return kExitClean;
}

}  // namespace

void AddMatrixCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("matrix", "Print the operation-by-target matrix");
  auto flags = std::make_shared<MatrixFlags>();
  command->add_option("--db", flags->db, "Results files; without any, what the tables admit");
  command->add_option("--format", flags->format, "Form of the output")
      ->check(CLI::IsMember({"html", "csv", "json", "md"}))
      ->capture_default_str();
  command->add_option("--targets", flags->targets, "all, met (with results), or h13,h17s")
      ->capture_default_str();
  command->footer("Example: anecheck matrix --db results.sqlite --format csv --targets met");
  command->callback([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
