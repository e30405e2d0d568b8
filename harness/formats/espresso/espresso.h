// Espresso networks: the JSON that the runtime's older front end reads, a layer list
// (model.espresso.net) and the shapes of its tensors (model.espresso.shape). Read, printed and
// compared by `anecheck inspect`; the weight file beside them is harness/formats/netweights.
// Sources: the four real files; specification 004 names the representation.
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
  tree::Dict attributes;  // every other member, in the file's order
};

struct Net {
  std::optional<int64_t> format_version;
  std::string storage;  // name of the weight file
  std::vector<Layer> layers;
  std::vector<tree::Entry> extra;  // analyses, properties, transform_params, ...
};

// Extents of one tensor.
struct Shape {
  std::string name;
  std::optional<int64_t> n, k, h, w;  // batch, channels, height, width
  std::optional<int64_t> rank;
};

// Errors: kUnsupported if the bytes are compressed by LZFSE; `anecheck inspect` unpacks them first.
// Source: two real files that begin with "pbze".
Status CheckNotCompressed(std::string_view bytes);

// Whether a text is the JSON of a network or of its shapes, judged by the names of its members.
bool LooksLikeNetwork(std::string_view text);

enum class Kind : uint8_t { kNet, kShape };

// Errors: kMalformed if the text is no JSON, if it has neither layers nor layer_shapes, or if a
// layer lacks its names.
Result<Kind> KindOf(const tree::Value& root);
Result<Net> ParseNet(const tree::Value& root);
Result<std::vector<Shape>> ParseShapes(const tree::Value& root);

std::span<const Rule> Rules();
std::vector<Violation> Verify(const tree::Value& root);

}  // namespace espresso
}  // namespace anecheck
