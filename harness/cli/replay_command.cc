// `anecheck replay`: one finding again.
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/campaign/artifact.h"
#include "harness/campaign/run_again.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/finding_argument.h"
#include "harness/cli/typed_command.h"

namespace anecheck {
namespace {

struct ReplayFlags {
  FindingArgument finding;
  bool json = false;
};

Result<CaseOutcome> Replay(const ReplayFlags& flags, Artifact& artifact, RunnerIdentity& identity) {
  ANECHECK_ASSIGN(artifact, ReadFinding(flags.finding));
  ANECHECK_RETURN_IF_ERROR(TryDefects(artifact.options.defects));
  ANECHECK_ASSIGN(const auto runner, MakeRunner(artifact.options));
  ANECHECK_ASSIGN(identity, runner->Identify());
  Evaluation evaluation;
  return RunAgain(artifact.item, artifact.verdict, *runner, evaluation);
}

int Run(const ReplayFlags& flags) {
  Artifact artifact;
  RunnerIdentity identity;
  const Result<CaseOutcome> outcome = Replay(flags, artifact, identity);
  if (!outcome.ok()) return Fail(outcome.error());
  const CaseRecord& record = outcome->record;
  const std::string_view provenance = ProvenanceName(identity.provenance);
  if (flags.json) {
    nlohmann::ordered_json json = {{"provenance", provenance},
                                   {"engine", identity.engine},
                                   {"id", artifact.id},
                                   {"verdict", record.verdict},
                                   {"recorded_verdict", artifact.verdict},
                                   {"known_defect", outcome->known_defect},
                                   {"op", outcome->op},
                                   {"target", record.target},
                                   {"message", record.message}};
    Print(json.dump(2));
  } else {
    Print(fmt::format("{}{} on {}: {}{} (recorded: {}){}{}", EvidenceMark(provenance), artifact.id,
                      record.target, record.verdict,
                      outcome->op.empty() ? "" : " in " + outcome->op, artifact.verdict,
                      record.message.empty() ? "" : "\n  ", record.message));
  }
  return IsNewFinding(record.verdict) ? kExitFindings : kExitClean;
}

}  // namespace

void AddReplayCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("replay", "Run one finding again");
  auto flags = std::make_shared<ReplayFlags>();
  AddFindingArgument(command, flags->finding);
  AddDefectsFlag(command, flags->finding.defects);
  command.AddFlag("--json", flags->json, "Print the verdict as JSON");
  command.Footer("Example: anecheck replay f0123456789a --db results.sqlite");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
