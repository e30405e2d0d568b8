#include "harness/formats/violation_list.h"

#include <algorithm>
#include <tuple>

#include "harness/formats/message.h"

namespace anecheck {

ViolationList::Count& ViolationList::CountOf(const Rule& rule) {
  const auto found = std::ranges::find(counts_, &rule, &Count::rule);
  return found == counts_.end() ? counts_.emplace_back(Count{&rule}) : *found;
}

void ViolationList::Keep(const Rule& rule, uint64_t offset, std::string_view message) {
  violations_.push_back({&rule, offset, Clipped(message)});
}

std::vector<Violation> ViolationList::Take() && {
  for (const Count& count : counts_) {
    if (count.found <= kMostOfARule) continue;
    violations_[count.last].message +=
        fmt::format("; {} more of this rule", count.found - kMostOfARule);
  }
  std::ranges::sort(violations_, {}, [&](const Violation& violation) {
    const auto count = std::ranges::find(counts_, violation.rule, &Count::rule);
    return std::tuple(violation.offset, count - counts_.begin(),
                      std::string_view(violation.message));
  });
  return std::move(violations_);
}

}  // namespace anecheck
