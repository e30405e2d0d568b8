#include "harness/formats/mil/lexer.h"

#include <algorithm>

namespace anecheck::mil {
namespace {

using lexer_internal::Is;
using lexer_internal::kDigit;
using lexer_internal::kHexDigit;
using lexer_internal::kNamePart;

const char* SkipClass(const char* at, uint8_t mask) {
  while (Is(*at, mask)) ++at;
  return at;
}

// Skips digits and at most one dot. Returns nullptr if there is no digit.
const char* SkipMantissa(const char* at, uint8_t digit) {
  const char* whole = SkipClass(at, digit);
  if (*whole != '.') return whole == at ? nullptr : whole;
  const char* fraction = SkipClass(whole + 1, digit);
  return whole == at && fraction == whole + 1 ? nullptr : fraction;
}

// Skips an exponent that begins with `letter` in lower or upper case. Returns `at` if there is no
// exponent, and nullptr if its digits are missing.
const char* SkipExponent(const char* at, char letter) {
  if ((*at | 0x20) != letter) return at;
  ++at;
  if (*at == '+' || *at == '-') ++at;
  const char* end = SkipClass(at, kDigit);
  return end == at ? nullptr : end;
}

bool StartsWith(const char* at, std::string_view word) {
  for (const char c : word) {
    if (*at++ != c) return false;
  }
  return true;
}

}  // namespace

const char* SkipNumber(const char* at) {
  if (*at == '+' || *at == '-') ++at;
  if (StartsWith(at, "inf") || StartsWith(at, "nan")) {
    at += 3;
  } else if (at[0] == '0' && (at[1] | 0x20) == 'x') {
    const char* digits = at + 2;
    at = SkipMantissa(digits, kHexDigit);
    if (at != nullptr) {
      const char* end = SkipExponent(at, 'p');
      // In C99 a hex float needs an exponent. A hex number without an exponent must be an integer.
      if (end == at && SkipClass(digits, kHexDigit) != at) return nullptr;
      at = end;
    }
  } else {
    at = SkipMantissa(at, kDigit);
    if (at != nullptr) at = SkipExponent(at, 'e');
  }
  if (at == nullptr || Is(*at, kNamePart) || *at == '.') return nullptr;
  return at;
}

const char* SkipToken(const char* at) {
  if (IsNameStart(*at)) return SkipName(at);
  if (*at == '"') {
    const char* close = FindStringEnd(at);
    return close == nullptr ? at : close + 1;
  }
  if (at[0] == '-' && at[1] == '>') return at + 2;
  if (Is(*at, kDigit) || *at == '-' || *at == '+' || *at == '.') {
    const char* end = SkipNumber(at);
    return end == nullptr ? at : end;
  }
  return std::string_view("()[]{}<>,=;?").find(*at) != std::string_view::npos && *at != '\0'
             ? at + 1
             : at;
}

LineColumn Locate(std::string_view text, uint64_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t last = before.rfind('\n');
  const uint64_t start = last == std::string_view::npos ? 0 : last + 1;
  return {static_cast<uint64_t>(lines) + 1, before.size() - start + 1};
}

}  // namespace anecheck::mil
