// Espresso networks, the JSON that the runtime's older front end reads. A network has a file with a
// list of layers (model.espresso.net) and a file with the shapes of its tensors
// (model.espresso.shape). harness/formats/netweights reads its weight file. Used by `anecheck
// inspect`. Sources: the four real files; specification 004 mentions the representation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/espresso/json_document.h"
#include "harness/formats/format.h"
#include "harness/formats/tree/value.h"

namespace anecheck {

extern const Format kFormat_espresso;

namespace espresso {

inline constexpr int64_t kFormatVersion = 200;

struct Layer {
  std::string type;  // convolution, pool, inner_product, ...
  std::string name;
  std::vector<std::string> bottoms;  // a comma separates them in the file
  std::vector<std::string> tops;
  tree::Dict attributes;  // all other members, in the order of the file
};

struct Net {
  std::optional<int64_t> format_version;
  std::string storage;  // name of the weight file
  std::vector<Layer> layers;
  std::vector<tree::Entry> extra;  // analyses, properties, transform_params, ...
};

// The extents of one tensor.
struct Shape {
  std::string name;
  std::optional<int64_t> n, k, h, w;  // batch, channels, height, width
  std::optional<int64_t> rank;
};

// Returns kUnsupported if LZFSE compresses the bytes. `anecheck inspect` unpacks them first.
// Source: two real files that begin with "pbze".
Status CheckNotCompressed(std::string_view bytes);

// Returns whether a text has member names of the JSON of a network or of its shapes.
bool LooksLikeNetwork(std::string_view text);

enum class Kind : uint8_t { kNet, kShape };

// Errors of these functions: kMalformed without layers or layer_shapes, or if a layer lacks a name.
Result<Kind> KindOf(const tree::Value& root);
Result<Net> ParseNet(const tree::Value& root);
Result<std::vector<Shape>> ParseShapes(const tree::Value& root);

std::span<const Rule> Rules();
std::vector<Violation> Verify(const tree::Value& root);

}  // namespace espresso
}  // namespace anecheck
