// The operation table: every operation's schema and the facts by which its legality is judged.
// Lowering, generators, oracles and the simulated engine all look operations up here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/graph/schema.h"

namespace anecheck {

// The fourteen classes of the public operation matrix (facts/op_device_matrix.csv) and the native
// layers that only direct authoring reaches.
enum class OpClass : uint8_t {
  kConvolution,
  kNormalization,
  kElementwise,
  kComparison,
  kActivation,
  kReduction,
  kMovement,
  kImage,
  kQuantization,
  kControl,
  kRecurrent,
  kTrigonometric,
  kDetection,
  kNative,
};
std::string_view OpClassName(OpClass op_class);

enum class OpKind : uint16_t {
#define ANECHECK_OP(name, Name, op_class) k##Name,
#include "harness/ops/ops.def"
#undef ANECHECK_OP
};

inline constexpr size_t kOpCount = 0
#define ANECHECK_OP(name, Name, op_class) +1
#include "harness/ops/ops.def"
#undef ANECHECK_OP
    ;

// The floor of operations that no family's engine has (facts/op_device_matrix.csv, no_path).
inline constexpr uint8_t kNoFamily = 255;

struct OpDefinition {
  OpSchema schema;  // schema.id is the OpKind
  OpClass op_class = OpClass::kElementwise;
  // The lowest family index on which the conversion route emits it natively (specification 003,
  // table 24.2; facts/minimum_family.csv). Below it the compiler decomposes or rejects; kNoFamily
  // where only the host has it.
  uint8_t family_floor = 0;
  // The HAL capability byte that the direct route reads, or 0 (specification 003, table 24.3).
  uint16_t capability = 0;
  // The unit type of the network description (facts/native_layers.csv), or empty where the
  // operation has no direct route.
  std::string_view netlist_unit = {};
  // Why there is no numeric reference; empty where there is one.
  std::string_view no_reference_reason = {};
};

// The rows, each defined in the file of its class.
#define ANECHECK_OP(name, Name, op_class) extern const OpDefinition kOp##Name;
#include "harness/ops/ops.def"
#undef ANECHECK_OP

// Every operation, indexed by OpKind.
std::span<const OpDefinition* const> AllOps();
inline const OpDefinition& GetOp(OpKind kind) { return *AllOps()[static_cast<size_t>(kind)]; }
// Null where no operation is called `name`.
const OpDefinition* FindOp(std::string_view name);
inline OpKind KindOf(const OpSchema& schema) { return static_cast<OpKind>(schema.id); }
inline const OpDefinition& DefinitionOf(const OpSchema& schema) { return GetOp(KindOf(schema)); }

// The table as the graph room wants it.
const Vocabulary& OpVocabulary();

}  // namespace anecheck
