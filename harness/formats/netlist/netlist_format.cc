// The format entry of network descriptions: recognise, JSON, rewrite, verify, coverage.
#include "harness/formats/netlist/netlist_format.h"

#include "harness/base/json.h"
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

Result<Json> FormatToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  Json json = Json{{"format", "netlist"}};
  json.update(plist::ToJson(document));
  return json;
}

// One tree for either encoding, whatever order a binary file keeps its objects in.
Result<Json> Structure(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  return Json{{"document", tree::ToJson(document.root)}};
}

Result<Bytes> FormatFromJson(const Json& json) {
  ANECHECK_ASSIGN(const plist::Document document, plist::FromJson(json));
  return plist::Write(document);
}

Result<Bytes> Rewrite(ByteSpan bytes) { return plist::Rewrite(bytes); }

Result<std::vector<Violation>> FormatVerify(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  return Verify(document.root);
}

Result<std::string> FormatPrint(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  return Print(document);
}

Result<ByteCounts> FormatCountBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  return CountDocumentBytes(document, bytes);
}

}  // namespace
}  // namespace netlist

const Format kFormat_netlist = {
    .name = "netlist",
    .title = "network description (property list of layers and wiring)",
    .rules = netlist::Rules(),
    .fields = netlist::FieldFacts,
    .recognise = netlist::Recognise,
    .to_json = netlist::FormatToJson,
    .from_json = netlist::FormatFromJson,
    .rewrite = netlist::Rewrite,
    .verify = netlist::FormatVerify,
    .print = netlist::FormatPrint,
    .count_bytes = netlist::FormatCountBytes,
    .structure = netlist::Structure,
};

}  // namespace anecheck
