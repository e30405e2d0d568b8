// Loads and stores one little-endian field. The caller must have checked the range of the field.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace anecheck {

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
// Loads `width` bytes, which must be 0 to 8, and zero-extends them.
inline uint64_t LoadLittle(const uint8_t* from, size_t width) {
  uint64_t value = 0;
  std::memcpy(&value, from, width);
  return value;
}
inline uint64_t LoadLittle(std::span<const uint8_t> bytes, size_t offset, size_t width) {
  return LoadLittle(bytes.data() + offset, width);
}
inline void StoreLittle(uint8_t* to, uint64_t value, size_t width) {
  std::memcpy(to, &value, width);
}
inline void StoreLittle(std::span<uint8_t> bytes, size_t offset, size_t width, uint64_t value) {
  StoreLittle(bytes.data() + offset, value, width);
}
// Sign-extends the low `width` bytes; `width` must be 1 to 8.
inline int64_t SignExtend(uint64_t value, size_t width) {
  const size_t shift = 64 - 8 * width;
  return static_cast<int64_t>(value << shift) >> shift;
}

}  // namespace anecheck
