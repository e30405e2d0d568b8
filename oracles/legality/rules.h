// The legality tables: the catalogue of operations and native layers by name, and the rules of each
// compiler layer. They are read from JSON that is embedded in the tool.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/verdict/route.h"
#include "oracles/legality/expression.h"

namespace anecheck::legality {

// The layers in the order in which an operation passes them.
enum class Layer : uint8_t {
  kFrontEnd,
  kMinimumFamily,
  kCapability,
  kValidator,
  kKernelMemory,
  kCodeGeneration,
  kPlacement,
};
inline constexpr size_t kLayerCount = 7;
std::string_view LayerName(Layer layer);

// The answer of a layer. If several rules apply, the ruling that comes last in this order decides.
enum class Ruling : uint8_t {
  kPass,
  kNotRead,    // the route does not pass this layer
  kSplit,      // into several sub-layers (kernel memory)
  kDecompose,  // into operations that later layers accept
  kUnknown,    // depends on a value that no source gives
  kReject,
};
std::string_view RulingName(Ruling ruling);

// A statement of another source about a rule's subject.
struct OtherReading {
  std::string says, source;
};

struct Rule {
  std::string id;  // "conv_kernel_width"
  Layer layer = Layer::kFrontEnd;
  std::vector<std::string> subjects;  // operations, native layers, or "*"
  std::vector<std::string> tiers;     // of the targets to which it applies; empty for all
  std::optional<Route> route;         // nothing for both routes
  Expression when;
  std::string when_text;
  Ruling ruling = Ruling::kReject;
  Template text;
  Template source;
  bool everywhere = false;  // a refusal means that no target has a path
  bool gate = false;        // a validator's rule that also binds units of network descriptions
  std::vector<OtherReading> others;
};

// A row of the catalogue: an operation of the intermediate language or a native layer. `fields`
// holds the values that rules read by row('name').
struct CatalogueRow {
  std::string name;
  std::string op_class;
  bool native = false;       // a native layer
  std::string native_layer;  // of an operation: the layer to which it is lowered, or empty
  std::map<std::string, Value, std::less<>> fields;
};

// All tables. Immutable, so threads may share the object.
class Rules {
 public:
  // The embedded tables, parsed on first use.
  static const Rules& Builtin();
  // Parses texts in the formats of data/operations.json, data/layers.json and data/rules.json.
  static Result<Rules> Parse(std::string_view operations, std::string_view layers,
                             std::string_view rules);

  // Returns the row with this MIL name, alias, native layer name or unit type, or null.
  const CatalogueRow* Find(std::string_view name) const;
  // The operations of the public matrix in its order.
  std::span<const CatalogueRow> operations() const { return operations_; }
  std::span<const CatalogueRow> layers() const { return layers_; }
  std::span<const Rule> rules() const { return rules_; }
  // Returns the expression that a name abbreviates (such as the demand on kernel memory), or null.
  const Expression* Definition(std::string_view name) const;

 private:
  std::vector<CatalogueRow> operations_, layers_;
  std::map<std::string, std::pair<bool, size_t>, std::less<>> by_name_;  // native, index
  std::vector<Rule> rules_;
  std::map<std::string, Expression, std::less<>> definitions_;
};

}  // namespace anecheck::legality
