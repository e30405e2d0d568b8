// What campaigns count, and how they say it.
#include <nlohmann/json.hpp>
#include <string_view>

#include "harness/campaign/campaign.h"
#include "harness/campaign/lean_watch.h"

namespace anecheck {

bool IsSuspect(std::string_view verdict) { return verdict != "pass" && verdict != "inconclusive"; }

bool IsNewFinding(std::string_view verdict) {
  return IsSuspect(verdict) && KindOfFinding(verdict) == FindingKind::kNew;
}

FindingKind KindOfFinding(std::string_view verdict) {
  if (verdict == "known-defect") return FindingKind::kKnownDefect;
  // Errors that lean are inside their bounds: that an engine rounds to nearest was never measured.
  const bool open = verdict == "unconfirmed" || verdict == kBiased;
  return open ? FindingKind::kUnconfirmed : FindingKind::kNew;
}

bool IsJudged(const CaseRecord& record) {
  return record.status == RunStatusName(RunStatus::kOk) && record.verdict != "inconclusive" &&
         record.mode != CaseModeName(CaseMode::kMustReject);
}

void CountCases(const CaseRecord& record, uint64_t cases, CampaignSummary& summary) {
  summary.cases += cases;
  if (IsJudged(record)) summary.judged += cases;
  if (record.verdict == "inconclusive") summary.inconclusive += cases;
}

void CountFinding(std::string_view verdict, CampaignSummary& summary) {
  switch (KindOfFinding(verdict)) {
    case FindingKind::kNew:
      ++summary.findings;
      break;
    case FindingKind::kKnownDefect:
      ++summary.known_defects;
      break;
    case FindingKind::kUnconfirmed:
      ++summary.unconfirmed;
      break;
  }
}

bool HasFindings(const CampaignSummary& summary, bool strict) {
  return summary.findings > 0 || (strict && (summary.known_defects > 0 || summary.unconfirmed > 0));
}

nlohmann::ordered_json FindingToJson(const FindingRecord& finding) {
  return {{"id", finding.id},           {"op", finding.op},
          {"target", finding.target},   {"route", finding.route},
          {"verdict", finding.verdict}, {"known_defect", finding.known_defect},
          {"case", finding.case_index}, {"occurrences", finding.occurrences},
          {"summary", finding.summary}, {"replay", finding.replay}};
}

nlohmann::ordered_json CountsToJson(const CampaignSummary& summary) {
  return {{"cases", summary.cases},
          {"judged", summary.judged},
          {"inconclusive", summary.inconclusive},
          {"findings", summary.findings},
          {"known_defects", summary.known_defects},
          {"unconfirmed", summary.unconfirmed}};
}

nlohmann::ordered_json SummaryToJson(const CampaignSummary& summary) {
  nlohmann::ordered_json json;
  json["provenance"] = summary.provenance;
  json["engine"] = summary.engine;
  json["seed"] = summary.seed;
  json["summary"] = CountsToJson(summary);
  json["findings"] = nlohmann::ordered_json::array();
  for (const FindingRecord& finding : summary.list) {
    json["findings"].push_back(FindingToJson(finding));
  }
  return json;
}

}  // namespace anecheck
