// `anecheck shrink`: makes a finding small.
#include <atomic>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/base/shell_word.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/contract_flag.h"
#include "harness/cli/defects_flag.h"
#include "harness/cli/file_name.h"
#include "harness/cli/finding_argument.h"
#include "harness/cli/interruption.h"
#include "harness/cli/typed_command.h"
#include "harness/cli/whole_number.h"
#include "harness/findings/shrink_finding.h"
#include "harness/parserfuzz/command.h"

namespace anecheck {
namespace {

struct ShrinkFlags {
  FindingArgument finding;
  std::string contract;
  std::string condition;
  std::string out = "shrunk.json";
  uint64_t max_tries = 5000;
  bool json = false;
};

Result<ShrunkFinding> Run(const ShrinkFlags& flags, const std::atomic<bool>* stop,
                          Artifact& artifact, RunnerIdentity& identity) {
  ANECHECK_ASSIGN(artifact, ReadFinding(flags.finding));
  ANECHECK_RETURN_IF_ERROR(JudgeByContract(flags.contract, artifact.options, artifact.item));
  ANECHECK_RETURN_IF_ERROR(TryDefects(artifact.options));
  ANECHECK_ASSIGN(const auto runner, MakeRunner(artifact.options));
  runner->StopWhen(stop);
  ANECHECK_ASSIGN(identity, runner->Identify());
  const ShrinkOptions options = {.max_tries = flags.max_tries, .stop = stop};
  if (flags.condition.empty()) return ShrinkFinding(artifact, *runner, options);
  ANECHECK_ASSIGN(const TempDirectory folder, TempDirectory::Create("anecheck-shrink-"));
  // The command runs in its own process group, so that Ctrl-C reaches only this process. If Ctrl-C
  // ended the command, shrinking would take its exit code as a rejection of the case.
  constexpr parserfuzz::CommandLimits kNone = {.timeout_ms = std::numeric_limits<int>::max(),
                                               .max_memory = std::numeric_limits<uint64_t>::max(),
                                               .max_file = std::numeric_limits<uint64_t>::max()};
  const FilePredicate predicate = [&flags, kNone, stop](const std::string& path) {
    const std::string command = flags.condition + " " + ShellWord(path);
    const auto outcome = parserfuzz::RunCommand({"/bin/sh", "-c", command}, path, kNone, stop);
    return outcome.ok() && !outcome->stopped && outcome->signal == 0 && outcome->exit_code == 0;
  };
  return ShrinkFindingIf(artifact, *runner, predicate, folder.path(), options);
}

Json SizeToJson(const CaseSize& size) {
  return {{"nodes", size.nodes}, {"elements", size.elements}};
}

// Describes the small case's result. Its verdict may be "pass", because --if may keep any case.
std::string TextOf(const CaseOutcome& outcome) {
  return outcome.message().empty() ? fmt::format("shows: {}", outcome.verdict())
                                   : outcome.message();
}

int Shrink(const ShrinkFlags& flags) {
  Artifact artifact;
  RunnerIdentity identity;
  const Interruption interruption;
  const Result<ShrunkFinding> shrunk = Run(flags, interruption.flag(), artifact, identity);
  if (!shrunk.ok()) return Fail(shrunk.error());
  const auto json = ArtifactToJson(artifact.options, identity, shrunk->item, shrunk->outcome,
                                   shrunk->reply, artifact.id);
  const Status written = WriteFileAtomic(flags.out, json.dump(1) + "\n");
  if (!written.ok()) return Fail(written.error());
  if (flags.json) {
    const Json summary = {{"provenance", ToText(identity.provenance)},
                          {"engine", identity.engine},
                          {"id", artifact.id},
                          {"out", flags.out},
                          {"verdict", ToText(shrunk->outcome.verdict())},
                          {"op", shrunk->outcome.shown.op()},
                          {"before", SizeToJson(shrunk->before)},
                          {"after", SizeToJson(shrunk->after)},
                          {"tries", shrunk->tries}};
    Print(summary.dump(2));
  } else {
    PrintText(fmt::format(
        "{}{}: {} and {}, from {} and {}, after {}\n  {}\n"
        "  anecheck replay {}",
        EvidenceMark(identity.provenance), artifact.id, Counted(shrunk->after.nodes, "node"),
        Counted(shrunk->after.elements, "element"), shrunk->before.nodes, shrunk->before.elements,
        Counted(shrunk->tries, "try", "tries"), TextOf(shrunk->outcome), ShellWord(flags.out)));
  }
  if (!shrunk->unanswered.empty()) {
    LogWarning(
        fmt::format("the runner returned no answer for the small case: {}", shrunk->unanswered));
  }
  if (!interruption.asked()) return kExitClean;
  LogWarning(fmt::format("interrupted; the finding in {} could be made smaller", flags.out));
  return kExitHarness;
}

}  // namespace

void AddShrinkCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("shrink", "Shrink the graph and the data of a finding");
  auto flags = std::make_shared<ShrinkFlags>();
  AddFindingArgument(command, flags->finding);
  AddDefectsFlag(command, flags->finding.defects);
  AddRejudgeFlag(command, flags->contract);
  command.AddOption("--if", flags->condition,
                    "Keep candidates for which `CMD FILE` exits with 0 (default: those with the "
                    "same verdict); FILE is a finding.json");
  command.AddOption("--out", flags->out, "File for the small finding")
      .Check(FileName())
      .ShowDefault();
  command.AddOption("--max-tries", flags->max_tries, "Largest number of candidates to run")
      .Check(WholeNumber(1))
      .ShowDefault();
  command.AddFlag("--json", flags->json, "Print the sizes as JSON");
  command.Footer("Example: anecheck shrink f0123456789a --db results.sqlite --out small.json");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Shrink(*flags); }; });
}

}  // namespace anecheck
