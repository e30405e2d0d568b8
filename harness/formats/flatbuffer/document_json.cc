// DocumentToJson. The inverse is in document_from_json.cc.
#include "harness/formats/flatbuffer/document_json.h"

#include <algorithm>

#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/formats/message.h"

namespace anecheck::flatbuffer {
namespace {

class JsonWriter {
 public:
  JsonWriter(const Schema& schema, const Document& document)
      : schema_(schema),
        document_(document),
        written_(document.objects.size()),
        budget_(uint64_t{64} * document.size + (uint64_t{1} << 20)) {}

  Result<Json> Run() {
    Json json;
    json["size"] = document_.size;
    if (document_.start != 0) json["start"] = document_.start;
    if (document_.has_size_prefix) json["size_prefix"] = document_.size_prefix;
    if (!document_.identifier.empty()) json["identifier"] = document_.identifier;
    json["root"] = Table(document_.root);
    Json vtables = Json::array();
    Json overlapping = Json::array();
    if (document_.header_overlaps) json["header_overlaps"] = true;
    for (const Object& object : document_.objects) {
      if (object.kind == ObjectKind::kVTable) vtables.push_back(VTable(object));
      if (object.overlaps) overlapping.push_back(object.at);
    }
    json["vtables"] = std::move(vtables);
    if (!overlapping.empty()) json["overlapping"] = std::move(overlapping);
    if (!document_.raw.empty()) json["unknown"] = Unknown();
    if (exhausted_) {
      return MakeError(ErrorCode::kLimit,
                       "objects are shared so often that the JSON form would have many times the "
                       "size of the file; inspect the file as text");
    }
    return json;
  }

 private:
  bool Spend(uint64_t amount) {
    if (amount > budget_) exhausted_ = true;
    if (exhausted_) return false;
    budget_ -= amount;
    return true;
  }

  Json VTable(const Object& object) const {
    Json json;
    json["@"] = object.at;
    const auto words = document_.WordsOf(object);
    json["table_size"] = words[0];
    json["fields"] = std::vector<uint16_t>(words.begin() + 1, words.end());
    return json;
  }

  Json Unknown() const {
    Json list = Json::array();
    for (const RawBytes& raw : document_.raw) {
      Json entry;
      entry["@"] = raw.at;
      if (raw.overlaps) entry["inside"] = true;
      entry["hex"] = HexText(raw.bytes);
      list.push_back(std::move(entry));
    }
    return list;
  }

  Json Table(uint32_t index) {
    if (!Spend(64)) return nullptr;
    const Object& object = document_.objects[index];
    Json json = Json::object();
    if (written_[index]) {
      json["@"]["same_as"] = object.at;
      return json;
    }
    written_[index] = true;
    Json places;
    places["table"] = object.at;
    places["vtable"] = document_.objects[object.vtable].at;
    json["@"] = nullptr;
    const auto slots = document_.SlotsOf(object);
    for (size_t i = 0; i < slots.size(); ++i) {
      const Field& field = *schema_.tables[object.type].FieldById(slots[i].id);
      if (!slots[i].is_reference) {
        json[field.name] =
            Scalar(field.type, field.is_bool, field.is_signed, field.width, slots[i].value);
      } else {
        json[field.name] = Referenced(field, static_cast<uint32_t>(slots[i].value), &places);
      }
    }
    json["@"] = std::move(places);
    return json;
  }

  Json Scalar(int16_t enum_type, bool is_bool, bool is_signed, uint32_t width,
              uint64_t bits) const {
    if (is_bool && bits <= 1) return bits == 1;
    const int64_t value = is_signed ? SignExtend(bits, width) : static_cast<int64_t>(bits);
    if (enum_type >= 0) {
      const EnumValue* known = schema_.enums[enum_type].ByValue(value);
      if (known != nullptr) return known->name;
    }
    if (is_signed) return value;
    return bits;
  }

  Json Referenced(const Field& field, uint32_t index, Json* places) {
    const Object& object = document_.objects[index];
    if (object.kind == ObjectKind::kTable) return Table(index);
    (*places)[field.name] = object.at;
    if (!Spend(document_.SizeOf(object))) return nullptr;
    switch (object.kind) {
      case ObjectKind::kString:
        return Text(object);
      case ObjectKind::kNested: {
        Result<Json> inner = DocumentToJson(schema_, document_.nested[object.first]);
        if (!inner.ok()) exhausted_ = true;
        return inner.ok() ? std::move(*inner) : Json();
      }
      case ObjectKind::kReferences:
        return References(field, object, places);
      default:
        return field.element == FieldKind::kStruct ? Structs(field, object)
                                                   : Scalars(field, object);
    }
  }

  // JSON text is UTF-8, so a string that is not UTF-8 becomes {"hex": ...}.
  Json Text(const Object& object) const {
    const ByteSpan bytes = document_.DataOf(object);
    std::string text(bytes.begin(), bytes.end());
    const bool plain = std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; });
    if (plain) return text;
    Json json;
    json["hex"] = HexText(bytes);
    return json;
  }

  Json References(const Field& field, const Object& object, Json* places) {
    Json list = Json::array();
    Json string_places = Json::array({object.at});
    for (const uint32_t target : document_.ReferencesOf(object)) {
      if (exhausted_) break;
      if (target == kNoObject) {
        list.push_back(nullptr);
      } else if (field.element == FieldKind::kString) {
        const Object& text = document_.objects[target];
        if (!Spend(document_.SizeOf(text))) break;
        list.push_back(Text(text));
        string_places.push_back(text.at);
      } else {
        list.push_back(Table(target));
      }
    }
    if (field.element == FieldKind::kString) (*places)[field.name] = std::move(string_places);
    return list;
  }

  Json Scalars(const Field& field, const Object& object) const {
    const ByteSpan bytes = document_.DataOf(object);
    if (field.element_width == 1 && field.type < 0) return HexText(bytes);
    Json list = Json::array();
    for (size_t at = 0; at < bytes.size(); at += field.element_width) {
      list.push_back(Scalar(field.type, field.is_bool, field.is_signed, field.element_width,
                            LoadLittle(&bytes[at], field.element_width)));
    }
    return list;
  }

  Json Structs(const Field& field, const Object& object) const {
    const ByteSpan bytes = document_.DataOf(object);
    const TableType& type = schema_.tables[field.type];
    Json list = Json::array();
    for (size_t at = 0; at < bytes.size(); at += type.byte_size) {
      Json json = Json::object();
      Bytes rest(bytes.begin() + static_cast<ptrdiff_t>(at),
                 bytes.begin() + static_cast<ptrdiff_t>(at + type.byte_size));
      for (const Field& member : type.fields) {
        uint8_t* from = &rest[member.struct_offset];
        json[member.name] = Scalar(member.type, member.is_bool, member.is_signed, member.width,
                                   LoadLittle(from, member.width));
        StoreLittle(from, 0, member.width);
      }
      if (std::ranges::any_of(rest, [](uint8_t byte) { return byte != 0; })) {
        json["padding"] = HexText(rest);
      }
      list.push_back(std::move(json));
    }
    return list;
  }

  const Schema& schema_;
  const Document& document_;
  std::vector<bool> written_;
  uint64_t budget_;
  bool exhausted_ = false;
};

}  // namespace

Result<Json> DocumentToJson(const Schema& schema, const Document& document) {
  return JsonWriter(schema, document).Run();
}

}  // namespace anecheck::flatbuffer
