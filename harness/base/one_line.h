// Keeps an error message that quotes a file on one line. Control characters become \xNN.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

inline std::string OneLine(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
    } else {
      line += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 0xf]};
    }
  }
  return line;
}

}  // namespace anecheck
