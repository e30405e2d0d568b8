// Converts between bytes and text, for targets that read text.
#pragma once

#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::fuzz {

inline std::string_view AsText(ByteSpan input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

inline Bytes AsBytes(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace anecheck::fuzz
