// A bounds-checked little-endian cursor over a span of bytes. It uses absolute offsets and keeps
// its first error. Every binary codec of harness/formats reads through it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

static_assert(std::endian::native == std::endian::little, "fields are copied as they stand");

// Reads fields in order. After the first failure every read returns 0 or an empty span, and
// `status()` returns that failure, so a codec may read a whole record and check the status once.
// Does not own the bytes. Not thread-safe.
class ByteReader {
 public:
  // `base` is the absolute offset of bytes[0]. Error messages and offset() give absolute offsets:
  // `base` plus the position in `bytes`. `context` prefixes field names in messages and must
  // outlive the reader.
  explicit ByteReader(std::span<const uint8_t> bytes, uint64_t base = 0,
                      std::string_view context = {}, int64_t index = -1)
      : bytes_(bytes), base_(base), context_(context), index_(index) {}

  uint8_t U8(std::string_view field) { return Little<uint8_t>(field); }
  uint16_t U16(std::string_view field) { return Little<uint16_t>(field); }
  uint32_t U32(std::string_view field) { return Little<uint32_t>(field); }
  uint64_t U64(std::string_view field) { return Little<uint64_t>(field); }
  int32_t I32(std::string_view field) { return static_cast<int32_t>(U32(field)); }
  int64_t I64(std::string_view field) { return static_cast<int64_t>(U64(field)); }

  // Reads a four-byte field into each of `values`; on a failure, `values` stays unchanged.
  void U32s(std::span<uint32_t> values, std::string_view field) {
    const std::span<const uint8_t> bytes = Bytes(values.size_bytes(), field);
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }

  // Returns the next `size` bytes. On a failure the span is empty.
  std::span<const uint8_t> Bytes(uint64_t size, std::string_view field);

  // Returns the bytes before the next NUL, and consumes them and the NUL. The read fails if there
  // is no NUL among the next `limit` bytes.
  std::string_view CString(std::string_view field, uint64_t limit = UINT64_MAX);

  void Skip(uint64_t size, std::string_view field) { Bytes(size, field); }

  // Moves to `position`, counted from the first byte of this reader. The end is an allowed
  // position.
  void Seek(uint64_t position, std::string_view field);

  // Returns a reader over [position, position + size) of this reader. If that range ends beyond
  // this reader, this reader fails, and the result is empty and has the same error.
  ByteReader Sub(uint64_t position, uint64_t size, std::string_view field, int64_t index = -1);

  // Fails unless `count` records of `record_size` bytes fit in the bytes left. Callers check a
  // count from the input with it before they reserve memory for the records.
  bool CheckCount(uint64_t count, uint64_t record_size, std::string_view field);

  // Records a failure at the current position. Its message is "FIELD: WHAT".
  void Fail(ErrorCode code, std::string_view field, std::string_view what);

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  uint64_t position() const { return position_; }
  uint64_t offset() const { return base_ + position_; }
  uint64_t base() const { return base_; }
  uint64_t size() const { return bytes_.size(); }
  uint64_t remaining() const { return bytes_.size() - position_; }
  bool AtEnd() const { return position_ == bytes_.size(); }
  std::span<const uint8_t> all() const { return bytes_; }

 private:
  template <typename T>
  T Little(std::string_view field) {
    if (!ok() || remaining() < sizeof(T)) [[unlikely]] {
      FailShort(sizeof(T), field);
      return 0;
    }
    T value = 0;
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }

  void FailShort(uint64_t need, std::string_view field);
  std::string Path(std::string_view field) const;

  std::span<const uint8_t> bytes_;
  uint64_t base_ = 0;
  uint64_t position_ = 0;
  std::string_view context_;
  int64_t index_ = -1;
  Status status_;
};

}  // namespace anecheck
