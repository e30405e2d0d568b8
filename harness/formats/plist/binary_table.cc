// The object table that libplist would make of a value tree.
#include <bit>
#include <string_view>
#include <unordered_map>

#include "harness/formats/plist/binary.h"
#include "harness/formats/tree/text.h"

namespace anecheck::plist {

namespace {

using tree::Data;
using tree::Dict;
using tree::Entry;
using tree::Value;

constexpr uint64_t kHeaderSize = 8;

uint8_t SmallestWidth(uint64_t value) {
  return value <= 0xff ? 1 : value <= 0xffff ? 2 : value <= 0xffffffff ? 4 : 8;
}
uint8_t CountWidth(uint64_t count) { return count < 0xf ? 0 : SmallestWidth(count); }

// Bytes that ObjectWriter makes of an object.
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

  // What a scalar is: one letter for its kind, and its bits or its text, which is the tree's.
  struct Key {
    char kind = 0;
    uint64_t bits = 0;
    std::string_view text = {};
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      const uint64_t number = (key.bits + static_cast<uint8_t>(key.kind)) * 0x9e3779b97f4a7c15;
      return std::hash<std::string_view>()(key.text) ^ (number >> 20);
    }
  };

  uint32_t Shared(const Key& key, BinaryObject object) {
    const auto [it, added] = shared_.try_emplace(key, 0);
    if (added) it->second = Append(std::move(object));
    return it->second;
  }

  uint32_t AddString(const std::string& text) {
    bool ascii = true;
    for (const char c : text) ascii = ascii && static_cast<uint8_t>(c) < 0x80;
    const uint64_t units = ascii ? text.size() : tree::Utf16FromUtf8(text).size();
    const auto [it, added] = shared_.try_emplace(Key{.kind = 's', .text = text}, 0);
    if (added) {
      it->second =
          Append(BinaryObject{text, static_cast<uint8_t>(ascii ? 1 : 2), CountWidth(units)});
    }
    return it->second;
  }

  uint32_t Add(const Value& value) {
    if (const bool* flag = value.AsBool()) return Shared({'b', *flag}, BinaryObject{*flag});
    if (const int64_t* integer = value.AsInteger()) {
      const uint8_t width = *integer < 0 ? 8 : SmallestWidth(static_cast<uint64_t>(*integer));
      return Shared({'i', static_cast<uint64_t>(*integer)}, BinaryObject{*integer, width});
    }
    if (const auto* large = std::get_if<uint64_t>(&value.data)) {
      return Shared({'u', *large}, BinaryObject{*large, 16});
    }
    if (const double* real = value.AsReal()) {
      const bool single = static_cast<double>(static_cast<float>(*real)) == *real;
      return Shared({'r', std::bit_cast<uint64_t>(*real)},
                    BinaryObject{*real, static_cast<uint8_t>(single ? 4 : 8)});
    }
    if (const std::string* text = value.AsString()) return AddString(*text);
    if (const auto* data = std::get_if<Data>(&value.data)) {
      return Append(BinaryObject{*data, 0, CountWidth(data->bytes.size())});
    }
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
    const uint8_t count_width = CountWidth(container.items.size());
    table_.objects[index] = BinaryObject{std::move(container), 0, count_width};
    return index;
  }

  BinaryTable table_;
  std::unordered_map<Key, uint32_t, KeyHash> shared_;
};

}  // namespace

BinaryTable TableFromValue(const Value& root) {
  BinaryTable table = TableBuilder().Build(root);
  uint64_t end = kHeaderSize;
  for (const BinaryObject& object : table.objects) end += SizeOf(object, table.reference_size);
  table.offset_size = SmallestWidth(end);
  return table;
}

}  // namespace anecheck::plist
