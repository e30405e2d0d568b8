// Base64 in the standard alphabet with padding (RFC 4648, section 4). The JSON form of a graph
// stores tensor data in Base64, and the JSON form of a file stores payload bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

std::string Base64Encode(std::span<const uint8_t> bytes);

// Accepts exactly one text for each byte sequence. The length must be a multiple of four, padding
// is allowed only at the end, spaces are refused, and unused bits must be zero. The offset of an
// error is the index of the wrong character, or the length of `text` if the length is wrong.
Result<std::vector<uint8_t>> Base64Decode(std::string_view text);

}  // namespace anecheck
