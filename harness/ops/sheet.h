// The sheet of an operation: its name, its class, how far it gets on each generation and the facts
// by which its legality is judged. harness/ops/ops.def holds one sheet an operation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace anecheck {

// The thirteen classes of the public operation matrix (facts/op_device_matrix.csv) and the native
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

// The four marks of the public matrix (facts/op_device_matrix.csv).
enum class Reach : uint8_t {
  kNative,       // the conversion route reaches the engine
  kBridge,       // only through another route: direct authoring, the host, or inside the compiler
  kFamilyGated,  // from a later generation on
  kNoPath,       // not on the engine
};
std::string_view ReachName(Reach reach);

// On A13, A14, A15, A16 and later.
using FamilyReach = std::array<Reach, 4>;

// The floor of operations that no family's engine has (facts/op_device_matrix.csv, no_path).
inline constexpr uint8_t kNoFamily = 255;

struct OpSheet {
  std::string_view name;  // MIL's operation name, or the native layer's
  OpClass op_class = OpClass::kElementwise;
  // Nothing for what the public matrix does not list.
  std::optional<FamilyReach> reach = {};
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

// The sheets of operations with a schema, indexed by OpKind.
std::span<const OpSheet> OpSheets();
// Operations of the public matrix that are listed and have no schema, each with the reason.
std::span<const OpSheet> CataloguedOps();
// Of both lists; null where no operation is called `name`.
const OpSheet* FindSheet(std::string_view name);
const OpSheet* FindCataloguedOp(std::string_view name);

// Nothing for operations and families (below A13, index 2) that the matrix does not have.
std::optional<Reach> ReachOn(std::string_view name, int family);

}  // namespace anecheck
