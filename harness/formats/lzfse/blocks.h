// Unpacks the compressed blocks of an LZFSE stream. The functions append the unpacked bytes to
// `out`. A match copies earlier bytes of `out`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/byte_reader.h"
#include "harness/base/result.h"

namespace anecheck::lzfse {

// Reads a block after its magic, which is "bvx2" if `packed` is true and "bvx1" otherwise. Appends
// exactly the number of bytes that the block states, or fails.
Status UnpackEntropyBlock(ByteReader& reader, bool packed, uint64_t limit,
                          std::vector<uint8_t>& out);
// Reads a block after its magic "bvxn".
Status UnpackLzvnBlock(ByteReader& reader, uint64_t limit, std::vector<uint8_t>& out);

// Checks the size that a block states. Returns an error if `out` would exceed the limit.
Status CheckClaim(uint64_t size, uint64_t limit, const ByteReader& reader,
                  const std::vector<uint8_t>& out);
// Appends a copy of the `length` bytes that begin `distance` bytes before the end of `out`. Returns
// false if `distance` is 0 or exceeds the size of `out`.
bool AppendMatch(uint64_t distance, uint64_t length, std::vector<uint8_t>& out);

Error Broken(uint64_t offset, std::string_view what);

}  // namespace anecheck::lzfse
