#include "harness/campaign/resume.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <tuple>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/campaign/run_row.h"
#include "harness/cases/options_json.h"

namespace anecheck {
namespace {

// Returns the newest unfinished campaign or, if there is none, the newest. Ignores probes.
Result<RunRow> NewestCampaign(Store& store) {
  ANECHECK_ASSIGN(std::vector<RunRow> runs, store.Runs());
  std::optional<RunRow> newest;
  for (RunRow& run : runs) {
    ANECHECK_ASSIGN(const std::vector<ProbeRow> probes, store.Rows<ProbeRow>(run.id));
    if (!probes.empty()) continue;
    const bool open = run.state != RunState::kFinished;
    if (open || !newest || newest->state == RunState::kFinished) newest = std::move(run);
  }
  if (newest) return *std::move(newest);
  return MakeError(ErrorCode::kNotFound, fmt::format("{}: holds no campaign", store.path()));
}

// Reads the point without taking a lock.
Result<ResumePoint> ReadPoint(Store& store) {
  ANECHECK_ASSIGN(const RunRow run, NewestCampaign(store));
  ResumePoint point;
  point.run = run.id;
  point.state = run.state;
  point.engine = run.engine;
  point.provenance = run.provenance;
  point.runner = run.runner;
  point.chip = run.chip;
  point.os = run.os;
  point.compiler_version = run.compiler_version;
  point.started = run.started;
  point.command = run.command;
  const auto content = run.libraries.find(kEngineLibrary);
  if (content != run.libraries.end()) point.content = content->second;
  const std::string name = fmt::format("{}: options of run {}", store.path(), run.id);
  ANECHECK_ASSIGN(const Json json, ParseJson(run.options, name));
  Result<CampaignOptions> options = OptionsFromJson(json);
  if (!options.ok()) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: {}", name, options.error().message));
  }
  point.options = std::move(options).value();
  point.options.db = store.path();
  point.summary.provenance = point.provenance;
  point.summary.engine = point.engine;
  point.summary.seed = point.options.seed;
  ANECHECK_RETURN_IF_ERROR(store.EachWholeCase(
      run.id, [&](const CaseRow& record) { CountCase(record, point.summary); }));
  ANECHECK_ASSIGN(const std::vector<PaceRow> pace, store.Rows<PaceRow>(run.id));
  for (const PaceRow& row : pace) point.seconds = std::max(point.seconds, row.seconds);
  ANECHECK_ASSIGN(point.summary.list, store.Rows<FindingRow>(run.id));
  std::ranges::sort(point.summary.list, std::less(), [](const FindingRow& finding) {
    return std::tie(finding.case_index, finding.id);
  });
  for (const FindingRow& finding : point.summary.list) {
    CountFinding(finding.verdict, point.summary);
    point.signatures.insert(finding.signature);
  }
  return point;
}

}  // namespace

Result<ResumePoint> ReadResumePoint(Store& store) {
  for (;;) {
    ANECHECK_ASSIGN(ResumePoint seen, ReadPoint(store));
    if (seen.state == RunState::kFinished) return seen;
    ANECHECK_ASSIGN(RunLock lock, RunLock::Take(store.path(), seen.run));
    // Reads the point again, because the run's writer may have recorded more meanwhile.
    ANECHECK_ASSIGN(ResumePoint point, ReadPoint(store));
    if (point.run != seen.run) continue;
    point.lock.emplace(std::move(lock));
    return point;
  }
}

}  // namespace anecheck
