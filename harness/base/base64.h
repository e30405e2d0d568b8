// Base64 in the standard alphabet with padding (RFC 4648, section 4). Carries tensor data in the
// JSON form of a graph and payload bytes in the JSON form of a file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

std::string Base64Encode(std::span<const uint8_t> bytes);

// Accepts exactly one text for each byte sequence: the length must be a multiple of four, padding
// may stand only at the end, spaces are refused, and unused bits must be zero. The offset of an
// error is the index of the wrong character, or the length of `text` if the length is wrong.
Result<std::vector<uint8_t>> Base64Decode(std::string_view text);

}  // namespace anecheck
