#include "oracles/metamorphic/node_relations.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "harness/base/half.h"
#include "harness/base/little_endian.h"
#include "harness/graph/copy_node.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/metamorphic/alike_axes.h"
#include "oracles/plan/decomposition.h"

namespace anecheck {
namespace {

ValueId Finish(Graph& graph) {
  const Result<ValueId> made = graph.FinishNode();
  return made.ok() ? *made : kNoValue;
}

std::vector<ValueId> One(ValueId value) {
  return value == kNoValue ? std::vector<ValueId>() : std::vector<ValueId>{value};
}

// Adds a copy of `node` with other operands, one for each argument. Returns its first result, or
// kNoValue.
ValueId Again(Graph& graph, const NodeView& node, std::span<const ValueId> operands) {
  if (std::ranges::find(operands, kNoValue) != operands.end()) return kNoValue;
  graph.BeginNode(&node.schema());
  const auto arguments = node.graph().arguments(node.node());
  for (size_t i = 0; i < arguments.size(); ++i) {
    graph.AddArgument(arguments[i].parameter, operands[i]);
  }
  CopyAttributes(node.graph(), node.node(), graph);
  const ValueId first = Finish(graph);
  const bool all = first != kNoValue && graph.values().size() - first == node.node().result_count;
  return all ? first : kNoValue;
}

// A constant with the entries `entries` of `x` along an axis, in this order. kNoValue if elements
// are smaller than a byte.
ValueId ConstantOf(Graph& graph, ValueId x, int axis, std::span<const int64_t> entries) {
  TensorType type = graph.type(x);
  if (DTypeBits(type.dtype) % 8 != 0) return kNoValue;
  const auto before = static_cast<size_t>(type.shape[axis]);
  size_t inner = static_cast<size_t>(DTypeBits(type.dtype)) / 8;
  for (int i = axis + 1; i < type.shape.rank(); ++i) inner *= static_cast<size_t>(type.shape[i]);
  type.shape[axis] = static_cast<int64_t>(entries.size());
  std::vector<uint8_t> bytes;
  const auto from = graph.ConstData(x);
  for (size_t line = 0; line < from.size(); line += before * inner) {
    for (const int64_t entry : entries) {
      const auto part = from.subspan(line + static_cast<size_t>(entry) * inner, inner);
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
  }
  return graph.AddConst(type, bytes);
}

// 0 to extent - 1.
std::vector<int64_t> Places(int64_t extent) {
  std::vector<int64_t> places(static_cast<size_t>(extent));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

using Pair = std::array<ValueId, 2>;

// The first `cut` entries along an axis, and the others. A constant is cut here, not by an
// operation: compilers refuse some operations whose operands are all constants.
Pair Cut(Graph& graph, ValueId x, int axis, int64_t cut) {
  const int64_t extent = graph.type(x).shape[axis];
  if (graph.value(x).kind == ValueKind::kConst) {
    const std::vector<int64_t> entries = Places(extent);
    const auto all = std::span<const int64_t>(entries);
    const auto at = static_cast<size_t>(cut);
    return {ConstantOf(graph, x, axis, all.first(at)), ConstantOf(graph, x, axis, all.subspan(at))};
  }
  graph.BeginNode(&GetOp(OpKind::kSplit).schema);
  graph.AddArgument(params::Split::kX, x);
  graph.AddInt(params::Split::kAxis, axis);
  graph.AddInts(params::Split::kSplitSizes, std::array{cut, extent - cut});
  const ValueId first = Finish(graph);
  return first == kNoValue ? Pair{kNoValue, kNoValue} : Pair{first, first + 1};
}

ValueId Join(Graph& graph, const Pair& parts, int axis) {
  if (parts[0] == kNoValue || parts[1] == kNoValue) return kNoValue;
  graph.BeginNode(&GetOp(OpKind::kConcat).schema);
  for (const ValueId part : parts) graph.AddArgument(params::Concat::kValues, part);
  graph.AddInt(params::Concat::kAxis, axis);
  graph.AddBool(params::Concat::kInterleave, false);
  return Finish(graph);
}

// An order of the entries of one axis: reversed, or rotated so that entry `cut` is first.
struct Order {
  bool backwards = true;
  int64_t cut = 0;

  Order Inverse(int64_t extent) const { return {backwards, extent - cut}; }
};

ValueId Reordered(Graph& graph, ValueId x, int axis, const Order& order) {
  if (x == kNoValue) return kNoValue;
  const int64_t extent = graph.type(x).shape[axis];
  if (graph.value(x).kind == ValueKind::kConst) {
    std::vector<int64_t> entries = Places(extent);
    if (order.backwards) {
      std::ranges::reverse(entries);
    } else {
      std::ranges::rotate(entries, entries.begin() + static_cast<std::ptrdiff_t>(order.cut));
    }
    return ConstantOf(graph, x, axis, entries);
  }
  if (!order.backwards) {
    const Pair parts = Cut(graph, x, axis, order.cut);
    return Join(graph, {parts[1], parts[0]}, axis);
  }
  graph.BeginNode(&GetOp(OpKind::kReverse).schema);
  graph.AddArgument(params::OverAxes::kX, x);
  graph.AddInts(params::OverAxes::kAxes, std::array<int64_t, 1>{axis});
  return Finish(graph);
}

// The axis that `choice` picks, or null.
const AlikeAxis* Pick(std::span<const AlikeAxis> axes, uint64_t choice) {
  return axes.empty() ? nullptr : &axes[choice % axes.size()];
}

// The first entry of the second part: 1 to extent - 1.
int64_t CutOf(const AlikeAxis& axis, uint64_t choice) {
  return 1 + static_cast<int64_t>((choice >> 8 & 0xffff) % static_cast<uint64_t>(axis.extent - 1));
}

constexpr OpKind kCommutative[] = {OpKind::kAdd, OpKind::kMul, OpKind::kMaximum, OpKind::kMinimum};

// ---- decompositions -----------------------------------------------------------------------------

// An operation that an arithmetic identity expresses by other operations.
struct Identity {
  OpKind op;
  ValueId (*apply)(plan::Builder& out, const plan::Site& site);
};

constexpr Identity kIdentities[] = {
    {OpKind::kRelu,
     [](plan::Builder& out, const plan::Site& site) {
       return out.Add("maximum", {{"x", site.In(0)}, {"y", out.Scalar(site.dtype(), 0)}});
     }},
    {OpKind::kSub,
     [](plan::Builder& out, const plan::Site& site) {
       const ValueId minus =
           out.Add("mul", {{"x", site.In(1)}, {"y", out.Scalar(site.dtype(), -1)}});
       return out.Add("add", {{"x", site.In(0)}, {"y", minus}});
     }},
    {OpKind::kSquare,
     [](plan::Builder& out, const plan::Site& site) {
       return out.Add("mul", {{"x", site.In(0)}, {"y", site.In(0)}});
     }},
};

constexpr NotDecomposed kNotDecomposed[] = {
    {"reduce_prod", "the decomposition takes logarithms, which only positive operands have"},
    {"one_hot", "the decomposition has rows only for indices from 0 on"},
};

// A limit of kernel memory, in bytes, into which some rows of the weight fit.
int64_t CapOf(const NodeView& node, const plan::Decomposition& entry) {
  constexpr int kWeight = params::Conv::kWeight;
  static_assert(kWeight == params::Linear::kWeight);
  if (entry.occasion != plan::Occasion::kSplit) return 0;
  const TensorType& weight = node.InputType(kWeight);
  return weight.ByteSize() * 2 / (weight.shape[0] + 1) + 1;
}

std::vector<const plan::Decomposition*> DecompositionsOf(std::string_view op) {
  std::vector<const plan::Decomposition*> entries;
  if (std::ranges::find(kNotDecomposed, op, &NotDecomposed::op) != std::end(kNotDecomposed)) {
    return entries;
  }
  for (const plan::Decomposition& entry : plan::Decompositions()) {
    if (entry.op == op) entries.push_back(&entry);
  }
  return entries;
}

// The fp16 constant with half of each number. kNoValue if `x` is no fp16 constant, or if fp16
// cannot represent a half.
ValueId Halved(Graph& graph, ValueId x) {
  if (graph.value(x).kind != ValueKind::kConst || graph.type(x).dtype != DType::kFp16) {
    return kNoValue;
  }
  const std::span<const uint8_t> from = graph.ConstData(x);
  std::vector<uint8_t> bytes(from.begin(), from.end());
  for (size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    const double number = HalfToDouble(Half{LoadU16(bytes.data() + at)});
    const Half half = DoubleToHalf(number / 2);
    if (HalfToDouble(half) * 2 != number) return kNoValue;
    bytes[at] = static_cast<uint8_t>(half.bits);
    bytes[at + 1] = static_cast<uint8_t>(half.bits >> 8);
  }
  const TensorType type = graph.type(x);
  return graph.AddConst(type, bytes);
}

}  // namespace

std::span<const NotDecomposed> OperationsNotDecomposed() { return kNotDecomposed; }

std::vector<ValueId> Commute(Graph& graph, const NodeView& node, std::span<const ValueId> places,
                             uint64_t) {
  using P = params::Binary;
  const auto found = std::ranges::find(kCommutative, KindOf(node.schema()));
  if (found == std::end(kCommutative)) return {};
  graph.BeginNode(&node.schema());
  graph.AddArgument(P::kX, places[node.Input(P::kY)]);
  graph.AddArgument(P::kY, places[node.Input(P::kX)]);
  return One(Finish(graph));
}

std::vector<ValueId> AtOtherPositions(Graph& graph, const NodeView& node,
                                      std::span<const ValueId> places, uint64_t choice) {
  const std::vector<AlikeAxis> axes = AlikeAxes(node);
  const AlikeAxis* axis = Pick(axes, choice);
  if (axis == nullptr) return {};
  const Order order = {.backwards = (choice >> 32) % 2 == 0, .cut = CutOf(*axis, choice)};
  const auto arguments = node.graph().arguments(node.node());
  std::map<std::pair<ValueId, int>, ValueId> moved;
  std::vector<ValueId> operands;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ValueId x = places[arguments[i].value];
    const int at = axis->operands[i];
    const auto [known, added] = moved.try_emplace({x, at}, x);
    if (added && at >= 0) known->second = Reordered(graph, x, at, order);
    operands.push_back(known->second);
  }
  const ValueId first = Again(graph, node, operands);
  if (first == kNoValue) return {};
  std::vector<ValueId> results;
  for (uint32_t i = 0; i < node.node().result_count; ++i) {
    const int at = axis->results[i];
    results.push_back(at < 0 ? first + i
                             : Reordered(graph, first + i, at, order.Inverse(axis->extent)));
    if (results.back() == kNoValue) return {};
  }
  return results;
}

std::vector<ValueId> InBatches(Graph& graph, const NodeView& node, std::span<const ValueId> places,
                               uint64_t choice) {
  std::vector<AlikeAxis> axes = AlikeAxes(node);
  std::erase_if(axes, [](const AlikeAxis& axis) { return !axis.independent; });
  const AlikeAxis* axis = Pick(axes, choice);
  if (axis == nullptr) return {};
  const auto arguments = node.graph().arguments(node.node());
  std::map<std::pair<ValueId, int>, Pair> cut;
  std::array<std::vector<ValueId>, 2> operands;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ValueId x = places[arguments[i].value];
    const int at = axis->operands[i];
    const auto [known, added] = cut.try_emplace({x, at}, Pair{x, x});
    if (added && at >= 0) known->second = Cut(graph, x, at, CutOf(*axis, choice));
    for (size_t part = 0; part < 2; ++part) operands[part].push_back(known->second[part]);
  }
  const Pair first = {Again(graph, node, operands[0]), Again(graph, node, operands[1])};
  if (first[0] == kNoValue || first[1] == kNoValue) return {};
  std::vector<ValueId> results;
  for (uint32_t i = 0; i < node.node().result_count; ++i) {
    results.push_back(Join(graph, {first[0] + i, first[1] + i}, axis->results[i]));
    if (results.back() == kNoValue) return {};
  }
  return results;
}

std::vector<ValueId> ScaleOutOfWeights(Graph& graph, const NodeView& node,
                                       std::span<const ValueId> places, uint64_t) {
  const OpKind kind = KindOf(node.schema());
  if (kind != OpKind::kConv && kind != OpKind::kLinear) return {};
  constexpr int kX = params::Conv::kX;
  static_assert(kX == params::Linear::kX);
  std::vector<ValueId> operands;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    const ValueId x = places[argument.value];
    operands.push_back(argument.parameter == kX ? x : Halved(graph, x));
  }
  const ValueId half = Again(graph, node, operands);
  if (half == kNoValue || graph.type(half).dtype != DType::kFp16) return {};
  constexpr std::array<uint8_t, 2> kTwo = {0x00, 0x40};
  const ValueId two = graph.AddConst({DType::kFp16, {}}, kTwo);
  graph.BeginNode(&GetOp(OpKind::kMul).schema);
  graph.AddArgument(params::Binary::kX, half);
  graph.AddArgument(params::Binary::kY, two);
  return One(Finish(graph));
}

std::vector<ValueId> Decompose(Graph& graph, const NodeView& node, std::span<const ValueId> places,
                               uint64_t choice) {
  std::set<std::string, std::less<>> taken;
  plan::Builder out(graph, taken, "inserted");
  const auto identity = std::ranges::find(kIdentities, KindOf(node.schema()), &Identity::op);
  if (identity != std::end(kIdentities)) {
    const ValueId made = identity->apply(out, {node, places, out});
    return out.ok() ? One(made) : std::vector<ValueId>();
  }
  const std::vector<const plan::Decomposition*> entries = DecompositionsOf(node.op());
  if (entries.empty()) return {};
  const plan::Decomposition& entry = *entries[choice % entries.size()];
  const auto made = entry.apply({node, places, out, CapOf(node, entry)});
  return made.ok() && out.ok() ? *made : std::vector<ValueId>();
}

}  // namespace anecheck
