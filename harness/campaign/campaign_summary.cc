// Computes the counts of campaigns, and writes them as JSON.

#include <algorithm>
#include <string_view>

#include "harness/base/json.h"
#include "harness/campaign/campaign.h"
#include "harness/judging/masked_message.h"

namespace anecheck {
namespace {

constexpr size_t kMostReasons = 3;

// If a case was refused because of one operation, an output row has the reason without the
// operation's name. Reasons that differ only in the operation's name thus count as one reason.
std::string_view ReasonOf(const CaseRow& record) {
  if (record.status != RunStatus::kOk) {
    for (const OutputVerdict& output : record.outputs) {
      if (!output.reason.empty()) return output.reason;
    }
  }
  return record.message.empty() ? "no reason was given" : std::string_view(record.message);
}

}  // namespace

bool IsJudged(const CaseRow& record) {
  return record.status == RunStatus::kOk && record.verdict != Verdict::kInconclusive &&
         record.mode != CaseMode::kMustReject;
}

void CountCase(const CaseRow& record, CampaignSummary& summary) {
  ++summary.cases;
  if (IsJudged(record)) ++summary.judged;
  if (record.verdict != Verdict::kInconclusive) return;
  ++summary.inconclusive;
  const std::string_view reason = ReasonOf(record);
  InconclusiveReason& counted = summary.reasons[MaskedMessage(reason)];
  if (++counted.cases == 1) counted.reason = reason;
}

std::vector<InconclusiveReason> FrequentReasons(const CampaignSummary& summary) {
  std::vector<InconclusiveReason> reasons;
  reasons.reserve(summary.reasons.size());
  for (const auto& [masked, reason] : summary.reasons) reasons.push_back(reason);
  std::ranges::sort(reasons, [](const InconclusiveReason& a, const InconclusiveReason& b) {
    return a.cases != b.cases ? a.cases > b.cases : a.reason < b.reason;
  });
  reasons.resize(std::min(reasons.size(), kMostReasons));
  return reasons;
}

bool IsMostlyInconclusive(const CampaignSummary& summary) {
  return summary.inconclusive > summary.cases - summary.inconclusive;
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
  json["inconclusive_reasons"] = Json::array();
  for (const InconclusiveReason& counted : FrequentReasons(summary)) {
    json["inconclusive_reasons"].push_back({{"reason", counted.reason}, {"cases", counted.cases}});
  }
  json["findings"] = Json::array();
  for (const FindingRow& finding : summary.list) {
    json["findings"].push_back(FindingToJson(finding));
  }
  return json;
}

}  // namespace anecheck
