// Quotes texts of a file in error messages and violations. A quoted text is on one line, has a
// bounded length and contains no control character. Used by every format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace anecheck {

// Quoted takes at most kMostQuoted bytes of a text, and Clipped takes at most kMostClipped bytes of
// a message. Escaping may make the result longer.
inline constexpr size_t kMostQuoted = 60;
inline constexpr size_t kMostClipped = 400;
// The maximum bytes of a format's message. Each byte may become \xNN, and a number may follow.
inline constexpr size_t kMostMessage = 4 * kMostClipped + 48;

// Replaces each byte of control characters (C1 too) and each byte that is not UTF-8 by \xNN.
std::string Escaped(std::string_view text);

// Escapes `text` and replaces all bytes after the first 60 by "...". Messages use it for names and
// values that come from a file.
std::string Shown(std::string_view text);

// Returns Shown(text) between quotation marks.
std::string Quoted(std::string_view text);

// Escapes a whole message and replaces all bytes after the first 400 by "...".
std::string Clipped(std::string_view message);

// Applies Shown to a text and returns anything else unchanged. Messages use it for arguments that
// come from a file.
template <typename T>
auto ShownText(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return Shown(value);
  } else {
    return value;
  }
}

}  // namespace anecheck
