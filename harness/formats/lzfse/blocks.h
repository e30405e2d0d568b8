// The compressed blocks of an LZFSE stream. The unpacked bytes are appended to `out`. Matches may
// repeat earlier bytes of `out`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/byte_reader.h"
#include "harness/base/result.h"

namespace anecheck::lzfse {

// Reads a block behind its magic, "bvx2" if `packed`, else "bvx1". Appends as many bytes as the
// block claims, or fails.
Status UnpackEntropyBlock(ByteReader& reader, bool packed, uint64_t limit,
                          std::vector<uint8_t>& out);
// Reads a block behind its magic "bvxn".
Status UnpackLzvnBlock(ByteReader& reader, uint64_t limit, std::vector<uint8_t>& out);

// Checks the size that a block claims. Returns an error if `out` would grow past the limit.
Status CheckClaim(uint64_t size, uint64_t limit, const ByteReader& reader,
                  const std::vector<uint8_t>& out);
// Appends `length` bytes from `distance` before the end of `out`; false if there are no bytes at
// that distance.
bool AppendMatch(uint64_t distance, uint64_t length, std::vector<uint8_t>& out);

Error Broken(uint64_t offset, std::string_view what);

}  // namespace anecheck::lzfse
