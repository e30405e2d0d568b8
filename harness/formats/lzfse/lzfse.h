// Unpacks LZFSE streams. Apple's tools compress Espresso networks so. Used by `anecheck inspect`.
//
// Source: the published format (public notes on LZFSE and LZVN). Its reference encoder made the
// test vectors. The frame "pbze" (two real files) has a block size, then chunks. A chunk has two
// big-endian sizes and an LZFSE stream. A chunk may have uncompressed bytes instead, as in other
// "pbz" frames. The two real files have no such chunk.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::lzfse {

// Returns the magic with which the bytes begin ("pbze", "bvx2", "bvx1", "bvxn" or "bvx-"), or ""
// for other bytes.
std::string_view FormOf(std::span<const uint8_t> bytes);

// Returns the content of a stream. Memory and time are proportional to its unpacked size. Errors,
// with their offset: kMalformed and kTruncated for invalid streams, kLimit if the content exceeds
// `limit` bytes.
Result<std::vector<uint8_t>> Unpack(std::span<const uint8_t> bytes, uint64_t limit);

}  // namespace anecheck::lzfse
