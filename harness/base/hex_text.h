// Numbers and bytes as hexadecimal text, as in JSON forms and printed forms.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

// Returns the value of a digit in upper or lower case, 0 to 15; -1 for any other character.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Returns a text such as "0x1f".
std::string HexNumber(uint64_t value);

// Returns two digits for each byte, in lower case.
std::string HexText(std::span<const uint8_t> bytes);
// The inverse of HexText; also accepts upper case. Errors: kInvalid for an odd number of digits,
// and for a character that is no digit, with its index as the offset.
Result<std::vector<uint8_t>> BytesFromHex(std::string_view text);

}  // namespace anecheck
