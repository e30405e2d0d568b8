// How error messages and violations quote a file: on one line, of bounded length, without
// a byte that a terminal would obey. Used by every format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace anecheck {

// The most that Quoted takes of a text, and Clipped of a message, in bytes before escaping.
inline constexpr size_t kMostQuoted = 60;
inline constexpr size_t kMostClipped = 400;
// No message of a format is longer: each byte may have become \xNN, and a number may follow.
inline constexpr size_t kMostMessage = 4 * kMostClipped + 48;

// `text` with \xNN in place of control characters (those of C1 too) and of bytes that are no UTF-8.
std::string Escaped(std::string_view text);

// `text` escaped, "..." in place of the bytes behind its first 60. For a name or a value of a
// file in a message.
std::string Shown(std::string_view text);

// The same between quotation marks.
std::string Quoted(std::string_view text);

// A whole message that may quote more: escaped, "..." in place of the bytes behind its first 400.
std::string Clipped(std::string_view message);

// A text as Shown, anything else as it is: for the arguments of a message that names and numbers of
// a file fill.
template <typename T>
auto ShownText(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return Shown(value);
  } else {
    return value;
  }
}

}  // namespace anecheck
