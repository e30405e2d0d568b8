#include "harness/cli/whole_number.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "harness/base/real_text.h"

namespace anecheck {

OptionCheck WholeNumber(uint64_t low, uint64_t high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end && number >= low && number <= high) return "";
    if (high == UINT64_MAX) {
      return fmt::format("{} must be a whole number, {} or more", text, low);
    }
    return fmt::format("{} must be a whole number from {} to {}", text, low, high);
  };
  return check;
}

OptionCheck NumberFromZero() {
  const auto check = [](const std::string& text) -> std::string {
    const std::optional<double> number = RealFromText<double>(text);
    return number && std::isfinite(*number) && *number >= 0
               ? ""
               : fmt::format("{} must be a number, 0 or more", text);
  };
  return check;
}

}  // namespace anecheck
