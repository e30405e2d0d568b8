#include "harness/base/byte_reader.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/base/planted_bug.h"

namespace anecheck {

std::span<const uint8_t> ByteReader::Bytes(uint64_t size, std::string_view field) {
  if (!ok() || remaining() < size) {
    FailShort(size, field);
    return {};
  }
  const auto result = bytes_.subspan(position_, size);
  position_ += size;
  return result;
}

std::string_view ByteReader::CString(std::string_view field, uint64_t limit) {
  if (!ok()) return {};
  const uint64_t beyond = IsPlanted(PlantedBug::kReaderString) ? 1 : 0;
  const uint64_t window = std::min(limit, remaining() + beyond);
  const char* begin = reinterpret_cast<const char*>(bytes_.data()) + position_;
  const void* end = window == 0 ? nullptr : std::memchr(begin, 0, window);
  if (end == nullptr) {
    Fail(remaining() <= limit ? ErrorCode::kTruncated : ErrorCode::kMalformed, field,
         fmt::format("no NUL in {}", Counted(window, "byte")));
    return {};
  }
  const size_t length = static_cast<size_t>(static_cast<const char*>(end) - begin);
  position_ += length + 1;
  return {begin, length};
}

void ByteReader::Seek(uint64_t position, std::string_view field) {
  if (!ok()) return;
  if (position > bytes_.size()) {
    Fail(ErrorCode::kTruncated, field,
         fmt::format("points to 0x{:x}, past the end at 0x{:x}", base_ + position,
                     base_ + bytes_.size()));
    return;
  }
  position_ = position;
}

ByteReader ByteReader::Sub(uint64_t position, uint64_t size, std::string_view field,
                           int64_t index) {
  const bool unchecked = IsPlanted(PlantedBug::kReaderSubrange);
  if (ok() && !unchecked && (position > bytes_.size() || size > bytes_.size() - position)) {
    Fail(ErrorCode::kTruncated, field,
         fmt::format("range 0x{:x} + 0x{:x} ends past 0x{:x}", base_ + position, size,
                     base_ + bytes_.size()));
  }
  if (!ok()) {
    ByteReader failed({}, offset(), field, index);
    failed.status_ = status_;
    return failed;
  }
  return ByteReader(bytes_.subspan(position, size), base_ + position, field, index);
}

bool ByteReader::CheckCount(uint64_t count, uint64_t record_size, std::string_view field) {
  if (!ok()) return false;
  if (record_size == 0 || count <= remaining() / record_size) return true;
  if (IsPlanted(PlantedBug::kReaderCount)) return true;
  Fail(ErrorCode::kTruncated, field,
       fmt::format("{} of {} at 0x{:x}, {} left", Counted(count, "record"),
                   Counted(record_size, "byte"), offset(), Counted(remaining(), "byte")));
  return false;
}

void ByteReader::Fail(ErrorCode code, std::string_view field, std::string_view what) {
  if (!ok()) return;
  status_ = MakeError(code, fmt::format("{}: {}", Path(field), what), offset());
}

void ByteReader::FailShort(uint64_t need, std::string_view field) {
  if (!ok()) return;
  Fail(ErrorCode::kTruncated, field,
       fmt::format("need {} at 0x{:x}, {} left", Counted(need, "byte"), offset(), remaining()));
}

std::string ByteReader::Path(std::string_view field) const {
  if (context_.empty()) return std::string(field);
  if (index_ < 0) return fmt::format("{}.{}", context_, field);
  return fmt::format("{}[{}].{}", context_, index_, field);
}

}  // namespace anecheck
