#include "harness/formats/flatbuffer/shape.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string>

#include "harness/base/little_endian.h"
#include "harness/base/planted_bug.h"
#include "harness/formats/flatbuffer/quick_shape.h"
#include "harness/formats/message.h"

namespace anecheck::flatbuffer {
namespace {

// A position in the traversal. Each Step points to the step of its parent on the call stack. Only
// messages use this chain.
struct Step {
  const Step* up = nullptr;
  int16_t table = -1;
  int16_t field = -1;
  int64_t index = -1;
};

class ShapeChecker {
 public:
  ShapeChecker(const Schema& schema, ByteSpan bytes, uint64_t base)
      : schema_(schema),
        data_(bytes.data()),
        size_(bytes.size()),
        base_(base),
        work_left_(uint64_t{8} * bytes.size() + 1024) {}

  bool Buffer(int16_t root, const BufferFrame& frame, std::string_view identifier) {
    const Step step;
    if (size_ >= 0x7fffffff || size_ < 8)
      return Fail(ShapeCheck::kRange, step, 0, "buffer below 8 bytes or from 2 GiB on");
    if (!identifier.empty() && (frame.start + 8 > size_ ||
                                std::memcmp(data_ + frame.start + 4, identifier.data(), 4) != 0)) {
      return Fail(ShapeCheck::kIdentifier, step, frame.start + 4, "file identifier");
    }
    uint64_t target = 0;
    return Reference(frame.start, &target, step) && Table(target, root, step);
  }

  bool may_overlap() const { return may_overlap_ || visited_ > 2 * size_ + 4096; }

  std::optional<ShapeError> TakeError() && { return std::move(error_); }

 private:
  bool InRange(uint64_t at, uint64_t length) const {
    return length < size_ && at <= size_ - length;
  }

  [[gnu::noinline, gnu::cold]] bool Fail(ShapeCheck check, const Step& step, uint64_t at,
                                         std::string_view what) {
    if (error_) return false;
    std::string path;
    for (const Step* s = &step; s != nullptr; s = s->up) {
      if (s->field < 0) continue;
      std::string part = schema_.tables[s->table].fields[s->field].name;
      if (s->index >= 0) part += fmt::format("[{}]", s->index);
      path = path.empty() ? part : fmt::format("{}.{}", part, path);
    }
    if (path.empty()) path = "root";
    error_ = ShapeError{check, MakeError(check == ShapeCheck::kWork    ? ErrorCode::kLimit
                                         : check == ShapeCheck::kRange ? ErrorCode::kTruncated
                                                                       : ErrorCode::kMalformed,
                                         Clipped(fmt::format("{}: {} at 0x{:x} of {} bytes", path,
                                                             what, base_ + at, size_)),
                                         base_ + std::min(at, size_))};
    return false;
  }

  bool Spend(uint64_t amount, const Step& step, uint64_t at) {
    if (amount > work_left_) {
      return Fail(ShapeCheck::kWork, step, at, "objects are shared too often");
    }
    work_left_ -= amount;
    return true;
  }

  // Checks a forward offset that is stored at `at`.
  [[gnu::always_inline]] bool Reference(uint64_t at, uint64_t* target, const Step& step) {
    if ((at & 3) != 0) return Fail(ShapeCheck::kAlignment, step, at, "misaligned offset");
    if (!InRange(at, 4)) return Fail(ShapeCheck::kRange, step, at, "offset outside the buffer");
    const uint32_t distance = LoadU32(data_ + at);
    *target = at + distance;
    if (distance == 0 || distance > 0x7fffffff || !InRange(*target, 1)) {
      return Fail(ShapeCheck::kRange, step, at, "offset leads outside the buffer");
    }
    return true;
  }

  [[gnu::always_inline]] bool Vector(uint64_t at, uint64_t element_width, uint64_t* count,
                                     const Step& step) {
    if ((at & 3) != 0) return Fail(ShapeCheck::kAlignment, step, at, "misaligned vector");
    if (!InRange(at, 4)) return Fail(ShapeCheck::kRange, step, at, "vector outside the buffer");
    *count = LoadU32(data_ + at);
    // Both factors have at most 32 bits, so the product cannot wrap.
    const uint64_t size = *count * element_width;
    if (!InRange(at, 4 + size)) {
      return Fail(ShapeCheck::kRange, step, at, "vector longer than the buffer");
    }
    visited_ += 5 + *count * element_width;
    return true;
  }

  [[gnu::always_inline]] bool String(uint64_t at, const Step& step) {
    uint64_t count = 0;
    if (!Vector(at, 1, &count, step)) return false;
    const uint64_t end = at + 4 + count;
    if (!IsPlanted(PlantedBug::kFlatbufferStringEnd) && !InRange(end, 1)) {
      return Fail(ShapeCheck::kRange, step, at, "string without terminator");
    }
    if (data_[end] != 0) return Fail(ShapeCheck::kTerminator, step, end, "string terminator");
    return true;
  }

  struct Start {
    uint64_t vtable = 0;
    uint32_t vtable_size = 0;
    uint32_t table_size = 0;
  };

  bool TableStart(uint64_t at, const Step& step, Start* start) {
    if ((at & 3) != 0) return Fail(ShapeCheck::kAlignment, step, at, "misaligned table");
    if (!InRange(at, 4)) return Fail(ShapeCheck::kRange, step, at, "table outside the buffer");
    const int64_t back = static_cast<int32_t>(LoadU32(data_ + at));
    const int64_t vtable = static_cast<int64_t>(at) - back;
    if (vtable < 0 || !InRange(static_cast<uint64_t>(vtable), 2)) {
      return Fail(ShapeCheck::kRange, step, at, "vtable outside the buffer");
    }
    start->vtable = static_cast<uint64_t>(vtable);
    if ((start->vtable & 1) != 0)
      return Fail(ShapeCheck::kAlignment, step, at, "misaligned vtable");
    start->vtable_size = LoadU16(data_ + start->vtable);
    if ((start->vtable_size & 1) != 0)
      return Fail(ShapeCheck::kVTable, step, at, "odd vtable size");
    if (!InRange(start->vtable, start->vtable_size)) {
      return Fail(ShapeCheck::kRange, step, start->vtable, "vtable longer than the buffer");
    }
    if (++tables_ > kMaxTables) return Fail(ShapeCheck::kDepth, step, at, "too many tables");
    if (start->vtable_size < 4)
      return Fail(ShapeCheck::kTableSize, step, at, "vtable below 4 bytes");
    start->table_size = LoadU16(data_ + start->vtable + 2);
    if (start->table_size < 4 || !InRange(at, start->table_size)) {
      return Fail(ShapeCheck::kTableSize, step, at, "table size leaves the buffer");
    }
    visited_ += start->table_size + start->vtable_size;
    return true;
  }

  bool Table(uint64_t at, int16_t type, const Step& up) {
    if (++depth_ > kMaxDepth) return Fail(ShapeCheck::kDepth, up, at, "tables nested too deep");
    Start start;
    if (!TableStart(at, up, &start) || !Spend(1, up, at)) return false;
    Step step{.up = &up, .table = type};
    uint64_t union_type_at = 0;  // position of the field directly before a union
    for (const ShapeField& field : schema_.tables[type].shape) {
      const uint32_t offset = field.vtable_offset < start.vtable_size
                                  ? LoadU16(data_ + start.vtable + field.vtable_offset)
                                  : 0;
      if (offset == 0) {
        const bool codes_without_unions = union_type_at != 0 && field.kind == FieldKind::kVector &&
                                          field.element == FieldKind::kUnion;
        if (field.required || codes_without_unions) [[unlikely]] {
          step.field = static_cast<int16_t>(field.field);
          return Fail(ShapeCheck::kRequired, step, at, "required field is absent");
        }
        union_type_at = 0;
        continue;
      }
      step.field = static_cast<int16_t>(field.field);
      step.index = -1;
      const uint64_t field_at = at + offset;
      if ((field_at & (field.width - 1)) != 0) [[unlikely]] {
        return Fail(ShapeCheck::kAlignment, step, field_at, "misaligned field");
      }
      if (!InRange(field_at, field.width)) [[unlikely]] {
        return Fail(ShapeCheck::kRange, step, field_at, "field outside the buffer");
      }
      if (offset < 4 || offset + field.width > start.table_size) [[unlikely]] {
        return Fail(ShapeCheck::kFieldOutsideTable, step, field_at, "field outside its table");
      }
      if (field.kind == FieldKind::kScalar) continue;
      if (field.kind == FieldKind::kUnionType) {
        union_type_at = field_at;
        continue;
      }
      if (!Referenced(field, field_at, union_type_at, step)) return false;
      if (field.kind == FieldKind::kVector && field.element == FieldKind::kUnionType) {
        union_type_at = field_at;
      }
    }
    --depth_;
    return true;
  }

  bool Referenced(const ShapeField& field, uint64_t field_at, uint64_t union_type_at, Step& step) {
    uint64_t target = 0;
    if (!Reference(field_at, &target, step)) return false;
    switch (field.kind) {
      case FieldKind::kString:
        return String(target, step);
      case FieldKind::kTable:
        return Table(target, field.type, step);
      case FieldKind::kUnion:
        return Union(target, union_type_at == 0 ? 0 : data_[union_type_at], field.type, step);
      default:
        return VectorField(field, target, union_type_at, step);
    }
  }

  bool Union(uint64_t target, uint8_t member, int16_t union_type, const Step& step) {
    const EnumValue* value = schema_.enums[union_type].ByValue(member);
    if (value != nullptr && value->table >= 0) return Table(target, value->table, step);
    // A member that is not in this schema becomes an opaque table.
    if (error_ || TableStartOnly(target)) return !error_;
    return Fail(ShapeCheck::kUnionShape, step, target, "unknown union member is no table");
  }

  bool TableStartOnly(uint64_t at) {
    const Step step;
    Start start;
    const bool sound = TableStart(at, step, &start);
    error_.reset();
    return sound;
  }

  bool VectorField(const ShapeField& field, uint64_t at, uint64_t types_field_at, Step& step) {
    uint64_t count = 0;
    if (!Vector(at, field.element_width, &count, step)) return false;
    switch (field.element) {
      case FieldKind::kString:
        return Strings(at + 4, count, step);
      case FieldKind::kTable:
        if (!Spend(count, step, at)) return false;
        for (uint64_t i = 0; i < count; ++i) {
          step.index = static_cast<int64_t>(i);
          const uint64_t slot = at + 4 + 4 * i;
          if (!Table(slot + LoadU32(data_ + slot), field.type, step)) return false;
        }
        return true;
      case FieldKind::kUnion:
        return Unions(field, at, count, types_field_at, step);
      default:
        // The rules visit these elements too, once for each reference to the vector.
        if (!Spend(count * field.element_width / 16, step, at)) return false;
        return field.nested < 0 || Nested(field.nested, at + 4, count, step);
    }
  }

  bool Strings(uint64_t slots, uint64_t count, Step& step) {
    if (!Spend(count, step, slots)) return false;
    for (uint64_t i = 0; i < count; ++i) {
      step.index = static_cast<int64_t>(i);
      const uint64_t slot = slots + 4 * i;
      if (!String(slot + LoadU32(data_ + slot), step)) return false;
    }
    return true;
  }

  // The field before a vector of unions is the vector of its member codes.
  bool Unions(const ShapeField& field, uint64_t at, uint64_t count, uint64_t types_field_at,
              Step& step) {
    if (!Spend(count, step, at)) return false;
    if (types_field_at == 0) {
      return Fail(ShapeCheck::kUnionShape, step, at, "vector of unions without member codes");
    }
    const uint64_t types = types_field_at + LoadU32(data_ + types_field_at);
    if (LoadU32(data_ + types) != count) {
      return Fail(ShapeCheck::kRange, step, at, "member codes and unions differ in number");
    }
    for (uint64_t i = 0; i < count; ++i) {
      step.index = static_cast<int64_t>(i);
      const uint64_t slot = at + 4 + 4 * i;
      const uint8_t member = data_[types + 4 + i];
      const uint32_t distance = LoadU32(data_ + slot);
      if (member == 0 && distance == 0) continue;
      if (!Union(slot + distance, member, field.type, step)) return false;
    }
    return true;
  }

  bool Nested(int16_t root, uint64_t at, uint64_t size, const Step& step) {
    ShapeChecker inner(schema_, ByteSpan(data_ + at, size), base_ + at);
    if (inner.Buffer(root, {}, {})) {
      may_overlap_ |= inner.may_overlap();
      return true;
    }
    error_ = std::move(inner).TakeError();
    error_->error.message =
        Clipped(schema_.tables[step.table].fields[step.field].name + ": " + error_->error.message);
    return false;
  }

  const Schema& schema_;
  const uint8_t* data_;
  uint64_t size_;
  uint64_t base_;
  uint64_t work_left_;
  uint64_t visited_ = 0;  // bytes of all visited objects; a shared object counts at each visit
  uint32_t depth_ = 0;
  uint32_t tables_ = 0;
  bool may_overlap_ = false;
  std::optional<ShapeError> error_;
};

std::optional<ShapeError> Check(const Schema& schema, int16_t root, ByteSpan bytes,
                                const BufferFrame& frame, std::string_view identifier,
                                bool* may_overlap) {
  if (may_overlap != nullptr) *may_overlap = false;
  if (IsQuicklySound(schema, root, bytes, frame, identifier)) return std::nullopt;
  // The full check reports the error and its position, and makes the remaining checks.
  ShapeChecker checker(schema, bytes, frame.base);
  const bool sound = checker.Buffer(root, frame, identifier);
  if (may_overlap != nullptr) *may_overlap = checker.may_overlap();
  if (sound) return std::nullopt;
  return std::move(checker).TakeError();
}

}  // namespace

bool IsStricterThanLibrary(ShapeCheck check) { return check >= ShapeCheck::kFieldOutsideTable; }

std::optional<ShapeError> CheckShape(const Schema& schema, ByteSpan bytes, const BufferFrame& frame,
                                     bool* may_overlap) {
  return Check(schema, schema.root, bytes, frame,
               frame.check_identifier ? std::string_view(schema.identifier) : std::string_view(),
               may_overlap);
}

std::optional<ShapeError> CheckShapeFromTable(const Schema& schema, int16_t root_table,
                                              ByteSpan bytes, const BufferFrame& frame) {
  return Check(schema, root_table, bytes, frame, {}, nullptr);
}

}  // namespace anecheck::flatbuffer
