// Converts an object table to a layout without values, and makes the table again from a layout and
// values.
#include "harness/formats/plist/table_layout.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/base/json.h"

namespace anecheck::plist {

namespace {

using tree::Array;
using tree::Data;
using tree::Dict;
using tree::Value;

Error Bad(std::string_view what) {
  return MakeError(ErrorCode::kInvalid, "property list JSON: layout." + std::string(what));
}

const BinaryContainer* ContainerOf(const BinaryObject& object) {
  return std::get_if<BinaryContainer>(&object.payload);
}

// Returns for each object whether the tree of the table reaches it.
std::vector<bool> Reached(const BinaryTable& table) {
  std::vector<bool> reached(table.objects.size(), false);
  std::vector<uint64_t> waiting = {table.root};
  while (!waiting.empty()) {
    const uint64_t index = waiting.back();
    waiting.pop_back();
    if (reached[index]) continue;
    reached[index] = true;
    if (const BinaryContainer* container = ContainerOf(table.objects[index])) {
      waiting.insert(waiting.end(), container->keys.begin(), container->keys.end());
      waiting.insert(waiting.end(), container->items.begin(), container->items.end());
    }
  }
  return reached;
}

Value ScalarValue(const BinaryObject& object) {
  return std::visit(
      [](const auto& payload) {
        if constexpr (std::is_same_v<std::decay_t<decltype(payload)>, BinaryContainer>) {
          return Value();
        } else {
          return Value(Value::Payload(payload));
        }
      },
      object.payload);
}

Json ObjectToJson(const BinaryObject& object, bool reached) {
  Json json = Json::object();
  if (const BinaryContainer* container = ContainerOf(object)) {
    if (container->is_dict) json["keys"] = container->keys;
    json["items"] = container->items;
  } else if (!reached) {
    json["value"] = tree::ToJson(ScalarValue(object));
  }
  const ObjectWidths smallest = SmallestWidths(object);
  if (object.width != smallest.width) json["width"] = object.width;
  if (object.count_width != smallest.count_width) json["count_width"] = object.count_width;
  return json;
}

// Returns the number at `key`, or `fallback` if it is absent, or an Error if it is above `limit`.
Result<uint64_t> Number(const Json& json, const char* key, uint64_t limit, uint64_t fallback) {
  const auto it = json.find(key);
  if (it == json.end()) return fallback;
  if (!it->is_number_unsigned() || it->get<uint64_t>() > limit) {
    return Bad(fmt::format("{} takes a number up to {}", key, limit));
  }
  return it->get<uint64_t>();
}

// Returns a width in the JSON form, or 0 (the smallest width) if it is absent.
Result<uint8_t> Width(const Json& json, const char* key, uint64_t limit) {
  ANECHECK_ASSIGN(const uint64_t width, Number(json, key, limit, 0));
  if (width != 0 && !std::has_single_bit(width)) {
    return Bad(fmt::format("objects: {} takes 1, 2, 4 or 8 bytes, or 16 of an integer", key));
  }
  return static_cast<uint8_t>(width);
}

Result<std::vector<uint32_t>> Numbers(const Json& json, uint64_t end) {
  std::vector<uint32_t> numbers;
  if (!json.is_array()) return Bad("unused, keys and items take arrays of numbers");
  for (const Json& item : json) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() >= end) {
      return Bad(fmt::format("unused, keys and items take numbers below {}", end));
    }
    numbers.push_back(item.get<uint32_t>());
  }
  return numbers;
}

std::optional<BinaryObject> ScalarObject(const Value& value) {
  return std::visit(
      [](const auto& payload) -> std::optional<BinaryObject> {
        using T = std::decay_t<decltype(payload)>;
        if constexpr (std::is_same_v<T, Array> || std::is_same_v<T, Dict>) {
          return std::nullopt;
        } else if constexpr (std::is_same_v<T, std::monostate>) {
          return BinaryObject{std::string()};
        } else {
          return BinaryObject{payload};
        }
      },
      value.data);
}

// An object of the layout. A container has its references. A scalar has its value only if the tree
// does not reach it.
struct LaidOut {
  BinaryObject object;
  bool has_value = false;
};

Result<LaidOut> ObjectFromJson(const Json& json, uint64_t count) {
  LaidOut laid_out;
  if (!json.is_object()) return Bad("objects: takes JSON objects");
  if (json.contains("items")) {
    BinaryContainer container;
    container.is_dict = json.contains("keys");
    if (container.is_dict) {
      ANECHECK_ASSIGN(container.keys, Numbers(json["keys"], count));
    }
    ANECHECK_ASSIGN(container.items, Numbers(json["items"], count));
    if (container.is_dict && container.keys.size() != container.items.size()) {
      return Bad("objects: a dictionary has as many keys as items");
    }
    laid_out.object.payload = std::move(container);
  } else if (json.contains("value")) {
    ANECHECK_ASSIGN(const Value value, tree::FromJson(json["value"]));
    std::optional<BinaryObject> scalar = ScalarObject(value);
    if (!scalar) return Bad("objects: value is a scalar");
    laid_out.object = std::move(*scalar);
    laid_out.has_value = true;
  }
  ANECHECK_ASSIGN(laid_out.object.width, Width(json, "width", 16));
  ANECHECK_ASSIGN(laid_out.object.count_width, Width(json, "count_width", 8));
  return laid_out;
}

struct Layout {
  BinaryTable table;
  std::vector<bool> has_value;
};

Result<Layout> LayoutFromJson(const Json& json) {
  if (!json.is_object() || !json.contains("objects") || !json["objects"].is_array()) {
    return Bad("objects is missing; without a layout the table is made anew");
  }
  Layout layout;
  BinaryTable& table = layout.table;
  const uint64_t count = json["objects"].size();
  ANECHECK_ASSIGN(const uint64_t offset_size, Number(json, "offset_size", 8, 1));
  ANECHECK_ASSIGN(const uint64_t reference_size, Number(json, "reference_size", 8, 1));
  ANECHECK_ASSIGN(const uint64_t sort_version, Number(json, "sort_version", 255, 0));
  ANECHECK_ASSIGN(table.root, Number(json, "root", UINT32_MAX, 0));
  if (table.root >= count) return Bad("root is no index of objects");
  table.offset_size = static_cast<uint8_t>(offset_size);
  table.reference_size = static_cast<uint8_t>(reference_size);
  table.sort_version = static_cast<uint8_t>(sort_version);
  if (json.contains("unused")) {
    ANECHECK_ASSIGN(const std::vector<uint32_t> unused, Numbers(json["unused"], 256));
    if (unused.size() != table.unused.size()) return Bad("unused takes five bytes");
    std::ranges::copy(unused, table.unused.begin());
  }
  for (const Json& item : json["objects"]) {
    ANECHECK_ASSIGN(LaidOut laid_out, ObjectFromJson(item, count));
    table.objects.push_back(std::move(laid_out.object));
    layout.has_value.push_back(laid_out.has_value);
  }
  return layout;
}

// Identifies a scalar in an object of the layout: the object, and the scalar's kind, bits and text.
using ScalarKey = std::tuple<uint32_t, size_t, uint64_t, std::string_view>;

ScalarKey KeyOf(uint32_t object, const std::string& text) {
  static const size_t kText = Value::String("").data.index();
  return {object, kText, 0, text};
}

ScalarKey KeyOf(uint32_t object, const Value& value) {
  uint64_t bits = 0;
  std::string_view text;
  if (const bool* flag = value.AsBool()) bits = *flag ? 1 : 0;
  if (const int64_t* integer = value.AsInteger()) bits = static_cast<uint64_t>(*integer);
  if (const auto* large = std::get_if<uint64_t>(&value.data)) bits = *large;
  if (const double* real = value.AsReal()) bits = std::bit_cast<uint64_t>(*real);
  if (const auto* date = std::get_if<tree::Date>(&value.data)) {
    bits = std::bit_cast<uint64_t>(date->seconds);
  }
  if (const auto* uid = std::get_if<tree::Uid>(&value.data)) bits = uid->number;
  if (const std::string* string = value.AsString()) text = *string;
  if (const auto* data = std::get_if<Data>(&value.data)) {
    text = {reinterpret_cast<const char*>(data->bytes.data()), data->bytes.size()};
  }
  return {object, value.data.index(), bits, text};
}

// Puts the values of a tree into the objects of a layout. First counts how often the tree has each
// scalar at references to an object of the layout. Each object gets its most frequent scalar.
class TableFitter {
 public:
  explicit TableFitter(Layout layout)
      : table_(std::move(layout.table)),
        placed_(std::move(layout.has_value)),
        laid_(table_.objects.size()) {
    const std::vector<bool> reached = Reached(table_);
    for (size_t i = 0; i < laid_; ++i) {
      // A container that the tree does not reach is kept.
      if (!reached[i] && ContainerOf(table_.objects[i]) != nullptr) placed_[i] = true;
    }
  }

  Result<BinaryTable> Fit(const Value& root) && {
    const auto at = static_cast<uint32_t>(table_.root);
    Count(root, at);
    for (const auto& [key, use] : uses_) {
      const auto [kept, first] = kept_.try_emplace(std::get<0>(key), &key, &use);
      if (!first && use.Outranks(*kept->second.second)) kept->second = {&key, &use};
    }
    table_.root = Place(root, at);
    ANECHECK_RETURN_IF_ERROR(DropUnplaced());
    FitWidths(table_);
    return std::move(table_);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;  // an object that the layout does not have

  struct Use {
    uint64_t first = 0;  // number of the first such scalar in the tree
    uint64_t count = 0;

    bool Outranks(const Use& other) const {
      return count > other.count || (count == other.count && first < other.first);
    }
  };

  // Returns the references that the layout has for a container of the tree, or none if the layout
  // does not have this container.
  BinaryContainer LaidContainer(const Value& value, uint32_t at) const {
    const BinaryContainer* laid = at < laid_ ? ContainerOf(table_.objects[at]) : nullptr;
    return laid != nullptr && laid->is_dict == (value.AsDict() != nullptr) ? *laid
                                                                           : BinaryContainer();
  }

  static uint32_t ReferenceAt(const std::vector<uint32_t>& references, size_t i) {
    return i < references.size() ? references[i] : kNone;
  }

  void CountScalar(const ScalarKey& key) {
    Use& use = uses_.try_emplace(key, Use{scalars_++, 0}).first->second;
    ++use.count;
  }

  void Count(const Value& value, uint32_t at) {
    const BinaryContainer laid = LaidContainer(value, at);
    if (const Dict* dict = value.AsDict()) {
      for (size_t i = 0; i < dict->entries.size(); ++i) {
        CountScalar(KeyOf(ReferenceAt(laid.keys, i), dict->entries[i].key));
        Count(dict->entries[i].value, ReferenceAt(laid.items, i));
      }
    } else if (const Array* array = value.AsArray()) {
      for (size_t i = 0; i < array->size(); ++i) {
        Count((*array)[i], ReferenceAt(laid.items, i));
      }
    } else {
      CountScalar(KeyOf(at, value));
    }
  }

  uint32_t Append(BinaryObject object) {
    table_.objects.push_back(std::move(object));
    placed_.push_back(true);
    return static_cast<uint32_t>(table_.objects.size() - 1);
  }

  uint32_t PlaceScalar(const ScalarKey& key, BinaryObject scalar) {
    const uint32_t at = std::get<0>(key);
    const bool keeps =
        at < laid_ && ContainerOf(table_.objects[at]) == nullptr && *kept_.at(at).first == key;
    if (!keeps) {
      const auto [added, first] = added_.try_emplace(key, 0);
      if (first) added->second = Append(std::move(scalar));
      return added->second;
    }
    table_.objects[at].payload = std::move(scalar.payload);
    placed_[at] = true;
    return at;
  }

  uint32_t Place(const Value& value, uint32_t at) {
    if (std::optional<BinaryObject> scalar = ScalarObject(value)) {
      return PlaceScalar(KeyOf(at, value), std::move(*scalar));
    }
    const BinaryContainer laid = LaidContainer(value, at);
    const auto placed = containers_.find(at);
    if (placed != containers_.end() && *placed->second == value) return at;
    const bool fits = at < laid_ && !placed_[at] && ContainerOf(table_.objects[at]) != nullptr;
    if (fits) containers_.emplace(at, &value);
    const uint32_t index = fits ? at : Append(BinaryObject());
    placed_[index] = true;
    BinaryContainer container;
    container.is_dict = value.AsDict() != nullptr;
    if (const Dict* dict = value.AsDict()) {
      for (size_t i = 0; i < dict->entries.size(); ++i) {
        const tree::Entry& entry = dict->entries[i];
        container.keys.push_back(
            PlaceScalar(KeyOf(ReferenceAt(laid.keys, i), entry.key), BinaryObject{entry.key}));
        container.items.push_back(Place(entry.value, ReferenceAt(laid.items, i)));
      }
    } else {
      for (size_t i = 0; i < value.AsArray()->size(); ++i) {
        container.items.push_back(Place((*value.AsArray())[i], ReferenceAt(laid.items, i)));
      }
    }
    table_.objects[index].payload = std::move(container);
    return index;
  }

  // Removes the objects that got no value from the tree or the layout.
  Status DropUnplaced() {
    std::vector<uint32_t> moved(table_.objects.size(), kNone);
    uint32_t count = 0;
    for (size_t i = 0; i < moved.size(); ++i) {
      if (!placed_[i]) continue;
      moved[i] = count;
      if (i != count) table_.objects[count] = std::move(table_.objects[i]);
      ++count;
    }
    if (count == moved.size()) return {};
    table_.objects.resize(count);
    table_.root = moved[table_.root];
    for (BinaryObject& object : table_.objects) {
      auto* container = std::get_if<BinaryContainer>(&object.payload);
      if (container == nullptr) continue;
      for (std::vector<uint32_t>* list : {&container->keys, &container->items}) {
        for (uint32_t& reference : *list) {
          reference = moved[reference];
          if (reference == kNone) return Bad("objects: one refers to a value that is gone");
        }
      }
    }
    return {};
  }

  BinaryTable table_;
  std::vector<bool> placed_;  // for each object: whether it has a value
  size_t laid_;               // number of objects in the layout; added objects follow them
  uint64_t scalars_ = 0;
  std::map<ScalarKey, Use> uses_;
  // The scalar that each object of the layout keeps.
  std::map<uint32_t, std::pair<const ScalarKey*, const Use*>> kept_;
  std::map<ScalarKey, uint32_t> added_;
  // The container of the tree in each object of the layout. Equal containers may share an object.
  std::map<uint32_t, const Value*> containers_;
};

}  // namespace

Json TableLayoutToJson(const BinaryTable& table) {
  Json json = {{"offset_size", table.offset_size},
               {"reference_size", table.reference_size},
               {"sort_version", table.sort_version},
               {"unused", table.unused},
               {"root", table.root}};
  const std::vector<bool> reached = Reached(table);
  Json objects = Json::array();
  for (size_t i = 0; i < reached.size(); ++i) {
    objects.push_back(ObjectToJson(table.objects[i], reached[i]));
  }
  json["objects"] = std::move(objects);
  return json;
}

Result<BinaryTable> TableFromLayout(const Json& layout, const Value& root) {
  ANECHECK_ASSIGN(Layout laid_out, LayoutFromJson(layout));
  return TableFitter(std::move(laid_out)).Fit(root);
}

}  // namespace anecheck::plist
