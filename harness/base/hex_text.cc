#include "harness/base/hex_text.h"

#include <fmt/format.h>

namespace anecheck {

std::string HexNumber(uint64_t value) { return fmt::format("0x{:x}", value); }

std::string HexText(std::span<const uint8_t> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

Result<std::vector<uint8_t>> BytesFromHex(std::string_view text) {
  if (text.size() % 2 != 0) {
    return MakeError(ErrorCode::kInvalid, "an odd number of hexadecimal digits", text.size());
  }
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = HexDigit(text[i]);
    const int low = HexDigit(text[i + 1]);
    if (high < 0 || low < 0) {
      const size_t at = high < 0 ? i : i + 1;
      return MakeError(ErrorCode::kInvalid, fmt::format("no hexadecimal digit at character {}", at),
                       at);
    }
    bytes.push_back(static_cast<uint8_t>(high << 4 | low));
  }
  return bytes;
}

}  // namespace anecheck
