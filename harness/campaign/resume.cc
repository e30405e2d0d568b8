#include "harness/campaign/resume.h"

#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/json_text.h"
#include "harness/campaign/options_json.h"

namespace anecheck {
namespace {

// Parameters are bound as text, which SQLite does not compare equal to the integer it spells.
constexpr const char* kCasesSql =
    "SELECT mode, status, verdict, count(*) FROM cases WHERE run = CAST(? AS INTEGER) "
    "GROUP BY mode, status, verdict";
constexpr const char* kSecondsSql =
    "SELECT coalesce(max(seconds), 0) FROM pace WHERE run = CAST(? AS INTEGER)";
constexpr const char* kFindingsSql =
    "SELECT id, case_index, op, target, route, verdict, known_defect, signature, summary, replay, "
    "occurrences FROM findings WHERE run = CAST(? AS INTEGER) ORDER BY case_index, id";

FindingRecord ToFinding(const std::vector<std::string>& row) {
  FindingRecord finding;
  finding.id = row[0];
  finding.case_index = std::stoull(row[1]);
  finding.op = row[2];
  finding.target = row[3];
  finding.route = row[4];
  finding.verdict = row[5];
  finding.known_defect = row[6];
  finding.signature = row[7];
  finding.summary = row[8];
  finding.replay = row[9];
  finding.occurrences = std::stoll(row[10]);
  return finding;
}

// Without a lock.
Result<ResumePoint> ReadPoint(Store& store) {
  ANECHECK_ASSIGN(
      const auto runs,
      store.Query(
          "SELECT id, state, options, engine, provenance, runner, chip, os, "
          "compiler_version, started, command, coalesce((SELECT version FROM "
          "libraries WHERE run = runs.id AND name = 'engine'), '') FROM runs WHERE NOT EXISTS "
          "(SELECT 1 FROM probes WHERE probes.run = runs.id) "
          "ORDER BY state = 'finished', id DESC LIMIT 1"));
  if (runs.empty()) {
    return MakeError(ErrorCode::kNotFound, fmt::format("{}: holds no campaign", store.path()));
  }
  ResumePoint point;
  point.run = std::stoll(runs[0][0]);
  point.state = runs[0][1];
  point.engine = runs[0][3];
  point.provenance = runs[0][4];
  point.runner = runs[0][5];
  point.chip = runs[0][6];
  point.os = runs[0][7];
  point.compiler_version = runs[0][8];
  point.started = runs[0][9];
  point.command = runs[0][10];
  point.content = runs[0][11];
  const std::string name = fmt::format("{}: options of run {}", store.path(), point.run);
  ANECHECK_ASSIGN(const Json json, ParseJson(runs[0][2], name));
  Result<CampaignOptions> options = OptionsFromJson(json);
  if (!options.ok()) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: {}", name, options.error().message));
  }
  point.options = std::move(options).value();
  point.options.db = store.path();
  point.summary.provenance = point.provenance;
  point.summary.engine = point.engine;
  point.summary.seed = point.options.seed;
  const std::string run[] = {runs[0][0]};
  ANECHECK_ASSIGN(const auto cases, store.Query(kCasesSql, run));
  CaseRecord record;
  for (const auto& row : cases) {
    record.mode = row[0];
    record.status = row[1];
    record.verdict = row[2];
    CountCases(record, std::stoull(row[3]), point.summary);
  }
  ANECHECK_ASSIGN(const auto seconds, store.Query(kSecondsSql, run));
  point.seconds = std::strtod(seconds[0][0].c_str(), nullptr);
  ANECHECK_ASSIGN(const auto findings, store.Query(kFindingsSql, run));
  for (const auto& row : findings) {
    point.summary.list.push_back(ToFinding(row));
    const FindingRecord& finding = point.summary.list.back();
    CountFinding(finding.verdict, point.summary);
    point.signatures.insert(finding.signature);
  }
  return point;
}

}  // namespace

Result<ResumePoint> ReadResumePoint(Store& store) {
  for (;;) {
    ANECHECK_ASSIGN(ResumePoint seen, ReadPoint(store));
    if (seen.state == "finished") return seen;
    ANECHECK_ASSIGN(RunLock lock, RunLock::Take(store.path(), seen.run));
    // Its writer may have gone on, and ended, in between.
    ANECHECK_ASSIGN(ResumePoint point, ReadPoint(store));
    if (point.run != seen.run) continue;
    point.lock.emplace(std::move(lock));
    return point;
  }
}

}  // namespace anecheck
