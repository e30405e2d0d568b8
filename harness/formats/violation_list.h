// Collects the violations of one file. A hostile file can break a rule at a million places, so the
// list keeps only the first violations of each rule and counts the rest. Its memory is bounded, and
// a rule that is broken often does not hide others. Used by the verify function of every format.
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
  // The maximum number of violations of one rule that the list keeps.
  static constexpr size_t kMostOfARule = 24;

  // `message` returns the text, which contains the rule's id. Add calls it only if the list keeps
  // the violation, and passes the text to Clipped.
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

  // Returns the violations in file order. Violations with the same offset are in the order in which
  // their rules were first added. If the list dropped violations of a rule, the message of the last
  // one that it kept states their number.
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
