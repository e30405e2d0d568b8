#include "harness/encoder/ops/handlers.h"

#include <algorithm>
#include <array>

#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

struct Row {
  OpKind kind;
  Handler handler;
};

constexpr auto kRows = std::to_array<Row>({
    {OpKind::kConv, EncodeConv},
    {OpKind::kLinear, EncodeLinear},
    {OpKind::kMatmul, EncodeMatmul},
    {OpKind::kLinearActivation, EncodeLinearActivation},
    {OpKind::kLayerNorm, EncodeLayerNorm},
    {OpKind::kBatchNorm, EncodeBatchNorm},
    {OpKind::kInstanceNorm, EncodeInstanceNorm},
    {OpKind::kAdd, EncodeBinary},
    {OpKind::kSub, EncodeBinary},
    {OpKind::kMul, EncodeBinary},
    {OpKind::kMaximum, EncodeBinary},
    {OpKind::kMinimum, EncodeBinary},
    {OpKind::kRealDiv, EncodeRealDiv},
    {OpKind::kAbs, EncodeAbs},
    {OpKind::kSquare, EncodeSquare},
    {OpKind::kSqrt, EncodeActivation},
    {OpKind::kRsqrt, EncodeActivation},
    {OpKind::kInverse, EncodeInverse},
    {OpKind::kRelu, EncodeActivation},
    {OpKind::kClip, EncodeClip},
    {OpKind::kSigmoid, EncodeActivation},
    {OpKind::kTanh, EncodeActivation},
    {OpKind::kGelu, EncodeActivation},
    {OpKind::kSoftmax, EncodeSoftmax},
    {OpKind::kRelu6, EncodeRelu6},
    {OpKind::kLeakyRelu, EncodeActivation},
    {OpKind::kSigmoidHard, EncodeSigmoidHard},
    {OpKind::kSilu, EncodeActivation},
    {OpKind::kExp, EncodeActivation},
    {OpKind::kExp2, EncodeActivation},
    {OpKind::kReduceSum, EncodeReduce},
    {OpKind::kReduceMax, EncodeReduce},
    {OpKind::kReduceMean, EncodeReduce},
    {OpKind::kReduceMin, EncodeReduce},
    {OpKind::kReduceSumSquare, EncodeReduce},
    {OpKind::kReduceL1Norm, EncodeReduce},
    {OpKind::kReshape, EncodeReshape},
    {OpKind::kTranspose, EncodeTranspose},
    {OpKind::kConcat, EncodeConcat},
    {OpKind::kSliceBySize, EncodeSliceBySize},
    {OpKind::kReshapeLike, EncodeReshape},
    {OpKind::kExpandDims, EncodeReshape},
    {OpKind::kSqueeze, EncodeReshape},
    {OpKind::kFlatten2d, EncodeReshape},
    {OpKind::kSplit, EncodeSplit},
    {OpKind::kStack, EncodeStack},
    {OpKind::kIdentity, EncodeReshape},
    {OpKind::kSliceByIndex, EncodeSliceByIndex},
    {OpKind::kTile, EncodeTile},
});

bool IsNeuralProduct(OpKind kind) {
  return kind == OpKind::kConv || kind == OpKind::kLinear || kind == OpKind::kBatchNorm;
}

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

bool Fuses(const Graph& graph, const NodeView& node, const NodeView& next) {
  const OpKind kind = KindOf(node.schema()), after = KindOf(next.schema());
  if (IsNeuralProduct(kind)) return after == OpKind::kRelu || IsTableFunction(after);
  constexpr std::array kPairs = {OpKind::kAdd, OpKind::kSub, OpKind::kMul, OpKind::kMaximum,
                                 OpKind::kMinimum};
  return after == OpKind::kRelu && std::ranges::find(kPairs, kind) != kPairs.end() &&
         IsPlainPair(graph, node);
}

}  // namespace anecheck::encoder
