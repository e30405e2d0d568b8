#include "harness/formats/netlist/netlist_format.h"

#include "harness/base/json.h"
#include "harness/formats/format_of.h"
#include "harness/formats/netlist/count_bytes.h"
#include "harness/formats/netlist/field_facts.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/rules.h"

namespace anecheck {

namespace netlist {
namespace {

int Recognise(ByteSpan bytes, std::string_view path) {
  if (!plist::LooksLikePropertyList(bytes)) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool named = text.find("Networks") != std::string_view::npos;
  return named ? 90 : path.ends_with(".plist") ? 40 : 20;
}

Result<Json> FormatToJson(const plist::Document& document) {
  Json json = Json{{"format", "netlist"}};
  json.update(plist::ToJson(document));
  return json;
}

// The tree does not depend on the encoding or on the order of objects in a binary file.
Result<Json> Structure(const plist::Document& document) {
  return Json{{"document", tree::ToJson(document.root)}};
}

Result<Bytes> FormatFromJson(const Json& json) {
  ANECHECK_ASSIGN(const plist::Document document, plist::FromJson(json));
  return plist::Write(document);
}

const FormatOf<plist::Document> kDefinition = {
    .name = "netlist",
    .title = "network description (property list of layers and wiring)",
    .rules = Rules,
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FormatFromJson,
    .parse = plist::Parse,
    .to_json = FormatToJson,
    .write = plist::Write,
    .verify = [](const plist::Document& document) { return Verify(document.root); },
    .print = Print,
    .count_bytes = CountDocumentBytes,
    .structure = Structure,
};

}  // namespace
}  // namespace netlist

// A rewrite uses the object table that was read instead of making the same table from the tree.
const Format kFormat_netlist = [] {
  Format format = MakeFormat<netlist::kDefinition>();
  format.rewrite = plist::Rewrite;
  return format;
}();

}  // namespace anecheck
