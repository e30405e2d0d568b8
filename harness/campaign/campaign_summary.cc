// Computes the counts of campaigns, and writes them as JSON.

#include "harness/base/json.h"
#include "harness/campaign/campaign.h"

namespace anecheck {

bool IsJudged(const CaseRow& record) {
  return record.status == RunStatus::kOk && record.verdict != Verdict::kInconclusive &&
         record.mode != CaseMode::kMustReject;
}

void CountCases(const CaseRow& record, uint64_t cases, CampaignSummary& summary) {
  summary.cases += cases;
  if (IsJudged(record)) summary.judged += cases;
  if (record.verdict == Verdict::kInconclusive) summary.inconclusive += cases;
}

void CountFinding(Verdict verdict, CampaignSummary& summary) {
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

Json FindingToJson(const FindingRow& finding) {
  return {{"id", finding.id},
          {"op", finding.op},
          {"target", finding.target},
          {"route", ToText(finding.route)},
          {"verdict", ToText(finding.verdict)},
          {"known_defect", finding.defects.ToText()},
          {"case", finding.case_index},
          {"occurrences", finding.occurrences},
          {"summary", finding.summary},
          {"replay", finding.replay}};
}

Json CountsToJson(const CampaignSummary& summary) {
  return {{"cases", summary.cases},
          {"judged", summary.judged},
          {"inconclusive", summary.inconclusive},
          {"findings", summary.findings},
          {"known_defects", summary.known_defects},
          {"unconfirmed", summary.unconfirmed}};
}

Json SummaryToJson(const CampaignSummary& summary) {
  Json json;
  json["provenance"] = ToText(summary.provenance);
  json["engine"] = summary.engine;
  json["seed"] = summary.seed;
  json["summary"] = CountsToJson(summary);
  json["findings"] = Json::array();
  for (const FindingRow& finding : summary.list) {
    json["findings"].push_back(FindingToJson(finding));
  }
  return json;
}

}  // namespace anecheck
