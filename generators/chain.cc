#include "generators/chain.h"

#include <algorithm>
#include <array>
#include <vector>

namespace anecheck {
namespace {

// Returns the results of the nodes of `kind`, from the last node to the first.
std::vector<ValueId> ResultsOf(const Graph& graph, OpKind kind) {
  std::vector<ValueId> results;
  for (size_t id = graph.nodes().size(); id-- > 0;) {
    const Node& node = graph.nodes()[id];
    if (KindOf(*node.schema) != kind) continue;
    for (uint32_t i = 0; i < node.result_count; ++i) results.push_back(node.first_result + i);
  }
  return results;
}

bool Takes(const Graph& graph, OpKind consumer, ValueId value) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return KindOf(*node.schema) == consumer &&
           std::ranges::any_of(graph.arguments(node),
                               [&](const Argument& argument) { return argument.value == value; });
  });
}

bool IsUsed(const Graph& graph, ValueId value) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return std::ranges::any_of(graph.arguments(node),
                               [&](const Argument& argument) { return argument.value == value; });
  });
}

// On the engine's path, a program output cannot be a bool, a 32-bit integer or fp32 (facts/mil.md).
bool IsProgramOutput(DType dtype) {
  return dtype != DType::kBool && dtype != DType::kInt32 && dtype != DType::kFp32;
}

// Appends the maximum of the result and a new input of its shape.
bool Join(Drawer& drawer, ValueId result) {
  const ValueId input = drawer.NewInput(drawer.shape(result));
  return drawer.Emit(OpKind::kMaximum, {result, input},
                     GreaterOf(drawer.range(result), drawer.range(input)));
}

// Makes an output of each result that nothing uses.
bool Finish(Drawer& drawer) {
  const Graph& graph = drawer.graph();
  const auto count = static_cast<ValueId>(graph.values().size());
  for (ValueId id = 0; id < count; ++id) {
    const ValueKind kind = graph.value(id).kind;
    if (kind == ValueKind::kConst || IsUsed(graph, id)) continue;
    // A failed attempt to draw an operation may leave an unused input.
    if (kind != ValueKind::kResult) return false;
    ValueId result = id;
    if (!IsProgramOutput(graph.type(id).dtype)) result = drawer.CastTo(DType::kFp16, id);
    if (result == kNoValue || (!drawer.moves(id) && !Join(drawer, result))) return false;
  }
  return true;
}

// On integers and bools, these operations have no kernel on the simulated engine, or their
// constants have another type. No source shows a kernel on other engines.
constexpr std::array kHalvesAlone = {OpKind::kThreshold,    OpKind::kCumsum, OpKind::kReduceArgmax,
                                     OpKind::kReduceArgmin, OpKind::kResize, OpKind::kPad};

// On the simulated engine, int32 is the only integer type that these operations take.
constexpr std::array kInt32Alone = {OpKind::kAbs, OpKind::kSquare, OpKind::kSign,
                                    OpKind::kReduceL1Norm, OpKind::kReduceSumSquare};

bool MayTake(OpKind consumer, DType dtype) {
  if (dtype == DType::kFp16 || consumer == OpKind::kCast) return true;
  const bool int32_alone = std::ranges::find(kInt32Alone, consumer) != kInt32Alone.end();
  if (int32_alone && dtype != DType::kInt32) return false;
  // The generators use fp32 only between two conversions.
  return dtype != DType::kFp32 && std::ranges::find(kHalvesAlone, consumer) == kHalvesAlone.end();
}

}  // namespace

bool DrawChain(Drawer& drawer, const OpChain& chain) {
  const OpGenerator& first = *AllOpGenerators()[static_cast<size_t>(chain.producer)];
  const OpGenerator& second = *AllOpGenerators()[static_cast<size_t>(chain.consumer)];
  if (first.draw == nullptr || second.draw == nullptr) return false;
  const Graph& graph = drawer.graph();
  if (!first.draw(drawer, drawer.PickOperand())) return false;
  const std::vector<ValueId> given = ResultsOf(graph, chain.producer);
  if (given.empty()) return false;
  const ValueId operand = drawer.choices().Pick(given);
  if (!MayTake(chain.consumer, drawer.type(operand).dtype)) return false;
  return second.draw(drawer, operand) && Takes(graph, chain.consumer, operand) && Finish(drawer);
}

}  // namespace anecheck
