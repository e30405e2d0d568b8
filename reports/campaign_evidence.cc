#include "reports/campaign_evidence.h"

#include <map>
#include <string>
#include <utility>

#include "harness/base/counted.h"
#include "harness/campaign/campaign.h"

namespace anecheck::reports {
namespace {

using evidence::Statement;

// Sets the tool and the date to those of the newest run that the statement summarises.
void Describe(const ReportData& data, Statement& statement) {
  for (const RunInfo& run : data.runs) {
    const bool counted = run.provenance == statement.provenance && run.chip == statement.chip &&
                         run.os == statement.os &&
                         run.compiler_version == statement.compiler_version &&
                         run.met.contains({statement.target, *statement.route});
    if (!counted) continue;
    const std::string day = run.started.substr(0, 10);
    if (day < statement.date) continue;
    statement.date = day;
    statement.tool_version = run.tool_version;
  }
}

Statement StatementOf(const ReportData& data, const CellEvidence& found) {
  Statement statement;
  statement.subject = evidence::Canonical(found.key.op);
  statement.target = found.key.target;
  statement.route = found.key.route;
  statement.stage = found.stage;
  statement.status = std::string(ToText(found.stage));
  statement.provenance = found.key.provenance;
  statement.basis = ToText(found.key.provenance);
  statement.chip = found.key.chip;
  statement.os = found.key.os;
  statement.compiler_version = found.key.compiler_version;
  statement.source = "campaign";
  statement.note = Counted(found.counts.cases, "case");
  Describe(data, statement);
  return statement;
}

}  // namespace

void Tally(const FindingInfo& finding, FindingTally& tally) {
  if (finding.verdict == Verdict::kKnownDefect) ++tally.known;
  if (KindOfFinding(finding.verdict) == FindingKind::kUnconfirmed) ++tally.unconfirmed;
  if (!finding.is_new) return;
  // A refusal does not show that values are wrong.
  if (finding.verdict == Verdict::kRejected) {
    ++tally.refused;
  } else {
    ++(finding.verdict == Verdict::kWrong ? tally.wrong : tally.failed);
  }
}

Stage StageOf(const ReachCounts& counts, const FindingTally& findings) {
  const bool ran = counts.dispatched > 0;
  if (findings.wrong > 0 && ran) return Stage::kWrong;
  if (findings.wrong + findings.failed > 0) return Stage::kFailed;
  // The rules admit the graph, so the operation is not right although other cases of it ran.
  if (findings.refused > 0) return Stage::kRejected;
  if (findings.known > 0 && ran) return Stage::kKnownDefect;
  if (findings.unconfirmed > 0 && ran) return Stage::kUnconfirmed;
  if (counts.correct > 0) return Stage::kCorrect;
  if (ran) return Stage::kDispatched;
  if (counts.planned > 0) return Stage::kPlanned;
  if (counts.compiled > 0) return Stage::kCompiled;
  return counts.rejected > 0 ? Stage::kRejected : Stage::kCatalogued;
}

std::vector<CellEvidence> EvidenceOf(const ReportData& data) {
  std::map<ReachKey, CellEvidence> found;
  for (const auto& [key, counts] : data.reach) {
    found.emplace_hint(found.end(), key, CellEvidence())->second.counts = counts;
  }
  for (const FindingInfo& finding : data.findings) {
    const RunInfo& run = data.runs[finding.run];
    const ReachKey key = {finding.op,
                          finding.target,
                          finding.route,
                          run.ProvenanceOf(finding.target, finding.route, finding.op),
                          run.chip,
                          run.os,
                          run.compiler_version};
    if (!finding.op.empty()) Tally(finding, found[key].findings);
  }
  std::vector<CellEvidence> list;
  for (auto& [key, item] : found) {
    item.key = key;
    item.stage = StageOf(item.counts, item.findings);
    list.push_back(std::move(item));
  }
  return list;
}

std::vector<Statement> StatementsOf(const ReportData& data) {
  const std::vector<CellEvidence> found = EvidenceOf(data);
  std::vector<Statement> statements;
  statements.reserve(found.size());
  for (const CellEvidence& cell : found) statements.push_back(StatementOf(data, cell));
  return statements;
}

}  // namespace anecheck::reports
