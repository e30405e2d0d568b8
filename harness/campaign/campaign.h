// A campaign generates cases, runs them, judges every output element, and confirms and records
// findings. `anecheck run` adds only the command line and the printed summary.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/campaign/progress.h"
#include "harness/cases/case.h"
#include "harness/cases/options.h"
#include "harness/results/store.h"
#include "harness/runners/runner.h"

namespace anecheck {

// Whether the values of a case were judged: the engine returned values, or the runner verified the
// case itself, and the verdict is not inconclusive. A case whose graph must be refused has no
// values. If a case is neither judged nor inconclusive, its verdict concerns the engine's refusal,
// failure or death.
bool IsJudged(const CaseRow& record);

// Cases that are inconclusive for one reason.
struct InconclusiveReason {
  std::string reason;  // of the first case, without the operation that it names
  uint64_t cases = 0;
};

// Counts over a whole campaign, as in its JSON summary.
struct CampaignSummary {
  // `provenance` and `engine` are those that the results file records for the run.
  Provenance provenance = Provenance::kReported;
  std::string engine;
  uint64_t seed = 0;
  uint64_t cases = 0;
  uint64_t judged = 0;  // cases for which IsJudged is true
  uint64_t inconclusive = 0;
  std::map<std::string, InconclusiveReason> reasons;  // by masked text (masked_message.h)
  uint64_t findings = 0;                              // distinct new findings
  uint64_t known_defects = 0;  // documented defects, each counted once per target
  // Distinct deviations of Verdict::kUnconfirmed. They count as findings in no other member.
  uint64_t unconfirmed = 0;
  bool interrupted = false;      // cases are left that a resume can run
  std::vector<FindingRow> list;  // distinct findings, in order of their first case
};

// Makes a new runner. Called once per thread, and again for confirmations.
using RunnerFactory = std::function<Result<std::unique_ptr<Runner>>()>;

// Makes the runner that `options` name. Errors: kInvalid for an unknown kind.
Result<std::unique_ptr<Runner>> MakeRunner(const CampaignOptions& options);

// Runs the campaign and records it. If `stop` is not null, the campaign ends early once `*stop` is
// true, and all finished cases are recorded. The first new finding or unconfirmed deviation of each
// signature is tried three more times in new workers. If it does not repeat every time, it is
// `flaky`. Known defects are not tried again, because each try starts a worker and every run on a
// real engine has many known defects. The options determine all recorded data except times.
// `progress` receives each recorded batch. A finished batch is recorded within a second; if the
// process dies before that, the batch is lost.
Result<CampaignSummary> RunCampaign(const CampaignOptions& options,
                                    const RunnerFactory& make_runner,
                                    const std::function<void(const CampaignProgress&)>& progress,
                                    const std::atomic<bool>* stop = nullptr);

struct ResumePoint;

// Resumes a recorded run that a signal, a time limit or the death of its process stopped. Except
// for times, the file then equals that of an uninterrupted run. The number of jobs, the time limit
// and the results file of `options` may differ from the recorded `point.options`. All other options
// must be equal.
Result<CampaignSummary> ResumeCampaign(const CampaignOptions& options, ResumePoint point,
                                       const RunnerFactory& make_runner,
                                       const std::function<void(const CampaignProgress&)>& progress,
                                       const std::atomic<bool>* stop = nullptr);

// Makes case `index` of a recorded campaign again as it was run, and stores the options of that run
// in `options`. Errors: kMalformed if the recorded options cannot be read, and those of MakeCase.
Result<Case> RemakeCase(Store& store, const RunRow& run, uint64_t index, CampaignOptions& options);

// Checks the targets in `options`. Errors: kInvalid if a target does not fit the runner. The engine
// of a real chip takes no target of another chip (chip_target.h). The exact emulator takes no
// target whose engine adds in fixed point. A runner without an ANE takes no target of a chip.
Status CheckTargets(const CampaignOptions& options, const RunnerIdentity& identity);

// Returns the number of cases that the campaign makes, which is its shard's part of
// `options.cases`. If only time limits the campaign, returns kUnlimitedCases for every shard.
uint64_t CasesOfShard(const CampaignOptions& options);

// CountCase adds a case; `record` must contain its outputs. CountFinding adds a finding at its
// first case.
void CountCase(const CaseRow& record, CampaignSummary& summary);
void CountFinding(Verdict verdict, CampaignSummary& summary);

// Returns at most three reasons of inconclusive cases, the most frequent first.
std::vector<InconclusiveReason> FrequentReasons(const CampaignSummary& summary);
// Whether more than half of the cases are inconclusive.
bool IsMostlyInconclusive(const CampaignSummary& summary);

// Whether the campaign found something new. With `strict`, documented defects and unconfirmed
// deviations count too.
bool HasFindings(const CampaignSummary& summary, bool strict);

// {"provenance", "engine", "seed", "summary": {cases, judged, inconclusive, findings,
// known_defects, unconfirmed}, "inconclusive_reasons": [{reason, cases}], "findings": [...]}.
Json SummaryToJson(const CampaignSummary& summary);
// The member "summary" of SummaryToJson.
Json CountsToJson(const CampaignSummary& summary);
// One element of "findings".
Json FindingToJson(const FindingRow& finding);

}  // namespace anecheck
