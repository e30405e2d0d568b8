// Both encodings behind one interface, and the JSON form.
#include "harness/formats/plist/plist.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace anecheck::plist {

namespace {

using Json = nlohmann::ordered_json;

std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Error BadJson(std::string_view what) {
  return MakeError(ErrorCode::kInvalid, "property list JSON: " + std::string(what));
}

Json ObjectToJson(const BinaryObject& object) {
  Json json = Json::object();
  if (const auto* container = std::get_if<BinaryContainer>(&object.payload)) {
    if (container->is_dict) json["keys"] = container->keys;
    json["items"] = container->items;
  } else {
    const tree::Value value = std::visit(
        [](const auto& payload) {
          if constexpr (std::is_same_v<std::decay_t<decltype(payload)>, BinaryContainer>) {
            return tree::Value();
          } else {
            return tree::Value(tree::Value::Payload(payload));
          }
        },
        object.payload);
    json["value"] = tree::ToJson(value);
  }
  if (object.width != 0) json["width"] = object.width;
  if (object.count_width != 0) json["count_width"] = object.count_width;
  return json;
}

// The number at `key`, or `fallback` where it is absent; an Error where it is above `limit`.
Result<uint64_t> Number(const Json& json, const char* key, uint64_t limit, uint64_t fallback) {
  const auto it = json.find(key);
  if (it == json.end()) return fallback;
  if (!it->is_number_unsigned() || it->get<uint64_t>() > limit) {
    return BadJson(std::string(key) + " takes a number up to " + std::to_string(limit));
  }
  return it->get<uint64_t>();
}

Result<std::vector<uint32_t>> References(const Json& json) {
  if (!json.is_array()) return BadJson("keys and items take arrays of numbers");
  std::vector<uint32_t> references;
  for (const Json& item : json) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > UINT32_MAX) {
      return BadJson("keys and items take arrays of numbers");
    }
    references.push_back(item.get<uint32_t>());
  }
  return references;
}

Result<BinaryObject> ObjectFromJson(const Json& json) {
  if (!json.is_object()) return BadJson("an object of the table is no JSON object");
  BinaryObject object;
  ANECHECK_ASSIGN(const uint64_t width, Number(json, "width", 16, 0));
  ANECHECK_ASSIGN(const uint64_t count_width, Number(json, "count_width", 8, 0));
  object.width = static_cast<uint8_t>(width);
  object.count_width = static_cast<uint8_t>(count_width);
  if (json.contains("items")) {
    BinaryContainer container;
    container.is_dict = json.contains("keys");
    if (container.is_dict) {
      ANECHECK_ASSIGN(container.keys, References(json["keys"]));
    }
    ANECHECK_ASSIGN(container.items, References(json["items"]));
    object.payload = std::move(container);
    return object;
  }
  if (!json.contains("value")) return BadJson("an object of the table needs items or a value");
  ANECHECK_ASSIGN(tree::Value value, tree::FromJson(json["value"]));
  // A JSON number without a fraction may stand for a real: the width of an integer tells.
  if (auto* flag = std::get_if<bool>(&value.data)) {
    object.payload = *flag;
  } else if (auto* integer = std::get_if<int64_t>(&value.data)) {
    object.payload = *integer;
  } else if (auto* large = std::get_if<uint64_t>(&value.data)) {
    object.payload = *large;
  } else if (auto* real = std::get_if<double>(&value.data)) {
    object.payload = *real;
  } else if (auto* text = std::get_if<std::string>(&value.data)) {
    object.payload = std::move(*text);
  } else if (auto* data = std::get_if<tree::Data>(&value.data)) {
    object.payload = std::move(*data);
  } else {
    return BadJson("a value of the table is a scalar");
  }
  return object;
}

Json TableToJson(const BinaryTable& table) {
  Json json = {{"offset_size", table.offset_size},
               {"reference_size", table.reference_size},
               {"sort_version", table.sort_version},
               {"unused", table.unused},
               {"root", table.root}};
  Json objects = Json::array();
  for (const BinaryObject& object : table.objects) objects.push_back(ObjectToJson(object));
  json["objects"] = std::move(objects);
  return json;
}

Result<BinaryTable> TableFromJson(const Json& json) {
  if (!json.is_object() || !json.contains("objects") || !json["objects"].is_array()) {
    return BadJson("table needs objects");
  }
  BinaryTable table;
  ANECHECK_ASSIGN(const uint64_t offset_size, Number(json, "offset_size", 8, 1));
  ANECHECK_ASSIGN(const uint64_t reference_size, Number(json, "reference_size", 8, 1));
  ANECHECK_ASSIGN(const uint64_t sort_version, Number(json, "sort_version", 255, 0));
  ANECHECK_ASSIGN(table.root, Number(json, "root", UINT32_MAX, 0));
  table.offset_size = static_cast<uint8_t>(offset_size);
  table.reference_size = static_cast<uint8_t>(reference_size);
  table.sort_version = static_cast<uint8_t>(sort_version);
  if (json.contains("unused")) {
    ANECHECK_ASSIGN(const std::vector<uint32_t> unused, References(json["unused"]));
    if (unused.size() != table.unused.size()) return BadJson("unused takes five bytes");
    for (size_t i = 0; i < unused.size(); ++i) table.unused[i] = static_cast<uint8_t>(unused[i]);
  }
  for (const Json& item : json["objects"]) {
    ANECHECK_ASSIGN(BinaryObject object, ObjectFromJson(item));
    table.objects.push_back(std::move(object));
  }
  return table;
}

Result<XmlLayout> LayoutFromJson(const Json& json) {
  XmlLayout layout;
  if (!json.is_object()) return BadJson("layout takes an object");
  for (const auto& [key, field] :
       {std::pair{"indent", &layout.indent}, std::pair{"newline", &layout.newline}}) {
    if (!json.contains(key)) continue;
    if (!json[key].is_string()) return BadJson("layout.indent and layout.newline take strings");
    *field = json[key].get<std::string>();
    if (field->find_first_not_of(" \t\r\n") != std::string::npos) {
      return BadJson("layout.indent and layout.newline are white space");
    }
  }
  if (json.contains("indent_root")) {
    if (!json["indent_root"].is_boolean()) return BadJson("layout.indent_root takes a boolean");
    layout.indent_root = json["indent_root"].get<bool>();
  }
  if (json.contains("changes")) {
    ANECHECK_ASSIGN(layout.changes, tree::ChangesFromJson(json["changes"]));
  }
  return layout;
}

Result<Document> BinaryFromJson(const Json& json) {
  Document document;
  document.encoding = Encoding::kBinary;
  if (!json.contains("table")) {
    if (!json.contains("document")) return BadJson("needs a document or a table");
    ANECHECK_ASSIGN(document.root, tree::FromJson(json["document"]));
    return document;
  }
  ANECHECK_ASSIGN(BinaryTable table, TableFromJson(json["table"]));
  ANECHECK_ASSIGN(const std::vector<uint8_t> bytes, WriteBinary(table));
  ANECHECK_ASSIGN(BinaryDocument parsed, ParseBinary(bytes));
  document.root = std::move(parsed.root);
  document.table = std::move(table);
  return document;
}

}  // namespace

bool LooksLikePropertyList(std::span<const uint8_t> bytes) {
  std::string_view text = AsText(bytes);
  if (text.starts_with("bplist00")) return true;
  text = text.substr(0, 1024);
  const size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != std::string_view::npos && text[first] == '<' &&
         text.find("<plist") != std::string_view::npos;
}

Result<Document> Parse(std::span<const uint8_t> bytes) {
  Document document;
  if (AsText(bytes).starts_with("bplist")) {
    ANECHECK_ASSIGN(BinaryDocument binary, ParseBinary(bytes));
    document.encoding = Encoding::kBinary;
    document.root = std::move(binary.root);
    if (!IsCanonical(binary.table)) document.table = std::move(binary.table);
    return document;
  }
  ANECHECK_ASSIGN(XmlDocument xml, ParseXml(AsText(bytes)));
  document.root = std::move(xml.root);
  document.xml = std::move(xml.layout);
  return document;
}

Result<std::vector<uint8_t>> Write(const Document& document) {
  if (document.encoding == Encoding::kBinary) {
    return WriteBinary(document.table ? *document.table : TableFromValue(document.root));
  }
  const std::string text = WriteXml(document.root, document.xml);
  return std::vector<uint8_t>(text.begin(), text.end());
}

Result<std::vector<uint8_t>> Rewrite(std::span<const uint8_t> bytes) {
  if (AsText(bytes).starts_with("bplist")) {
    ANECHECK_ASSIGN(const BinaryTable table, ParseBinaryTable(bytes));
    return WriteBinary(table);
  }
  ANECHECK_ASSIGN(const Document document, Parse(bytes));
  return Write(document);
}

Json ToJson(const Document& document) {
  if (document.table) return Json{{"encoding", "binary"}, {"table", TableToJson(*document.table)}};
  Json json = Json::object();
  if (document.encoding == Encoding::kBinary) {
    json["encoding"] = "binary";
  } else {
    json["encoding"] = "xml";
    json["layout"] = Json{{"indent", document.xml.indent},
                          {"newline", document.xml.newline},
                          {"indent_root", document.xml.indent_root},
                          {"changes", tree::ChangesToJson(document.xml.changes)}};
  }
  json["document"] = tree::ToJson(document.root);
  return json;
}

Result<Document> FromJson(const Json& json) {
  if (!json.is_object()) return BadJson("needs an object");
  const auto encoding = json.find("encoding");
  if (encoding != json.end() && *encoding == "binary") return BinaryFromJson(json);
  if (encoding != json.end() && *encoding != "xml") return BadJson("encoding is xml or binary");
  if (!json.contains("document")) return BadJson("needs a document");
  Document document;
  ANECHECK_ASSIGN(document.root, tree::FromJson(json["document"]));
  if (json.contains("layout")) {
    ANECHECK_ASSIGN(document.xml, LayoutFromJson(json["layout"]));
  }
  return document;
}

}  // namespace anecheck::plist
