// `anecheck finding export`: writes a finding as a folder for a bug report.
#include <fmt/format.h>
#include <memory>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/shell_word.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/finding_argument.h"
#include "harness/cli/typed_command.h"
#include "harness/cli/with_file.h"
#include "harness/findings/export/finding_export.h"

namespace anecheck {
namespace {

struct FindingFlags {
  FindingArgument finding;
  std::string out;
  bool json = false;
};

struct Exported {
  std::string id, folder, provenance;  // `provenance` is that of the evidence
  bool has_outputs = false;
  bool script_shows = false;
  bool has_files = false;  // files show the finding, not values
};

Result<Exported> Export(const FindingFlags& flags) {
  ANECHECK_ASSIGN(const FindingText text, ReadFindingText(flags.finding));
  ANECHECK_ASSIGN(Json json, ParseJson(text.json, flags.finding.what));
  // The run's provenance takes precedence, because it may have been proved after the finding.
  if (text.provenance && json.is_object()) {
    json["provenance"] = ToText(*text.provenance);
    json["engine"] = text.engine;
  }
  const auto text_at = [&json](const char* key, const char* otherwise) -> std::string {
    const bool there = json.is_object() && json.contains(key) && json[key].is_string();
    return there ? json[key].get<std::string>() : otherwise;
  };
  Exported exported = {text_at("id", "unnamed"), flags.out, text_at("provenance", "not recorded")};
  if (exported.folder.empty()) exported.folder = "finding-" + exported.id;
  const Status written = ExportFinding(json, exported.provenance, exported.folder);
  if (!written.ok() && written.error().code != ErrorCode::kIo) {
    return WithFile(text.file, written.error());
  }
  ANECHECK_RETURN_IF_ERROR(Status(written));
  exported.has_outputs = HasOutputs(json);
  exported.script_shows = ScriptShows(json);
  exported.has_files = json.contains("files");
  return exported;
}

std::string ExportedText(const Exported& exported) {
  const auto file = [&](const char* name) { return ShellWord(exported.folder + "/" + name); };
  const std::string next =
      exported.has_files ? fmt::format(
                               "the values are right, but the files {} and {}, which the compiler "
                               "wrote, are wrong: anecheck replay {} runs the case again",
                               file("program.e5"), file("model.hwx"), file("finding.json"))
      : exported.script_shows
          ? fmt::format("python3 {} judges the engine's outputs", file("check_output.py"))
      : exported.has_outputs
          ? fmt::format(
                "only a comparison of the network with the rewritten network shows the finding: "
                "anecheck replay {} runs both again",
                file("finding.json"))
          : fmt::format("the engine gave no outputs: anecheck replay {} runs the case again",
                        file("finding.json"));
  return fmt::format("{}{} describes the files; {}",
                     EvidenceMark(FindWord<Provenance>(exported.provenance)), file("README.md"),
                     next);
}

int Run(const FindingFlags& flags) {
  const Result<Exported> exported = Export(flags);
  if (!exported.ok()) return Fail(exported.error());
  if (flags.json) {
    Print(DumpJson(
        {{"provenance", exported->provenance}, {"id", exported->id}, {"out", exported->folder}},
        2));
  } else {
    PrintText(ExportedText(*exported));
  }
  return kExitClean;
}

}  // namespace

void AddFindingCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("finding", "Export a finding");
  command.RequireCommand(1, 1);
  command.Footer("Example: anecheck finding export f0123456789a --db results.sqlite");
  CommandLine exporter = command.AddCommand(
      "export", "Write a folder for a bug report: graph, MIL, data and a check in NumPy");
  auto flags = std::make_shared<FindingFlags>();
  AddFindingArgument(exporter, flags->finding);
  CommandOption folder =
      exporter.AddOption("folder", flags->out, "Folder to write (default: finding-ID)");
  exporter.AddOption("--out", flags->out, "The same as `folder`")
      .Check(FileName())
      .Excludes(folder);
  exporter.AddFlag("--json", flags->json, "Print a summary as JSON");
  exporter.Footer("Example: anecheck finding export f0123456789a report --db results.sqlite");
  exporter.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
