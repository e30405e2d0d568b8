#include "harness/cli/finding_argument.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/file.h"
#include "harness/base/json_text.h"

namespace anecheck {

void AddFindingArgument(CLI::App& command, FindingArgument& argument) {
  command.add_option("finding", argument.what, "Id of a finding, or a finding.json")->required();
  command.add_option("--db", argument.db, "Results file that holds the id")->capture_default_str();
  command.add_option("--espresso-lib", argument.library,
                     "Engine to run on instead of the recorded one");
}

Result<std::string> ReadFindingText(const FindingArgument& argument) {
  if (argument.what.find_first_of("./") != std::string::npos) return ReadTextFile(argument.what);
  ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(argument.db));
  const std::string parameters[] = {argument.what};
  ANECHECK_ASSIGN(
      const auto rows,
      store.Query("SELECT artifact FROM findings WHERE id = ? ORDER BY run DESC LIMIT 1",
                  parameters));
  if (rows.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: holds no finding {}; `anecheck query --db {} 'SELECT id FROM "
                                 "findings'` lists them",
                                 argument.db, argument.what, argument.db));
  }
  return rows[0][0];
}

Result<Artifact> ReadFinding(const FindingArgument& argument) {
  ANECHECK_ASSIGN(const std::string text, ReadFindingText(argument));
  ANECHECK_ASSIGN(const Json json, ParseJson(text, argument.what));
  ANECHECK_ASSIGN(Artifact artifact, ArtifactFromJson(json));
  if (!argument.library.empty()) artifact.options.worker.library = argument.library;
  return artifact;
}

}  // namespace anecheck
