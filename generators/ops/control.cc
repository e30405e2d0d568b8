// Draws states, buffers and control flow. Blocks are small and use x. A state is written and then
// read, or read and then written.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "generators/drawer.h"
#include "generators/tensor_data.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

ValueRange WithZero(const ValueRange& range) {
  return {std::min(range.low, 0.0), std::max(range.high, 0.0), range.integer};
}

// Whether to add the content of a state to x before x is written back. Only with this addition does
// the next execution show the content. True only if the sum over two executions stays below the
// ceiling.
bool Accumulates(Drawer& drawer, ValueId x) {
  const auto add = static_cast<size_t>(OpKind::kAdd);
  const bool adds = drawer.options().ops.test(add) && drawer.options().spelt.test(add);
  return adds && drawer.type(x).dtype == DType::kFp16 &&
         2 * drawer.range(x).Magnitude() <= drawer.Ceiling() && drawer.choices().Coin();
}

ValueRange OfTwo(const ValueRange& range) {
  return WithZero({2 * range.low, 2 * range.high, range.integer});
}

// Appends the sum of x and the result of the last node. That node read a state that is initially
// zero.
ValueId AddToRead(Drawer& drawer, ValueId x) {
  const ValueId before = drawer.Last();
  drawer.SetAtRest(before);
  return drawer.Emit(OpKind::kAdd, {before, x}, OfTwo(drawer.range(x))) ? drawer.Last() : x;
}

// Writes x into a new state with `write`, and reads the content with `read`.
bool DrawWritten(Drawer& drawer, ValueId x, OpKind write, OpKind read) {
  using P = params::WriteState;
  const bool accumulates = Accumulates(drawer, x);
  const ValueId state = drawer.NewState(drawer.type(x));
  const auto draw_read = [&](const ValueRange& range) {
    drawer.Begin(read);
    drawer.graph().AddArgument(P::kInput, state);
    return drawer.Finish(range);
  };
  if (accumulates && draw_read(OfTwo(drawer.range(x)))) x = AddToRead(drawer, x);
  const ValueRange range = drawer.range(x);
  drawer.Begin(write);
  drawer.graph().AddArgument(P::kInput, state);
  drawer.graph().AddArgument(P::kData, x);
  return drawer.Finish(range) && draw_read(range);
}

bool DrawState(Drawer& drawer, ValueId x) {
  return DrawWritten(drawer, x, OpKind::kWriteState, OpKind::kReadState);
}
bool DrawBuffer(Drawer& drawer, ValueId x) {
  return DrawWritten(drawer, x, OpKind::kTensorToTensorBuffer, OpKind::kTensorBufferToTensor);
}

bool DrawRingRead(Drawer& drawer, ValueId ring, int axis, int64_t position, int64_t size,
                  const ValueRange& range) {
  drawer.Begin(OpKind::kCircularBufferToTensor);
  drawer.graph().AddArgument(params::RingRead::kInput, ring);
  drawer.AddInt(params::RingRead::kAxis, axis);
  drawer.AddInt(params::RingRead::kPosition, position);
  drawer.AddInt(params::RingRead::kSize, size);
  return drawer.Finish(range);
}

// Writes x into a longer ring buffer. The end of x may wrap to the beginning of the buffer.
bool DrawRing(Drawer& drawer, ValueId x) {
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  ChoiceStream& choices = drawer.choices();
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  Shape ring = shape;
  ring[axis] += choices.Range(0, 3);
  if (ring.Elements() > 4 * drawer.options().max_elements) return false;
  const bool accumulates = Accumulates(drawer, x);
  const ValueId state = drawer.NewState({DType::kFp16, ring});
  Graph& graph = drawer.graph();
  const int64_t position = choices.Range(0, 2 * ring[axis]);
  const ValueRange twice = OfTwo(drawer.range(x));
  if (accumulates && DrawRingRead(drawer, state, axis, position, shape[axis], twice)) {
    x = AddToRead(drawer, x);
  }
  const ValueRange range = WithZero(drawer.range(x));
  drawer.Begin(OpKind::kTensorToCircularBuffer);
  graph.AddArgument(params::RingWrite::kInput, state);
  graph.AddArgument(params::RingWrite::kData, x);
  drawer.AddInt(params::RingWrite::kAxis, axis);
  drawer.AddInt(params::RingWrite::kPosition, position);
  if (!drawer.Finish(range)) return false;
  const int64_t from = choices.Range(0, 2 * ring[axis]);
  return DrawRingRead(drawer, state, axis, from, choices.Range(1, ring[axis]), range);
}

// ---- blocks -------------------------------------------------------------------------------------

// Appends op(a) or op(a, b) to a block.
ValueId Append(Graph& block, OpKind kind, ValueId a, ValueId b = kNoValue) {
  block.BeginNode(&GetOp(kind).schema);
  block.AddArgument(0, a);
  if (b != kNoValue) block.AddArgument(1, b);
  const auto result = block.FinishNode();
  return result.ok() ? *result : kNoValue;
}

// A block with one input of x's type that returns op(input).
Graph UnaryBlock(const TensorType& type, OpKind kind) {
  Graph block;
  const ValueId in = block.AddInput(type);
  block.AddOutput(Append(block, kind, in));
  return block;
}

// A block that returns the maximum or the minimum of its one input and a constant.
Graph BinaryBlock(const TensorType& type, std::span<const uint8_t> constant, OpKind kind) {
  Graph block;
  const ValueId x = block.AddInput(type);
  const ValueId y = block.AddConst(type, constant);
  block.AddOutput(Append(block, kind, x, y));
  return block;
}

bool DrawCond(Drawer& drawer, ValueId x) {
  if (drawer.type(x).dtype != DType::kFp16) return false;
  using P = params::Cond;
  const TensorType type = drawer.type(x);
  const uint8_t flag = drawer.choices().Coin() ? 1 : 0;
  const ValueId pred = drawer.NewConstOf({DType::kBool, {}}, {&flag, 1}, 1);
  const CaseMode mode = drawer.mode() == CaseMode::kSpecial ? CaseMode::kFloat : drawer.mode();
  const std::vector<uint8_t> other = DrawTensor(drawer.choices(), type, mode, 8);
  const double bound = std::max(drawer.range(x).Magnitude(), 8.0);
  drawer.Begin(OpKind::kCond);
  drawer.graph().AddArgument(P::kPred, pred);
  drawer.graph().AddArgument(P::kCaptures, x);
  drawer.graph().AddBlock(BinaryBlock(type, other, OpKind::kMaximum));
  drawer.graph().AddBlock(BinaryBlock(type, other, OpKind::kMinimum));
  return drawer.Finish({-bound, bound, drawer.integer_mode()});
}

// The loop counts down from 1, 2 or 3. Each round adds x, which the block captures, to the sum.
bool DrawWhile(Drawer& drawer, ValueId x) {
  if (drawer.type(x).dtype != DType::kFp16) return false;
  using P = params::WhileLoop;
  const TensorType type = drawer.type(x);
  const TensorType counter_type{DType::kFp16, {}};
  const Half rounds = DoubleToHalf(static_cast<double>(drawer.choices().Range(1, 3)));
  const auto counter_bytes = std::bit_cast<std::array<uint8_t, 2>>(rounds.bits);
  const double bound = 4 * drawer.range(x).Magnitude();
  if (bound > drawer.Ceiling()) return false;
  const ValueId counter = drawer.NewConstOf(counter_type, counter_bytes, 3);
  Graph condition;
  const ValueId tested = condition.AddInput(counter_type);
  condition.AddInput(type);
  condition.AddInput(type);
  condition.BeginNode(&GetOp(OpKind::kCast).schema);
  condition.AddArgument(params::Cast::kX, tested);
  condition.AddString(params::Cast::kDtype, "bool");
  const auto goes_on = condition.FinishNode();
  if (!goes_on.ok()) return false;
  condition.AddOutput(*goes_on);
  Graph body;
  const ValueId count = body.AddInput(counter_type);
  const ValueId sum = body.AddInput(type);
  const ValueId more = body.AddInput(type);
  const uint8_t one[] = {0x00, 0x3c};
  const ValueId unit = body.AddConst(counter_type, one);
  body.AddOutput(Append(body, OpKind::kSub, count, unit));
  body.AddOutput(Append(body, OpKind::kAdd, sum, more));
  drawer.Begin(OpKind::kWhileLoop);
  drawer.graph().AddArgument(P::kLoopVars, counter);
  drawer.graph().AddArgument(P::kLoopVars, x);
  drawer.graph().AddArgument(P::kCaptures, x);
  drawer.graph().AddBlock(std::move(condition));
  drawer.graph().AddBlock(std::move(body));
  return drawer.Finish({-bound, bound, drawer.integer_mode()});
}

bool DrawCall(Drawer& drawer, ValueId x) {
  if (drawer.type(x).dtype != DType::kFp16) return false;
  const ValueRange range = drawer.range(x);
  drawer.Begin(OpKind::kCall);
  drawer.graph().AddArgument(params::Call::kValues, x);
  drawer.graph().AddBlock(UnaryBlock(drawer.type(x), OpKind::kRelu));
  return drawer.Finish({0, std::max(range.high, 0.0), range.integer});
}

}  // namespace

constinit const OpGenerator kGeneratorReadState = {OpKind::kReadState, true, 0, DrawState};
constinit const OpGenerator kGeneratorWriteState = {OpKind::kWriteState, true, 0, DrawState};
constinit const OpGenerator kGeneratorTensorBufferToTensor = {OpKind::kTensorBufferToTensor, true,
                                                              0, DrawBuffer};
constinit const OpGenerator kGeneratorTensorToTensorBuffer = {OpKind::kTensorToTensorBuffer, true,
                                                              0, DrawBuffer};
constinit const OpGenerator kGeneratorCircularBufferToTensor = {OpKind::kCircularBufferToTensor,
                                                                true, 0, DrawRing};
constinit const OpGenerator kGeneratorTensorToCircularBuffer = {OpKind::kTensorToCircularBuffer,
                                                                true, 0, DrawRing};
constinit const OpGenerator kGeneratorCond = {OpKind::kCond, true, 0, DrawCond};
constinit const OpGenerator kGeneratorWhileLoop = {OpKind::kWhileLoop, true, 0, DrawWhile};
constinit const OpGenerator kGeneratorCall = {OpKind::kCall, true, 0, DrawCall};

}  // namespace anecheck
