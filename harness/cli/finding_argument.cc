#include "harness/cli/finding_argument.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/shell_word.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/with_file.h"

namespace anecheck {

void AddFindingArgument(CommandLine& command, FindingArgument& argument) {
  command.AddOption("finding", argument.what, "Id of a finding, or a finding.json").Required();
  command.AddOption("--db", argument.db, "Results file that holds the id")
      .Check(FileName())
      .ShowDefault();
  command.AddOption("--run", argument.run,
                    "Run of the finding, by a prefix of its uuid, if several runs have the id");
  command.AddOption("--espresso-lib", argument.library,
                    "Engine to run on (default: the recorded one)");
}

namespace {

Result<Store> OpenNamed(const std::string& db) {
  Result<Store> store = Store::OpenReadOnly(db);
  if (store.ok() || store.error().code != ErrorCode::kNotFound) return store;
  Error error = store.error();
  error.message += "; name the results file that holds the id with --db";
  return error;
}

}  // namespace

Result<FindingText> ReadFindingText(const FindingArgument& argument) {
  FindingText text;
  if (argument.what.find_first_of("./") != std::string::npos) {
    ANECHECK_ASSIGN(text.json, ReadTextFile(argument.what));
    text.file = argument.what;
    return text;
  }
  ANECHECK_ASSIGN(Store store, OpenNamed(argument.db));
  text.file = argument.db;
  ANECHECK_ASSIGN(const std::vector<RunRow> runs, store.Runs());
  std::vector<std::pair<RunRow, std::string>> found;  // with the artifacts
  for (const RunRow& run : runs) {
    if (!run.uuid.starts_with(argument.run)) continue;
    ANECHECK_ASSIGN(std::optional<FindingRow> finding, store.Finding(run.id, argument.what));
    if (finding) found.emplace_back(run, std::move(finding->artifact));
  }
  if (found.empty()) {
    return MakeError(
        ErrorCode::kNotFound,
        fmt::format("{}: holds no finding {}{}{}; `anecheck query --db {} 'SELECT id, "
                    "uuid FROM findings JOIN runs ON runs.id = run'` lists them",
                    argument.db, argument.what, argument.run.empty() ? "" : " of a run ",
                    argument.run, ShellWord(argument.db)));
  }
  auto& [first, artifact] = found[0];
  // Runs that found the very same, such as one campaign made twice, leave no choice to make.
  const bool same = std::ranges::all_of(found, [&](const auto& other) {
    return std::tie(other.second, other.first.provenance, other.first.engine) ==
           std::tie(artifact, first.provenance, first.engine);
  });
  if (!same) {
    std::string list;
    for (const auto& [run, unused] : found) {
      list += fmt::format("{}{} ({}{}{})", list.empty() ? "" : ", ", run.uuid, run.provenance,
                          run.chip.empty() ? "" : ", ", run.chip);
    }
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: {} runs have a finding {}; choose one with --run: {}",
                                 argument.db, found.size(), argument.what, list));
  }
  text.json = std::move(artifact);
  text.provenance = first.provenance;
  text.engine = std::move(first.engine);
  return text;
}

Result<Artifact> ReadFinding(const FindingArgument& argument) {
  ANECHECK_ASSIGN(const FindingText text, ReadFindingText(argument));
  ANECHECK_ASSIGN(const Json json, ParseJson(text.json, argument.what));
  Result<Artifact> read = ArtifactFromJson(json);
  if (!read.ok()) return WithFile(text.file, read.error());
  Artifact artifact = std::move(read).value();
  if (!argument.library.empty()) artifact.options.worker.library = argument.library;
  if (!argument.defects.empty()) artifact.options.defects = argument.defects;
  return artifact;
}

}  // namespace anecheck
