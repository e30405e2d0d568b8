// Describes the difference between two executions of one program on the same inputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace anecheck {

// Describes the first different byte of the output; empty if both executions have the same bytes.
// Precondition: `before` and `now` have the same size.
inline std::optional<std::string> OtherBytes(std::string_view output,
                                             std::span<const uint8_t> before,
                                             std::span<const uint8_t> now) {
  const auto first = std::ranges::mismatch(before, now).in1;
  if (first == before.end()) return std::nullopt;
  return fmt::format(
      "output {}: the second execution of the program gives other values, from byte {} on", output,
      first - before.begin());
}

}  // namespace anecheck
