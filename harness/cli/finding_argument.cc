#include "harness/cli/finding_argument.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/file.h"
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
                    "Run of the finding, or how its uuid begins: for ids that several runs have");
  command.AddOption("--espresso-lib", argument.library,
                    "Engine to run on instead of the recorded one");
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
  const std::string parameters[] = {argument.what, argument.run};
  ANECHECK_ASSIGN(
      auto rows,
      store.Query("SELECT f.artifact, r.provenance, r.engine, r.uuid, r.chip FROM findings f JOIN "
                  "runs r ON r.id = f.run WHERE f.id = ?1 AND substr(r.uuid, 1, length(?2)) = ?2 "
                  "ORDER BY r.id",
                  parameters));
  if (rows.empty()) {
    return MakeError(
        ErrorCode::kNotFound,
        fmt::format("{}: holds no finding {}{}{}; `anecheck query --db {} 'SELECT id, "
                    "uuid FROM findings JOIN runs ON runs.id = run'` lists them",
                    argument.db, argument.what, argument.run.empty() ? "" : " of a run ",
                    argument.run, ShellWord(argument.db)));
  }
  // Runs that found the very same, such as one campaign made twice, leave no choice to make.
  const bool same = std::ranges::all_of(rows, [&](const auto& row) {
    return std::equal(row.begin(), row.begin() + 3, rows[0].begin());
  });
  if (!same) {
    std::string runs;
    for (const auto& row : rows) {
      runs += fmt::format("{}{} ({}{}{})", runs.empty() ? "" : ", ", row[3], row[1],
                          row[4].empty() ? "" : ", ", row[4]);
    }
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: {} runs have a finding {}; choose one with --run: {}",
                                 argument.db, rows.size(), argument.what, runs));
  }
  text.json = std::move(rows[0][0]);
  text.provenance = std::move(rows[0][1]);
  text.engine = std::move(rows[0][2]);
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
