// The checksum of ZIP archives.
#pragma once

#include <cstdint>
#include <span>

namespace anecheck {

// Returns the CRC-32 that ZIP records use (APPNOTE.TXT 6.3, section 4.4.7); that of no bytes is 0.
// If the content comes in pieces, `before` is the CRC-32 of the earlier pieces. Thread-safe.
uint32_t Crc32(std::span<const uint8_t> bytes, uint32_t before = 0);

}  // namespace anecheck
