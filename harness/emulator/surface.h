// Reads and writes the elements of a pattern in memory. Bounds are checked once for a whole
// pattern, before the first element moves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/emulator/task.h"

namespace anecheck::emulator {

// The maximum number of elements of one task that an emulation holds at a time; a task with more
// fails with kLimit.
inline constexpr uint64_t kMaxElements = uint64_t{1} << 27;

// The end of the pattern over `extents` (as stored, before `swapped`): one past its last byte,
// counted from the start of the surface. UINT64_MAX on overflow.
uint64_t EndOf(const Pattern& pattern, const Extents& extents);

// Errors: kInvalid, naming `who`, if the pattern reaches beyond a surface of `bytes` bytes; kLimit
// for more than kMaxElements elements.
Status CheckPattern(const Pattern& pattern, const Extents& extents, uint64_t bytes,
                    const std::string& who);

// The elements in the order g, d, c, y, x. The pattern is checked first.
Result<std::vector<float>> Gather(std::span<const uint8_t> bytes, const Pattern& pattern,
                                  const Extents& extents, const std::string& who);
// The stored bits of the elements in the order g, d, c, y, x: 16 bits of an fp16 element, or one
// byte.
Result<std::vector<uint16_t>> GatherBits(std::span<const uint8_t> bytes, const Pattern& pattern,
                                         const Extents& extents, const std::string& who);
// Stores bits in the form that GatherBits returns.
Status Scatter(std::span<uint8_t> bytes, const Pattern& pattern, const Extents& extents,
               std::span<const uint16_t> values, const std::string& who);

// Converts fp16 bits to the bytes that have the same values. Errors: kUnsupported, naming `who`, if
// a value is no whole number from 0 to 255. In the records such bytes hold only bools, 0 or 1.
Result<std::vector<uint16_t>> AsBytes(std::span<const uint16_t> halves, const std::string& who);

// The offsets of the elements in bytes from the start of the surface, in the order g, d, c, y, x.
Result<std::vector<uint64_t>> OffsetsOf(const Pattern& pattern, const Extents& extents,
                                        uint64_t bytes, const std::string& who);

// fp16 bits as a number.
float NumberOf(uint16_t bits);

}  // namespace anecheck::emulator
