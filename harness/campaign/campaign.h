// A campaign: generates cases, runs them, judges every output element, confirms and records
// findings. `anecheck run` is a thin shell around it; power and baseline measurements drive it too.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
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

// Whether the values of a case were judged: the engine answered with some, or the runner verified
// the case itself, and the verdict says something. Graphs that must be refused have no values. Of
// a case that is not judged and not inconclusive the engine's refusal, failure or death was.
bool IsJudged(const CaseRow& record);

// Counts over a whole campaign, as its JSON summary gives them.
struct CampaignSummary {
  // As the run has them in the results file.
  Provenance provenance = Provenance::kReported;
  std::string engine;
  uint64_t seed = 0;
  uint64_t cases = 0;
  uint64_t judged = 0;  // cases of which IsJudged holds
  uint64_t inconclusive = 0;
  uint64_t findings = 0;       // distinct new ones
  uint64_t known_defects = 0;  // documented ones, each on each target
  // Distinct deviations that only terms never measured on their family forbid: neither new findings
  // nor known defects.
  uint64_t unconfirmed = 0;
  bool interrupted = false;      // cases are left that can be gone on with
  std::vector<FindingRow> list;  // distinct, in order of their first case
};

// Makes a fresh runner; called once a thread and again for confirmations.
using RunnerFactory = std::function<Result<std::unique_ptr<Runner>>()>;

// The runner that `options` name. Errors: kInvalid for an unknown kind.
Result<std::unique_ptr<Runner>> MakeRunner(const CampaignOptions& options);

// Runs the campaign and records it. `stop`, where given, ends it early when it becomes true, with
// all finished cases recorded. New findings and unconfirmed deviations are tried three more times
// in fresh workers, once a signature; one that does not repeat each time is `flaky`. Known defects
// are not: there are many of them in every run on a real engine, each try starts a worker, and a
// result that a documented defect explains is not new. Everything recorded but the times follows
// from the options. `progress` receives each batch, which is recorded within half a second; only
// the death of the process loses a batch after that.
Result<CampaignSummary> RunCampaign(const CampaignOptions& options,
                                    const RunnerFactory& make_runner,
                                    const std::function<void(const CampaignProgress&)>& progress,
                                    const std::atomic<bool>* stop = nullptr);

struct ResumePoint;

// Resumes a recorded run that a signal, a time limit or a killed process stopped. The file ends as
// an uninterrupted run would have left it, apart from times. From `options` it takes the number of
// jobs, the time limit and the results file; the rest must equal the recorded `point.options`.
Result<CampaignSummary> ResumeCampaign(const CampaignOptions& options, ResumePoint point,
                                       const RunnerFactory& make_runner,
                                       const std::function<void(const CampaignProgress&)>& progress,
                                       const std::atomic<bool>* stop = nullptr);

// Case `index` of a recorded campaign, made again as it was run, with the options of that run.
// Errors: kMalformed where these cannot be read, those of MakeCase.
Result<Case> RemakeCase(Store& store, const RunRow& run, uint64_t index, CampaignOptions& options);

// Errors: kInvalid where the runner is a chip's own engine, which another target of `options` is
// not (chip_target.h).
Status CheckTargets(const CampaignOptions& options, const RunnerIdentity& identity);

// How many cases the campaign makes: `cases`, or its shard's part of them.
uint64_t CasesOfShard(const CampaignOptions& options);

// Counts in `cases` that are recorded alike, and a finding that no earlier case showed.
void CountCases(const CaseRow& record, uint64_t cases, CampaignSummary& summary);
void CountFinding(Verdict verdict, CampaignSummary& summary);

// Whether the campaign found something new or, where `strict`, anything at all: documented defects
// and unconfirmed deviations too.
bool HasFindings(const CampaignSummary& summary, bool strict);

// {"provenance", "engine", "seed", "summary": {cases, judged, inconclusive, findings,
// known_defects, unconfirmed}, "findings": [...]}.
Json SummaryToJson(const CampaignSummary& summary);
// Its "summary".
Json CountsToJson(const CampaignSummary& summary);
// One of "findings".
Json FindingToJson(const FindingRow& finding);

}  // namespace anecheck
