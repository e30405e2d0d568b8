// The catalog of native layers in network descriptions. A row has the unit type, the operand counts
// and the parameters that the compiler's parser of the unit reads. Used by parsing, verification,
// generation and the lowering of graphs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/formats/enums/enums.h"
#include "harness/formats/format.h"

namespace anecheck::netlist {

enum class ParamKind : uint8_t {
  kAny,  // no source states the kind
  kInteger,
  kBoolean,
  kReal,      // a real or an integer
  kHalfBits,  // an integer 0 to 65535: the bits of an fp16 value
  kName,      // a string, one of `names` if that is not empty; see also `spelled`
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
  // `required` is true if the parser fails without this parameter. `required_evidence` is the
  // evidence for this failure.
  bool required = false;
  FactEvidence required_evidence = FactEvidence::kSpecification;
  std::span<const std::string_view> names = {};
  std::span<const ParamSpec> members = {};
  // The next two members are for a kName parameter whose possible names no source lists completely.
  // `spelled` has the names that sources contain. `enumerations` has enumerations whose names are
  // accepted in upper or lower case. Both are empty if no source has any name.
  std::span<const std::string_view> spelled = {};
  std::span<const EnumKind> enumerations = {};
};

struct LayerSpec {
  std::string_view type;        // the unit's Type tag
  std::string_view layer;       // name of the layer in the exported symbols
  std::string_view descriptor;  // empty if none is exported
  std::string_view validator;   // empty if none is exported
  uint8_t code = 0;             // ZinUnitType
  uint16_t min_bottoms = 1;
  uint16_t max_bottoms = 1;
  std::span<const ParamSpec> params = {};
  // True if the sources list all parameters, so another key is an error. False if the list may be
  // incomplete, so another key is kept without a warning.
  bool closed = true;
  // The compiler's error for a wrong or missing key. If it ends in '*', the key replaces the '*'.
  std::string_view key_error = "InvalidParamSyntax";
};

inline constexpr uint16_t kAnyCount = UINT16_MAX;

// Returns the 53 rows of facts/native_layers.csv in the order of that file, then KernelRasterizer
// and MatrixDecomposition, which public netlists use.
std::span<const LayerSpec> Layers();

// Returns the layer with that Type tag, or nullptr.
const LayerSpec* FindLayer(std::string_view type);

// Returns whether a source has this value of a kName parameter, or no source has any value.
bool IsKnownName(const ParamSpec& spec, std::string_view name);

// Returns the element types of ports, units, kernels and biases in network descriptions.
std::span<const std::string_view> ElementTypes();

// Returns the parameter with that key, or nullptr.
const ParamSpec* FindParam(std::span<const ParamSpec> params, std::string_view key);

}  // namespace anecheck::netlist
