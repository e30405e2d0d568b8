#include "harness/formats/plist/plist.h"

#include <string_view>

#include "harness/base/json.h"
#include "harness/formats/plist/table_layout.h"

namespace anecheck::plist {

namespace {

std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Error BadJson(std::string_view what) {
  return MakeError(ErrorCode::kInvalid, "property list JSON: " + std::string(what));
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
  ANECHECK_ASSIGN(document.root, tree::FromJson(json["document"]));
  // If the JSON form is that of an XML file, its layout does not describe an object table.
  const bool was_text =
      json.contains("layout") && json["layout"].is_object() && json["layout"].contains("indent");
  if (!json.contains("layout") || was_text) return document;
  ANECHECK_ASSIGN(document.table, TableFromLayout(json["layout"], document.root));
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
  Json json = Json::object();
  if (document.encoding == Encoding::kBinary) {
    json["encoding"] = "binary";
    if (document.table) json["layout"] = TableLayoutToJson(*document.table);
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
  if (!json.contains("document")) return BadJson("needs a document");
  if (encoding != json.end() && *encoding == "binary") return BinaryFromJson(json);
  if (encoding != json.end() && *encoding != "xml") return BadJson("encoding is xml or binary");
  Document document;
  ANECHECK_ASSIGN(document.root, tree::FromJson(json["document"]));
  if (json.contains("layout")) {
    ANECHECK_ASSIGN(document.xml, LayoutFromJson(json["layout"]));
  }
  return document;
}

}  // namespace anecheck::plist
