// Numbers and bytes as hexadecimal text, as the JSON forms and the prints spell them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

// 0 to 15, of either case; -1 for another character.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "0x1f".
std::string HexNumber(uint64_t value);

// Two digits a byte, in lower case.
std::string HexText(std::span<const uint8_t> bytes);
// The inverse, of either case. kInvalid for an odd number of digits or another character, whose
// index is the error's offset.
Result<std::vector<uint8_t>> BytesFromHex(std::string_view text);

}  // namespace anecheck
