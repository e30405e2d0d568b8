// The catalog of native layers as network descriptions name them: unit type, operand counts and the
// parameters that the compiler's parser of each unit reads. Parsing, verification, generation and
// the lowering of graphs use this table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/formats/enums/enums.h"
#include "harness/formats/format.h"

namespace anecheck::netlist {

enum class ParamKind : uint8_t {
  kAny,  // no source tells the kind
  kInteger,
  kBoolean,
  kReal,      // a real or an integer
  kHalfBits,  // an integer 0 to 65535: the bits of an fp16 value
  kName,      // a string, from a closed set if `names` is not empty; see also `spelled`
  kNameOrInteger,
  kDimension,    // Batch, Depth, Channel, Height or Width
  kDimensions,   // a dimension or an array of them
  kIntegers,     // an array of integers
  kDictionary,   // see `members`
  kDictionaries  // an array of dictionaries, see `members`
};

struct ParamSpec {
  std::string_view key;
  ParamKind kind = ParamKind::kAny;
  // Whether the parser fails without this parameter. `required_evidence` is the evidence for the
  // failure.
  bool required = false;
  FactEvidence required_evidence = FactEvidence::kSpecification;
  std::span<const std::string_view> names = {};
  std::span<const ParamSpec> members = {};
  // The next two members are for a kName parameter whose possible names no source lists completely.
  // `spelled` has the names that sources show. `enumerations` has the enumerations whose names are
  // accepted in upper or lower case. Both are empty if no source gives any name.
  std::span<const std::string_view> spelled = {};
  std::span<const EnumKind> enumerations = {};
};

struct LayerSpec {
  std::string_view type;        // the unit's Type tag
  std::string_view layer;       // name of the layer in the exported symbols
  std::string_view descriptor;  // empty where none is exported
  std::string_view validator;   // empty where none is exported
  uint8_t code = 0;             // ZinUnitType
  uint16_t min_bottoms = 1;
  uint16_t max_bottoms = 1;
  std::span<const ParamSpec> params = {};
  // True if the list of params is complete according to the sources, so that another key is an
  // error. False if the sources name the layer's attributes only loosely, so that another key is
  // kept without a warning.
  bool closed = true;
  // The compiler's answer to a wrong or missing key. If the answer ends in '*', the key takes the
  // place of the '*'.
  std::string_view key_error = "InvalidParamSyntax";
};

inline constexpr uint16_t kAnyCount = UINT16_MAX;

// The 53 rows of facts/native_layers.csv in its order, then KernelRasterizer and
// MatrixDecomposition, which public netlists use.
std::span<const LayerSpec> Layers();

// The layer of a Type tag, or nullptr.
const LayerSpec* FindLayer(std::string_view type);

// Whether a source names the value of a kName parameter; true if no source names any value.
bool IsKnownName(const ParamSpec& spec, std::string_view name);

// Element types of ports, units, kernels and biases as network descriptions spell them.
std::span<const std::string_view> ElementTypes();

// The parameter of a layer, or nullptr.
const ParamSpec* FindParam(std::span<const ParamSpec> params, std::string_view key);

}  // namespace anecheck::netlist
