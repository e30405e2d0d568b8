// Encode, which converts a Document to bytes. It keeps the position of an object if possible.
#include <algorithm>
#include <fmt/format.h>

#include "harness/base/little_endian.h"
#include "harness/base/round_up.h"
#include "harness/formats/flatbuffer/document.h"

namespace anecheck::flatbuffer {
namespace {

class Encoder {
 public:
  explicit Encoder(const Document& document) : document_(document) {}

  Result<Bytes> Run(Relocation* relocation) {
    for (const Document& inner : document_.nested) {
      ANECHECK_ASSIGN(Bytes bytes, Encode(inner));
      nested_.push_back(std::move(bytes));
    }
    place_.assign(document_.objects.size(), 0);
    raw_places_.reserve(document_.raw.size());
    PlacePlaced();
    uint64_t total = std::max(end_, uint64_t{document_.size} + shift_);
    if (total > kMaxWrittenSize) {
      return MakeError(ErrorCode::kLimit, fmt::format("file of {} bytes is above the limit of {}",
                                                      total, kMaxWrittenSize));
    }
    out_.assign(total, 0);
    for (const auto& [raw, place] : raw_places_) std::ranges::copy(raw->bytes, &out_[place]);
    WriteHeader();
    for (uint32_t i = 0; i < document_.objects.size(); ++i) WriteObject(i);
    if (!status_.ok()) return std::move(status_).error();
    if (relocation != nullptr) *relocation = std::move(relocation_);
    return std::move(out_);
  }

 private:
  uint64_t SizeOf(const Object& object) const {
    return object.kind == ObjectKind::kNested ? 4 + nested_[object.first].size()
                                              : document_.SizeOf(object);
  }
  uint32_t HeaderAt() const { return document_.start - (document_.has_size_prefix ? 4 : 0); }
  uint32_t HeaderSize() const {
    return static_cast<uint32_t>((document_.has_size_prefix ? 8 : 4) + document_.identifier.size());
  }

  // An object, raw bytes or the header, with its position.
  struct Item {
    uint32_t at = 0;
    uint64_t size = 0;
    bool overlaps = false;
    uint32_t object = kNoObject;
    const RawBytes* raw = nullptr;
  };

  // Returns the item `number`. The numbers count the header, then the raw bytes, then the objects.
  Item ItemOf(size_t number) const {
    if (number == 0) {
      return {.at = HeaderAt(), .size = HeaderSize(), .overlaps = document_.header_overlaps};
    }
    if (number <= document_.raw.size()) {
      const RawBytes& raw = document_.raw[number - 1];
      return {.at = raw.at, .size = raw.bytes.size(), .overlaps = raw.overlaps, .raw = &raw};
    }
    const auto index = static_cast<uint32_t>(number - 1 - document_.raw.size());
    const Object& object = document_.objects[index];
    return {.at = object.at, .size = SizeOf(object), .overlaps = object.overlaps, .object = index};
  }

  void PlacePlaced() {
    // Sort keys with the position in the high bits and the number in the low bits. So items at the
    // same position are in the order of their numbers.
    std::vector<uint64_t> order;
    order.reserve(1 + document_.raw.size() + document_.objects.size());
    order.push_back(uint64_t{HeaderAt()} << 32);
    uint64_t number = 1;
    for (const RawBytes& raw : document_.raw) order.push_back(uint64_t{raw.at} << 32 | number++);
    for (const Object& object : document_.objects) {
      if (object.at != kUnplaced) order.push_back(uint64_t{object.at} << 32 | number);
      ++number;
    }
    std::ranges::sort(order);
    bool appended = false;
    for (const uint64_t entry : order) {
      const Item item = ItemOf(entry & UINT32_MAX);
      bool grew = false;
      if (!appended && item.at >= document_.append_at) {
        grew = PlaceUnplaced(document_.append_at);
        appended = true;
      }
      PlaceOne(item);
      if (grew) relocation_.steps.push_back({item.at, static_cast<uint32_t>(shift_)});
    }
    if (!appended) PlaceUnplaced(document_.size);
  }

  void PlaceOne(const Item& item) {
    uint64_t place = uint64_t{item.at} + shift_;
    if (!item.overlaps && place < end_) {
      const uint64_t push = RoundUp(end_ - place, document_.shift_unit);
      shift_ += push;
      place += push;
      relocation_.steps.push_back({item.at, static_cast<uint32_t>(shift_)});
    }
    if (item.object != kNoObject) {
      place_[item.object] = place;
    } else if (item.raw != nullptr) {
      raw_places_.push_back({item.raw, place});
    } else {
      header_place_ = place;
    }
    end_ = std::max(end_, place + item.size);
  }

  // Puts the unplaced objects at position `where`. Returns whether there were any.
  bool PlaceUnplaced(uint32_t where) {
    bool first = true;
    for (uint32_t i = 0; i < document_.objects.size(); ++i) {
      const Object& object = document_.objects[i];
      if (object.at != kUnplaced) continue;
      if (first) end_ = std::max(end_, uint64_t{where} + shift_);
      first = false;
      place_[i] = Aligned(object, end_);
      end_ = place_[i] + SizeOf(object);
    }
    // In the written file, the range that ended at `where` ends after the appended objects.
    if (!first) relocation_.steps.push_back({where, static_cast<uint32_t>(end_ - where)});
    return !first;
  }

  // Aligns tables to 8 bytes, the size of the widest scalar, and the elements of vectors.
  static uint64_t Aligned(const Object& object, uint64_t at) {
    switch (object.kind) {
      case ObjectKind::kTable:
        return RoundUp(at, 8);
      case ObjectKind::kVTable:
        return RoundUp(at, 2);
      case ObjectKind::kBytes:
        if (object.width % 8 == 0) return RoundUp(at + 4, 8) - 4;
        return RoundUp(at, 4);
      case ObjectKind::kNested:
        return RoundUp(at + 4, 16) - 4;
      default:
        return RoundUp(at, 4);
    }
  }

  void WriteHeader() {
    uint64_t at = header_place_;
    if (document_.has_size_prefix) {
      StoreLittle(&out_[at], document_.size_prefix, 4);
      at += 4;
    }
    WriteReference(at, document_.root);
    std::ranges::copy(document_.identifier, &out_[at + 4]);
  }

  void WriteReference(uint64_t at, uint64_t object) {
    if (object == kNoObject) return;
    const uint64_t target = place_[object];
    if (target < at) {
      Fail(fmt::format("object at 0x{:x} stands before the offset at 0x{:x} that names it: remove "
                       "its \"@\" to have it placed anew",
                       target, at),
           target);
      return;
    }
    StoreLittle(&out_[at], target - at, 4);
  }

  void WriteObject(uint32_t index) {
    const Object& object = document_.objects[index];
    const uint64_t at = place_[index];
    switch (object.kind) {
      case ObjectKind::kTable:
        return WriteTable(object, at);
      case ObjectKind::kVTable:
        StoreLittle(&out_[at], 2 + 2 * uint64_t{object.count}, 2);
        for (uint32_t i = 0; i < object.count; ++i) {
          StoreLittle(&out_[at + 2 + 2 * i], document_.words[object.first + i], 2);
        }
        return;
      case ObjectKind::kReferences:
        StoreLittle(&out_[at], object.count, 4);
        for (uint32_t i = 0; i < object.count; ++i) {
          WriteReference(at + 4 + 4 * i, document_.references[object.first + i]);
        }
        return;
      case ObjectKind::kNested: {
        const Bytes& inner = nested_[object.first];
        StoreLittle(&out_[at], inner.size(), 4);
        std::ranges::copy(inner, &out_[at + 4]);
        return;
      }
      case ObjectKind::kString:
      case ObjectKind::kBytes:
        StoreLittle(&out_[at], object.count, 4);
        std::ranges::copy(document_.DataOf(object), out_.begin() + static_cast<ptrdiff_t>(at + 4));
        return;
    }
  }

  void WriteTable(const Object& object, uint64_t at) {
    StoreLittle(&out_[at], static_cast<uint32_t>(at - place_[object.vtable]), 4);
    for (const Slot& slot : document_.SlotsOf(object)) {
      if (slot.is_reference) {
        WriteReference(at + slot.at, slot.value);
      } else {
        StoreLittle(&out_[at + slot.at], slot.value, slot.width);
      }
    }
  }

  void Fail(std::string message, uint64_t at) {
    if (status_.ok()) status_ = MakeError(ErrorCode::kInvalid, std::move(message), at);
  }

  const Document& document_;
  std::vector<Bytes> nested_;
  std::vector<uint64_t> place_;  // the new position of each object
  std::vector<std::pair<const RawBytes*, uint64_t>> raw_places_;
  Relocation relocation_;
  uint64_t end_ = 0;
  uint64_t shift_ = 0;
  uint64_t header_place_ = 0;
  Bytes out_;
  Status status_;
};

}  // namespace

uint32_t Relocation::NewPlace(uint32_t old_place) const {
  uint32_t shift = 0;
  for (const Step& step : steps) {
    if (step.from > old_place) break;
    shift = step.shift;
  }
  return old_place + shift;
}

Result<Bytes> Encode(const Document& document, Relocation* relocation) {
  return Encoder(document).Run(relocation);
}

}  // namespace anecheck::flatbuffer
