#include <algorithm>
#include <bit>
#include <compare>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "harness/base/hash.h"
#include "harness/formats/plist/binary.h"
#include "harness/formats/tree/text.h"

namespace anecheck::plist {

namespace {

using tree::Data;
using tree::Date;
using tree::Dict;
using tree::Entry;
using tree::Uid;
using tree::Value;

constexpr uint64_t kHeaderSize = 8;

uint8_t SmallestWidth(uint64_t value) {
  return value <= 0xff ? 1 : value <= 0xffff ? 2 : value <= 0xffffffff ? 4 : 8;
}
uint8_t CountWidth(uint64_t count) { return count < 0xf ? 0 : SmallestWidth(count); }

// Returns the number of bytes that ObjectWriter writes for an object.
uint64_t SizeOf(const BinaryObject& object, uint8_t reference_size) {
  const uint64_t head = object.count_width == 0 ? 1 : 2 + uint64_t{object.count_width};
  if (const auto* text = std::get_if<std::string>(&object.payload)) {
    return head + (object.width == 1 ? text->size() : 2 * tree::Utf16FromUtf8(*text).size());
  }
  if (const auto* data = std::get_if<Data>(&object.payload)) return head + data->bytes.size();
  if (const auto* container = std::get_if<BinaryContainer>(&object.payload)) {
    return head + (container->keys.size() + container->items.size()) * reference_size;
  }
  return 1 + uint64_t{object.width};
}

// Returns the offset at which the objects of a table end in its file.
uint64_t EndOf(const BinaryTable& table) {
  uint64_t end = kHeaderSize;
  for (const BinaryObject& object : table.objects) end += SizeOf(object, table.reference_size);
  return end;
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// Identifies a scalar by a letter for its kind, and its bits or its text. `text` refers to the
// object.
struct ScalarKey {
  char kind = 0;
  uint64_t bits = 0;
  std::string_view text = {};
  friend auto operator<=>(const ScalarKey&, const ScalarKey&) = default;
};

// Returns nothing for data and containers, which are never shared.
std::optional<ScalarKey> KeyOf(const BinaryObject& object) {
  if (const auto* flag = std::get_if<bool>(&object.payload)) return ScalarKey{'b', *flag};
  if (const auto* integer = std::get_if<int64_t>(&object.payload)) {
    return ScalarKey{'i', static_cast<uint64_t>(*integer)};
  }
  if (const auto* large = std::get_if<uint64_t>(&object.payload)) return ScalarKey{'u', *large};
  if (const auto* real = std::get_if<double>(&object.payload)) {
    return ScalarKey{'r', std::bit_cast<uint64_t>(*real)};
  }
  if (const auto* date = std::get_if<Date>(&object.payload)) {
    return ScalarKey{'t', std::bit_cast<uint64_t>(date->seconds)};
  }
  if (const auto* uid = std::get_if<Uid>(&object.payload)) return ScalarKey{'u', uid->number};
  if (const auto* text = std::get_if<std::string>(&object.payload)) {
    return ScalarKey{'s', text->size(), *text};
  }
  return std::nullopt;
}

// Returns the smallest width for a number, a date or a boolean.
uint8_t WidthOf(const BinaryObject& object) {
  if (const auto* integer = std::get_if<int64_t>(&object.payload)) {
    return *integer < 0 ? 8 : SmallestWidth(static_cast<uint64_t>(*integer));
  }
  if (std::holds_alternative<uint64_t>(object.payload)) return 16;
  if (std::holds_alternative<Date>(object.payload)) return 8;
  if (const auto* uid = std::get_if<Uid>(&object.payload)) return SmallestWidth(uid->number);
  if (const auto* real = std::get_if<double>(&object.payload)) {
    return static_cast<double>(static_cast<float>(*real)) == *real ? 4 : 8;
  }
  return 0;
}

// Returns whether an object's value can have this width. `smallest` is its smallest width.
bool HoldsWith(const BinaryObject& object, uint8_t width, uint8_t smallest) {
  if (std::holds_alternative<int64_t>(object.payload) && smallest == 8) {
    return width == 8 || (width == 16 && std::get<int64_t>(object.payload) >= 0);
  }
  const bool number = std::holds_alternative<int64_t>(object.payload);
  const uint8_t most = number                                                ? 16
                       : std::holds_alternative<double>(object.payload)      ? 8
                       : std::holds_alternative<std::string>(object.payload) ? 2
                                                                             : smallest;
  return width >= smallest && width <= most;
}

class TableBuilder {
 public:
  BinaryTable Build(const Value& root) {
    Add(root);
    table_.reference_size = SmallestWidth(table_.objects.size());
    return std::move(table_);
  }

 private:
  uint32_t Append(BinaryObject object) {
    table_.objects.push_back(std::move(object));
    return static_cast<uint32_t>(table_.objects.size() - 1);
  }

  uint32_t AppendFitted(BinaryObject object) {
    const ObjectWidths widths = SmallestWidths(object);
    object.width = widths.width;
    object.count_width = widths.count_width;
    return Append(std::move(object));
  }

  struct KeyHash {
    size_t operator()(const ScalarKey& key) const {
      const uint64_t number = (key.bits + static_cast<uint8_t>(key.kind)) * kGoldenRatio64;
      return std::hash<std::string_view>()(key.text) ^ (number >> 20);
    }
  };

  uint32_t Shared(BinaryObject object) {
    const auto [it, added] = shared_.try_emplace(*KeyOf(object), 0);
    if (added) it->second = AppendFitted(std::move(object));
    return it->second;
  }

  uint32_t AddString(const std::string& text) {
    const auto [it, added] = shared_.try_emplace(ScalarKey{'s', text.size(), text}, 0);
    if (added) it->second = AppendFitted(BinaryObject{text});
    return it->second;
  }

  uint32_t Add(const Value& value) {
    if (const bool* flag = value.AsBool()) return Shared({*flag});
    if (const int64_t* integer = value.AsInteger()) return Shared({*integer});
    if (const auto* large = std::get_if<uint64_t>(&value.data)) return Shared({*large});
    if (const double* real = value.AsReal()) return Shared({*real});
    if (const auto* date = std::get_if<Date>(&value.data)) return Shared({*date});
    if (const auto* uid = std::get_if<Uid>(&value.data)) return Shared({*uid});
    if (const std::string* text = value.AsString()) return AddString(*text);
    if (const auto* data = std::get_if<Data>(&value.data)) return AppendFitted(BinaryObject{*data});
    if (value.AsDict() != nullptr || value.AsArray() != nullptr) return AddContainer(value);
    static const std::string kNothing;
    return AddString(kNothing);
  }

  uint32_t AddContainer(const Value& value) {
    const uint32_t index = Append(BinaryObject{});
    BinaryContainer container;
    if (const Dict* dict = value.AsDict()) {
      container.is_dict = true;
      for (const Entry& entry : dict->entries) {
        container.keys.push_back(AddString(entry.key));
        container.items.push_back(Add(entry.value));
      }
    } else {
      for (const Value& item : *value.AsArray()) container.items.push_back(Add(item));
    }
    BinaryObject& object = table_.objects[index];
    object.payload = std::move(container);
    object.count_width = SmallestWidths(object).count_width;
    return index;
  }

  BinaryTable table_;
  std::unordered_map<ScalarKey, uint32_t, KeyHash> shared_;
};

// Checks that a table is canonical. Traverses it in the order in which TableBuilder would make its
// objects.
class CanonicalWalk {
 public:
  explicit CanonicalWalk(const BinaryTable& table) : table_(table) {}

  bool Holds() {
    return table_.root == 0 && Visit(0) && next_ == table_.objects.size() && !RepeatsScalar();
  }

 private:
  // An object with an index below `next_` was visited before. Only shared scalars may be visited
  // more than once.
  bool Visit(uint32_t index) {
    if (index > next_) return false;
    const BinaryObject& object = table_.objects[index];
    const auto* container = std::get_if<BinaryContainer>(&object.payload);
    const auto* data = std::get_if<Data>(&object.payload);
    if (index < next_) return container == nullptr && data == nullptr;
    ++next_;
    const ObjectWidths widths = SmallestWidths(object);
    if (object.width != widths.width || object.count_width != widths.count_width) return false;
    return container == nullptr || VisitItems(*container);
  }

  bool VisitItems(const BinaryContainer& container) {
    for (size_t i = 0; i < container.items.size(); ++i) {
      if (container.is_dict && !Visit(container.keys[i])) return false;
      if (!Visit(container.items[i])) return false;
    }
    return true;
  }

  // Returns whether two objects have the same scalar. TableBuilder would make one object for both.
  bool RepeatsScalar() const {
    std::vector<ScalarKey> keys;
    keys.reserve(table_.objects.size());
    for (const BinaryObject& object : table_.objects) {
      if (const std::optional<ScalarKey> key = KeyOf(object)) keys.push_back(*key);
    }
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
  }

  const BinaryTable& table_;
  uint32_t next_ = 0;
};

}  // namespace

ObjectWidths SmallestWidths(const BinaryObject& object) {
  if (const auto* text = std::get_if<std::string>(&object.payload)) {
    const bool ascii = IsAscii(*text);
    const uint64_t units = ascii ? text->size() : tree::Utf16FromUtf8(*text).size();
    return {static_cast<uint8_t>(ascii ? 1 : 2), CountWidth(units)};
  }
  if (const auto* data = std::get_if<Data>(&object.payload)) {
    return {0, CountWidth(data->bytes.size())};
  }
  if (const auto* container = std::get_if<BinaryContainer>(&object.payload)) {
    return {0, CountWidth(container->items.size())};
  }
  return {WidthOf(object), 0};
}

void FitWidths(BinaryTable& table) {
  for (BinaryObject& object : table.objects) {
    const ObjectWidths smallest = SmallestWidths(object);
    if (!HoldsWith(object, object.width, smallest.width)) object.width = smallest.width;
    object.count_width = std::max(object.count_width, smallest.count_width);
  }
  if (table.objects.empty()) return;
  table.reference_size = std::max(table.reference_size, SmallestWidth(table.objects.size() - 1));
  const uint64_t last = EndOf(table) - SizeOf(table.objects.back(), table.reference_size);
  table.offset_size = std::max(table.offset_size, SmallestWidth(last));
}

bool IsCanonical(const BinaryTable& table) {
  if (table.sort_version != 0 || table.unused != decltype(table.unused){} ||
      table.reference_size != SmallestWidth(table.objects.size()) ||
      table.offset_size != SmallestWidth(EndOf(table))) {
    return false;
  }
  return CanonicalWalk(table).Holds();
}

BinaryTable TableFromValue(const Value& root) {
  BinaryTable table = TableBuilder().Build(root);
  table.offset_size = SmallestWidth(EndOf(table));
  return table;
}

}  // namespace anecheck::plist
