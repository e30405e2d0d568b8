// Appends and patches little-endian fields in a growing buffer. ByteReader reads such fields.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace anecheck {

static_assert(std::endian::native == std::endian::little, "fields are copied as they stand");

// Appends fields in order. Not thread-safe.
class ByteWriter {
 public:
  void U8(uint8_t value) { bytes_.push_back(value); }
  void U16(uint16_t value) { Little(value); }
  void U32(uint32_t value) { Little(value); }
  void U64(uint64_t value) { Little(value); }
  void U32s(std::span<const uint32_t> values) {
    Bytes({reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
  }
  void I32(int32_t value) { U32(static_cast<uint32_t>(value)); }
  void I64(int64_t value) { U64(static_cast<uint64_t>(value)); }
  void Bytes(std::span<const uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.data(), bytes.data() + bytes.size());
  }
  void Text(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  void CString(std::string_view text) {
    Text(text);
    U8(0);
  }
  void Fill(size_t count, uint8_t value = 0) { bytes_.insert(bytes_.end(), count, value); }

  // Pads with `value` up to the next multiple of `alignment`, which must be at least 1.
  void Align(size_t alignment, uint8_t value = 0) {
    const size_t over = bytes_.size() % alignment;
    if (over != 0) Fill(alignment - over, value);
  }
  // Pads with `value` until size() is `size`; does nothing if the buffer is already that large.
  void PadTo(size_t size, uint8_t value = 0) {
    if (bytes_.size() < size) Fill(size - bytes_.size(), value);
  }

  // Reserves memory for a final size of `size` bytes.
  void Reserve(size_t size) { bytes_.reserve(size); }

  size_t size() const { return bytes_.size(); }
  std::span<const uint8_t> bytes() const { return {bytes_.data(), bytes_.size()}; }
  std::vector<uint8_t> Take() && { return std::move(bytes_); }

 private:
  template <typename T>
  void Little(T value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  std::vector<uint8_t> bytes_;
};

}  // namespace anecheck
