// Gathers the violations of one file. A hostile file can break a rule at each of a million places:
// of each rule the first are kept, with the number of the rest, so that no rule hides another and
// memory stays bounded. Used by the verify function of every format.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck {

// Not thread-safe.
class ViolationList {
 public:
  // Violations that are kept of one rule.
  static constexpr size_t kMostOfARule = 24;

  // `message` gives the text, which names the rule's id; it is asked where the violation is kept,
  // and kept Clipped.
  template <std::invocable Message>
  void Add(const Rule& rule, uint64_t offset, Message message) {
    Count& count = CountOf(rule);
    if (++count.found > kMostOfARule) return;
    count.last = violations_.size();
    Keep(rule, offset, message());
  }
  template <typename... Args>
  void Add(const Rule& rule, uint64_t offset, fmt::format_string<const Args&...> text,
           const Args&... args) {
    Add(rule, offset, [&] { return fmt::format(text, args...); });
  }

  // In file order, those of one offset in the order in which their rules were first broken. The one
  // that was found last of those kept of a rule says how many more there are.
  std::vector<Violation> Take() &&;

 private:
  struct Count {
    const Rule* rule = nullptr;
    uint64_t found = 0;
    size_t last = 0;  // index of the last that is kept
  };

  Count& CountOf(const Rule& rule);
  void Keep(const Rule& rule, uint64_t offset, std::string_view message);

  std::vector<Violation> violations_;
  std::vector<Count> counts_;
};

}  // namespace anecheck
