#include "harness/campaign/confirmer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/shell_word.h"
#include "harness/campaign/artifact.h"
#include "harness/campaign/run_again.h"

namespace anecheck {
namespace {

constexpr int kConfirmations = 3;

}  // namespace

Confirmer::Confirmer(const CampaignOptions& options, std::unique_ptr<Runner> runner,
                     RunnerIdentity identity, std::set<std::string> signatures)
    : options_(options),
      runner_(std::move(runner)),
      identity_(std::move(identity)),
      signatures_(std::move(signatures)) {}

Result<std::vector<FindingRecord>> Confirmer::Confirm(Suspect& suspect) {
  std::vector<FindingRecord> findings;
  CaseOutcome& outcome = suspect.outcome;
  const std::vector<std::string> defects = DefectsOf(outcome);
  if (defects.size() < 2) {
    ANECHECK_ASSIGN(FindingRecord finding, ConfirmOne(suspect));
    findings.push_back(std::move(finding));
    return findings;
  }
  const std::string message = outcome.record.message, op = outcome.op;
  for (const std::string& defect : defects) {
    outcome.known_defect = defect;
    outcome.record.message = fmt::format("{}; it takes {} together to explain the case", message,
                                         fmt::join(defects, ", "));
    // Another operation may have it.
    outcome.op = op;
    outcome.node.clear();
    suspect.signature = Signature(outcome);
    ANECHECK_ASSIGN(FindingRecord finding, ConfirmOne(suspect));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Result<FindingRecord> Confirmer::ConfirmOne(Suspect& suspect) {
  FindingRecord finding = DescribeFinding(suspect.item, suspect.outcome);
  if (signatures_.contains(suspect.signature)) return finding;
  if (KindOfFinding(finding.verdict) != FindingKind::kKnownDefect) {
    ANECHECK_ASSIGN(const bool repeats, Repeats(suspect));
    // A signature of its own: a later case that shows the same each time is another finding.
    if (!repeats) {
      finding.verdict = suspect.outcome.record.verdict = "flaky";
      finding.signature = "flaky|" + suspect.signature;
    }
  }
  if (!signatures_.insert(finding.signature).second) return finding;
  Evaluation evaluation;
  ANECHECK_RETURN_IF_ERROR(
      ChargeDefect(suspect.item, suspect.reply, *runner_, evaluation, suspect.outcome));
  finding.op = suspect.outcome.op;
  Identify(suspect, finding);
  return finding;
}

void Confirmer::Identify(const Suspect& suspect, FindingRecord& finding) const {
  finding.id = FindingId(suspect.signature, suspect.item.seed);
  finding.replay = fmt::format("anecheck replay {} --db {}", finding.id, ShellWord(options_.db));
  finding.artifact =
      ArtifactToJson(options_, identity_, suspect.item, suspect.outcome, suspect.reply, finding.id)
          .dump();
}

Result<std::optional<FindingRecord>> Confirmer::Report(const Leaning& leaning,
                                                       const std::function<Result<Case>()>& item) {
  Suspect suspect;
  CaseRecord& record = suspect.outcome.record;
  record.verdict = kBiased;
  record.target = leaning.target;
  suspect.outcome.op = leaning.op;
  suspect.signature = Signature(suspect.outcome);
  if (signatures_.contains(suspect.signature)) return std::optional<FindingRecord>();
  ANECHECK_ASSIGN(suspect.item, item());
  Evaluation evaluation;
  ANECHECK_ASSIGN(AnsweredCase answered, AnswerAgain(suspect.item, kBiased, *runner_, evaluation));
  suspect.outcome = std::move(answered.outcome);
  suspect.reply = std::move(answered.reply);
  record.verdict = kBiased;
  record.message = DescribeLeaning(leaning);
  suspect.outcome.op = leaning.op;
  FindingRecord finding = DescribeFinding(suspect.item, suspect.outcome);
  signatures_.insert(finding.signature);
  Identify(suspect, finding);
  finding.occurrences = static_cast<int64_t>(leaning.sums.outputs);
  return std::optional(std::move(finding));
}

Result<bool> Confirmer::Repeats(const Suspect& suspect) {
  Evaluation evaluation;
  for (int i = 0; i < kConfirmations; ++i) {
    ANECHECK_RETURN_IF_ERROR(runner_->Restart());
    ANECHECK_ASSIGN(const CaseOutcome again,
                    RunAgain(suspect.item, suspect.outcome.record.verdict, *runner_, evaluation));
    if (Signature(again) != suspect.signature) return false;
  }
  return true;
}

}  // namespace anecheck
