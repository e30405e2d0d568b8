// Converts text to lower case, independent of the locale.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// Returns `text` with the letters A to Z in lower case. Other bytes stay unchanged.
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace anecheck
