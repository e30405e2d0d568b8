// Reads and writes the elements of a pattern in memory. Each call checks the bounds of the whole
// pattern once, before it moves the first element.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/emulator/task.h"

namespace anecheck::emulator {

// The maximum number of elements of one task that an emulation keeps in memory. A task with more
// elements fails with kLimit.
inline constexpr uint64_t kMaxElements = uint64_t{1} << 27;

// Returns the end of the pattern over `extents` (as stored, before `swapped`). The end is one past
// the last byte, counted from the start of the surface. Returns UINT64_MAX on overflow.
uint64_t EndOf(const Pattern& pattern, const Extents& extents);

// Errors: kInvalid, with `who` in the message, if the pattern goes beyond a surface of `bytes`
// bytes; kLimit for more than kMaxElements elements.
Status CheckPattern(const Pattern& pattern, const Extents& extents, uint64_t bytes,
                    const std::string& who);

// Returns the elements in the order g, d, c, y, x. Checks the pattern first.
Result<std::vector<float>> Gather(std::span<const uint8_t> bytes, const Pattern& pattern,
                                  const Extents& extents, const std::string& who);
// Returns the elements' stored bits in the order g, d, c, y, x: 16 bits for fp16, or one byte.
Result<std::vector<uint16_t>> GatherBits(std::span<const uint8_t> bytes, const Pattern& pattern,
                                         const Extents& extents, const std::string& who);
// Stores bits in the form that GatherBits returns.
Status Scatter(std::span<uint8_t> bytes, const Pattern& pattern, const Extents& extents,
               std::span<const uint16_t> values, const std::string& who);

// Converts fp16 bits to bytes with the same values. Errors: kUnsupported, with `who` in the
// message, if a value is not an integer from 0 to 255. In the records all of them are bools.
Result<std::vector<uint16_t>> AsBytes(std::span<const uint16_t> halves, const std::string& who);

// Returns the elements' byte offsets from the surface's start, in the order g, d, c, y, x.
Result<std::vector<uint64_t>> OffsetsOf(const Pattern& pattern, const Extents& extents,
                                        uint64_t bytes, const std::string& who);

// Returns the number that fp16 bits represent.
float NumberOf(uint16_t bits);

}  // namespace anecheck::emulator
