#include "harness/findings/confirmer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "harness/base/json.h"
#include "harness/base/shell_word.h"
#include "harness/findings/artifact.h"
#include "harness/findings/run_again.h"

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

Result<std::vector<FindingRow>> Confirmer::Confirm(Suspect& suspect) {
  std::vector<FindingRow> findings;
  CaseOutcome& outcome = suspect.outcome;
  const Outcome together = outcome.shown;
  if (together.defects().size() < 2) {
    ANECHECK_ASSIGN(FindingRow finding, ConfirmOne(suspect));
    findings.push_back(std::move(finding));
    return findings;
  }
  for (const std::string& defect : together.defects()) {
    // `op` is the operation of the whole outcome. This defect may be at another one.
    outcome.shown =
        Outcome({.verdict = together.verdict(),
                 .message = fmt::format("{}; it takes {} together to explain the case",
                                        together.message(), fmt::join(together.defects(), ", ")),
                 .op = together.op(),
                 .defects = {defect}});
    suspect.signature = Signature(outcome);
    ANECHECK_ASSIGN(FindingRow finding, ConfirmOne(suspect));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Result<FindingRow> Confirmer::ConfirmOne(Suspect& suspect) {
  FindingRow finding = DescribeFinding(suspect.item, suspect.outcome);
  if (signatures_.contains(suspect.signature)) return finding;
  if (KindOfFinding(finding.verdict) != FindingKind::kKnownDefect) {
    ANECHECK_ASSIGN(const bool repeats, Repeats(suspect));
    // A flaky result gets its own signature, because a case whose result repeats is another
    // finding.
    if (!repeats) {
      finding.verdict = Verdict::kFlaky;
      finding.signature = fmt::format("{}|{}", Verdict::kFlaky, suspect.signature);
      const Outcome& shown = suspect.outcome.shown;
      suspect.outcome.shown = Outcome({.verdict = Verdict::kFlaky,
                                       .message = shown.message(),
                                       .op = shown.op(),
                                       .node = shown.node(),
                                       .defects = shown.defects()});
    }
  }
  if (!signatures_.insert(finding.signature).second) return finding;
  Evaluation evaluation;
  ANECHECK_RETURN_IF_ERROR(
      ChargeDefect(suspect.item, suspect.reply, *runner_, evaluation, suspect.outcome));
  finding.op = suspect.outcome.shown.op();
  Identify(suspect, finding);
  return finding;
}

void Confirmer::Identify(const Suspect& suspect, FindingRow& finding) const {
  finding.id = FindingId(suspect.signature, suspect.item.seed);
  finding.replay = fmt::format("anecheck replay {} --db {}", finding.id, ShellWord(options_.db));
  finding.artifact =
      ArtifactToJson(options_, identity_, suspect.item, suspect.outcome, suspect.reply, finding.id)
          .dump();
}

OfMany AsFinding(const Leaning& leaning) {
  return {.target = leaning.target,
          .shown = Outcome(
              {.verdict = Verdict::kBiased, .message = DescribeLeaning(leaning), .op = leaning.op}),
          .occurrences = static_cast<int64_t>(leaning.sums.outputs),
          .example = leaning.sums.extreme_case};
}

OfMany AsFinding(const OftenUnconfirmed& often) {
  return {.target = often.target,
          .shown = Outcome(
              {.verdict = Verdict::kOften, .message = DescribeOften(often), .op = often.op}),
          .occurrences = often.unconfirmed,
          .example = often.example};
}

Result<std::optional<FindingRow>> Confirmer::Report(const OfMany& many,
                                                    const std::function<Result<Case>()>& item) {
  Suspect suspect;
  suspect.outcome.target = many.target;
  suspect.outcome.shown = many.shown;
  suspect.signature = Signature(suspect.outcome);
  if (signatures_.contains(suspect.signature)) return std::optional<FindingRow>();
  ANECHECK_ASSIGN(suspect.item, item());
  Evaluation evaluation;
  ANECHECK_ASSIGN(AnsweredCase answered,
                  AnswerAgain(suspect.item, many.shown.verdict(), *runner_, evaluation));
  suspect.outcome = std::move(answered.outcome);
  suspect.reply = std::move(answered.reply);
  suspect.outcome.shown = many.shown;
  FindingRow finding = DescribeFinding(suspect.item, suspect.outcome);
  signatures_.insert(finding.signature);
  Identify(suspect, finding);
  finding.occurrences = many.occurrences;
  return std::optional(std::move(finding));
}

Result<bool> Confirmer::Repeats(const Suspect& suspect) {
  Evaluation evaluation;
  for (int i = 0; i < kConfirmations; ++i) {
    ANECHECK_RETURN_IF_ERROR(runner_->Restart());
    ANECHECK_ASSIGN(const CaseOutcome again,
                    RunAgain(suspect.item, suspect.outcome.verdict(), *runner_, evaluation));
    if (Signature(again) != suspect.signature) return false;
  }
  return true;
}

}  // namespace anecheck
