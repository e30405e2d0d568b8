#include "harness/encoder/ops/handlers.h"

#include <algorithm>
#include <array>

#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

struct Row {
  OpKind kind;
  Handler handler;
  // Whether the handler depends on no axis number, so that the first of more than four axes may be
  // merged.
  bool any_rank = false;
};

constexpr auto kRows = std::to_array<Row>({
    {OpKind::kConv, EncodeConv},
    {OpKind::kLinear, EncodeLinear},
    {OpKind::kMatmul, EncodeMatmul},
    {OpKind::kLinearActivation, EncodeLinearActivation, true},
    {OpKind::kLayerNorm, EncodeLayerNorm},
    {OpKind::kBatchNorm, EncodeBatchNorm},
    {OpKind::kInstanceNorm, EncodeInstanceNorm},
    {OpKind::kAdd, EncodeBinary, true},
    {OpKind::kSub, EncodeBinary, true},
    {OpKind::kMul, EncodeBinary, true},
    {OpKind::kMaximum, EncodeBinary, true},
    {OpKind::kMinimum, EncodeBinary, true},
    {OpKind::kRealDiv, EncodeRealDiv, true},
    {OpKind::kFloor, EncodeRound, true},
    {OpKind::kCeil, EncodeRound, true},
    {OpKind::kSign, EncodeSign, true},
    {OpKind::kEqual, EncodeCompare, true},
    {OpKind::kNotEqual, EncodeCompare, true},
    {OpKind::kLess, EncodeCompare, true},
    {OpKind::kLessEqual, EncodeCompare, true},
    {OpKind::kGreater, EncodeCompare, true},
    {OpKind::kGreaterEqual, EncodeCompare, true},
    {OpKind::kLogicalNot, EncodeLogicalNot, true},
    {OpKind::kSelect, EncodeSelect, true},
    {OpKind::kCast, EncodeCast, true},
    {OpKind::kAbs, EncodeAbs, true},
    {OpKind::kSquare, EncodeSquare, true},
    {OpKind::kSqrt, EncodeActivation, true},
    {OpKind::kRsqrt, EncodeActivation, true},
    {OpKind::kInverse, EncodeInverse, true},
    {OpKind::kRelu, EncodeActivation, true},
    {OpKind::kClip, EncodeClip, true},
    {OpKind::kSigmoid, EncodeActivation, true},
    {OpKind::kTanh, EncodeActivation, true},
    {OpKind::kGelu, EncodeActivation, true},
    {OpKind::kSoftmax, EncodeSoftmax},
    {OpKind::kRelu6, EncodeRelu6, true},
    {OpKind::kLeakyRelu, EncodeActivation, true},
    {OpKind::kSigmoidHard, EncodeSigmoidHard, true},
    {OpKind::kSilu, EncodeActivation, true},
    {OpKind::kExp, EncodeActivation, true},
    {OpKind::kExp2, EncodeActivation, true},
    {OpKind::kReduceSum, EncodeReduce},
    {OpKind::kReduceMax, EncodeReduce},
    {OpKind::kReduceMean, EncodeReduce},
    {OpKind::kReduceMin, EncodeReduce},
    {OpKind::kReduceSumSquare, EncodeReduce},
    {OpKind::kReduceL1Norm, EncodeReduce},
    {OpKind::kReshape, EncodeReshape, true},
    {OpKind::kTranspose, EncodeTranspose},
    {OpKind::kConcat, EncodeConcat},
    {OpKind::kSliceBySize, EncodeSliceBySize},
    {OpKind::kReshapeLike, EncodeReshape, true},
    {OpKind::kExpandDims, EncodeReshape, true},
    {OpKind::kSqueeze, EncodeReshape, true},
    {OpKind::kFlatten2d, EncodeReshape, true},
    {OpKind::kSplit, EncodeSplit},
    {OpKind::kStack, EncodeStack},
    {OpKind::kIdentity, EncodeReshape, true},
    {OpKind::kSliceByIndex, EncodeSliceByIndex},
    {OpKind::kTile, EncodeTile},
    {OpKind::kThreshold, EncodeThreshold, true},
    {OpKind::kClampedRelu, EncodeClampedRelu, true},
    {OpKind::kPrelu, EncodePrelu},
    {OpKind::kPad, EncodePad},
    {OpKind::kCrop, EncodeCrop},
    {OpKind::kReverse, EncodeReverse},
    {OpKind::kGather, EncodeGather},
    {OpKind::kSliceUpdate, EncodeSliceUpdate},
    {OpKind::kDepthToSpace, EncodeToSpace},
    {OpKind::kPixelShuffle, EncodeToSpace},
    {OpKind::kSpaceToDepth, EncodeToDepth},
    {OpKind::kPixelUnshuffle, EncodeToDepth},
});

bool IsNeuralProduct(OpKind kind) { return kind == OpKind::kConv || kind == OpKind::kLinear; }

bool IsTableFunction(OpKind kind) {
  constexpr std::array kKinds = {OpKind::kSigmoid, OpKind::kTanh, OpKind::kGelu, OpKind::kSilu,
                                 OpKind::kLeakyRelu};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

bool IsPlainPair(const Graph& graph, const NodeView& node) {
  const ValueId x = node.Input(params::Binary::kX), y = node.Input(params::Binary::kY);
  return graph.value(x).kind != ValueKind::kConst && graph.value(y).kind != ValueKind::kConst &&
         graph.type(x) == graph.type(y);
}

}  // namespace

Handler HandlerOf(OpKind kind) {
  const auto row = std::ranges::find(kRows, kind, &Row::kind);
  return row == kRows.end() ? nullptr : row->handler;
}

bool TakesAnyRank(OpKind kind) {
  const auto row = std::ranges::find(kRows, kind, &Row::kind);
  return row != kRows.end() && row->any_rank;
}

bool Fuses(const Graph& graph, const NodeView& node, const NodeView& next) {
  const OpKind kind = KindOf(node.schema()), after = KindOf(next.schema());
  if (IsNeuralProduct(kind)) return after == OpKind::kRelu || IsTableFunction(after);
  constexpr std::array kPairs = {OpKind::kAdd, OpKind::kSub, OpKind::kMul, OpKind::kMaximum,
                                 OpKind::kMinimum};
  return after == OpKind::kRelu && std::ranges::find(kPairs, kind) != kPairs.end() &&
         IsPlainPair(graph, node);
}

}  // namespace anecheck::encoder
