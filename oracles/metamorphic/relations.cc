// The table of metamorphic relations, and the functions of those that replace a value.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/metamorphic/node_relations.h"
#include "oracles/metamorphic/relation.h"

namespace anecheck {
namespace {

constexpr uint16_t kHalfOne = 0x3c00;

// The extents that every target admits on every axis (facts/limits.csv, max_tensor_wh).
constexpr int64_t kAnyAxis = 16384;
// Transposes and products of rank 5 are refused by some code generators
// (facts/compile_envelope.csv).
constexpr int kSafeRank = 4;

ValueId Finish(Graph& graph) {
  const Result<ValueId> made = graph.FinishNode();
  return made.ok() ? *made : kNoValue;
}

ValueId Scalar(Graph& graph, uint16_t bits) {
  const std::array<uint8_t, 2> bytes = {static_cast<uint8_t>(bits),
                                        static_cast<uint8_t>(bits >> 8)};
  return graph.AddConst({DType::kFp16, {}}, bytes);
}

ValueId Unary(Graph& graph, OpKind kind, ValueId x) {
  graph.BeginNode(&GetOp(kind).schema);
  graph.AddArgument(params::Unary::kX, x);
  return Finish(graph);
}

ValueId Binary(Graph& graph, OpKind kind, ValueId x, ValueId y) {
  graph.BeginNode(&GetOp(kind).schema);
  graph.AddArgument(params::Binary::kX, x);
  graph.AddArgument(params::Binary::kY, y);
  return Finish(graph);
}

ValueId Reshape(Graph& graph, ValueId x, const Shape& shape) {
  graph.BeginNode(&GetOp(OpKind::kReshape).schema);
  graph.AddArgument(params::Reshape::kX, x);
  graph.AddInts(params::Reshape::kShape, shape.dims());
  return Finish(graph);
}

ValueId Transpose(Graph& graph, ValueId x, std::span<const int64_t> perm) {
  graph.BeginNode(&GetOp(OpKind::kTranspose).schema);
  graph.AddArgument(params::Transpose::kX, x);
  graph.AddInts(params::Transpose::kPerm, perm);
  return Finish(graph);
}

ValueId Concat(Graph& graph, std::span<const ValueId> parts, int axis) {
  graph.BeginNode(&GetOp(OpKind::kConcat).schema);
  for (const ValueId part : parts) graph.AddArgument(params::Concat::kValues, part);
  graph.AddInt(params::Concat::kAxis, axis);
  graph.AddBool(params::Concat::kInterleave, false);
  return Finish(graph);
}

// Splits x into two parts along `axis`, the first with `first` entries; the parts are consecutive
// values.
ValueId Split(Graph& graph, ValueId x, int axis, int64_t first) {
  const int64_t extent = graph.type(x).shape[axis];
  graph.BeginNode(&GetOp(OpKind::kSplit).schema);
  graph.AddArgument(params::Split::kX, x);
  graph.AddInt(params::Split::kAxis, axis);
  graph.AddInts(params::Split::kSplitSizes, std::array{first, extent - first});
  return Finish(graph);
}

// An axis with two entries or more, or -1.
int LongAxis(const Shape& shape, uint64_t choice) {
  for (int i = 0; i < shape.rank(); ++i) {
    const auto rank = static_cast<uint64_t>(shape.rank());
    const auto axis = static_cast<int>((choice + static_cast<uint64_t>(i)) % rank);
    if (shape[axis] > 1) return axis;
  }
  return -1;
}

// ---- identities ---------------------------------------------------------------------------------

ValueId AddZero(Graph& graph, ValueId x, uint64_t) {
  return Binary(graph, OpKind::kAdd, x, Scalar(graph, 0));
}

ValueId MultiplyByOne(Graph& graph, ValueId x, uint64_t) {
  return Binary(graph, OpKind::kMul, x, Scalar(graph, kHalfOne));
}

ValueId TransposeTwice(Graph& graph, ValueId x, uint64_t choice) {
  const int rank = graph.type(x).shape.rank();
  if (rank < 2 || rank > kSafeRank) return kNoValue;
  std::vector<int64_t> perm(static_cast<size_t>(rank)), back(perm.size());
  std::iota(perm.begin(), perm.end(), 0);
  const uint64_t turns = choice % (perm.size() - 1) + 1;
  std::ranges::rotate(perm, perm.begin() + static_cast<std::ptrdiff_t>(turns));
  for (size_t i = 0; i < perm.size(); ++i) {
    back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  const ValueId turned = Transpose(graph, x, perm);
  return turned == kNoValue ? kNoValue : Transpose(graph, turned, back);
}

ValueId ReshapeThereAndBack(Graph& graph, ValueId x, uint64_t choice) {
  const Shape shape = graph.type(x).shape;
  const int64_t elements = shape.Elements();
  if (shape.rank() < 1 || elements > kAnyAxis) return kNoValue;
  const Shape flat = choice % 2 == 0 ? Shape{elements} : Shape{1, elements, 1, 1};
  const ValueId other = Reshape(graph, x, flat);
  return other == kNoValue ? kNoValue : Reshape(graph, other, shape);
}

ValueId SplitAndConcat(Graph& graph, ValueId x, uint64_t choice) {
  const Shape shape = graph.type(x).shape;
  const int axis = LongAxis(shape, choice);
  if (axis < 0) return kNoValue;
  const auto first = static_cast<int64_t>(choice >> 8 & 0xffff) % (shape[axis] - 1) + 1;
  const ValueId parts = Split(graph, x, axis, first);
  return parts == kNoValue ? kNoValue : Concat(graph, std::array{parts, parts + 1}, axis);
}

ValueId PadAndSlice(Graph& graph, ValueId x, uint64_t choice) {
  const Shape shape = graph.type(x).shape;
  const int rank = shape.rank();
  if (rank < 2 || rank > kSafeRank || shape[rank - 1] + 4 > kAnyAxis) return kNoValue;
  const auto before = static_cast<int64_t>(choice % 3);
  const auto after = static_cast<int64_t>(choice / 3 % 2) + 1;
  graph.BeginNode(&GetOp(OpKind::kPad).schema);
  graph.AddArgument(params::Pad::kX, x);
  graph.AddInts(params::Pad::kPad, std::array<int64_t, 4>{0, 0, before, after});
  graph.AddString(params::Pad::kMode, "constant");
  graph.AddFloat(params::Pad::kConstantVal, 0);
  const ValueId padded = Finish(graph);
  if (padded == kNoValue) return kNoValue;
  std::vector<int64_t> begin(static_cast<size_t>(rank), 0);
  begin.back() = before;
  graph.BeginNode(&GetOp(OpKind::kSliceBySize).schema);
  graph.AddArgument(params::SliceBySize::kX, padded);
  graph.AddInts(params::SliceBySize::kBegin, begin);
  graph.AddInts(params::SliceBySize::kSize, shape.dims());
  return Finish(graph);
}

// Appends many operations that do not change the value. An engine may elide, fuse or keep each of
// them.
ValueId Deepen(Graph& graph, ValueId x, uint64_t choice) {
  constexpr uint64_t kLeast = 6, kMore = 18;
  constexpr std::array<OpKind, 3> kNeutral = {OpKind::kIdentity, OpKind::kMaximum,
                                              OpKind::kMinimum};
  const uint64_t depth = kLeast + choice % kMore;
  for (uint64_t i = 0; i < depth && x != kNoValue; ++i) {
    const OpKind kind = kNeutral[(choice >> (8 + i)) % kNeutral.size()];
    x = kind == OpKind::kIdentity ? Unary(graph, kind, x) : Binary(graph, kind, x, x);
  }
  return x;
}

using S = RelationSite;
using L = RelationLaw;

constexpr std::array<Relation, 16> kRelations = {{
    {.name = "recompile", .site = S::kGraph, .law = L::kSameBytes},
    {.name = "tap", .site = S::kGraph, .law = L::kWithinBounds, .taps = true},
    {.name = "add-zero", .instead_of = AddZero},
    {.name = "multiply-by-one", .instead_of = MultiplyByOne},
    {.name = "transpose-twice", .instead_of = TransposeTwice},
    {.name = "reshape-there-and-back", .instead_of = ReshapeThereAndBack},
    {.name = "split-and-concat", .instead_of = SplitAndConcat},
    {.name = "pad-and-slice", .instead_of = PadAndSlice},
    {.name = "commute", .site = S::kNode, .law = L::kSameNumbers, .in_place_of = Commute},
    {.name = "other-positions",
     .site = S::kNode,
     .in_place_of = AtOtherPositions,
     .same_operations = true},
    {.name = "in-batches", .site = S::kNode, .in_place_of = InBatches, .same_operations = true},
    {.name = "decompose", .site = S::kNode, .law = L::kWithinUnion, .in_place_of = Decompose},
    {.name = "scale-out-of-weights",
     .site = S::kNode,
     .law = L::kWithinUnion,
     .in_place_of = ScaleOutOfWeights},
    {.name = "depth", .instead_of = Deepen},
    {.name = "direct-route", .site = S::kGraph, .direct = true},
    {.name = "compose-curve",
     .site = S::kNode,
     .law = L::kWithinUnion,
     .in_place_of = ComposeCurve},
}};

}  // namespace

std::span<const Relation> Relations() { return kRelations; }

}  // namespace anecheck
