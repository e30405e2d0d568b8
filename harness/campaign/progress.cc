#include "harness/campaign/progress.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/coverage.h"

namespace anecheck {
namespace {

double RateOf(const CampaignProgress& progress) {
  const uint64_t fresh = progress.done - std::min(progress.done, progress.before);
  return progress.seconds > 0 ? static_cast<double>(fresh) / progress.seconds : 0;
}

std::string Defects(uint64_t fresh, uint64_t known, uint64_t unconfirmed) {
  return Counted(fresh, "new finding") + ", " + Counted(known, "known defect") +
         (unconfirmed == 0 ? "" : ", " + Counted(unconfirmed, "unconfirmed deviation"));
}

}  // namespace

Status ProgressCounts::Recall(Store& store, int64_t run, const CampaignSummary& summary) {
  ANECHECK_RETURN_IF_ERROR(store.EachCase(run, [&](const CaseRow& item) { AddCase(item); }));
  for (const FindingRow& finding : summary.list) AddFinding(finding);
  ANECHECK_ASSIGN(const std::vector<CoverageRow> cells, store.Rows<CoverageRow>(run));
  for (const CoverageRow& row : cells) Meet(row.kind, row.cell);
  return {};
}

void ProgressCounts::Add(const RowBatch& batch) {
  for (const CaseRow& item : batch.cases) AddCase(item);
  for (const FindingRow& finding : batch.findings) {
    // A row without an id is a further case of a finding that was already counted.
    if (!finding.id.empty()) AddFinding(finding);
  }
  for (const auto& [cell, counts] : batch.coverage) {
    // Most cells are already present, and for these insert, unlike emplace, allocates nothing.
    const bool fresh = seen_.insert({cell.first.data(), cell.second.data()}).second;
    if (fresh) Meet(cell.first, cell.second);
  }
}

void ProgressCounts::AddCase(const CaseRow& item) {
  TargetProgress& target = targets_[item.target];
  ++target.cases;
  target.passed += item.verdict == Verdict::kPass ? 1 : 0;
}

void ProgressCounts::AddFinding(const FindingRow& finding) {
  TargetProgress& target = targets_[finding.target];
  switch (KindOfFinding(finding.verdict)) {
    case FindingKind::kNew:
      ++target.findings;
      break;
    case FindingKind::kKnownDefect:
      ++target.known_defects;
      break;
    case FindingKind::kUnconfirmed:
      ++target.unconfirmed;
      break;
  }
}

void ProgressCounts::Meet(std::string_view kind, std::string_view cell) {
  not_looked_up_.emplace_back(kind, cell);
}

uint64_t ProgressCounts::cells_covered() const {
  for (const auto& [kind, cell] : not_looked_up_) {
    const CoverageCell key = {kind, cell};
    if (std::ranges::binary_search(CoverageSpace(), key)) cells_.emplace(kind, cell);
  }
  not_looked_up_.clear();
  return cells_.size();
}

double SecondsLeft(const CampaignProgress& progress) {
  double left = -1;
  const double rate = RateOf(progress);
  if (rate > 0 && progress.wanted >= progress.done && progress.wanted < kUnlimitedCases) {
    left = static_cast<double>(progress.wanted - progress.done) / rate;
  }
  if (progress.limit_seconds > 0) {
    const double until = std::max(0.0, progress.limit_seconds - progress.seconds);
    left = left < 0 ? until : std::min(left, until);
  }
  return left;
}

std::string ClockText(double seconds) {
  const auto whole = static_cast<uint64_t>(std::lround(seconds));
  const uint64_t hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string TimeLeftText(double seconds, uint64_t done, uint64_t of) {
  constexpr uint64_t kLeastDone = 3;
  if (done < kLeastDone || done > of) return {};
  const double left = seconds / static_cast<double>(done) * static_cast<double>(of - done);
  return fmt::format(", about {} left", ClockText(left));
}

std::string CampaignProgressText(const CampaignProgress& progress) {
  const bool counted = progress.wanted < kUnlimitedCases;
  std::string text = counted ? fmt::format("{}/{}", progress.done, Counted(progress.wanted, "case"))
                             : Counted(progress.done, "case");
  text += fmt::format(", {:.0f}/s", RateOf(progress));
  const double left = SecondsLeft(progress);
  if (left >= 0) text += ", " + ClockText(left) + " left";
  if (progress.counts == nullptr) return text;
  text += ", " + Defects(progress.findings, progress.known_defects, progress.unconfirmed);
  text += fmt::format(", {:.1f} % of {} cells covered",
                      100.0 * static_cast<double>(progress.counts->cells_covered()) /
                          static_cast<double>(CoverageSpace().size()),
                      CoverageSpace().size());
  for (const auto& [name, target] : progress.counts->targets()) {
    text += fmt::format("\n  {:<8} {}, {} passed, {}", name, Counted(target.cases, "case"),
                        target.passed,
                        Defects(target.findings, target.known_defects, target.unconfirmed));
  }
  return text;
}

}  // namespace anecheck
