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

// Strict: length a multiple of four, padding only at the end, no spaces, unused bits zero, so that
// each byte sequence has one text. The offset of an error is that of the character in `text`.
Result<std::vector<uint8_t>> Base64Decode(std::string_view text);

}  // namespace anecheck
