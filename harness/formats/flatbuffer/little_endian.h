// Little-endian loads and stores at a pointer whose range has been checked. Used inside this room
// and its formats, after the shape check.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace anecheck::flatbuffer {

static_assert(std::endian::native == std::endian::little, "fields are copied as they stand");

inline uint16_t LoadU16(const uint8_t* from) {
  uint16_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline uint32_t LoadU32(const uint8_t* from) {
  uint32_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}
// `width` bytes, 1 to 8, zero-extended.
inline uint64_t LoadLittle(const uint8_t* from, uint32_t width) {
  uint64_t value = 0;
  std::memcpy(&value, from, width);
  return value;
}
inline void StoreLittle(uint8_t* to, uint64_t value, uint32_t width) {
  std::memcpy(to, &value, width);
}
// Sign-extends the low `width` bytes.
inline int64_t SignExtend(uint64_t value, uint32_t width) {
  const uint32_t shift = 64 - 8 * width;
  return static_cast<int64_t>(value << shift) >> shift;
}

}  // namespace anecheck::flatbuffer
