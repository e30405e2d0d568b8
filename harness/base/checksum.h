// The checksum of ZIP archives.
#pragma once

#include <cstdint>
#include <span>

namespace anecheck {

// CRC-32 as ZIP records hold it (APPNOTE.TXT 6.3, section 4.4.7). 0 of no bytes. Of a content that
// comes in pieces `before` is that of the pieces before this one. Thread-safe.
uint32_t Crc32(std::span<const uint8_t> bytes, uint32_t before = 0);

}  // namespace anecheck
