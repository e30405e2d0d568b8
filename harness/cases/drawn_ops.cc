#include "harness/cases/drawn_ops.h"

#include <fmt/format.h>

#include "generators/drawer.h"
#include "harness/lowering/graph_to_netlist.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

constexpr std::string_view kBlocks =
    "a block: no source tells how an engine runs blocks, and the simulated engine refuses them; "
    "only `run --ops` draws it, and the runner roundtrip covers it";
constexpr std::string_view kUnits =
    "a private unit of the compute lanes: its spelling in MIL is assumed, and the simulated engine "
    "refuses it; only `run --ops` draws it, and the runner roundtrip covers it";
constexpr std::string_view kHost =
    "reaches the engine by no published route (facts/op_device_matrix.csv: bridge), and the "
    "simulated engine refuses it; only `run --ops` draws it, and the runner roundtrip covers it";
constexpr std::string_view kNoPath =
    "no family's engine has it (facts/op_device_matrix.csv: no_path), and campaigns draw engine "
    "operations only";
constexpr std::string_view kUnlisted =
    "no published list names an engine that takes it, and campaigns draw engine operations only";

bool IsOnMil(const OpDefinition& op, const OpGenerator& generator) {
  // Operations on states occur only in the mode `state` and in aimed cases. They are not drawn
  // otherwise, because one of them makes a graph stateful.
  const bool state = op.axes.contains(AxisRule::kOfStates);
  return op.family_floor != kNoFamily && (generator.weight > 0 || state);
}

}  // namespace

RouteSet RoutesOf(const OpDefinition& op) {
  const OpGenerator& generator = *AllOpGenerators()[op.schema.id];
  if (generator.draw == nullptr) return RouteSet::kNone;
  const bool netlist = NetlistOps().test(op.schema.id);
  return (IsOnMil(op, generator) ? RouteSet::kMil : RouteSet::kNone) |
         (netlist ? RouteSet::kNetlist : RouteSet::kNone);
}

std::string_view WhyNotDrawn(const OpDefinition& op) {
  if (RoutesOf(op) != RouteSet::kNone) return {};
  if (!op.no_reference_reason.empty()) return op.no_reference_reason;
  if (op.family_floor == kNoFamily) return op.reach ? kNoPath : kUnlisted;
  // A campaign draws the remaining operations if the user names them. The engine refuses them, so
  // no case with such an operation meets a cell.
  if (op.axes.contains(AxisRule::kOfBlocks)) return kBlocks;
  return op.axes.contains(AxisRule::kNoText) ? kUnits : kHost;
}

const std::bitset<kOpCount>& MilOps() {
  static const std::bitset<kOpCount> ops = [] {
    std::bitset<kOpCount> spelt;
    for (const OpDefinition* op : AllOps()) {
      spelt.set(op->schema.id, op->op_class != OpClass::kNative);
    }
    return spelt;
  }();
  return ops;
}

bool IsDrawnByName(const OpDefinition& op, int family, Route route) {
  if (AllOpGenerators()[op.schema.id]->draw == nullptr) return false;
  if (route == Route::kMil) {
    return MilOps().test(op.schema.id) && (op.family_floor <= family || IsAnyEngine(family));
  }
  // Every family has the layers that only direct authoring reaches.
  const bool reached = op.family_floor <= family || op.family_floor == kNoFamily;
  return NetlistOps().test(op.schema.id) && reached;
}

std::string WhyNotDrawnByName(const OpDefinition& op, int family, Route route) {
  const std::string_view nowhere = WhyNotDrawn(op);
  const bool drawn = AllOpGenerators()[op.schema.id]->draw != nullptr;
  if (!drawn) return std::string(nowhere);
  if (route == Route::kNetlist && !NetlistOps().test(op.schema.id)) {
    return "no known network description expresses it";
  }
  if (op.op_class == OpClass::kNative && route == Route::kMil) {
    return "is a native layer, which no MIL text names";
  }
  if (op.family_floor != kNoFamily) {
    return fmt::format("engines have it from {} on, and this is {}",
                       ConformingContract(op.family_floor).name, ConformingContract(family).name);
  }
  if (!nowhere.empty()) return std::string(nowhere);
  return op.reach ? "no conversion has it (facts/op_device_matrix.csv: no_path)"
                  : "no published list names a conversion that has it";
}

}  // namespace anecheck
