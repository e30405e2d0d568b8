// Text in lower case, in every locale.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// `text` with each of the letters A to Z in lower case. Other bytes stay.
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace anecheck
