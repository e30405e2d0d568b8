// Reads FlatBuffers tables by field id with bounds checks, without a schema. An absent field, or a
// field outside the bytes, reads as empty. Used by rules after the shape check.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/base/little_endian.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

class VectorView;

// A table. Positions count from bytes[0]. A default-constructed view has no fields.
class TableView {
 public:
  TableView() = default;
  TableView(ByteSpan bytes, uint64_t at) : bytes_(bytes), at_(static_cast<uint32_t>(at)) {
    if (at + 4 > bytes.size()) return;
    const int64_t vtable =
        static_cast<int64_t>(at) - static_cast<int32_t>(LoadU32(bytes.data() + at));
    if (vtable < 0 || static_cast<uint64_t>(vtable) + 4 > bytes.size()) return;
    const uint32_t size = LoadU16(bytes.data() + vtable);
    if (static_cast<uint64_t>(vtable) + size > bytes.size()) return;
    vtable_ = static_cast<uint32_t>(vtable);
    vtable_size_ = size;
  }
  // Returns the root table. The offset to it is at `start`.
  static TableView Root(ByteSpan bytes, uint32_t start) {
    if (uint64_t{start} + 4 > bytes.size()) return {};
    return TableView(bytes, uint64_t{start} + LoadU32(bytes.data() + start));
  }

  bool Exists() const { return vtable_size_ != 0; }
  uint32_t at() const { return at_; }
  // Returns the number of field ids in the vtable.
  uint32_t FieldCount() const { return vtable_size_ < 4 ? 0 : (vtable_size_ - 4) / 2; }

  // Returns the position of a field's bytes, or 0 if it is absent. A negative id is always absent.
  uint32_t FieldAt(int id, uint32_t width) const {
    if (id < 0 || 4 + 2 * static_cast<uint32_t>(id) + 2 > vtable_size_) return 0;
    const uint32_t offset = LoadU16(bytes_.data() + vtable_ + 4 + 2 * id);
    if (offset == 0 || uint64_t{at_} + offset + width > bytes_.size()) return 0;
    return at_ + offset;
  }
  bool Has(int id) const { return FieldAt(id, 1) != 0; }

  int32_t I32(int id, int32_t otherwise = 0) const {
    const uint32_t at = FieldAt(id, 4);
    return at == 0 ? otherwise : static_cast<int32_t>(LoadU32(bytes_.data() + at));
  }
  uint64_t U64(int id, uint64_t otherwise = 0) const {
    const uint32_t at = FieldAt(id, 8);
    return at == 0 ? otherwise : LoadLittle(bytes_.data() + at, 8);
  }
  uint8_t U8(int id) const {
    const uint32_t at = FieldAt(id, 1);
    return at == 0 ? 0 : bytes_[at];
  }
  TableView Table(int id) const {
    const uint64_t target = Target(id);
    return target == 0 ? TableView() : TableView(bytes_, target);
  }
  inline VectorView Vector(int id) const;
  inline std::string_view String(int id) const;

 private:
  uint64_t Target(int id) const {
    const uint32_t at = FieldAt(id, 4);
    return at == 0 ? 0 : uint64_t{at} + LoadU32(bytes_.data() + at);
  }

  ByteSpan bytes_;
  uint32_t at_ = 0;
  uint32_t vtable_ = 0;
  uint32_t vtable_size_ = 0;
};

// A vector of any element type. The caller passes the width of an element.
class VectorView {
 public:
  VectorView() = default;
  VectorView(ByteSpan bytes, uint64_t at) : bytes_(bytes), at_(static_cast<uint32_t>(at)) {
    if (at != 0 && at + 4 <= bytes.size()) size_ = LoadU32(bytes.data() + at);
  }

  uint32_t at() const { return at_; }
  uint32_t size() const { return size_; }
  // Returns the position of an element, or 0 if it is outside the bytes.
  uint32_t ElementAt(uint32_t index, uint32_t width) const {
    const uint64_t at = uint64_t{at_} + 4 + uint64_t{index} * width;
    return index >= size_ || at + width > bytes_.size() ? 0 : static_cast<uint32_t>(at);
  }
  int32_t I32(uint32_t index) const {
    const uint32_t at = ElementAt(index, 4);
    return at == 0 ? 0 : static_cast<int32_t>(LoadU32(bytes_.data() + at));
  }
  uint8_t U8(uint32_t index) const {
    const uint32_t at = ElementAt(index, 1);
    return at == 0 ? 0 : bytes_[at];
  }
  // Reads an element that is an offset to a table. The offset 0 means that there is no table.
  TableView Table(uint32_t index) const {
    const uint32_t at = ElementAt(index, 4);
    if (at == 0 || LoadU32(bytes_.data() + at) == 0) return {};
    return TableView(bytes_, uint64_t{at} + LoadU32(bytes_.data() + at));
  }

 private:
  ByteSpan bytes_;
  uint32_t at_ = 0;
  uint32_t size_ = 0;
};

inline VectorView TableView::Vector(int id) const { return VectorView(bytes_, Target(id)); }

inline std::string_view TableView::String(int id) const {
  const VectorView text(bytes_, Target(id));
  if (uint64_t{text.at()} + 4 + text.size() > bytes_.size()) return {};
  return std::string_view(reinterpret_cast<const char*>(bytes_.data()) + text.at() + 4,
                          text.size());
}

}  // namespace anecheck::flatbuffer
