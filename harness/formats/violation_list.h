// Gathers the violations of one file. A hostile file can break a rule at a million places, so the
// list keeps only the first violations of each rule, and the number of the rest. Memory stays
// bounded, and no rule hides another. Used by the verify function of every format.
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
  // The most violations of one rule that are kept.
  static constexpr size_t kMostOfARule = 24;

  // `message` returns the text, which contains the rule's id. It is called only if the violation is
  // kept; the text is then Clipped.
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

  // The violations in file order; violations with the same offset are in the order in which their
  // rules were first broken. The last kept violation of a rule states how many more of that rule
  // there are.
  std::vector<Violation> Take() &&;

 private:
  struct Count {
    const Rule* rule = nullptr;
    uint64_t found = 0;
    size_t last = 0;  // index of the last violation that is kept
  };

  Count& CountOf(const Rule& rule);
  void Keep(const Rule& rule, uint64_t offset, std::string_view message);

  std::vector<Violation> violations_;
  std::vector<Count> counts_;
};

}  // namespace anecheck
