// `anecheck finding export`: a finding as a folder for a bug report.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/json_text.h"
#include "harness/campaign/export/finding_export.h"
#include "harness/cli/command.h"
#include "harness/cli/finding_argument.h"
#include "harness/cli/typed_command.h"

namespace anecheck {
namespace {

struct FindingFlags {
  FindingArgument finding;
  std::string out;
};

// `provenance` receives where the evidence comes from.
Status Export(const FindingFlags& flags, std::string& folder, std::string& provenance) {
  ANECHECK_ASSIGN(const FindingText text, ReadFindingText(flags.finding));
  ANECHECK_ASSIGN(Json json, ParseJson(text.json, flags.finding.what));
  // The run knows better: it may have been proved after the finding was recorded.
  if (!text.provenance.empty() && json.is_object()) {
    json["provenance"] = text.provenance;
    json["engine"] = text.engine;
  }
  provenance = "not recorded";
  if (json.is_object() && json.contains("provenance") && json["provenance"].is_string()) {
    provenance = json["provenance"].get<std::string>();
  }
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
      std::string folder, provenance;
      const Status status = Export(*flags, folder, provenance);
      if (!status.ok()) return Fail(status.error());
      Print(
          fmt::format("{1}{0}/README.md says what is there; python3 {0}/check_output.py judges it",
                      folder, EvidenceMark(provenance)));
      return kExitClean;
    };
  });
}

}  // namespace anecheck
