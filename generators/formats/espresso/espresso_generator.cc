// Draws espresso networks and shapes. Has edits that break one rule each.
#include "generators/formats/espresso/espresso_generator.h"

#include <array>
#include <string>
#include <string_view>

#include "generators/formats/document_edit.h"
#include "harness/formats/espresso/espresso.h"

namespace anecheck {
namespace {

using tree::Array;
using tree::Dict;
using tree::Value;

Value GenerateShapes(ChoiceStream& choices) {
  Dict shapes;
  const uint64_t count = 1 + choices.Below(6);
  for (uint64_t i = 0; i < count; ++i) {
    Dict shape;
    for (const std::string_view key : {"k", "w", "n", "h"}) {
      shape.Set(key, Value::Integer(choices.Range(1, 512)));
    }
    if (choices.Coin()) shape.Set("_rank", Value::Integer(choices.Range(1, 5)));
    shapes.Set("layer/" + std::to_string(i), Value(std::move(shape)));
  }
  Dict root;
  root.Set("layer_shapes", Value(std::move(shapes)));
  return Value(std::move(root));
}

Value GenerateNet(ChoiceStream& choices) {
  static constexpr std::array<std::string_view, 6> kTypes = {
      "convolution", "pool", "activation", "elementwise", "inner_product", "softmax"};
  Array layers;
  int64_t blob = 1;
  const uint64_t count = 2 + choices.Below(5);
  for (uint64_t i = 0; i < count; ++i) {
    Dict layer;
    const std::string_view type = choices.Pick(kTypes);
    layer.Set("type", Value::String(type));
    layer.Set("name", Value::String("layer_" + std::to_string(i)));
    std::string bottom = i == 0 ? "input1" : "top/" + std::to_string(i - 1);
    if (i > 1 && choices.Coin()) bottom += ",top/" + std::to_string(i - 2);
    layer.Set("bottom", Value::String(bottom));
    layer.Set("top", Value::String("top/" + std::to_string(i)));
    layer.Set("weights", Value(Dict{}));
    if (type == "convolution" || type == "inner_product") {
      layer.Set("blob_biases", Value::Integer(blob));
      layer.Set(choices.Coin() ? "blob_weights" : "blob_weights_f16", Value::Integer(blob + 2));
      blob += 4;
    }
    if (choices.Coin()) {
      layer.Set("alpha", Value::Real(static_cast<double>(choices.Range(-8, 8)) / 3));
    }
    layers.push_back(Value(std::move(layer)));
  }
  Dict root;
  root.Set("storage", Value::String("model.espresso.weights"));
  root.Set("properties", Value(Dict{}));
  root.Set("format_version", Value::Integer(espresso::kFormatVersion));
  if (choices.Coin()) root.Set("metadata_in_weights", Value(Array{}));
  root.Set("layers", Value(std::move(layers)));
  return Value(std::move(root));
}

Bytes Generate(ChoiceStream& choices) {
  const Value root = choices.Coin() ? GenerateShapes(choices) : GenerateNet(choices);
  espresso::JsonLayout layout;
  layout.spaced_empty = !choices.Chance(1, 4);
  const std::string text = espresso::WriteJsonDocument(root, layout);
  return Bytes(text.begin(), text.end());
}

// Returns member `key` of the document, or nullptr if it is absent.
Json* Find(Json& json, const char* key) {
  Json& document = json.at("document");
  const auto found = document.find(key);
  return found == document.end() ? nullptr : &*found;
}

Json* LayerAt(Json& json, uint64_t a) {
  return json.at("document").contains("layers") ? PickElement(json.at("document"), "layers", a)
                                                : nullptr;
}

Json* ShapeAt(Json& json, uint64_t a) {
  Json* shapes = Find(json, "layer_shapes");
  if (shapes == nullptr || shapes->empty()) return nullptr;
  return &*std::next(shapes->begin(), static_cast<ptrdiff_t>(a % shapes->size()));
}

bool Set(Json* object, const char* key, const Json& value) {
  if (object == nullptr) return false;
  (*object)[key] = value;
  return true;
}

bool Erase(Json* object, const char* key) { return object != nullptr && object->erase(key) != 0; }

constexpr DocumentEdit kEdits[] = {
    {"other-version", "format-version",
     [](Json& json, uint64_t, uint64_t b) {
       return Find(json, "layers") != nullptr &&
              Set(&json.at("document"), "format_version", 201 + b);
     }},
    {"no-version", "format-version",
     [](Json& json, uint64_t, uint64_t) { return Erase(&json.at("document"), "format_version"); }},
    {"storage-number", "storage-named",
     [](Json& json, uint64_t, uint64_t b) {
       return Find(json, "layers") != nullptr && Set(&json.at("document"), "storage", b);
     }},
    {"layer-without-name", "layer-names",
     [](Json& json, uint64_t a, uint64_t) { return Erase(LayerAt(json, a), "name"); }},
    {"layer-without-type", "layer-names",
     [](Json& json, uint64_t a, uint64_t) { return Erase(LayerAt(json, a), "type"); }},
    {"repeat-layer-name", "layer-name-unique",
     [](Json& json, uint64_t, uint64_t) { return Set(LayerAt(json, 1), "name", "layer_0"); }},
    {"repeat-top", "top-unique",
     [](Json& json, uint64_t, uint64_t) {
       Json* layers = Find(json, "layers");
       return layers != nullptr && layers->is_array() && !layers->empty() &&
              Set(&layers->back(), "top", "top/0");
     }},
    {"read-before-write", "bottom-before",
     [](Json& json, uint64_t, uint64_t) { return Set(LayerAt(json, 0), "bottom", "top/1"); }},
    {"read-own-top", "bottom-before",
     [](Json& json, uint64_t, uint64_t) { return Set(LayerAt(json, 0), "bottom", "top/0"); }},
    {"repeat-blob", "blob-unique",
     [](Json& json, uint64_t a, uint64_t) {
       Json* layer = LayerAt(json, a);
       return layer != nullptr && layer->contains("blob_biases") &&
              Set(layer, "blob_extra", layer->at("blob_biases"));
     }},
    {"zero-extent", "shape-extents",
     [](Json& json, uint64_t a, uint64_t) { return Set(ShapeAt(json, a), "k", 0); }},
    {"missing-extent", "shape-extents",
     [](Json& json, uint64_t a, uint64_t) { return Erase(ShapeAt(json, a), "h"); }},
    {"large-rank", "shape-rank",
     [](Json& json, uint64_t a, uint64_t b) { return Set(ShapeAt(json, a), "_rank", 6 + b); }},
    {"huge-extent", "",
     [](Json& json, uint64_t a, uint64_t) {
       return Set(ShapeAt(json, a), "w", uint64_t{1} << 62);
     }},
    {"unknown-member", "",
     [](Json& json, uint64_t, uint64_t b) { return Set(&json.at("document"), "unheard_of", b); }},
};

constexpr auto kMutations = MakeMutationKinds<kFormat_espresso, kEdits>();

}  // namespace

const DescriptorGenerator kGenerator_espresso = {"espresso", Generate, kMutations};

}  // namespace anecheck
