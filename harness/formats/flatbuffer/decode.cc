// Decode, which converts bytes to a Document after the shape check.
#include <algorithm>
#include <fmt/format.h>

#include "harness/base/hash.h"
#include "harness/base/little_endian.h"
#include "harness/formats/flatbuffer/document.h"

namespace anecheck::flatbuffer {
namespace {

// Finds the object that was made for a position and a type. It uses open addressing, which takes 8
// to 24 bytes per object. A node-based map would exceed the limit on memory.
class ObjectIndex {
 public:
  uint32_t* Find(uint64_t key) {
    if ((used_ + 1) * 2 > entries_.size()) Grow();
    Entry* entry = Probe(key);
    if (entry->object == kNoObject && entry->key == kEmpty) {
      entry->key = key;
      ++used_;
    }
    return &entry->object;
  }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  struct Entry {
    uint64_t key = kEmpty;
    uint32_t object = kNoObject;
  };
  Entry* Probe(uint64_t key) {
    size_t i = (key * kGoldenRatio64 >> 20) & (entries_.size() - 1);
    while (entries_[i].key != kEmpty && entries_[i].key != key) i = (i + 1) & (entries_.size() - 1);
    return &entries_[i];
  }
  void Grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.key != kEmpty) *Probe(entry.key) = entry;
    }
  }
  std::vector<Entry> entries_;
  size_t used_ = 0;
};

class Decoder {
 public:
  Decoder(const Schema& schema, ByteSpan file) : schema_(schema), file_(file) {}

  Result<Document> Run(const BufferFrame& frame, int16_t root_table,
                       std::span<ClaimedRange> claimed) {
    document_.start = frame.start;
    document_.size = static_cast<uint32_t>(file_.size());
    document_.has_size_prefix = frame.start >= 4;
    if (document_.has_size_prefix) document_.size_prefix = LoadU32(&file_[frame.start - 4]);
    if (frame.check_identifier && !schema_.identifier.empty()) {
      document_.identifier = schema_.identifier;
    }
    document_.objects.reserve(file_.size() / 32);
    document_.slots.reserve(file_.size() / 16);
    document_.words.reserve(file_.size() / 16);
    document_.references.reserve(file_.size() / 64);
    document_.data.reserve(file_.size() / 4);
    document_.root = Table(frame.start + LoadU32(&file_[frame.start]), root_table);
    if (!status_.ok()) return std::move(status_).error();
    MarkOverlaps(claimed);
    CollectRaw(claimed);
    return std::move(document_);
  }

 private:
  uint32_t NewObject(Object object) {
    const uint64_t size = document_.SizeOf(object);
    content_ += size;
    // Overlapping objects could decode to many times the input. Valid files have none.
    if (content_ > uint64_t{2} * file_.size() + 4096 && status_.ok()) {
      status_ = MakeError(ErrorCode::kLimit,
                          fmt::format("objects overlap too much: second at 0x{:x}", object.at),
                          object.at);
    }
    document_.objects.push_back(object);
    return static_cast<uint32_t>(document_.objects.size() - 1);
  }

  static constexpr uint64_t kEightFlags = 0x0101010101010101;

  static uint64_t Key(uint32_t at, ObjectKind kind, int16_t type) {
    return static_cast<uint64_t>(at) | static_cast<uint64_t>(kind) << 32 |
           static_cast<uint64_t>(static_cast<uint16_t>(type)) << 40;
  }

  uint32_t VTable(uint32_t at) {
    const uint64_t key = Key(at, ObjectKind::kVTable, -1);
    if (const uint32_t known = *index_.Find(key); known != kNoObject) return known;
    Object object{.at = at, .kind = ObjectKind::kVTable};
    object.first = static_cast<uint32_t>(document_.words.size());
    object.count = LoadU16(&file_[at]) / 2 - 1;
    for (uint32_t i = 0; i < object.count; ++i) {
      document_.words.push_back(LoadU16(&file_[at + 2 + 2 * i]));
    }
    return *index_.Find(key) = NewObject(object);
  }

  uint32_t Table(uint32_t at, int16_t type) {
    const uint64_t key = Key(at, ObjectKind::kTable, type);
    if (const uint32_t known = *index_.Find(key); known != kNoObject) return known;
    const uint32_t vtable = VTable(static_cast<uint32_t>(
        static_cast<int64_t>(at) - static_cast<int32_t>(LoadU32(&file_[at]))));
    Object object{.at = at, .kind = ObjectKind::kTable, .type = type, .vtable = vtable};
    object.first = static_cast<uint32_t>(document_.slots.size());
    if (type >= 0) AddSlots(at, type, vtable);
    object.count = static_cast<uint32_t>(document_.slots.size()) - object.first;
    const uint32_t self = *index_.Find(key) = NewObject(object);
    if (type >= 0 && status_.ok()) Follow(self);
    return self;
  }

  void AddSlots(uint32_t at, int16_t type, uint32_t vtable) {
    const Object table_shape = document_.objects[vtable];
    for (const Field& field : schema_.tables[type].fields) {
      const uint32_t word = field.id + 1;
      if (word >= table_shape.count) continue;
      const uint16_t offset = document_.words[table_shape.first + word];
      if (offset == 0) continue;
      const bool reference =
          field.kind != FieldKind::kScalar && field.kind != FieldKind::kUnionType;
      document_.slots.push_back({.value = LoadLittle(&file_[at + offset], field.width),
                                 .id = field.id,
                                 .at = offset,
                                 .width = field.width,
                                 .is_reference = reference});
    }
  }

  // Replaces the raw offsets of a table's slots by objects.
  void Follow(uint32_t self) {
    const Object table = document_.objects[self];
    for (uint32_t i = 0; i < table.count; ++i) {
      const Slot slot = document_.slots[table.first + i];
      // The field before a union has the member code. The field before a vector of unions has a
      // vector of member codes.
      const Slot* prior = i == 0 ? nullptr : &document_.slots[table.first + i - 1];
      const uint64_t before = prior != nullptr && prior->id + 1 == slot.id ? prior->value : 0;
      if (slot.is_reference) {
        const uint32_t target = static_cast<uint32_t>(table.at + slot.at + slot.value);
        const Field& field = *schema_.tables[table.type].FieldById(slot.id);
        const uint32_t object = Referenced(field, target, before);
        document_.slots[table.first + i].value = object;
      }
      if (!status_.ok()) return;
    }
  }

  int16_t UnionMember(int16_t union_type, uint64_t member) const {
    const EnumValue* value = schema_.enums[union_type].ByValue(static_cast<int64_t>(member));
    return value == nullptr ? int16_t{-1} : value->table;
  }

  uint32_t Referenced(const Field& field, uint32_t target, uint64_t before) {
    switch (field.kind) {
      case FieldKind::kString:
        return Data(target, ObjectKind::kString, 1, -1);
      case FieldKind::kTable:
        return Table(target, field.type);
      case FieldKind::kUnion:
        return Table(target, UnionMember(field.type, before));
      default:
        break;
    }
    if (field.nested >= 0) return Nested(target, field);
    if (field.element == FieldKind::kScalar || field.element == FieldKind::kUnionType ||
        field.element == FieldKind::kStruct) {
      return Data(target, ObjectKind::kBytes, field.element_width, field.type);
    }
    return References(target, field, before);
  }

  uint32_t Data(uint32_t at, ObjectKind kind, uint32_t width, int16_t type) {
    const uint64_t key = Key(at, kind, static_cast<int16_t>(width));
    if (const uint32_t known = *index_.Find(key); known != kNoObject) return known;
    Object object{.at = at, .kind = kind, .type = type, .width = static_cast<uint16_t>(width)};
    object.first = static_cast<uint32_t>(document_.data.size());
    object.count = LoadU32(&file_[at]);
    const uint32_t self = *index_.Find(key) = NewObject(object);
    if (!status_.ok()) return self;
    const ByteSpan content = file_.subspan(at + 4, size_t{object.count} * width);
    document_.data.insert(document_.data.end(), content.begin(), content.end());
    return self;
  }

  uint32_t References(uint32_t at, const Field& field, uint64_t codes_object) {
    const uint64_t key =
        Key(at, ObjectKind::kReferences,
            static_cast<int16_t>(static_cast<int>(field.element) << 12 | (field.type & 0xfff)));
    if (const uint32_t known = *index_.Find(key); known != kNoObject) return known;
    Object object{.at = at, .kind = ObjectKind::kReferences, .type = field.type};
    object.first = static_cast<uint32_t>(document_.references.size());
    object.count = LoadU32(&file_[at]);
    const uint32_t self = *index_.Find(key) = NewObject(object);
    if (!status_.ok()) return self;
    document_.references.resize(object.first + object.count, kNoObject);
    for (uint32_t i = 0; i < object.count && status_.ok(); ++i) {
      const uint32_t slot = at + 4 + 4 * i;
      const uint32_t target = slot + LoadU32(&file_[slot]);
      uint32_t made = kNoObject;
      if (field.element == FieldKind::kString) {
        made = Data(target, ObjectKind::kString, 1, -1);
      } else if (field.element == FieldKind::kTable) {
        made = Table(target, field.type);
      } else if (target != slot) {
        const Object& codes = document_.objects[codes_object];
        made = Table(target, UnionMember(field.type, document_.data[codes.first + i]));
      }
      document_.references[object.first + i] = made;
    }
    return self;
  }

  uint32_t Nested(uint32_t at, const Field& field) {
    const uint64_t key = Key(at, ObjectKind::kNested, field.nested);
    if (const uint32_t known = *index_.Find(key); known != kNoObject) return known;
    const uint32_t size = LoadU32(&file_[at]);
    Result<Document> inner = Decode(schema_, file_.subspan(at + 4, size), size,
                                    {.check_identifier = false}, field.nested);
    if (!inner.ok()) {
      if (status_.ok()) status_ = std::move(inner).error();
      return 0;
    }
    Object object{.at = at, .kind = ObjectKind::kNested, .type = field.nested, .count = size};
    object.first = static_cast<uint32_t>(document_.nested.size());
    document_.nested.push_back(std::move(*inner));
    return *index_.Find(key) = NewObject(object);
  }

  uint32_t HeaderAt() const { return document_.start - (document_.has_size_prefix ? 4 : 0); }

  // Marks objects that share bytes with an object at a lower position. If two objects are at the
  // same position, marks the one listed later.
  void MarkOverlaps(std::span<ClaimedRange> claimed) {
    // Sort keys with the position in the high bits and a number in the low bits. The numbers count
    // the header, then the claimed ranges, then the objects.
    std::vector<uint64_t> order;
    order.reserve(1 + claimed.size() + document_.objects.size());
    const auto add = [&](uint32_t at) { order.push_back(uint64_t{at} << 32 | order.size()); };
    add(HeaderAt());
    for (const ClaimedRange& range : claimed) add(range.begin);
    for (const Object& object : document_.objects) add(object.at);
    std::ranges::sort(order);
    uint64_t end = 0;
    for (const uint64_t entry : order) {
      const uint64_t at = entry >> 32;
      const size_t number = entry & UINT32_MAX;
      uint64_t own_end = document_.start + 4 + document_.identifier.size();
      bool* overlaps = &document_.header_overlaps;
      if (number > claimed.size()) {
        Object& object = document_.objects[number - 1 - claimed.size()];
        own_end = at + document_.SizeOf(object);
        overlaps = &object.overlaps;
      } else if (number > 0) {
        own_end = claimed[number - 1].end;
        overlaps = &claimed[number - 1].overlaps;
      }
      *overlaps = at < end;
      end = std::max(end, own_end);
    }
  }

  // One flag per byte of the file. `covered` marks the bytes that belong to an object of the
  // Document or to a range that the caller claims.
  struct Accounted {
    Bytes covered;
    Bytes inside;  // inside a table, including the bytes between its fields
  };

  Accounted Account(std::span<ClaimedRange> claimed) const {
    Accounted flags{Bytes(file_.size()), Bytes(file_.size())};
    const auto mark = [&](Bytes& marked, uint64_t begin, uint64_t size) {
      std::fill_n(marked.begin() + static_cast<ptrdiff_t>(begin),
                  std::min<uint64_t>(size, marked.size() - begin), uint8_t{1});
    };
    mark(flags.covered, HeaderAt(),
         (document_.has_size_prefix ? 8 : 4) + document_.identifier.size());
    for (const ClaimedRange& range : claimed) {
      mark(flags.covered, range.begin, range.end - range.begin);
    }
    for (const Object& object : document_.objects) {
      if (object.kind != ObjectKind::kTable) {
        mark(flags.covered, object.at, document_.SizeOf(object));
        continue;
      }
      mark(flags.inside, object.at, document_.SizeOf(object));
      StoreLittle(&flags.covered[object.at], kEightFlags, 4);
      // The shape check ensures that the fields are inside their tables and the tables inside the
      // file.
      for (const Slot& slot : document_.SlotsOf(object)) {
        StoreLittle(&flags.covered[object.at + slot.at], kEightFlags, slot.width);
      }
    }
    return flags;
  }

  // Returns the position of the first byte from `at` on that is not zero and not covered. Tests
  // eight bytes at a time, because there are few such bytes.
  size_t NextUncovered(const Bytes& covered, size_t at) const {
    for (; at + 8 <= file_.size(); at += 8) {
      const uint64_t flags = LoadLittle(&covered[at], 8);
      if ((LoadLittle(&file_[at], 8) & ~(flags * 0xff)) != 0) break;
    }
    while (at < file_.size() && (covered[at] || file_[at] == 0)) ++at;
    return at;
  }

  // Adds the non-zero bytes that no object and no claimed range covers to `raw`.
  void CollectRaw(std::span<ClaimedRange> claimed) {
    const auto [covered, inside] = Account(claimed);
    for (size_t i = NextUncovered(covered, 0); i < file_.size(); i = NextUncovered(covered, i)) {
      size_t end = i + 1;  // a record includes short runs of zeros, so that there are few records
      for (size_t next = end; next < file_.size() && next < end + 16 && !covered[next]; ++next) {
        if (file_[next] != 0) end = next + 1;
      }
      document_.raw.push_back({static_cast<uint32_t>(i), inside[i] != 0,
                               Bytes(file_.begin() + static_cast<ptrdiff_t>(i),
                                     file_.begin() + static_cast<ptrdiff_t>(end))});
      i = end;
    }
  }

  const Schema& schema_;
  ByteSpan file_;
  Document document_;
  ObjectIndex index_;
  uint64_t content_ = 0;
  Status status_;
};

}  // namespace

ByteSpan Document::DataOf(const Object& object) const {
  const size_t width = object.kind == ObjectKind::kString ? 1 : object.width;
  return ByteSpan(data).subspan(object.first, object.count * width);
}

uint64_t Document::SizeOf(const Object& object) const {
  switch (object.kind) {
    case ObjectKind::kTable:
      return words[objects[object.vtable].first];
    case ObjectKind::kVTable:
      return 2 + 2 * uint64_t{object.count};
    case ObjectKind::kString:
      return 5 + uint64_t{object.count};
    case ObjectKind::kBytes:
      return 4 + uint64_t{object.count} * object.width;
    case ObjectKind::kReferences:
      return 4 + 4 * uint64_t{object.count};
    case ObjectKind::kNested:
      return 4 + uint64_t{object.count};
  }
  return 0;
}

const Slot* Document::FindSlot(const Object& table, uint16_t id) const {
  for (const Slot& slot : SlotsOf(table)) {
    if (slot.id == id) return &slot;
  }
  return nullptr;
}

Result<Document> Decode(const Schema& schema, ByteSpan file, uint32_t buffer_end,
                        const BufferFrame& frame, int16_t root_table,
                        std::span<ClaimedRange> claimed) {
  // Alignment is relative to the size prefix, which is at a multiple of 64 in real files.
  const uint32_t origin = frame.start >= 4 ? frame.start - 4 : 0;
  if (buffer_end > file.size() || buffer_end < frame.start) {
    return MakeError(ErrorCode::kTruncated, "FlatBuffer ends outside the file", buffer_end);
  }
  const ByteSpan buffer = file.subspan(origin, buffer_end - origin);
  BufferFrame inner = frame;
  inner.base = frame.base + origin;
  inner.start = frame.start - origin;
  auto error = root_table == schema.root && frame.check_identifier
                   ? CheckShape(schema, buffer, inner)
                   : CheckShapeFromTable(schema, root_table, buffer, inner);
  if (error) return std::move(error->error);
  return DecodeSound(schema, file, frame, root_table, claimed);
}

Result<Document> DecodeSound(const Schema& schema, ByteSpan file, const BufferFrame& frame,
                             int16_t root_table, std::span<ClaimedRange> claimed) {
  return Decoder(schema, file).Run(frame, root_table, claimed);
}

void ClaimDocument(const Document& document, uint64_t base, ByteKindMap* map) {
  const auto typed = [&](uint64_t at, uint64_t size) {
    map->Claim(ByteKind::kTyped, base + at, size);
  };
  const uint32_t prefix = document.has_size_prefix ? 4 : 0;
  typed(document.start - prefix, prefix + 4 + document.identifier.size());
  for (const Object& object : document.objects) {
    if (object.kind == ObjectKind::kNested) {
      typed(object.at, 4);
      ClaimDocument(document.nested[object.first], base + object.at + 4, map);
    } else if (object.kind == ObjectKind::kTable) {
      typed(object.at, 4);
      for (const Slot& slot : document.SlotsOf(object)) typed(object.at + slot.at, slot.width);
    } else {
      typed(object.at, document.SizeOf(object));
    }
  }
  for (const RawBytes& raw : document.raw) {
    map->Claim(ByteKind::kOpaque, base + raw.at, raw.bytes.size());
  }
}

}  // namespace anecheck::flatbuffer
