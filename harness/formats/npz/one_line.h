// Errors of this room quote member names and header text, which are the file's: what would break
// their line becomes \xNN.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck::npz {

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

// MakeError with the message on one line.
inline Error OneLineError(ErrorCode code, std::string_view message,
                          uint64_t offset = Error::kNoOffset) {
  return MakeError(code, OneLine(message), offset);
}

}  // namespace anecheck::npz
