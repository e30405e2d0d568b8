// The lexical rules of MIL text: character classes, white space, numbers and strings. Used by the
// MIL parser and by the printer's layout pass.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/base/planted_bug.h"

namespace anecheck::mil {

namespace lexer_internal {

inline constexpr uint8_t kSpace = 1;
inline constexpr uint8_t kNameStart = 2;
inline constexpr uint8_t kNamePart = 4;
inline constexpr uint8_t kDigit = 8;
inline constexpr uint8_t kHexDigit = 16;
inline constexpr uint8_t kStringEnd = 32;  // ends the fast scan of a string literal

constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\r', '\v', '\f'})
    classes[static_cast<uint8_t>(c)] |= kSpace;
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (letter) classes[c] |= kNameStart | kNamePart;
    if (digit) classes[c] |= kNamePart | kDigit | kHexDigit;
    if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) classes[c] |= kHexDigit;
  }
  for (const char c : {'\0', '"', '\\', '\n'}) classes[static_cast<uint8_t>(c)] |= kStringEnd;
  return classes;
}
inline constexpr std::array<uint8_t, 256> kClasses = MakeClasses();

constexpr bool Is(char c, uint8_t mask) { return (kClasses[static_cast<uint8_t>(c)] & mask) != 0; }

}  // namespace lexer_internal

// All functions below take a position inside a text that ends in a zero byte. They return the
// position after the text that they read, and never pass the zero byte.

inline bool IsNameStart(char c) { return lexer_internal::Is(c, lexer_internal::kNameStart); }

// Skips white space and comments. An unterminated /* is not skipped.
inline const char* SkipTrivia(const char* at) {
  for (;;) {
    if (*at == ' ' && !lexer_internal::Is(at[1], lexer_internal::kSpace) && at[1] != '/') {
      return at + 1;
    }
    while (lexer_internal::Is(*at, lexer_internal::kSpace)) ++at;
    if (*at != '/') return at;
    if (at[1] == '/') {
      while (*at != '\0' && *at != '\n') ++at;
      continue;
    }
    if (at[1] != '*') return at;
    const char* close = at + 2;
    while (*close != '\0' && !(close[0] == '*' && close[1] == '/')) ++close;
    if (*close == '\0') return at;
    at = close + 2;
  }
}

inline const char* SkipName(const char* at) {
  while (lexer_internal::Is(*at, lexer_internal::kNamePart)) ++at;
  return at;
}

// Takes the position of a string literal's opening quote. Returns the position of the closing
// quote, or nullptr if the line or the text ends first.
inline const char* FindStringEnd(const char* at) {
  ++at;
  for (;;) {
    while (!lexer_internal::Is(*at, lexer_internal::kStringEnd)) ++at;
    if (*at == '"') return at;
    if (*at != '\\') return nullptr;
    const bool ends = at[1] == '\0' && !IsPlanted(PlantedBug::kMilStringEnd);
    if (ends || at[1] == '\n') return nullptr;
    at += 2;
  }
}

// Skips a number of any spelling (see parser.h). Returns nullptr if there is no number, or if a
// letter, a digit or a dot follows the number directly.
const char* SkipNumber(const char* at);

// Skips one token of any kind. Returns `at` if no token starts there.
const char* SkipToken(const char* at);

struct LineColumn {
  uint64_t line = 1;
  uint64_t column = 1;
};

// Returns the line and column of the byte at `offset`. Both count from 1, and columns count bytes.
// The time is linear in `offset`.
LineColumn Locate(std::string_view text, uint64_t offset);

}  // namespace anecheck::mil
