// Draws instances of an operation near the limits that its own rules state. Picks one rule at a
// time and draws the attributes that it reads from its numbers and their neighbours.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/legality/instance.h"
#include "oracles/legality/rules.h"

namespace anecheck::legality {

class InstanceDrawer {
 public:
  // `subject` must be in the catalogue of `rules`.
  InstanceDrawer(const Rules& rules, std::string_view subject, uint64_t seed);

  Instance Draw();

 private:
  // The names that one rule reads, and the values with which it compares them.
  struct Focus {
    std::set<std::string> names;
    std::vector<int64_t> numbers = {0, 1, 2, 3, 5, 8, 2048, 2048, 4096};
    std::vector<std::string> texts = {"none of these"};
  };

  static void Collect(const Expression& expression, const Rules& rules, Focus& focus);
  size_t Below(size_t bound) { return static_cast<size_t>(random_() % bound); }
  const std::string& Pick(const std::vector<std::string>& from) { return from[Below(from.size())]; }
  int64_t DrawNumber(const Focus& focus) { return focus.numbers[Below(focus.numbers.size())]; }
  Value DrawValue(const Focus& focus);
  Operand DrawOperand(size_t position, const Focus& focus);

  std::string subject_;
  std::mt19937_64 random_;
  std::vector<Focus> own_rules_, common_rules_;
};

}  // namespace anecheck::legality
