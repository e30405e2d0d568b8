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

// The most elements of one task that an emulation holds at a time; more is kLimit.
inline constexpr uint64_t kMaxElements = uint64_t{1} << 27;

// One past the last byte of the pattern over `extents` (as stored, before `swapped`), counted from
// the start of its surface. UINT64_MAX on overflow.
uint64_t EndOf(const Pattern& pattern, const Extents& extents);

// kInvalid, naming `who`, if the pattern leaves `bytes`; kLimit if it has too many elements.
Status CheckPattern(const Pattern& pattern, const Extents& extents, uint64_t bytes,
                    const std::string& who);

// The elements in the order g, d, c, y, x. The pattern is checked first.
Result<std::vector<float>> Gather(std::span<const uint8_t> bytes, const Pattern& pattern,
                                  const Extents& extents, const std::string& who);
// The stored bits in the same order: those of fp16, or a byte.
Result<std::vector<uint16_t>> GatherBits(std::span<const uint8_t> bytes, const Pattern& pattern,
                                         const Extents& extents, const std::string& who);
// Stores such bits.
Status Scatter(std::span<uint8_t> bytes, const Pattern& pattern, const Extents& extents,
               std::span<const uint16_t> values, const std::string& who);

// Numbers, given as fp16 bits, as the bytes that stand for them. kUnsupported, naming `who`, if one
// is no whole number from 0 to 255: the records have bools only, which are 0 and 1.
Result<std::vector<uint16_t>> AsBytes(std::span<const uint16_t> halves, const std::string& who);

// The offsets of the elements in bytes from the start of the surface, in the same order.
Result<std::vector<uint64_t>> OffsetsOf(const Pattern& pattern, const Extents& extents,
                                        uint64_t bytes, const std::string& who);

// fp16 bits as a number.
float NumberOf(uint16_t bits);

}  // namespace anecheck::emulator
