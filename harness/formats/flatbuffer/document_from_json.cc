// DocumentFromJson, which converts the JSON form back to objects. Objects without a position in the
// JSON get a new position.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/base/round_up.h"
#include "harness/formats/flatbuffer/document_json.h"
#include "harness/formats/message.h"

namespace anecheck::flatbuffer {
namespace {

// Accepts unsigned numbers, as the JSON parser makes them, and non-negative signed numbers, as a
// program may store them.
bool IsUnsigned(const Json& json) {
  return json.is_number_integer() && (json.is_number_unsigned() || json.get<int64_t>() >= 0);
}

class JsonReader {
 public:
  explicit JsonReader(const Schema& schema) : schema_(schema) {}

  Result<Document> Run(const Json& json, int16_t root_table) {
    if (!json.is_object() || !json.contains("root"))
      return Bad("", "needs an object with \"root\"");
    document_.start = Number(json, "start", 0);
    document_.size = Number(json, "size", 0);
    document_.has_size_prefix = json.contains("size_prefix");
    document_.size_prefix = Number(json, "size_prefix", 0);
    if (json.contains("identifier")) document_.identifier = Text(json["identifier"], "identifier");
    if (!document_.identifier.empty() && document_.identifier.size() != 4) {
      return Bad("identifier", "must be four characters");
    }
    if (document_.has_size_prefix && document_.start < 4) {
      return Bad("start", "leaves no room for the size prefix");
    }
    if (document_.size > kMaxWrittenSize || document_.start > kMaxWrittenSize) {
      return Bad("size", "is above the limit");
    }
    document_.header_overlaps = json.contains("header_overlaps");
    if (json.contains("vtables")) LoadVTables(json["vtables"]);
    if (json.contains("unknown")) LoadUnknown(json["unknown"]);
    document_.root = Table(json["root"], root_table, "root");
    if (json.contains("overlapping")) MarkOverlapping(json["overlapping"]);
    if (!status_.ok()) return std::move(status_).error();
    return std::move(document_);
  }

 private:
  static Error Bad(std::string_view path, std::string_view what) {
    return MakeError(ErrorCode::kInvalid, Clipped(fmt::format("{}: {}", path, what)));
  }
  void Fail(std::string_view path, std::string_view what) {
    if (status_.ok()) status_ = Bad(path, what);
  }

  uint32_t Number(const Json& json, const char* key, uint32_t otherwise) {
    const auto found = json.find(key);
    if (found == json.end()) return otherwise;
    if (!IsUnsigned(*found) || found->get<uint64_t>() > UINT32_MAX) {
      Fail(key, "must be an unsigned 32-bit number");
      return otherwise;
    }
    return static_cast<uint32_t>(found->get<uint64_t>());
  }

  uint32_t Place(const Json& json, std::string_view path) {
    if (!IsUnsigned(json) || json.get<uint64_t>() > kMaxWrittenSize) {
      Fail(path, "a place in the file must be a number below the size limit");
      return kUnplaced;
    }
    return static_cast<uint32_t>(json.get<uint64_t>());
  }

  std::string Text(const Json& json, std::string_view path) {
    if (json.is_string()) return json.get<std::string>();
    if (json.is_object() && json.contains("hex") && json["hex"].is_string()) {
      const Bytes bytes = Hex(json["hex"], path);
      return std::string(bytes.begin(), bytes.end());
    }
    Fail(path, "must be text");
    return {};
  }

  Bytes Hex(const Json& json, std::string_view path) {
    if (!json.is_string()) {
      Fail(path, "must be hexadecimal text");
      return {};
    }
    Result<Bytes> bytes = BytesFromHex(json.text());
    if (!bytes.ok()) {
      Fail(path, bytes.error().message);
      return {};
    }
    return std::move(*bytes);
  }

  void LoadVTables(const Json& list) {
    if (!list.is_array()) return Fail("vtables", "must be an array");
    for (const Json& json : list) {
      if (!json.is_object() || !json.contains("@") || !json.contains("fields") ||
          !json["fields"].is_array()) {
        return Fail("vtables", "an entry needs \"@\", \"table_size\" and \"fields\"");
      }
      std::vector<uint16_t> words{static_cast<uint16_t>(Number(json, "table_size", 4))};
      for (const Json& field : json["fields"]) {
        if (!IsUnsigned(field)) return Fail("vtables", "fields must be numbers");
        words.push_back(static_cast<uint16_t>(field.get<uint64_t>()));
      }
      if (words[0] < 4 || words.size() > 32000) return Fail("vtables", "table_size is below 4");
      const uint32_t at = Place(json["@"], "vtables");
      vtables_[at] = AddVTable(at, words);
    }
  }

  uint32_t AddVTable(uint32_t at, const std::vector<uint16_t>& words) {
    Object object{.at = at, .kind = ObjectKind::kVTable};
    object.first = static_cast<uint32_t>(document_.words.size());
    object.count = static_cast<uint32_t>(words.size());
    document_.words.insert(document_.words.end(), words.begin(), words.end());
    document_.objects.push_back(object);
    return static_cast<uint32_t>(document_.objects.size() - 1);
  }

  void LoadUnknown(const Json& list) {
    if (!list.is_array()) return Fail("unknown", "must be an array");
    for (const Json& json : list) {
      if (!json.is_object() || !json.contains("@") || !json.contains("hex")) {
        return Fail("unknown", "an entry needs \"@\" and \"hex\"");
      }
      document_.raw.push_back(
          {Place(json["@"], "unknown"), json.contains("inside"), Hex(json["hex"], "unknown")});
    }
  }

  void MarkOverlapping(const Json& list) {
    for (const Json& place : list) {
      const uint32_t at = Place(place, "overlapping");
      for (Object& object : document_.objects) object.overlaps |= object.at == at;
    }
  }

  uint32_t Table(const Json& json, int16_t type, const std::string& path) {
    if (!json.is_object()) {
      Fail(path, "must be an object");
      return 0;
    }
    if (++depth_ > kMaxDepth) Fail(path, "tables nested too deep");
    if (!status_.ok()) return 0;
    const Json none = Json::object();
    const Json& places = json.contains("@") && json["@"].is_object() ? json["@"] : none;
    if (places.contains("same_as")) {
      --depth_;
      const auto known = tables_.find({Place(places["same_as"], path), type});
      if (known != tables_.end()) return known->second;
      Fail(path, "\"same_as\" names no table before it");
      return 0;
    }
    const uint32_t at = places.contains("table") ? Place(places["table"], path) : kUnplaced;
    const uint32_t self = NewObject({.at = at, .kind = ObjectKind::kTable, .type = type});
    if (at != kUnplaced) tables_[{at, type}] = self;
    CheckKeys(json, type, path);
    LayOut(json, places, self, path);
    FillSlots(json, places, self, path);
    --depth_;
    return self;
  }

  uint32_t NewObject(Object object) {
    document_.objects.push_back(object);
    return static_cast<uint32_t>(document_.objects.size() - 1);
  }

  void CheckKeys(const Json& json, int16_t type, const std::string& path) {
    for (const auto& [key, value] : json.items()) {
      if (key == "@") continue;
      if (type < 0 || schema_.tables[type].FindField(key) == nullptr) {
        Fail(path, fmt::format("\"{}\" is no field of {}", Shown(key),
                               type < 0 ? "an unknown table" : schema_.tables[type].name));
      }
    }
  }

  // Chooses the vtable of a table. The table keeps the vtable in the JSON if this vtable has
  // exactly the fields that are present. Otherwise the table gets a new vtable, in which the fields
  // of the old vtable keep their offsets.
  void LayOut(const Json& json, const Json& places, uint32_t self, const std::string& path) {
    const int16_t type = document_.objects[self].type;
    std::vector<uint16_t> words{4};
    uint32_t vtable = kNoObject;
    if (places.contains("vtable")) {
      const auto known = vtables_.find(Place(places["vtable"], path));
      if (known == vtables_.end()) return Fail(path, "\"vtable\" names none of the vtables");
      vtable = known->second;
      const auto span = document_.WordsOf(document_.objects[vtable]);
      words.assign(span.begin(), span.end());
    }
    const std::vector<uint16_t> before = words;
    if (type >= 0) FitWords(json, type, document_.objects[self].at, &words, path);
    if (vtable == kNoObject || words != before) {
      const auto [known, fresh] = new_vtables_.try_emplace(words, kNoObject);
      if (fresh) known->second = AddVTable(kUnplaced, words);
      vtable = known->second;
    }
    document_.objects[self].vtable = vtable;
  }

  void FitWords(const Json& json, int16_t type, uint32_t at, std::vector<uint16_t>* words,
                const std::string& path) {
    std::vector<const Field*> missing;
    for (const Field& field : schema_.tables[type].fields) {
      const bool present = json.contains(field.name);
      const size_t word = size_t{field.id} + 1;
      if (!present) {
        if (word < words->size()) (*words)[word] = 0;
        continue;
      }
      if (word >= words->size()) words->resize(word + 1, 0);
      const uint32_t offset = (*words)[word];
      if (offset < 4 || offset + field.width > (*words)[0]) missing.push_back(&field);
    }
    std::ranges::sort(missing, {},
                      [](const Field* field) { return std::pair(8 - field->width, field->id); });
    const uint32_t base = at == kUnplaced ? 0 : at;
    for (const Field* field : missing) {
      uint32_t offset = (*words)[0];
      while ((base + offset) % field->width != 0) ++offset;
      if (offset + field->width > UINT16_MAX) return Fail(path, "has too many fields");
      (*words)[field->id + 1] = static_cast<uint16_t>(offset);
      (*words)[0] = static_cast<uint16_t>(offset + field->width);
    }
    if (missing.empty()) return;
    const auto size = CheckedRoundUp((*words)[0], 4);
    if (!size) return Fail(path, "has too many fields");
    (*words)[0] = *size;
  }

  void FillSlots(const Json& json, const Json& places, uint32_t self, const std::string& path) {
    const int16_t type = document_.objects[self].type;
    if (type < 0 || !status_.ok()) return;
    const auto span = document_.WordsOf(document_.objects[document_.objects[self].vtable]);
    const std::vector<uint16_t> words(span.begin(), span.end());
    const uint32_t first = static_cast<uint32_t>(document_.slots.size());
    for (const Field& field : schema_.tables[type].fields) {
      if (!json.contains(field.name)) continue;
      document_.slots.push_back({.id = field.id, .at = words[field.id + 1], .width = field.width});
    }
    document_.objects[self].first = first;
    document_.objects[self].count = static_cast<uint32_t>(document_.slots.size()) - first;
    uint32_t next = first;
    for (const Field& field : schema_.tables[type].fields) {
      const auto value = json.find(field.name);
      if (value == json.end()) continue;
      const std::string inner = path + "." + field.name;
      const bool reference =
          field.kind != FieldKind::kScalar && field.kind != FieldKind::kUnionType;
      const uint64_t bits = reference
                                ? Referenced(field, *value, json, places, inner)
                                : Scalar(field.type, field.is_signed, field.width, *value, inner);
      document_.slots[next].value = bits;
      document_.slots[next].is_reference = reference;
      ++next;
      if (!status_.ok()) return;
    }
  }

  uint64_t Scalar(int16_t enum_type, bool is_signed, uint32_t width, const Json& json,
                  std::string_view path) {
    if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
    if (json.is_string() && enum_type >= 0) {
      const EnumValue* known = schema_.enums[enum_type].ByName(json.text());
      if (known != nullptr) return static_cast<uint64_t>(known->value);
    }
    if (!json.is_number_integer()) {
      Fail(path, "must be a number or a name of its enumeration");
      return 0;
    }
    if (IsUnsigned(json)) {
      const uint64_t value = json.get<uint64_t>();
      const uint32_t bits = 8 * width - (is_signed ? 1 : 0);
      if (bits < 64 && (value >> bits) != 0) Fail(path, "number is too large for the field");
      return value;
    }
    const int64_t value = json.get<int64_t>();
    if (!is_signed || (width < 8 && value < -(int64_t{1} << (8 * width - 1)))) {
      Fail(path, "number is too small for the field");
    }
    return static_cast<uint64_t>(value);
  }

  // Returns the table index of a union's member. The field before the union has the member's code.
  int16_t UnionMember(const Field& field, const Json& code) {
    const EnumType& type = schema_.enums[field.type];
    const EnumValue* value = code.is_string()           ? type.ByName(code.text())
                             : code.is_number_integer() ? type.ByValue(code.get<int64_t>())
                                                        : nullptr;
    return value == nullptr ? int16_t{-1} : value->table;
  }

  uint32_t Referenced(const Field& field, const Json& json, const Json& table, const Json& places,
                      const std::string& path) {
    if (field.kind == FieldKind::kTable) return Table(json, field.type, path);
    if (field.kind == FieldKind::kUnion) {
      const auto code = table.find(field.name + "_type");
      const int16_t member = code == table.end() ? int16_t{-1} : UnionMember(field, *code);
      return Table(json, member, path);
    }
    const Json none;
    const Json& place = places.contains(field.name) ? places[field.name] : none;
    const uint32_t at = place.is_number()                    ? Place(place, path)
                        : place.is_array() && !place.empty() ? Place(place[0], path)
                                                             : kUnplaced;
    if (field.kind == FieldKind::kString) return String(json, at, path);
    if (field.nested >= 0) return Nested(field, json, at, path);
    switch (field.element) {
      case FieldKind::kStruct:
        return Structs(field, json, at, path);
      case FieldKind::kScalar:
      case FieldKind::kUnionType:
        return Scalars(field, json, at, path);
      default:
        return References(field, json, table, place, at, path);
    }
  }

  // Adds an object. If an earlier object has the same content and position, returns that object,
  // because tables may share a string.
  uint32_t AddData(Object object, ByteSpan content) {
    const auto key = std::make_tuple(object.at, static_cast<int>(object.kind), object.width);
    if (object.at != kUnplaced) {
      if (const auto known = data_.find(key); known != data_.end()) {
        const Object& other = document_.objects[known->second];
        if (other.count == object.count && std::ranges::equal(document_.DataOf(other), content)) {
          return known->second;
        }
        object.at = kUnplaced;
      }
    }
    object.first = static_cast<uint32_t>(document_.data.size());
    document_.data.insert(document_.data.end(), content.begin(), content.end());
    const uint32_t self = NewObject(object);
    if (object.at != kUnplaced) data_[key] = self;
    return self;
  }

  uint32_t String(const Json& json, uint32_t at, const std::string& path) {
    const std::string text = Text(json, path);
    return AddData({.at = at,
                    .kind = ObjectKind::kString,
                    .width = 1,
                    .count = static_cast<uint32_t>(text.size())},
                   ByteSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  }

  uint32_t AddBytes(const Field& field, uint32_t at, const Bytes& bytes) {
    return AddData({.at = at,
                    .kind = ObjectKind::kBytes,
                    .type = field.type,
                    .width = static_cast<uint16_t>(field.element_width),
                    .count = static_cast<uint32_t>(bytes.size() / field.element_width)},
                   bytes);
  }

  uint32_t Scalars(const Field& field, const Json& json, uint32_t at, const std::string& path) {
    if (field.element_width == 1 && field.type < 0) return AddBytes(field, at, Hex(json, path));
    if (!json.is_array()) {
      Fail(path, "must be an array");
      return 0;
    }
    Bytes bytes(json.size() * field.element_width);
    for (size_t i = 0; i < json.size() && status_.ok(); ++i) {
      StoreLittle(&bytes[i * field.element_width],
                  Scalar(field.type, field.is_signed, field.element_width, json[i], path),
                  field.element_width);
    }
    return AddBytes(field, at, bytes);
  }

  uint32_t Structs(const Field& field, const Json& json, uint32_t at, const std::string& path) {
    const TableType& type = schema_.tables[field.type];
    Bytes bytes;
    if (!json.is_array()) Fail(path, "must be an array");
    for (size_t i = 0; i < json.size() && status_.ok(); ++i) {
      Bytes element(type.byte_size);
      if (json[i].contains("padding")) element = Hex(json[i]["padding"], path);
      if (!json[i].is_object() || element.size() != type.byte_size) {
        Fail(path, fmt::format("[{}] must be an object of {}", i, type.name));
        return 0;
      }
      for (const Field& member : type.fields) {
        const auto value = json[i].find(member.name);
        if (value == json[i].end()) {
          Fail(path, fmt::format("[{}] needs \"{}\"", i, member.name));
          return 0;
        }
        StoreLittle(&element[member.struct_offset],
                    Scalar(member.type, member.is_signed, member.width, *value, path),
                    member.width);
      }
      bytes.insert(bytes.end(), element.begin(), element.end());
    }
    return AddBytes(field, at, bytes);
  }

  uint32_t Nested(const Field& field, const Json& json, uint32_t at, const std::string& path) {
    // Equal content at the same position becomes one object, as in AddData.
    const auto known = nested_.find({at, field.nested});
    if (known != nested_.end()) {
      if (*known->second.json == json) return known->second.object;
      at = kUnplaced;
    }
    Result<Document> inner = DocumentFromJson(schema_, json, field.nested);
    if (!inner.ok()) {
      Fail(path, inner.error().message);
      return 0;
    }
    // The size if nothing in the nested buffer has grown. The writer computes the final size.
    const uint32_t size = inner->size;
    document_.nested.push_back(std::move(*inner));
    const uint32_t self = NewObject({.at = at,
                                     .kind = ObjectKind::kNested,
                                     .type = field.nested,
                                     .first = static_cast<uint32_t>(document_.nested.size() - 1),
                                     .count = size});
    if (at != kUnplaced) nested_[{at, field.nested}] = {&json, self};
    return self;
  }

  uint32_t References(const Field& field, const Json& json, const Json& table, const Json& place,
                      uint32_t at, const std::string& path) {
    if (!json.is_array()) {
      Fail(path, "must be an array");
      return 0;
    }
    const uint32_t self = NewObject({.at = at,
                                     .kind = ObjectKind::kReferences,
                                     .type = field.type,
                                     .first = static_cast<uint32_t>(document_.references.size()),
                                     .count = static_cast<uint32_t>(json.size())});
    const uint32_t first = document_.objects[self].first;
    document_.references.resize(first + json.size(), kNoObject);
    const auto codes = table.find(field.name + "_type");
    for (size_t i = 0; i < json.size() && status_.ok(); ++i) {
      if (json[i].is_null()) continue;
      const std::string inner = fmt::format("{}[{}]", path, i);
      uint32_t made = kNoObject;
      if (field.element == FieldKind::kString) {
        const bool placed = place.is_array() && i + 1 < place.size();
        made = String(json[i], placed ? Place(place[i + 1], inner) : kUnplaced, inner);
      } else if (field.element == FieldKind::kTable) {
        made = Table(json[i], field.type, inner);
      } else {
        const bool coded = codes != table.end() && codes->is_array() && i < codes->size();
        made = Table(json[i], coded ? UnionMember(field, (*codes)[i]) : int16_t{-1}, inner);
      }
      document_.references[first + i] = made;
    }
    if (at != kUnplaced) return Shared(self);
    return self;
  }

  // Returns an earlier vector that is equal and has the same position, or `self` if there is none.
  uint32_t Shared(uint32_t self) {
    const Object& object = document_.objects[self];
    const auto [known, fresh] = vectors_.try_emplace({object.at, object.type}, self);
    if (fresh) return self;
    const Object& other = document_.objects[known->second];
    if (std::ranges::equal(document_.ReferencesOf(other), document_.ReferencesOf(object))) {
      document_.objects[self].overlaps = true;
      return known->second;
    }
    document_.objects[self].at = kUnplaced;
    return self;
  }

  const Schema& schema_;
  Document document_;
  Status status_;
  uint32_t depth_ = 0;
  std::map<uint32_t, uint32_t> vtables_;
  std::map<std::vector<uint16_t>, uint32_t> new_vtables_;
  std::map<std::pair<uint32_t, int16_t>, uint32_t> tables_;
  std::map<std::pair<uint32_t, int16_t>, uint32_t> vectors_;
  std::map<std::tuple<uint32_t, int, uint16_t>, uint32_t> data_;
  struct NestedFrom {
    const Json* json = nullptr;
    uint32_t object = 0;
  };
  std::map<std::pair<uint32_t, int16_t>, NestedFrom> nested_;
};

}  // namespace

Result<Document> DocumentFromJson(const Schema& schema, const Json& json, int16_t root_table) {
  try {
    return JsonReader(schema).Run(json, root_table);
  } catch (const JsonError& error) {
    return MakeError(ErrorCode::kInvalid, Clipped(error.what()));
  }
}

}  // namespace anecheck::flatbuffer
