// `anecheck finding export`: a finding as a folder for a bug report.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/json_text.h"
#include "harness/campaign/export/finding_export.h"
#include "harness/cli/command.h"
#include "harness/cli/finding_argument.h"

namespace anecheck {
namespace {

struct FindingFlags {
  FindingArgument finding;
  std::string out;
};

// Where a recorded finding's evidence comes from; a finding.json does not say.
Result<std::string> ProvenanceOf(const FindingArgument& argument) {
  if (argument.what.find_first_of("./") != std::string::npos) return std::string("not recorded");
  ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(argument.db));
  const std::string parameters[] = {argument.what};
  ANECHECK_ASSIGN(const auto rows,
                  store.Query("SELECT runs.provenance FROM findings JOIN runs ON runs.id = "
                              "findings.run WHERE findings.id = ? ORDER BY run DESC LIMIT 1",
                              parameters));
  return rows.empty() ? "not recorded" : rows[0][0];
}

Status Export(const FindingFlags& flags, std::string& folder) {
  ANECHECK_ASSIGN(const std::string text, ReadFindingText(flags.finding));
  ANECHECK_ASSIGN(const Json json, ParseJson(text, flags.finding.what));
  ANECHECK_ASSIGN(const std::string provenance, ProvenanceOf(flags.finding));
  folder = !flags.out.empty() ? flags.out : "finding-" + json.value("id", std::string("unnamed"));
  return ExportFinding(json, provenance, folder);
}

}  // namespace

void AddFindingCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("finding", "Take a finding out of the results file");
  command->require_subcommand(1);
  command->footer("Example: anecheck finding export f0123456789a --db results.sqlite");
  CLI::App* exporter = command->add_subcommand(
      "export", "Write a folder with graph, MIL, data and a NumPy check, for a bug report");
  auto flags = std::make_shared<FindingFlags>();
  AddFindingArgument(*exporter, flags->finding);
  exporter->add_option("--out", flags->out, "Folder to write (default: finding-ID)");
  exporter->footer(
      "Example: anecheck finding export f0123456789a --db results.sqlite --out report");
  exporter->callback([flags, &selected] {
    selected = [flags] {
      std::string folder;
      const Status status = Export(*flags, folder);
      if (!status.ok()) return Fail(status.error());
      Print(fmt::format("{0}/README.md says what is there; python3 {0}/check_output.py judges it",
                        folder));
      return kExitClean;
    };
  });
}

}  // namespace anecheck
