// Unpacks streams compressed by LZFSE. Apple's tools store the networks of Espresso in them. Used
// by `anecheck inspect`.
//
// Sources: the published format (public notes on LZFSE and LZVN), whose reference encoder made the
// vectors of the tests. The frame "pbze" (two real files) has a block size, then chunks. A chunk
// has two big-endian sizes and an LZFSE stream. A chunk may also have plain bytes; the two files
// have none, but other "pbz" frames do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::lzfse {

// The name of the form that the bytes begin with: "pbze", "bvx2", "bvx1", "bvxn" or "bvx-"; empty
// for other bytes.
std::string_view FormOf(std::span<const uint8_t> bytes);

// The content of a stream. Memory and time are proportional to its unpacked size. Errors, with
// their offset: kMalformed and kTruncated for invalid streams, kLimit above `limit` bytes.
Result<std::vector<uint8_t>> Unpack(std::span<const uint8_t> bytes, uint64_t limit);

}  // namespace anecheck::lzfse
