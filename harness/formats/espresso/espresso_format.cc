// Espresso files behind the format interface.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/formats/espresso/espresso.h"
#include "harness/formats/tree/text.h"

namespace anecheck {

namespace espresso {
namespace {

using tree::Entry;
using tree::Quoted;

std::string_view AsText(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The document, refused where it is JSON of another kind.
Result<JsonDocument> Read(ByteSpan bytes) {
  ANECHECK_ASSIGN(JsonDocument document, ParseJsonDocument(AsText(bytes)));
  ANECHECK_RETURN_IF_ERROR(KindOf(document.root));
  return document;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  const std::string_view text = AsText(bytes);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return 0;
  const bool named = path.ends_with(".net") || path.ends_with(".shape");
  if (text.find("\"layer_shapes\"") != std::string_view::npos) return 80;
  if (text.find("\"format_version\"") != std::string_view::npos &&
      text.find("\"layers\"") != std::string_view::npos) {
    return 80;
  }
  return named ? 40 : 0;
}

Result<Json> FormatToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const JsonDocument document, Read(bytes));
  return Json{{"format", "espresso"},
              {"layout", Json{{"spaced_empty", document.layout.spaced_empty},
                              {"changes", tree::ChangesToJson(document.layout.changes)}}},
              {"document", tree::ToJson(document.root)}};
}

Result<Bytes> FormatFromJson(const Json& json) {
  const auto bad = [](std::string_view what) {
    return MakeError(ErrorCode::kInvalid, "espresso JSON form: " + std::string(what));
  };
  if (!json.is_object() || !json.contains("document")) return bad("needs a document");
  JsonDocument document;
  ANECHECK_ASSIGN(document.root, tree::FromJson(json["document"]));
  if (json.contains("layout")) {
    const Json& layout = json["layout"];
    if (!layout.is_object() || !layout.contains("spaced_empty") ||
        !layout["spaced_empty"].is_boolean() || !layout.contains("changes")) {
      return bad("layout needs spaced_empty and changes");
    }
    document.layout.spaced_empty = layout["spaced_empty"].get<bool>();
    ANECHECK_ASSIGN(document.layout.changes, tree::ChangesFromJson(layout["changes"]));
  }
  const std::string text = WriteJsonDocument(document.root, document.layout);
  return Bytes(text.begin(), text.end());
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const JsonDocument document, Read(bytes));
  const std::string text = WriteJsonDocument(document.root, document.layout);
  return Bytes(text.begin(), text.end());
}

Result<std::vector<Violation>> FormatVerify(ByteSpan bytes) {
  ANECHECK_ASSIGN(const JsonDocument document, Read(bytes));
  return Verify(document.root);
}

std::string ExtentText(const std::optional<int64_t>& extent) {
  return extent ? std::to_string(*extent) : "?";
}

std::string QuotedList(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(Quoted(name));
  return fmt::format("{}", fmt::join(quoted, ", "));
}

std::string PrintNet(const Net& net) {
  std::string text =
      fmt::format("espresso network, format version {}, weights in {}, {} layers\n",
                  ExtentText(net.format_version), Quoted(net.storage), net.layers.size());
  for (const Layer& layer : net.layers) {
    text += fmt::format("  {} {} ({}) -> {}\n", layer.type, Quoted(layer.name),
                        QuotedList(layer.bottoms), QuotedList(layer.tops));
    for (const Entry& entry : layer.attributes.entries) {
      text += fmt::format("    {} = {}\n", Quoted(entry.key), tree::ToJson(entry.value).dump());
    }
  }
  for (const Entry& entry : net.extra) {
    text += fmt::format("  {} = {}\n", Quoted(entry.key), tree::ToJson(entry.value).dump());
  }
  text +=
      "difference from the specification: this is JSON; specification 004 calls the .espresso.net "
      "representation a property list\n";
  return text;
}

std::string PrintShapes(const std::vector<Shape>& shapes) {
  std::string text = fmt::format("espresso shapes of {} tensors\n", shapes.size());
  for (const Shape& shape : shapes) {
    text += fmt::format("  {} n{} k{} h{} w{}{}\n", Quoted(shape.name), ExtentText(shape.n),
                        ExtentText(shape.k), ExtentText(shape.h), ExtentText(shape.w),
                        shape.rank ? fmt::format(" rank {}", *shape.rank) : "");
  }
  return text;
}

// What breaks the rules too far for the plain values prints as its tree, with the reason.
std::string PrintBroken(const tree::Value& root, const Error& error) {
  return fmt::format("espresso JSON that breaks its rules: {}\n{}\n", error.message,
                     tree::ToJson(root).dump());
}

Result<std::string> FormatPrint(ByteSpan bytes) {
  ANECHECK_ASSIGN(const JsonDocument document, Read(bytes));
  ANECHECK_ASSIGN(const Kind kind, KindOf(document.root));
  if (kind == Kind::kNet) {
    const Result<Net> net = ParseNet(document.root);
    return net.ok() ? PrintNet(net.value()) : PrintBroken(document.root, net.error());
  }
  const Result<std::vector<Shape>> shapes = ParseShapes(document.root);
  return shapes.ok() ? PrintShapes(shapes.value()) : PrintBroken(document.root, shapes.error());
}

// Every member of a real file is a name and a value; what no field of espresso.h holds (attributes
// of layers) is known by name only, and counts as typed: the JSON itself tells its type.
Result<Coverage> FormatCoverage(ByteSpan bytes) {
  ANECHECK_RETURN_IF_ERROR(Read(bytes));
  return Coverage{bytes.size(), 0, bytes.size()};
}

}  // namespace
}  // namespace espresso

const Format kFormat_espresso = {
    .name = "espresso",
    .title = "espresso network or shapes (JSON)",
    .rules = espresso::Rules(),
    .recognise = espresso::Recognise,
    .to_json = espresso::FormatToJson,
    .from_json = espresso::FormatFromJson,
    .rewrite = espresso::Rewrite,
    .verify = espresso::FormatVerify,
    .print = espresso::FormatPrint,
    .coverage = espresso::FormatCoverage,
};

}  // namespace anecheck
