// The sheet of an operation: its name, its class, its reach on each generation, and the facts that
// decide its legality. harness/ops/ops.def holds one sheet per operation.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace anecheck {

// The thirteen classes of the public operation matrix (facts/op_device_matrix.csv), and a class for
// the native layers, which only a network description can name.
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
  kBridge,       // only reachable by direct authoring, on the host, or inside the compiler
  kFamilyGated,  // from a later generation on
  kNoPath,       // not on the engine
};
std::string_view ReachName(Reach reach);

// The reach on A13, on A14, on A15, and on A16 and later.
using FamilyReach = std::array<Reach, 4>;

// The family floor of operations that no engine has (facts/op_device_matrix.csv, no_path).
inline constexpr uint8_t kNoFamily = 255;

// The pairs of elements that an operation multiplies in its sums of products. Several operations
// may have the same structure.
enum class Products : uint8_t {
  kNone,      // no sum of products
  kWindows,   // the kernel and each window of x (conv)
  kSpread,    // each element spread over the result by the kernel (conv_transpose)
  kRows,      // each row by each row of the weight (linear)
  kMatrices,  // rows by columns (matmul)
  kLetters,   // entries with equal letters (einsum)
};

// The axes of an operation along which metamorphic relations may cut a tensor or reorder its
// entries. oracles/metamorphic defines each rule. The last rules state why there are no axes.
enum class AxisRule : uint8_t {
  kPointwise,         // an element follows from the elements at the same position
  kChannelConstants,  // every axis except the channel axis
  kImages,
  kInstances,
  kWindows,
  kPlanes,
  kSampledImages,
  kLeadingAxes,
  kImageNorm,
  kMatrices,
  kLetters,
  kQueries,
  kUnnamedAxes,
  kUnnamedOfAll,
  kPermuted,
  kUnpadded,
  kUnresized,
  kUntiled,
  kBesideAdded,
  kBesideScales,
  kOfIndices,
  kSequences,
  kReducedAxes,
  kSharedSums,
  kInnerAxis,
  kSummedLetters,
  kKeys,
  // None:
  kReadAnew,          // the result has another shape, so that axes do not correspond
  kNamedPlaces,       // operands name the places that are read or written, so their order matters
  kNoOperand,         // there is no operand to cut or reorder
  kPairsOfPlaces,     // an element depends on several places, and on their order
  kBeforeTheProgram,  // it must be computed before the program runs
  kOfStates,          // it reads or changes a state as a whole
  kOfBlocks,          // the work is in blocks
  kNoText,            // MIL text, in which metamorphic cases are written, cannot name it
};
constexpr bool SaysWhyNone(AxisRule rule) { return rule >= AxisRule::kReadAnew; }

// A set of rules.
class AxisRules {
 public:
  constexpr AxisRules() = default;
  constexpr AxisRules(std::initializer_list<AxisRule> rules) {
    for (const AxisRule rule : rules) bits_ |= Bit(rule);
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool contains(AxisRule rule) const { return (bits_ & Bit(rule)) != 0; }

 private:
  static constexpr uint64_t Bit(AxisRule rule) { return uint64_t{1} << static_cast<int>(rule); }
  uint64_t bits_ = 0;
};

struct OpSheet {
  std::string_view name;  // MIL's operation name, or the native layer's
  OpClass op_class = OpClass::kElementwise;
  // Empty for operations that the public matrix does not list.
  std::optional<FamilyReach> reach = {};
  // The lowest family index on which the conversion route emits the operation natively
  // (specification 003, table 24.2; facts/minimum_family.csv). Below that family the compiler
  // decomposes or rejects the operation; kNoFamily if only the host runs it.
  uint8_t family_floor = 0;
  // The HAL capability byte that the direct route reads, or 0 (specification 003, table 24.3).
  uint16_t capability = 0;
  // The unit type of the network description (facts/native_layers.csv), or empty if the operation
  // has no direct route.
  std::string_view netlist_unit = {};
  Products products = Products::kNone;
  // Never empty if there is a schema.
  AxisRules axes = {};
  // The reason that there is no numeric reference; empty if there is one.
  std::string_view no_reference_reason = {};
};

// The sheets of operations with a schema, indexed by OpKind.
std::span<const OpSheet> OpSheets();
// Returns the operations of the public matrix that have no schema, each with the reason.
std::span<const OpSheet> CataloguedOps();
// Returns the sheet called `name` of either list; null if there is none.
const OpSheet* FindSheet(std::string_view name);
const OpSheet* FindCataloguedOp(std::string_view name);

// Empty if the matrix lacks the operation or the family (below A13, index 2).
std::optional<Reach> ReachOn(std::string_view name, int family);

}  // namespace anecheck
