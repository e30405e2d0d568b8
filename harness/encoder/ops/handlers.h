// One handler for each operation. A handler adds the tasks that compute the operation, or returns a
// refusal as text. An operation without a handler is refused by name. To add an operation, write
// its handler in the file of its kind, and add an entry to handlers.cc.
#pragma once

#include "harness/encoder/planner.h"
#include "harness/graph/graph.h"
#include "harness/ops/op.h"

namespace anecheck::encoder {

using Handler = Status (*)(Planner& planner, const NodeView& node);

// Returns null if no fact describes tasks for the operation.
Handler HandlerOf(OpKind kind);
// Returns whether the operation's values may have more than four axes. The first axes are then
// merged into one axis of a surface.
bool TakesAnyRank(OpKind kind);
// Returns whether the last task of the operation can also apply `next`.
bool Fuses(const Graph& graph, const NodeView& node, const NodeView& next);
// Returns the function that the task before `next` must apply. kUnsupported if `next` is no such
// function.
Result<Post> PostOf(Planner& planner, const NodeView& next);

// activation.cc
Status EncodeActivation(Planner& planner, const NodeView& node);
Status EncodeRelu6(Planner& planner, const NodeView& node);
Status EncodeClip(Planner& planner, const NodeView& node);
Status EncodeThreshold(Planner& planner, const NodeView& node);
Status EncodeClampedRelu(Planner& planner, const NodeView& node);
Status EncodePrelu(Planner& planner, const NodeView& node);
Status EncodeAbs(Planner& planner, const NodeView& node);
Status EncodeInverse(Planner& planner, const NodeView& node);
Status EncodeLinearActivation(Planner& planner, const NodeView& node);
Status EncodeSigmoidHard(Planner& planner, const NodeView& node);
// elementwise.cc
Status EncodeBinary(Planner& planner, const NodeView& node);
Status EncodeSquare(Planner& planner, const NodeView& node);
Status EncodeRealDiv(Planner& planner, const NodeView& node);
Status EncodeBatchNorm(Planner& planner, const NodeView& node);
// comparison.cc
Status EncodeCompare(Planner& planner, const NodeView& node);
Status EncodeLogicalNot(Planner& planner, const NodeView& node);
Status EncodeSelect(Planner& planner, const NodeView& node);
Status EncodeSign(Planner& planner, const NodeView& node);
Status EncodeRound(Planner& planner, const NodeView& node);
Status EncodeCast(Planner& planner, const NodeView& node);
// movement.cc
Status EncodeReshape(Planner& planner, const NodeView& node);
Status EncodeTranspose(Planner& planner, const NodeView& node);
Status EncodeConcat(Planner& planner, const NodeView& node);
Status EncodeStack(Planner& planner, const NodeView& node);
Status EncodeSplit(Planner& planner, const NodeView& node);
Status EncodeSliceBySize(Planner& planner, const NodeView& node);
Status EncodeSliceByIndex(Planner& planner, const NodeView& node);
Status EncodeTile(Planner& planner, const NodeView& node);
Status EncodeReverse(Planner& planner, const NodeView& node);
Status EncodeGather(Planner& planner, const NodeView& node);
Status EncodeCrop(Planner& planner, const NodeView& node);
Status EncodeSliceUpdate(Planner& planner, const NodeView& node);
// blocks.cc
Status EncodePad(Planner& planner, const NodeView& node);
Status EncodeToSpace(Planner& planner, const NodeView& node);
Status EncodeToDepth(Planner& planner, const NodeView& node);
// reduction.cc
Status EncodeReduce(Planner& planner, const NodeView& node);
Status EncodeSoftmax(Planner& planner, const NodeView& node);
Status EncodeLayerNorm(Planner& planner, const NodeView& node);
Status EncodeInstanceNorm(Planner& planner, const NodeView& node);
// convolution.cc
Status EncodeConv(Planner& planner, const NodeView& node);
// product.cc
Status EncodeLinear(Planner& planner, const NodeView& node);
Status EncodeMatmul(Planner& planner, const NodeView& node);

// Steps that several operations share.

// Turns an image of rank 3, [batch, channel, width], into one of height 1.
View WithHeight(const View& view, int rank);
// An elementwise operation on runtime surfaces. Axes of extent 1 are broadcast.
struct Combination {
  PlanarOp op = PlanarOp::kAdd;
  bool negate2 = false;
  bool relu = false;
  uint16_t scale = 0x3c00;
};
Status Combine(Planner& planner, const View& x, const View& y, const View& result,
               const Combination& how);
// Combines both inputs of a node by `kind`, which must be kAdd, kSub, kMul, kMaximum or kMinimum.
// One of the inputs may be a constant.
Status CombineInputs(Planner& planner, const NodeView& node, const View& result, OpKind kind,
                     bool relu = false);
// Computes kAdd, kSub or kMul of x and numbers[channel] on the planar engine.
Status CombineByChannel(Planner& planner, const View& x, const View& result, OpKind kind,
                        std::span<const uint16_t> numbers);
// Computes x * scale + bias on the planar engine. Precondition: `scale` is 1 or `bias` is 0.
Status Unary(Planner& planner, const View& x, const View& result, const Planar& planar);
// Copies the elements of `x`, in row-major order, to `result`.
Status Reshape(Planner& planner, const View& x, const View& result);
// Joins parts along an axis, one behind the other. With `step` each part takes every `step`-th
// element, and the parts begin one element apart.
Status Join(Planner& planner, std::span<const View> parts, const View& result, int axis,
            uint32_t step = 1);
// Copies the elements of `x` at `indices` of an axis to `result`.
Status Pick(Planner& planner, const View& x, int axis, std::span<const uint32_t> indices,
            const View& result);
// Fills `result` with elements of `x`. Along each axis it takes every `steps`-th element from
// `begins` on.
Status Slice(Planner& planner, const View& x, const std::array<uint32_t, kAxes>& begins,
             const std::array<uint32_t, kAxes>& steps, const View& result);
// Makes a view of one element with the constant `bits`.
View ScalarView(Planner& planner, uint16_t bits);

}  // namespace anecheck::encoder
