#include "harness/formats/plist/binary.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string_view>

#include "harness/base/planted_bug.h"
#include "harness/formats/tree/text.h"

namespace anecheck::plist {

namespace {

using tree::Array;
using tree::Data;
using tree::Date;
using tree::Dict;
using tree::Entry;
using tree::Uid;
using tree::Value;

constexpr std::string_view kHeader = "bplist00";
constexpr size_t kTrailerSize = 32;

Error Bad(std::string_view what, uint64_t at) {
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("binary property list: {} at {:#x}", what, at), at);
}

uint64_t BigEndian(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (const uint8_t byte : bytes) value = (value << 8) | byte;
  return value;
}

void AppendBigEndian(uint64_t value, size_t width, std::vector<uint8_t>& out) {
  for (size_t i = width; i-- > 0;) {
    out.push_back(i >= 8 ? 0 : static_cast<uint8_t>(value >> (8 * i)));
  }
}

// Reads the objects in order. Checks every read against the end of the object area.
class ObjectReader {
 public:
  ObjectReader(std::span<const uint8_t> bytes, uint64_t end, uint8_t reference_size)
      : bytes_(bytes), end_(end), reference_size_(reference_size) {}

  uint64_t position() const { return position_; }

  // Reads into `object`, because objects are expensive to move.
  Status Read(BinaryObject& object) {
    const uint64_t begin = position_;
    ANECHECK_ASSIGN(const uint64_t marker, Number(1));
    const uint8_t low = marker & 0xf;
    switch (marker >> 4) {
      case 0x0:
        if (low != 8 && low != 9) return Unknown(marker, begin);
        object.payload = low == 9;
        return {};
      case 0x1:
        if (low > 4) return Bad("an integer wider than 16 bytes", begin);
        return ReadInteger(uint64_t{1} << low, object);
      case 0x2:
        if (low != 2 && low != 3) return Bad("a real of other than 4 or 8 bytes", begin);
        return ReadReal(uint64_t{1} << low, object);
      case 0x3:
        if (low != 3) return Bad("a date of other than 8 bytes", begin);
        return ReadDate(object);
      case 0x8:
        if (low > 7) return Bad("a reference of more than 8 bytes", begin);
        return ReadUid(uint64_t{1} + low, object);
      case 0x4:
      case 0x5:
      case 0x6:
      case 0xa:
      case 0xd:
        return ReadCounted(static_cast<uint8_t>(marker), begin, object);
      default:
        return Unknown(marker, begin);
    }
  }

 private:
  static Error Unknown(uint64_t marker, uint64_t at) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("binary property list: object marker {:#04x} is not read, at {:#x}", marker,
                    at),
        at);
  }

  Result<std::span<const uint8_t>> Take(uint64_t size) {
    if (size > end_ - position_ && !IsPlanted(PlantedBug::kPlistObjectEnd)) {
      return Bad("an object past the end of the object area", position_);
    }
    const std::span<const uint8_t> taken = bytes_.subspan(position_, size);
    position_ += size;
    return taken;
  }

  Result<uint64_t> Number(uint64_t width) {
    ANECHECK_ASSIGN(const std::span<const uint8_t> taken, Take(width));
    return BigEndian(taken);
  }

  Status ReadInteger(uint64_t width, BinaryObject& object) {
    object.width = static_cast<uint8_t>(width);
    const uint64_t begin = position_;
    if (width == 16) {
      ANECHECK_ASSIGN(const uint64_t high, Number(8));
      if (high != 0) return Bad("an integer above 64 bits", begin);
    }
    ANECHECK_ASSIGN(const uint64_t value, Number(width == 16 ? 8 : width));
    if (width == 16 && value > INT64_MAX) {
      object.payload = value;
    } else {
      object.payload = static_cast<int64_t>(value);
    }
    return {};
  }

  Status ReadReal(uint64_t width, BinaryObject& object) {
    object.width = static_cast<uint8_t>(width);
    const uint64_t begin = position_;
    ANECHECK_ASSIGN(const uint64_t bits, Number(width));
    const double value =
        width == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                   : std::bit_cast<double>(bits);
    if (value != value) return Bad("a real that is not a number", begin);
    object.payload = value;
    return {};
  }

  Status ReadUid(uint64_t width, BinaryObject& object) {
    object.width = static_cast<uint8_t>(width);
    ANECHECK_ASSIGN(const uint64_t number, Number(width));
    object.payload = Uid{number};
    return {};
  }

  Status ReadDate(BinaryObject& object) {
    object.width = 8;
    const uint64_t begin = position_;
    ANECHECK_ASSIGN(const uint64_t bits, Number(8));
    const Date date{std::bit_cast<double>(bits)};
    if (!tree::HasFourDigitYear(date)) return Bad("a date outside of the years 1 to 9999", begin);
    object.payload = date;
    return {};
  }

  Status ReadCounted(uint8_t marker, uint64_t begin, BinaryObject& object) {
    uint64_t count = marker & 0xf;
    if (count == 0xf) {
      ANECHECK_ASSIGN(const uint64_t count_marker, Number(1));
      if (count_marker < 0x10 || count_marker > 0x13) {
        return Bad("an element count that is no integer of at most 8 bytes", position_ - 1);
      }
      object.count_width = static_cast<uint8_t>(1U << (count_marker & 0xf));
      ANECHECK_ASSIGN(count, Number(object.count_width));
    }
    if (count > end_ - position_ && !IsPlanted(PlantedBug::kPlistObjectEnd)) {
      return Bad("an element count larger than the file", begin);
    }
    switch (marker >> 4) {
      case 0x4: {
        ANECHECK_ASSIGN(const std::span<const uint8_t> bytes, Take(count));
        object.payload = Data{{bytes.begin(), bytes.end()}};
        return {};
      }
      case 0x5:
        return ReadAscii(count, object);
      case 0x6:
        return ReadUtf16(count, object);
      default:
        return ReadContainer(marker >> 4 == 0xd, count, object);
    }
  }

  Status ReadAscii(uint64_t count, BinaryObject& object) {
    const uint64_t begin = position_;
    ANECHECK_ASSIGN(const std::span<const uint8_t> bytes, Take(count));
    for (const uint8_t byte : bytes) {
      if (byte == 0 || byte >= 0x80) return Bad("an ASCII string with another byte", begin);
    }
    object.width = 1;
    object.payload.emplace<std::string>(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }

  Status ReadUtf16(uint64_t count, BinaryObject& object) {
    const uint64_t begin = position_;
    ANECHECK_ASSIGN(const std::span<const uint8_t> bytes, Take(2 * count));
    std::vector<uint16_t> units(count);
    for (size_t i = 0; i < count; ++i) {
      units[i] = static_cast<uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
      if (units[i] == 0) return Bad("a NUL in a string", begin);
    }
    Result<std::string> text = tree::Utf8FromUtf16(units);
    if (!text.ok()) return Bad("an unpaired surrogate in a string", begin);
    object.width = 2;
    object.payload = std::move(text).value();
    return {};
  }

  Status ReadContainer(bool is_dict, uint64_t count, BinaryObject& object) {
    auto& container = object.payload.emplace<BinaryContainer>();
    container.is_dict = is_dict;
    const uint64_t begin = position_;
    if (count * reference_size_ > end_ - position_) return Bad("too many references", begin);
    for (std::vector<uint32_t>* list : {&container.keys, &container.items}) {
      if (list == &container.keys && !is_dict) continue;
      ANECHECK_ASSIGN(const std::span<const uint8_t> bytes, Take(count * reference_size_));
      list->reserve(count);
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t reference = BigEndian(bytes.subspan(i * reference_size_, reference_size_));
        if (reference > UINT32_MAX) return Bad("a reference outside the table", begin);
        list->push_back(static_cast<uint32_t>(reference));
      }
    }
    return {};
  }

  std::span<const uint8_t> bytes_;
  uint64_t end_;
  uint8_t reference_size_;
  uint64_t position_ = kHeader.size();
};

struct Place {
  uint32_t offset = 0;
  uint32_t size = 0;
};

// Converts the table to a tree. Without a value to fill, it only checks that the table is a tree.
// It copies shared objects, up to a limit.
class TreeBuilder {
 public:
  TreeBuilder(const BinaryTable& table, std::span<const Place> places, uint64_t file_size)
      : table_(table),
        places_(places),
        open_(table.objects.size(), false),
        budget_(16 * file_size + (uint64_t{1} << 19)) {}

  Status Build(uint64_t reference, int depth, Value* value) {
    if (reference >= table_.objects.size()) return Bad("a reference outside the table", 0);
    const BinaryObject& object = table_.objects[reference];
    const Place place = places_[reference];
    const bool cycles = IsPlanted(PlantedBug::kPlistCycle);
    if (depth > tree::kMaxDepth && !cycles) {
      return Bad("nested deeper than 64 levels", place.offset);
    }
    if (!cycles) ANECHECK_RETURN_IF_ERROR(Charge(sizeof(Entry), place));
    if (const auto* container = std::get_if<BinaryContainer>(&object.payload)) {
      if (open_[reference] && !cycles) return Bad("a container inside itself", place.offset);
      open_[reference] = true;
      ANECHECK_RETURN_IF_ERROR(container->is_dict ? BuildDict(*container, place, depth, value)
                                                  : BuildArray(*container, depth, value));
      open_[reference] = false;
    } else {
      if (const auto* text = std::get_if<std::string>(&object.payload)) {
        ANECHECK_RETURN_IF_ERROR(Charge(text->size(), place));
      } else if (const auto* data = std::get_if<Data>(&object.payload)) {
        ANECHECK_RETURN_IF_ERROR(Charge(data->bytes.size(), place));
      }
      if (value != nullptr) SetScalar(object, *value);
    }
    if (value != nullptr) {
      value->offset = place.offset;
      value->size = place.size;
    }
    return {};
  }

 private:
  Status Charge(uint64_t bytes, Place place) {
    if (bytes > budget_) {
      return MakeError(ErrorCode::kLimit,
                       fmt::format("binary property list: shared objects unfold to more than 16 "
                                   "times the file, at {:#x}",
                                   place.offset),
                       place.offset);
    }
    budget_ -= bytes;
    return {};
  }

  static void SetScalar(const BinaryObject& object, Value& value) {
    if (const auto* flag = std::get_if<bool>(&object.payload)) {
      value.data = *flag;
    } else if (const auto* integer = std::get_if<int64_t>(&object.payload)) {
      value.data = *integer;
    } else if (const auto* large = std::get_if<uint64_t>(&object.payload)) {
      value = Value::Unsigned(*large);
    } else if (const auto* real = std::get_if<double>(&object.payload)) {
      value.data = *real;
    } else if (const auto* text = std::get_if<std::string>(&object.payload)) {
      value.data = *text;
    } else if (const auto* date = std::get_if<Date>(&object.payload)) {
      value.data = *date;
    } else if (const auto* uid = std::get_if<Uid>(&object.payload)) {
      value.data = *uid;
    } else {
      value.data = std::get<Data>(object.payload);
    }
  }

  Status BuildArray(const BinaryContainer& container, int depth, Value* value) {
    Array* array = value == nullptr ? nullptr : &value->data.emplace<Array>();
    for (const uint32_t item : container.items) {
      Value* place = array == nullptr ? nullptr : &array->emplace_back();
      ANECHECK_RETURN_IF_ERROR(Build(item, depth + 1, place));
    }
    return {};
  }

  Status BuildDict(const BinaryContainer& container, Place place, int depth, Value* value) {
    Dict* dict = value == nullptr ? nullptr : &value->data.emplace<Dict>();
    std::vector<std::string_view> keys;
    keys.reserve(container.keys.size());
    for (size_t i = 0; i < container.items.size(); ++i) {
      const uint32_t key = container.keys[i];
      if (key >= table_.objects.size()) return Bad("a reference outside the table", place.offset);
      const auto* text = std::get_if<std::string>(&table_.objects[key].payload);
      if (text == nullptr) return Bad("a dictionary key that is no string", place.offset);
      ANECHECK_RETURN_IF_ERROR(Charge(text->size(), place));
      keys.push_back(*text);
      Value* item = nullptr;
      if (dict != nullptr) {
        Entry& entry = dict->entries.emplace_back();
        entry.key = *text;
        entry.key_offset = places_[key].offset;
        item = &entry.value;
      }
      ANECHECK_RETURN_IF_ERROR(Build(container.items[i], depth + 1, item));
    }
    if (tree::FindRepeatedKey(keys) != keys.size()) {
      return Bad("a key that occurs twice in one dictionary", place.offset);
    }
    return {};
  }

  const BinaryTable& table_;
  std::span<const Place> places_;
  std::vector<bool> open_;  // for each container: whether it encloses the value being built
  uint64_t budget_;
};

bool FitsWidth(uint64_t value, uint8_t width) { return width >= 8 || value >> (8 * width) == 0; }

// Appends one object. Returns an Error if a width is too small for the value.
class ObjectWriter {
 public:
  ObjectWriter(const BinaryTable& table, std::vector<uint8_t>& out) : table_(table), out_(out) {}

  Status Write(const BinaryObject& object) {
    return std::visit([&](const auto& payload) { return Put(object, payload); }, object.payload);
  }

 private:
  static Error BadWidth() {
    return MakeError(ErrorCode::kInvalid,
                     "binary property list: an object's width does not hold its value");
  }

  Status Put(const BinaryObject&, bool value) {
    out_.push_back(value ? 0x09 : 0x08);
    return {};
  }
  Status Put(const BinaryObject& object, int64_t value) {
    return PutInteger(static_cast<uint64_t>(value), object.width, value < 0);
  }
  Status Put(const BinaryObject& object, uint64_t value) {
    if (object.width != 16) return BadWidth();
    return PutInteger(value, object.width, false);
  }
  Status PutInteger(uint64_t value, uint8_t width, bool negative) {
    if (!std::has_single_bit(width) || width > 16 || (negative && width != 8) ||
        !FitsWidth(value, width)) {
      return BadWidth();
    }
    out_.push_back(static_cast<uint8_t>(0x10 | std::countr_zero(width)));
    AppendBigEndian(value, width, out_);
    return {};
  }
  Status Put(const BinaryObject& object, double value) {
    if (object.width == 4 && static_cast<double>(static_cast<float>(value)) == value) {
      out_.push_back(0x22);
      AppendBigEndian(std::bit_cast<uint32_t>(static_cast<float>(value)), 4, out_);
    } else if (object.width == 8) {
      out_.push_back(0x23);
      AppendBigEndian(std::bit_cast<uint64_t>(value), 8, out_);
    } else {
      return BadWidth();
    }
    return {};
  }
  Status Put(const BinaryObject& object, const Date& date) {
    if (object.width != 8) return BadWidth();
    out_.push_back(0x33);
    AppendBigEndian(std::bit_cast<uint64_t>(date.seconds), 8, out_);
    return {};
  }
  Status Put(const BinaryObject& object, const Uid& uid) {
    if (object.width == 0 || object.width > 8 ||
        (object.width < 8 && uid.number >> (8 * object.width) != 0)) {
      return BadWidth();
    }
    out_.push_back(static_cast<uint8_t>(0x80 | (object.width - 1)));
    AppendBigEndian(uid.number, object.width, out_);
    return {};
  }
  Status Put(const BinaryObject& object, const std::string& text) {
    if (object.width == 2) {
      const std::vector<uint16_t> units = tree::Utf16FromUtf8(text);
      ANECHECK_RETURN_IF_ERROR(PutCount(0x60, units.size(), object.count_width));
      for (const uint16_t unit : units) AppendBigEndian(unit, 2, out_);
      return {};
    }
    for (const char c : text) {
      if (object.width != 1 || c == 0 || static_cast<uint8_t>(c) >= 0x80) return BadWidth();
    }
    ANECHECK_RETURN_IF_ERROR(PutCount(0x50, text.size(), object.count_width));
    out_.insert(out_.end(), text.begin(), text.end());
    return {};
  }
  Status Put(const BinaryObject& object, const Data& data) {
    ANECHECK_RETURN_IF_ERROR(PutCount(0x40, data.bytes.size(), object.count_width));
    out_.insert(out_.end(), data.bytes.begin(), data.bytes.end());
    return {};
  }
  Status Put(const BinaryObject& object, const BinaryContainer& container) {
    if (container.is_dict && container.keys.size() != container.items.size()) return BadWidth();
    ANECHECK_RETURN_IF_ERROR(
        PutCount(container.is_dict ? 0xd0 : 0xa0, container.items.size(), object.count_width));
    for (const auto* list : {&container.keys, &container.items}) {
      for (const uint32_t reference : *list) {
        if (!FitsWidth(reference, table_.reference_size) || reference >= table_.objects.size()) {
          return MakeError(ErrorCode::kInvalid,
                           "binary property list: a reference outside the table");
        }
        AppendBigEndian(reference, table_.reference_size, out_);
      }
    }
    return {};
  }
  Status PutCount(uint8_t marker, uint64_t count, uint8_t count_width) {
    if (count_width == 0) {
      if (count >= 0xf) return BadWidth();
      out_.push_back(static_cast<uint8_t>(marker | count));
      return {};
    }
    out_.push_back(marker | 0xf);
    if (count_width > 8) return BadWidth();
    return PutInteger(count, count_width, false);
  }

  const BinaryTable& table_;
  std::vector<uint8_t>& out_;
};

Status ReadTrailer(std::span<const uint8_t> bytes, BinaryTable& table, uint64_t& count,
                   uint64_t& table_offset) {
  if (bytes.size() < kHeader.size() + kTrailerSize ||
      std::string_view(reinterpret_cast<const char*>(bytes.data()), kHeader.size()) != kHeader) {
    return MakeError(ErrorCode::kTruncated,
                     "binary property list: needs the header bplist00 and a 32-byte trailer", 0);
  }
  if (bytes.size() >= UINT32_MAX) {
    return MakeError(ErrorCode::kLimit, "binary property list: 4 GiB and more are not read");
  }
  const uint64_t at = bytes.size() - kTrailerSize;
  const std::span<const uint8_t> trailer = bytes.subspan(at);
  std::copy_n(trailer.begin(), table.unused.size(), table.unused.begin());
  table.sort_version = trailer[5];
  table.offset_size = trailer[6];
  table.reference_size = trailer[7];
  count = BigEndian(trailer.subspan(8, 8));
  table.root = BigEndian(trailer.subspan(16, 8));
  table_offset = BigEndian(trailer.subspan(24, 8));
  if (table.offset_size == 0 || table.offset_size > 8) return Bad("offset size", at + 6);
  if (table.reference_size == 0 || table.reference_size > 8) return Bad("reference size", at + 7);
  // Each object takes at least one byte of the file. This check also bounds the products below.
  if (count > bytes.size()) return Bad("object count larger than the file", at + 8);
  if (table.root >= count) return Bad("root outside the table", at + 16);
  if (table_offset < kHeader.size() || table_offset > at ||
      at - table_offset != count * table.offset_size) {
    return Bad("the offset table does not end at the trailer", at + 24);
  }
  if (count > table_offset - kHeader.size()) return Bad("more objects than bytes", at + 8);
  return {};
}

bool RefersInside(const BinaryObject& object, uint64_t count) {
  const auto* container = std::get_if<BinaryContainer>(&object.payload);
  const auto inside = [count](uint32_t reference) { return reference < count; };
  return container == nullptr || (std::ranges::all_of(container->keys, inside) &&
                                  std::ranges::all_of(container->items, inside));
}

// Reads `table`, and also `root` if it is not null.
Status ReadAll(std::span<const uint8_t> bytes, BinaryTable& table, Value* root) {
  uint64_t count = 0;
  uint64_t table_offset = 0;
  ANECHECK_RETURN_IF_ERROR(ReadTrailer(bytes, table, count, table_offset));
  ObjectReader reader(bytes, table_offset, table.reference_size);
  std::vector<Place> places;
  places.reserve(count);
  table.objects.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t entry = table_offset + i * table.offset_size;
    const uint64_t begin = reader.position();
    if (BigEndian(bytes.subspan(entry, table.offset_size)) != begin) {
      return Bad("objects do not lie back to back in the order of the table", entry);
    }
    BinaryObject& object = table.objects.emplace_back();
    ANECHECK_RETURN_IF_ERROR(reader.Read(object));
    // Checks the references of unused objects too, because TreeBuilder does not visit them.
    if (!RefersInside(object, count)) return Bad("a reference outside the table", begin);
    places.push_back(
        Place{static_cast<uint32_t>(begin), static_cast<uint32_t>(reader.position() - begin)});
  }
  const bool beyond = IsPlanted(PlantedBug::kPlistObjectEnd) && reader.position() > table_offset;
  if (reader.position() != table_offset && !beyond) {
    return Bad("bytes between the last object and the offset table", reader.position());
  }
  TreeBuilder builder(table, places, bytes.size());
  return builder.Build(table.root, 0, root);
}

}  // namespace

Result<BinaryDocument> ParseBinary(std::span<const uint8_t> bytes) {
  BinaryDocument document;
  ANECHECK_RETURN_IF_ERROR(ReadAll(bytes, document.table, &document.root));
  return document;
}

Result<BinaryTable> ParseBinaryTable(std::span<const uint8_t> bytes) {
  BinaryTable table;
  ANECHECK_RETURN_IF_ERROR(ReadAll(bytes, table, nullptr));
  return table;
}

Result<std::vector<uint8_t>> WriteBinary(const BinaryTable& table) {
  const auto invalid = [](std::string_view what) {
    return MakeError(ErrorCode::kInvalid, "binary property list: " + std::string(what));
  };
  if (table.offset_size == 0 || table.offset_size > 8 || table.reference_size == 0 ||
      table.reference_size > 8 || table.root >= table.objects.size()) {
    return invalid("offset_size and reference_size are 1 to 8, root an index of objects");
  }
  std::vector<uint8_t> out(kHeader.begin(), kHeader.end());
  std::vector<uint64_t> offsets;
  ObjectWriter writer(table, out);
  for (const BinaryObject& object : table.objects) {
    offsets.push_back(out.size());
    ANECHECK_RETURN_IF_ERROR(writer.Write(object));
  }
  const uint64_t table_offset = out.size();
  for (const uint64_t offset : offsets) {
    if (!FitsWidth(offset, table.offset_size)) return invalid("offset_size is too small");
    AppendBigEndian(offset, table.offset_size, out);
  }
  out.insert(out.end(), table.unused.begin(), table.unused.end());
  out.push_back(table.sort_version);
  out.push_back(table.offset_size);
  out.push_back(table.reference_size);
  AppendBigEndian(table.objects.size(), 8, out);
  AppendBigEndian(table.root, 8, out);
  AppendBigEndian(table_offset, 8, out);
  return out;
}

}  // namespace anecheck::plist
