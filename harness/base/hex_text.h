// Numbers and bytes as hexadecimal text, as in the JSON forms and the prints.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

// The value of a digit of either case, 0 to 15; -1 for any other character.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "0x1f".
std::string HexNumber(uint64_t value);

// Two digits for each byte, in lower case.
std::string HexText(std::span<const uint8_t> bytes);
// The inverse of HexText; accepts either case. Errors: kInvalid for an odd number of digits;
// kInvalid for a character that is no digit, with its index as the offset.
Result<std::vector<uint8_t>> BytesFromHex(std::string_view text);

}  // namespace anecheck
