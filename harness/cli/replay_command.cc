// `anecheck replay`: one finding again.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/campaign/artifact.h"
#include "harness/campaign/judge_case.h"
#include "harness/cli/command.h"

namespace anecheck {
namespace {

struct ReplayFlags {
  std::string what;
  std::string db = "anecheck.sqlite";
  std::string library;
  bool json = false;
};

// The artifact's text: a file where `what` is one, else a row of the results file.
Result<std::string> ReadArtifact(const ReplayFlags& flags) {
  if (flags.what.find('.') != std::string::npos || flags.what.find('/') != std::string::npos) {
    return ReadTextFile(flags.what);
  }
  ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(flags.db));
  const std::string parameters[] = {flags.what};
  ANECHECK_ASSIGN(
      const auto rows,
      store.Query("SELECT artifact FROM findings WHERE id = ? ORDER BY run DESC LIMIT 1",
                  parameters));
  if (rows.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: holds no finding {}; `anecheck query --db {} 'SELECT id FROM "
                                 "findings'` lists them",
                                 flags.db, flags.what, flags.db));
  }
  return rows[0][0];
}

Result<CaseOutcome> Replay(const ReplayFlags& flags, Artifact& artifact) {
  ANECHECK_ASSIGN(const std::string text, ReadArtifact(flags));
  ANECHECK_ASSIGN(const Json json, ParseJson(text, flags.what));
  ANECHECK_ASSIGN(artifact, ArtifactFromJson(json));
  if (!flags.library.empty()) artifact.options.worker.library = flags.library;
  ANECHECK_ASSIGN(const auto runner, MakeRunner(artifact.options));
  const Case& item = artifact.item;
  const RunRequest request = {item.index, item.target.name, item.mil, &item.graph, item.inputs};
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner->Run({&request, 1}));
  Evaluation evaluation;
  CaseOutcome outcome = JudgeCase(item, artifact.options.route, replies[0], evaluation);
  Refine(item, replies[0], *runner, evaluation, outcome);
  return outcome;
}

int Run(const ReplayFlags& flags) {
  Artifact artifact;
  const Result<CaseOutcome> outcome = Replay(flags, artifact);
  if (!outcome.ok()) return Fail(outcome.error());
  const CaseRecord& record = outcome->record;
  if (flags.json) {
    nlohmann::ordered_json json = {{"id", artifact.id},
                                   {"verdict", record.verdict},
                                   {"recorded_verdict", artifact.verdict},
                                   {"known_defect", outcome->known_defect},
                                   {"op", outcome->op},
                                   {"target", record.target},
                                   {"message", record.message}};
    Print(json.dump(2));
  } else {
    Print(fmt::format("{} on {}: {}{} (recorded: {}){}{}", artifact.id, record.target,
                      record.verdict, outcome->op.empty() ? "" : " in " + outcome->op,
                      artifact.verdict, record.message.empty() ? "" : "\n  ", record.message));
  }
  return IsNewFinding(record.verdict) ? kExitFindings : kExitClean;
}

}  // namespace

void AddReplayCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("replay", "Run one finding again");
  auto flags = std::make_shared<ReplayFlags>();
  command->add_option("finding", flags->what, "Id of a finding, or a finding.json")->required();
  command->add_option("--db", flags->db, "Results file that holds the id")->capture_default_str();
  command->add_option("--espresso-lib", flags->library,
                      "Engine to run on instead of the recorded one");
  command->add_flag("--json", flags->json, "Print the verdict as JSON");
  command->footer("Example: anecheck replay f0123456789a --db results.sqlite");
  command->callback([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
