// `anecheck replay`: runs a finding again.
#include <fmt/format.h>
#include <memory>

#include "harness/base/json.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/contract_flag.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/finding_argument.h"
#include "harness/cli/typed_command.h"
#include "harness/findings/artifact.h"
#include "harness/findings/run_again.h"

namespace anecheck {
namespace {

struct ReplayFlags {
  FindingArgument finding;
  std::string contract;
  bool json = false;
};

Result<CaseOutcome> Replay(const ReplayFlags& flags, Artifact& artifact, RunnerIdentity& identity) {
  ANECHECK_ASSIGN(artifact, ReadFinding(flags.finding));
  ANECHECK_RETURN_IF_ERROR(JudgeByContract(flags.contract, artifact.options, artifact.item));
  ANECHECK_RETURN_IF_ERROR(TryDefects(artifact.options));
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
  const Outcome& shown = outcome->shown;
  if (flags.json) {
    Json json = {{"provenance", ToText(identity.provenance)},
                 {"engine", identity.engine},
                 {"id", artifact.id},
                 {"verdict", ToText(shown.verdict())},
                 {"recorded_verdict", ToText(artifact.verdict)},
                 {"known_defect", shown.defects().ToText()},
                 {"op", shown.op()},
                 {"target", outcome->target},
                 {"message", shown.message()}};
    Print(json.dump(2));
  } else {
    PrintText(fmt::format("{}{} on {}: {}{} (recorded: {}){}{}", EvidenceMark(identity.provenance),
                          artifact.id, outcome->target, shown.verdict(),
                          shown.op().empty() ? "" : " in " + shown.op(), artifact.verdict,
                          shown.message().empty() ? "" : "\n  ", shown.message()));
  }
  return IsNewFinding(shown.verdict()) ? kExitFindings : kExitClean;
}

}  // namespace

void AddReplayCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("replay", "Run one finding again");
  auto flags = std::make_shared<ReplayFlags>();
  AddFindingArgument(command, flags->finding);
  AddDefectsFlag(command, flags->finding.defects);
  AddRejudgeFlag(command, flags->contract);
  command.AddFlag("--json", flags->json, "Print the verdict as JSON");
  command.Footer("Example: anecheck replay f0123456789a --db results.sqlite");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
