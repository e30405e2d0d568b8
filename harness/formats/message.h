// Quotes texts of a file in error messages and violations: on one line, of bounded length, without
// control characters. Used by every format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace anecheck {

// The maximum number of bytes that Quoted takes from a text, and Clipped from a message; escaping
// may make them longer.
inline constexpr size_t kMostQuoted = 60;
inline constexpr size_t kMostClipped = 400;
// The longest message of a format: each byte may become \xNN, and a number may follow.
inline constexpr size_t kMostMessage = 4 * kMostClipped + 48;

// `text` with \xNN in place of control characters (including those of C1) and of bytes that are not
// UTF-8.
std::string Escaped(std::string_view text);

// `text` escaped, with "..." in place of all bytes after the first 60. Messages show names and
// values of a file with it.
std::string Shown(std::string_view text);

// Shown(text) between quotation marks.
std::string Quoted(std::string_view text);

// A whole message that may quote long texts: escaped, with "..." in place of all bytes after the
// first 400.
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
