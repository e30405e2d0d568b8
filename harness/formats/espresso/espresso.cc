#include "harness/formats/espresso/espresso.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "harness/formats/lzfse/lzfse.h"
#include "harness/formats/message.h"
#include "harness/formats/rules.h"

namespace anecheck::espresso {

namespace {

using tree::Array;
using tree::Dict;
using tree::Entry;
using tree::Value;

constexpr std::string_view kNets = "both real .net files";
constexpr std::string_view kShapes = "both real .shape files";
constexpr FactEvidence kReal = FactEvidence::kRealFile;
constexpr WalkRules kRules({
    {"format-version", "format_version is 200.", kNets, kReal},
    {"storage-named", "storage names the weight file.", kNets, kReal},
    {"layer-names", "Each layer has a type, a name and a top.", kNets, kReal},
    {"layer-name-unique", "No two layers have the same name.", kNets, kReal},
    {"top-unique", "No two layers write the same top.", kNets, kReal},
    {"bottom-before", "A layer reads a top only after the layer that writes it.", kNets, kReal},
    {"blob-unique", "No two blob numbers are equal.", kNets, kReal},
    {"shape-extents", "n, k, h and w of a tensor are 1 or more.", kShapes, kReal},
    {"shape-rank", "_rank, if present, is 1 to 5.", "one real .shape file; the bound is assumed",
     FactEvidence::kAssumed},
});

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    if (comma > begin) names.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return names;
}

const std::string* TextAt(const Dict& dict, std::string_view key) {
  const Value* value = dict.Find(key);
  return value == nullptr ? nullptr : value->AsString();
}

std::optional<int64_t> IntegerAt(const Dict& dict, std::string_view key) {
  const Value* value = dict.Find(key);
  const int64_t* integer = value == nullptr ? nullptr : value->AsInteger();
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

Error Bad(std::string_view what, uint64_t offset) {
  return MakeError(ErrorCode::kMalformed, fmt::format("espresso: {} at {:#x}", what, offset),
                   offset);
}

class Verifier {
 public:
  std::vector<Violation> Run(const Value& root) {
    const Dict* dict = root.AsDict();
    if (dict != nullptr && dict->Find("layers") != nullptr) CheckNet(root, *dict);
    if (dict != nullptr && dict->Find("layer_shapes") != nullptr) {
      CheckShapes(*dict->Find("layer_shapes"));
    }
    return std::move(report_).Take();
  }

 private:
  void Add(const Rule& rule, uint64_t offset, std::string_view message) {
    report_.Say(rule, offset, message);
  }

  void CheckNet(const Value& root, const Dict& dict) {
    const Value* version = dict.Find("format_version");
    if (version == nullptr || *version != Value::Integer(kFormatVersion)) {
      Add(kRules["format-version"], version == nullptr ? root.offset : version->offset,
          "format_version is not 200");
    }
    if (TextAt(dict, "storage") == nullptr) {
      const Value* storage = dict.Find("storage");
      Add(kRules["storage-named"], storage == nullptr ? root.offset : storage->offset,
          "storage is no name");
    }
    const Array* layers = dict.Find("layers")->AsArray();
    if (layers == nullptr) {
      Add(kRules["layer-names"], dict.Find("layers")->offset, "layers is no array");
      return;
    }
    for (size_t i = 0; i < layers->size(); ++i) CollectTops((*layers)[i], i);
    for (size_t i = 0; i < layers->size(); ++i) CheckLayer((*layers)[i], i);
  }

  void CollectTops(const Value& layer, size_t index) {
    const std::string* top = layer.AsDict() == nullptr ? nullptr : TextAt(*layer.AsDict(), "top");
    if (top == nullptr) return;
    for (std::string& name : SplitNames(*top)) {
      if (!writers_.emplace(name, index).second) {
        Add(kRules["top-unique"], layer.AsDict()->Find("top")->offset,
            "top " + Quoted(name) + " is written twice");
      }
    }
  }

  void CheckLayer(const Value& value, size_t index) {
    const Dict* layer = value.AsDict();
    for (const std::string_view key : {"type", "name", "top"}) {
      if (layer == nullptr || TextAt(*layer, key) == nullptr) {
        Add(kRules["layer-names"], value.offset, fmt::format("layer {} has no {}", index, key));
        return;
      }
    }
    if (!names_.emplace(*TextAt(*layer, "name"), index).second) {
      Add(kRules["layer-name-unique"], layer->Find("name")->offset,
          "layer name " + Quoted(*TextAt(*layer, "name")) + " occurs twice");
    }
    if (const std::string* bottom = TextAt(*layer, "bottom")) {
      for (const std::string& name : SplitNames(*bottom)) {
        const auto writer = writers_.find(name);
        if (writer != writers_.end() && writer->second >= index) {
          Add(kRules["bottom-before"], layer->Find("bottom")->offset,
              fmt::format("layer {} reads {} before layer {} writes it", index, Quoted(name),
                          writer->second));
        }
      }
    }
    CheckBlobs(*layer);
  }

  void CheckBlobs(const Dict& layer) {
    for (const Entry& entry : layer.entries) {
      if (!entry.key.starts_with("blob_")) continue;
      const int64_t* number = entry.value.AsInteger();
      if (number == nullptr || !blobs_.emplace(*number, true).second) {
        Add(kRules["blob-unique"], entry.value.offset,
            Quoted(entry.key) + " is no number, or repeats a blob number");
      }
    }
  }

  void CheckShapes(const Value& shapes) {
    if (shapes.AsDict() == nullptr) {
      Add(kRules["shape-extents"], shapes.offset, "layer_shapes is no object");
      return;
    }
    for (const Entry& entry : shapes.AsDict()->entries) {
      const Dict* shape = entry.value.AsDict();
      for (const std::string_view key : {"n", "k", "h", "w"}) {
        const std::optional<int64_t> extent =
            shape == nullptr ? std::nullopt : IntegerAt(*shape, key);
        if (!extent || *extent < 1) {
          const Value* place = shape == nullptr ? nullptr : shape->Find(key);
          Add(kRules["shape-extents"], place == nullptr ? entry.value.offset : place->offset,
              fmt::format("tensor {} has no positive {}", Quoted(entry.key), key));
          break;
        }
      }
      const Value* rank = shape == nullptr ? nullptr : shape->Find("_rank");
      if (rank == nullptr) continue;
      const int64_t* number = rank->AsInteger();
      if (number == nullptr || *number < 1 || *number > 5) {
        Add(kRules["shape-rank"], rank->offset,
            "the _rank of " + Quoted(entry.key) + " is not 1 to 5");
      }
    }
  }

  std::map<std::string, size_t> writers_;  // by tensor: the index of the layer that writes it
  std::map<std::string, size_t> names_;
  std::map<int64_t, bool> blobs_;
  WalkReport report_;
};

}  // namespace

std::span<const Rule> Rules() { return kRules.rules(); }

std::vector<Violation> Verify(const Value& root) { return Verifier().Run(root); }

Status CheckNotCompressed(std::string_view bytes) {
  const std::string_view form =
      lzfse::FormOf({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  if (form.empty()) return {};
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("is compressed by LZFSE ({}), as networks of Espresso are; `anecheck "
                  "inspect` unpacks and shows it",
                  form));
}

bool LooksLikeNetwork(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  const auto has = [text](std::string_view name) {
    return text.find(name) != std::string_view::npos;
  };
  return has("\"layer_shapes\"") || (has("\"format_version\"") && has("\"layers\""));
}

Result<Kind> KindOf(const Value& root) {
  const Dict* dict = root.AsDict();
  if (dict != nullptr && dict->Find("layers") != nullptr) return Kind::kNet;
  if (dict != nullptr && dict->Find("layer_shapes") != nullptr) return Kind::kShape;
  return Bad("needs an object with layers or layer_shapes", root.offset);
}

Result<Net> ParseNet(const Value& root) {
  ANECHECK_ASSIGN(const Kind kind, KindOf(root));
  const Dict& dict = *root.AsDict();
  if (kind != Kind::kNet || dict.Find("layers")->AsArray() == nullptr) {
    return Bad("needs an array layers", root.offset);
  }
  Net net;
  net.format_version = IntegerAt(dict, "format_version");
  if (const std::string* storage = TextAt(dict, "storage")) net.storage = *storage;
  for (const Value& value : *dict.Find("layers")->AsArray()) {
    const Dict* members = value.AsDict();
    for (const std::string_view key : {"type", "name", "top"}) {
      if (members == nullptr || TextAt(*members, key) == nullptr) {
        return Bad(fmt::format("a layer without {}", key), value.offset);
      }
    }
    Layer layer;
    layer.type = *TextAt(*members, "type");
    layer.name = *TextAt(*members, "name");
    layer.tops = SplitNames(*TextAt(*members, "top"));
    if (const std::string* bottom = TextAt(*members, "bottom")) {
      layer.bottoms = SplitNames(*bottom);
    }
    layer.attributes = *members;
    for (const std::string_view key : {"type", "name", "top", "bottom"}) {
      layer.attributes.Erase(key);
    }
    net.layers.push_back(std::move(layer));
  }
  for (const Entry& entry : dict.entries) {
    if (entry.key != "layers" && entry.key != "storage" && entry.key != "format_version") {
      net.extra.push_back(entry);
    }
  }
  return net;
}

Result<std::vector<Shape>> ParseShapes(const Value& root) {
  ANECHECK_ASSIGN(const Kind kind, KindOf(root));
  const Dict* shapes =
      kind == Kind::kShape ? root.AsDict()->Find("layer_shapes")->AsDict() : nullptr;
  if (shapes == nullptr) return Bad("needs an object layer_shapes", root.offset);
  std::vector<Shape> result;
  for (const Entry& entry : shapes->entries) {
    const Dict* extents = entry.value.AsDict();
    if (extents == nullptr) return Bad("a tensor's shape is no object", entry.value.offset);
    result.push_back(Shape{entry.key, IntegerAt(*extents, "n"), IntegerAt(*extents, "k"),
                           IntegerAt(*extents, "h"), IntegerAt(*extents, "w"),
                           IntegerAt(*extents, "_rank")});
  }
  return result;
}

}  // namespace anecheck::espresso
