// Kernels of state, buffers and control flow. A state's tensor holds the value that was written
// last. Blocks are evaluated with the intervals of their operands. If a predicate is uncertain, the
// results of both branches are admitted.
#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

// The evaluation of a loop with more rounds fails. The loops of a campaign run a few rounds.
constexpr int kMaxRounds = 1 << 16;

Status ReadState(KernelContext& context) {
  Alias(context.Input(params::WriteState::kInput), context.Result());
  return {};
}

// Returns `x` as in an engine's memory, with elements rounded to its type. Does not change `x`.
BoundedTensor InMemory(KernelContext& context, const BoundedTensor& x) {
  BoundedTensor stored = x;
  stored.measured = false;
  if (x.point() || !IsFloat(x.type.dtype)) return stored;
  const Grid grid = GridOf(context, x.type.dtype);
  stored.low = context.arena().Allocate<double>(x.size);
  stored.high = context.arena().Allocate<double>(x.size);
  stored.members = nullptr;
  stored.beyond = nullptr;
  stored.distinct_axis = -1;
  for (size_t i = 0; i < x.size; ++i) {
    stored.low[i] = grid.Store(x.low[i]);
    stored.high[i] = grid.Store(x.high[i]);
  }
  return stored;
}

Status WriteState(KernelContext& context) {
  using P = params::WriteState;
  context.Input(P::kInput) = InMemory(context, context.Input(P::kData));
  return {};
}

// ---- rings --------------------------------------------------------------------------------------

// Returns the element of the ring that holds element `at` of the part. Along `axis` the ring's
// index is the part's index plus `position`, modulo the ring's extent.
size_t RingPlace(const Shape& part, const Shape& ring, int axis, int64_t position, size_t at) {
  size_t place = 0;
  size_t step = 1;
  for (int k = part.rank() - 1; k >= 0; --k) {
    auto index = static_cast<int64_t>(at % static_cast<size_t>(part[k]));
    at /= static_cast<size_t>(part[k]);
    if (k == axis) index = (index + position) % ring[k];
    place += static_cast<size_t>(index) * step;
    step *= static_cast<size_t>(ring[k]);
  }
  return place;
}

int AxisOf(const NodeView& node, int parameter, int rank) {
  const int64_t axis = node.Int(parameter, 0);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Status RingRead(KernelContext& context) {
  using P = params::RingRead;
  const BoundedTensor& ring = context.Input(P::kInput);
  BoundedTensor& result = context.Result();
  const int axis = AxisOf(context.node(), P::kAxis, ring.type.shape.rank());
  PrepareMove(context, result, ring.point());
  for (size_t i = 0; i < result.size; ++i) {
    MoveElement(
        ring,
        RingPlace(result.type.shape, ring.type.shape, axis, context.node().Int(P::kPosition, 0), i),
        result, i);
  }
  FinishMove(ring, result);
  return {};
}

Status RingWrite(KernelContext& context) {
  using P = params::RingWrite;
  BoundedTensor& ring = context.Input(P::kInput);
  const BoundedTensor data = InMemory(context, context.Input(P::kData));
  const int axis = AxisOf(context.node(), P::kAxis, ring.type.shape.rank());
  BoundedTensor next;
  next.type = ring.type;
  next.size = ring.size;
  PrepareMove(context, next, ring.point() && data.point());
  for (size_t i = 0; i < ring.size; ++i) MoveElement(ring, i, next, i);
  for (size_t i = 0; i < data.size; ++i) {
    MoveElement(
        data, i, next,
        RingPlace(data.type.shape, ring.type.shape, axis, context.node().Int(P::kPosition, 0), i));
  }
  FinishMove(ring, next);
  FinishMove(data, next);
  ring = next;
  return {};
}

// ---- blocks -------------------------------------------------------------------------------------

using Tensors = std::vector<BoundedTensor>;

void AppendOperands(KernelContext& context, int parameter, Tensors& tensors) {
  for (const ValueId id : context.node().InputList(parameter)) {
    tensors.push_back(context.Value(id));
  }
}

// Returns a tensor that admits the elements of both tensors. Its value is that of `a`.
BoundedTensor Hull(KernelContext& context, const BoundedTensor& a, const BoundedTensor& b) {
  BoundedTensor hull = a;
  hull.members = nullptr;
  hull.beyond = nullptr;
  hull.distinct_axis = a.distinct_axis == b.distinct_axis ? a.distinct_axis : -1;
  hull.whole = a.whole && b.whole;
  hull.measured = false;
  hull.special = a.special || b.special;
  hull.signed_zero = a.signed_zero && b.signed_zero;
  hull.low = context.arena().Allocate<double>(a.size);
  hull.high = context.arena().Allocate<double>(a.size);
  hull.nan = context.arena().Allocate<uint8_t>(a.size);
  for (size_t i = 0; i < a.size; ++i) {
    const bool a_nan = a.low[i] != a.low[i];
    const bool b_nan = b.low[i] != b.low[i];
    hull.signed_zero &= !MixesZeros(a.low[i], a.high[i], b.low[i], b.high[i]);
    hull.low[i] = a_nan ? b.low[i] : b_nan ? a.low[i] : std::min(a.low[i], b.low[i]);
    hull.high[i] = a_nan ? b.high[i] : b_nan ? a.high[i] : std::max(a.high[i], b.high[i]);
    hull.nan[i] = a_nan || b_nan || a.NanAt(i) || b.NanAt(i) ? 1 : 0;
  }
  return hull;
}

void GiveResults(KernelContext& context, const Tensors& tensors) {
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    Alias(tensors[i], context.Result(i));
  }
}

Status Cond(KernelContext& context) {
  using P = params::Cond;
  const BoundedTensor& pred = context.Input(P::kPred);
  const auto blocks = context.node().graph().blocks(context.node().node());
  const bool taken = pred.value[0] != 0;
  const bool open = pred.low[0] != pred.high[0];
  Tensors inputs;
  AppendOperands(context, P::kCaptures, inputs);
  Tensors results;
  ANECHECK_RETURN_IF_ERROR(EvaluateBlock(context, blocks[taken ? 0 : 1], inputs, results));
  if (open) {
    Tensors others;
    ANECHECK_RETURN_IF_ERROR(EvaluateBlock(context, blocks[taken ? 1 : 0], inputs, others));
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = Hull(context, results[i], others[i]);
    }
  }
  GiveResults(context, results);
  return {};
}

Status WhileLoop(KernelContext& context) {
  using P = params::WhileLoop;
  const auto blocks = context.node().graph().blocks(context.node().node());
  Tensors variables;
  AppendOperands(context, P::kLoopVars, variables);
  Tensors captures;
  AppendOperands(context, P::kCaptures, captures);
  for (int round = 0; round < kMaxRounds; ++round) {
    Tensors inputs = variables;
    inputs.insert(inputs.end(), captures.begin(), captures.end());
    Tensors condition;
    ANECHECK_RETURN_IF_ERROR(EvaluateBlock(context, blocks[0], inputs, condition));
    if (condition[0].low[0] != condition[0].high[0]) {
      return MakeError(ErrorCode::kUnsupported,
                       "while_loop: the bound does not decide whether the loop continues");
    }
    if (condition[0].value[0] == 0) {
      GiveResults(context, variables);
      return {};
    }
    Tensors next;
    ANECHECK_RETURN_IF_ERROR(EvaluateBlock(context, blocks[1], inputs, next));
    variables = std::move(next);
  }
  return MakeError(ErrorCode::kLimit, fmt::format("while_loop: more than {} rounds", kMaxRounds));
}

Status Call(KernelContext& context) {
  using P = params::Call;
  Tensors inputs;
  AppendOperands(context, P::kValues, inputs);
  AppendOperands(context, P::kCaptures, inputs);
  Tensors results;
  ANECHECK_RETURN_IF_ERROR(EvaluateBlock(
      context, context.node().graph().blocks(context.node().node())[0], inputs, results));
  GiveResults(context, results);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceReadState = {.evaluate = reference::ReadState};
constinit const ReferenceKernel kReferenceWriteState = {.evaluate = reference::WriteState};
constinit const ReferenceKernel kReferenceTensorBufferToTensor = {.evaluate = reference::ReadState};
constinit const ReferenceKernel kReferenceTensorToTensorBuffer = {.evaluate =
                                                                      reference::WriteState};
constinit const ReferenceKernel kReferenceCircularBufferToTensor = {.evaluate =
                                                                        reference::RingRead};
constinit const ReferenceKernel kReferenceTensorToCircularBuffer = {.evaluate =
                                                                        reference::RingWrite};
// The blocks of these operations may contain operations that need bounds. Bounds also show whether
// a loop certainly continues.
constinit const ReferenceKernel kReferenceCond = {.evaluate = reference::Cond,
                                                  .value_needs_bounds = true};
constinit const ReferenceKernel kReferenceWhileLoop = {.evaluate = reference::WhileLoop,
                                                       .value_needs_bounds = true};
constinit const ReferenceKernel kReferenceCall = {.evaluate = reference::Call,
                                                  .value_needs_bounds = true};

}  // namespace anecheck
