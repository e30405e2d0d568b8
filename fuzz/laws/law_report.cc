#include "fuzz/laws/law_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>

#include "fuzz/laws/laws.h"
#include "fuzz/laws/memory_meter.h"

namespace anecheck::fuzz {
namespace {

// Laws that no input of a target can check.
struct Exemption {
  std::string_view target;
  std::span<const std::string_view> laws;
  std::string_view reason;
};
constexpr Exemption kExemptions[] = {
    {"netweights", kErrorLaws, "every file is a weight file: there are no errors"},
};

uint64_t ChecksOf(std::string_view law) {
  const auto count = LawCounts().find(law);
  return count == LawCounts().end() ? 0 : count->second;
}

bool IsExempt(const FuzzTarget& target, std::string_view law) {
  if (law == "memory is bounded by the input") return !MemoryMeter::kCounts;
  return std::ranges::any_of(kExemptions, [&](const Exemption& row) {
    return row.target == target.name && std::ranges::find(row.laws, law) != row.laws.end();
  });
}

}  // namespace

std::string LawReport(const FuzzTarget& target) {
  std::string text;
  for (const std::string_view law : target.laws) {
    text += fmt::format("{:>10}  {}\n", ChecksOf(law), law);
  }
  return text;
}

std::vector<std::string> LawFaults(const FuzzTarget& target) {
  std::vector<std::string> faults;
  for (const std::string_view law : target.laws) {
    const bool exempt = IsExempt(target, law);
    if ((ChecksOf(law) == 0) == exempt) continue;
    faults.push_back(fmt::format("{}: {}: {}", target.name, law,
                                 exempt ? "was checked, although no input should meet it"
                                        : "was not checked by any of the inputs"));
  }
  return faults;
}

}  // namespace anecheck::fuzz
