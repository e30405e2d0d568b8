#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/espresso/espresso.h"
#include "harness/formats/format_of.h"
#include "harness/formats/message.h"

namespace anecheck {

namespace espresso {
namespace {

using tree::Entry;

std::string_view AsText(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The members in the real files. Of most members of layers only the name is known. The exceptions
// are the four members that name the layer and its tensors.
constexpr std::string_view kTopMembers[] = {"storage", "analyses", "properties", "format_version",
                                            "metadata_in_weights"};
constexpr std::string_view kLayerMembers[] = {
    "C",           "K",          "Nx",         "Ny",
    "alpha",       "attributes", "avg_or_max", "average_count_exclude_padding",
    "axis_h",      "axis_k",     "axis_n",     "axis_seq",
    "axis_w",      "beta",       "bottom",     "blob_biases",
    "debug_info",  "dst_h",      "dst_k",      "blob_weights",
    "dst_n",       "dst_seq",    "dst_w",      "blob_weights_f16",
    "dst_nd_rank", "fused_relu", "fused_tanh", "dynamic_shape",
    "has_biases",  "has_prelu",  "has_relu",   "has_batch_norm",
    "has_tanh",    "mode",       "nB",         "nC",
    "n_groups",    "n_parallel", "name",       "nd_axis",
    "operation",   "pad_b",      "pad_l",      "pad_fill_mode",
    "pad_mode",    "pad_r",      "pad_t",      "pad_pad_mode",
    "pad_value",   "size_x",     "size_y",     "stride_x",
    "stride_y",    "top",        "type",       "top_shape_style",
    "version",     "weights"};
constexpr std::string_view kTransformMembers[] = {
    "bias_a", "bias_b", "bias_g", "bias_r", "center_mean", "is_network_bgr", "scale"};
constexpr std::string_view kShapeMembers[] = {"n", "k", "h", "w", "_rank"};

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = [] {
    std::vector<FieldFact> rows = {
        {"layout", FactEvidence::kNotation, "white space and spellings of the text"}};
    const auto add = [&rows](const std::string& prefix, std::span<const std::string_view> names,
                             const char* source) {
      for (const std::string_view name : names) {
        rows.push_back({prefix + std::string(name), FactEvidence::kRealFile, source});
      }
    };
    add("document.", kTopMembers, "both real .net files");
    add("document.layers[].", kLayerMembers, "both real .net files, by name");
    add("document.transform_params.*.", kTransformMembers, "one real .net file, by name");
    add("document.layer_shapes.*.", kShapeMembers, "both real .shape files");
    rows.push_back(
        {"document", FactEvidence::kOpaque, "a member that no source names, kept as it stands"});
    return rows;
  }();
  return facts;
}

// Reads the document. Refuses JSON of another kind.
Result<JsonDocument> Read(ByteSpan bytes) {
  if (bytes.size() > kDefaultFileLimit) {
    return MakeError(ErrorCode::kLimit,
                     fmt::format("a network in JSON of {} bytes; at most {} are read", bytes.size(),
                                 kDefaultFileLimit));
  }
  ANECHECK_RETURN_IF_ERROR(CheckNotCompressed(AsText(bytes)));
  ANECHECK_ASSIGN(JsonDocument document, ParseJsonDocument(AsText(bytes)));
  ANECHECK_RETURN_IF_ERROR(KindOf(document.root));
  return document;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  const std::string_view text = AsText(bytes);
  if (text.starts_with("pbze")) return 80;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return 0;
  const bool named = path.ends_with(".net") || path.ends_with(".shape");
  if (text.size() > kDefaultFileLimit) return named ? 40 : 0;
  if (LooksLikeNetwork(text)) return 80;
  return named ? 40 : 0;
}

Result<Json> FormatToJson(const JsonDocument& document) {
  return Json{{"format", "espresso"},
              {"layout", Json{{"spaced_empty", document.layout.spaced_empty},
                              {"changes", tree::ChangesToJson(document.layout.changes)}}},
              {"document", tree::ToJson(document.root)}};
}

Result<Bytes> FormatWrite(const JsonDocument& document) {
  const std::string text = WriteJsonDocument(document.root, document.layout);
  return Bytes(text.begin(), text.end());
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
  return FormatWrite(document);
}

std::string ExtentText(const std::optional<int64_t>& extent) {
  return extent ? std::to_string(*extent) : "?";
}

std::string QuotedList(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) quoted.push_back(Quoted(name));
  return fmt::format("{}", fmt::join(quoted, ", "));
}

std::string PrintNet(const Net& net) {
  std::string text = fmt::format("espresso network, format version {}, weights in {}, {}\n",
                                 ExtentText(net.format_version), Quoted(net.storage),
                                 Counted(net.layers.size(), "layer"));
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
  std::string text = fmt::format("espresso shapes of {}\n", Counted(shapes.size(), "tensor"));
  for (const Shape& shape : shapes) {
    text += fmt::format("  {} n{} k{} h{} w{}{}\n", Quoted(shape.name), ExtentText(shape.n),
                        ExtentText(shape.k), ExtentText(shape.h), ExtentText(shape.w),
                        shape.rank ? fmt::format(" rank {}", *shape.rank) : "");
  }
  return text;
}

// Prints the reason and the tree of a file that has no plain values because it breaks the rules.
std::string PrintBroken(const tree::Value& root, const Error& error) {
  return fmt::format("espresso JSON that breaks its rules: {}\n{}\n", error.message,
                     tree::ToJson(root).dump());
}

std::string FormatPrint(const JsonDocument& document) {
  if (KindOf(document.root).value() == Kind::kNet) {
    const Result<Net> net = ParseNet(document.root);
    return net.ok() ? PrintNet(net.value()) : PrintBroken(document.root, net.error());
  }
  const Result<std::vector<Shape>> shapes = ParseShapes(document.root);
  return shapes.ok() ? PrintShapes(shapes.value()) : PrintBroken(document.root, shapes.error());
}

bool IsListed(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Finds the ranges of members that no source names. A range has the name and the value.
class UnknownMembers {
 public:
  std::vector<ByteRange> Find(const tree::Value& root) && {
    for (const Entry& entry : root.AsDict()->entries) {
      if (entry.key == "layers") {
        InEachOf(entry.value, kLayerMembers);
      } else if (entry.key == "transform_params") {
        InEachOf(entry.value, kTransformMembers);
      } else if (entry.key == "layer_shapes") {
        InEachOf(entry.value, kShapeMembers);
      } else if (!IsListed(kTopMembers, entry.key)) {
        Add(entry);
      }
    }
    return std::move(unknown_);
  }

 private:
  // Visits each object of an array, or each member of an object whose names the file chooses.
  void InEachOf(const tree::Value& list, std::span<const std::string_view> known) {
    if (const tree::Array* array = list.AsArray()) {
      for (const tree::Value& item : *array) In(item, known);
    } else if (const tree::Dict* dict = list.AsDict()) {
      for (const Entry& entry : dict->entries) In(entry.value, known);
    }
  }

  void In(const tree::Value& object, std::span<const std::string_view> known) {
    if (object.AsDict() == nullptr) return;
    for (const Entry& entry : object.AsDict()->entries) {
      if (!IsListed(known, entry.key)) Add(entry);
    }
  }

  void Add(const Entry& entry) {
    unknown_.push_back({entry.key_offset, uint64_t{entry.value.offset} + entry.value.size});
  }

  std::vector<ByteRange> unknown_;
};

// Returns the offset after the closing quote of the string that begins at `at`.
size_t StringEnd(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// White space outside strings counts as fill.
ByteCounts CountBytes(const JsonDocument& document, ByteSpan bytes) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::string_view text = AsText(bytes);
  TextByteKinds coverage(UnknownMembers().Find(document.root));
  for (size_t at = 0; at < text.size();) {
    const bool space = kSpace.find(text[at]) != std::string_view::npos;
    size_t end = at + 1;
    if (text[at] == '"') {
      end = StringEnd(text, at);
    } else if (space) {
      end = std::min(text.find_first_not_of(kSpace, at), text.size());
    }
    coverage.Add(space ? ByteKind::kFill : ByteKind::kTyped, end - at);
    at = end;
  }
  return std::move(coverage).Count(bytes.size());
}

const FormatOf<JsonDocument> kDefinition = {
    .name = "espresso",
    .title = "espresso network or shapes (JSON)",
    .rules = Rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FormatFromJson,
    .parse = Read,
    .to_json = FormatToJson,
    .write = FormatWrite,
    .verify = [](const JsonDocument& document) { return Verify(document.root); },
    .print = FormatPrint,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace espresso

const Format kFormat_espresso = MakeFormat<espresso::kDefinition>();

}  // namespace anecheck
