#include "harness/results/row_values.h"

#include <algorithm>

namespace anecheck {

namespace {

constexpr int64_t ReachCounts::* kCounts[] = {
    &ReachCounts::cases,    &ReachCounts::compiled,     &ReachCounts::dispatched,
    &ReachCounts::correct,  &ReachCounts::known_defect, &ReachCounts::wrong,
    &ReachCounts::rejected, &ReachCounts::inconclusive, &ReachCounts::unconfirmed,
    &ReachCounts::planned};

}  // namespace

ReachCounts& ReachCounts::operator+=(const ReachCounts& other) {
  for (const auto count : kCounts) this->*count += other.*count;
  return *this;
}

ReachCounts& ReachCounts::operator-=(const ReachCounts& other) {
  for (const auto count : kCounts) this->*count -= other.*count;
  return *this;
}

std::vector<std::string> LinesOf(std::string_view names) {
  std::vector<std::string> lines;
  while (!names.empty()) {
    const size_t end = std::min(names.find('\n'), names.size());
    lines.emplace_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return lines;
}

MagnitudeErrors& MagnitudeErrors::operator+=(const MagnitudeErrors& other) {
  elements += other.elements;
  sum_ulp += other.sum_ulp;
  max_ulp = std::max(max_ulp, other.max_ulp);
  return *this;
}

CoverageCounts& CoverageCounts::operator+=(const CoverageCounts& other) {
  first_case = cases == 0 ? other.first_case : std::min(first_case, other.first_case);
  cases += other.cases;
  return *this;
}

CoverageCounts& CoverageCells::operator[](const CoverageKey& key) {
  for (size_t i = index_.size(); i < entries_.size(); ++i) index_.emplace(entries_[i].first, i);
  const auto [place, fresh] = index_.try_emplace(key, entries_.size());
  if (fresh) entries_.emplace_back(key, CoverageCounts{});
  return entries_[place->second].second;
}

}  // namespace anecheck
