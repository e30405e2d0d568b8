#include "harness/judging/unconfirmed_watch.h"

#include <fmt/format.h>

namespace anecheck {
namespace {

int64_t Judged(const ReachCounts& counts) {
  return counts.correct + counts.known_defect + counts.wrong + counts.unconfirmed;
}

}  // namespace

std::string DescribeOften(const OftenUnconfirmed& often) {
  return fmt::format(
      "in {} of {} cases only terms that were never measured forbid its results, or a single "
      "element shows a known defect that further runs do not confirm",
      often.unconfirmed, often.judged);
}

Status UnconfirmedWatch::Recall(Store& store, int64_t run) {
  ANECHECK_ASSIGN(const std::vector<ReachRow> reach, store.Rows<ReachRow>(run));
  for (const ReachRow& row : reach) counts_[{row.target, row.route, row.op}] += row;
  ANECHECK_ASSIGN(const std::vector<UnconfirmedRow> rows, store.Rows<UnconfirmedRow>(run));
  for (const UnconfirmedRow& row : rows) {
    if (!row.provenance) counts_[{row.target, row.route, row.op}].unconfirmed += row.cases;
  }
  ANECHECK_ASSIGN(const std::vector<FindingRow> findings, store.Rows<FindingRow>(run));
  for (const FindingRow& finding : findings) Note(finding);
  return {};
}

void UnconfirmedWatch::Note(const FindingRow& finding) {
  if (finding.verdict != Verdict::kUnconfirmed) return;
  examples_.try_emplace({finding.target, finding.route, finding.op}, finding.case_index);
}

std::vector<OftenUnconfirmed> UnconfirmedWatch::Add(const RowBatch& batch) {
  for (const FindingRow& finding : batch.findings) Note(finding);
  std::vector<OftenUnconfirmed> found;
  for (const auto& [key, counts] : batch.reach) {
    ReachCounts& sum = counts_[key];
    sum += counts;
    const auto example = examples_.find(key);
    if (counts.unconfirmed == 0 || example == examples_.end()) continue;
    if (sum.unconfirmed < kLeastCases) continue;
    if (sum.unconfirmed * 100 < Judged(sum) * kLeastPercent) continue;
    found.push_back({.target = std::get<0>(key),
                     .op = std::get<2>(key),
                     .route = std::get<1>(key),
                     .unconfirmed = sum.unconfirmed,
                     .judged = Judged(sum),
                     .example = example->second});
  }
  return found;
}

}  // namespace anecheck
