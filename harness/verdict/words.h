// Enumerations with one text per enumerator: printing, and reading text back. Each enumeration of
// this room specialises Words in its own header.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// A specialisation has `kConcept`, the name of the enumeration in messages, and `kTexts`, one text
// per enumerator in their order. Enumerators count from 0.
template <typename E>
struct Words;

template <typename E>
concept Word = requires { Words<E>::kTexts.size(); };

// Returns the text of `word` in JSON, in results files and on the terminal. It is valid as long as
// the process.
template <Word E>
constexpr std::string_view ToText(E word) {
  return Words<E>::kTexts[static_cast<size_t>(word)];
}

// Every word, in the order of the enumeration.
template <Word E>
constexpr auto AllWords() {
  std::array<E, Words<E>::kTexts.size()> words{};
  // The analyzer does not know that the array's size is the number of words.
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<E>(i);
  return words;
}

// Returns the word with exactly that text, or nothing.
template <Word E>
constexpr std::optional<E> FindWord(std::string_view text) {
  const auto& texts = Words<E>::kTexts;
  const auto found = std::find(texts.begin(), texts.end(), text);
  if (found == texts.end()) return std::nullopt;
  return static_cast<E>(found - texts.begin());
}

// Returns an error of kInvalid: "\"foo\" is no verdict: give pass, inconclusive, ...".
Error UnknownWord(std::string_view text, std::string_view kind,
                  std::span<const std::string_view> known);

// As FindWord. Errors: kInvalid, with all valid texts, for any other text.
template <Word E>
Result<E> FromText(std::string_view text) {
  if (const auto word = FindWord<E>(text)) return *word;
  return UnknownWord(text, Words<E>::kConcept, Words<E>::kTexts);
}

// Orders maps that are printed in the order of the texts.
struct ByText {
  template <Word E>
  bool operator()(E a, E b) const {
    return ToText(a) < ToText(b);
  }
};

// Deleted, because JSON libraries would write an enumeration as a number; call ToText.
template <typename Json, Word E>
void to_json(Json& json, E word) = delete;

// Writes a word to a stream as its text.
template <typename Stream, Word E>
  requires requires(Stream& stream, std::string_view text) { stream << text; }
Stream& operator<<(Stream& stream, E word) {
  stream << ToText(word);
  return stream;
}

}  // namespace anecheck

// Formats a word in messages as its text.
template <anecheck::Word E>
struct fmt::formatter<E, char> : fmt::formatter<std::string_view, char> {
  template <typename Context>
  auto format(E word, Context& context) const {
    return fmt::formatter<std::string_view, char>::format(anecheck::ToText(word), context);
  }
};
