// Little-endian loads and stores at a pointer whose range has been checked. Used inside this room
// and its formats, after the shape check.
#pragma once

#include <cstdint>

namespace anecheck::flatbuffer {

inline uint16_t LoadU16(const uint8_t* from) {
  return static_cast<uint16_t>(from[0] | (from[1] << 8));
}
inline uint32_t LoadU32(const uint8_t* from) {
  return static_cast<uint32_t>(from[0]) | static_cast<uint32_t>(from[1]) << 8 |
         static_cast<uint32_t>(from[2]) << 16 | static_cast<uint32_t>(from[3]) << 24;
}
// `width` bytes, 1 to 8, zero-extended.
inline uint64_t LoadLittle(const uint8_t* from, uint32_t width) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < width; ++i) value |= static_cast<uint64_t>(from[i]) << (8 * i);
  return value;
}
inline void StoreLittle(uint8_t* to, uint64_t value, uint32_t width) {
  for (uint32_t i = 0; i < width; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}
// Sign-extends the low `width` bytes.
inline int64_t SignExtend(uint64_t value, uint32_t width) {
  const uint32_t shift = 64 - 8 * width;
  return static_cast<int64_t>(value << shift) >> shift;
}

}  // namespace anecheck::flatbuffer
