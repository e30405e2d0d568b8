#include "harness/verdict/defect_set.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace anecheck {

DefectSet::DefectSet(std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) Add(id);
}

DefectSet::DefectSet(std::span<const std::string_view> ids) {
  for (const std::string_view id : ids) Add(id);
}

void DefectSet::Add(std::string_view id) {
  const auto place = std::ranges::lower_bound(ids_, id);
  if (place == ids_.end() || *place != id) ids_.emplace(place, id);
}

void DefectSet::Add(const DefectSet& other) {
  for (const std::string& id : other) Add(id);
}

bool DefectSet::Has(std::string_view id) const { return std::ranges::binary_search(ids_, id); }

bool DefectSet::HasOneOf(const DefectSet& other) const {
  return std::ranges::any_of(other, [this](const std::string& id) { return Has(id); });
}

std::string DefectSet::ToText() const { return fmt::format("{}", fmt::join(ids_, ",")); }

DefectSet DefectSet::FromText(std::string_view text) {
  DefectSet set;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) set.Add(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return set;
}

}  // namespace anecheck
