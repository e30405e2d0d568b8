// The compressed blocks of an LZFSE stream. The unpacked bytes are appended to `out`, whose bytes
// before it matches may repeat.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/byte_reader.h"
#include "harness/base/result.h"

namespace anecheck::lzfse {

// Behind the magic "bvx2" or "bvx1" (`packed` tells which). Appends as many bytes as the block
// claims, or fails.
Status UnpackEntropyBlock(ByteReader& reader, bool packed, uint64_t limit,
                          std::vector<uint8_t>& out);
// Behind the magic "bvxn".
Status UnpackLzvnBlock(ByteReader& reader, uint64_t limit, std::vector<uint8_t>& out);

// Takes up the size that a block claims: an error where `out` would grow past the limit.
Status CheckClaim(uint64_t size, uint64_t limit, const ByteReader& reader,
                  const std::vector<uint8_t>& out);
// Appends `length` bytes that stand `distance` before the end; false where they do not.
bool AppendMatch(uint64_t distance, uint64_t length, std::vector<uint8_t>& out);

Error Broken(uint64_t offset, std::string_view what);

}  // namespace anecheck::lzfse
