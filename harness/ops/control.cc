// State, buffers and control flow: schemas and shape inference.
//
// read_state and write_state are MIL's (facts/mil.md). No public text shows the buffer movers. The
// buffer movers are assumed to use the names of the state operations. Buffer movers occur only in
// stateful graphs (facts/more/op_notes.csv), so this project treats a buffer as a state.
//
// A block is a separate graph. The outer values that it uses are the operation's `captures` and, in
// the same order, the block's last inputs; MIL text uses the outer names instead.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kReadParameters[] = {{.name = "input", .dtypes = kAnything}};
constexpr Parameter kWriteParameters[] = {{.name = "input", .dtypes = kAnything},
                                          {.name = "data", .dtypes = kAnything}};
constexpr Parameter kRingReadParameters[] = {
    {.name = "input", .dtypes = kAnything},
    {.name = "axis", .kind = ParameterKind::kInt},
    {.name = "position", .kind = ParameterKind::kInt},
    {.name = "size", .kind = ParameterKind::kInt},
};
constexpr Parameter kRingWriteParameters[] = {
    {.name = "input", .dtypes = kAnything},
    {.name = "data", .dtypes = kAnything},
    {.name = "axis", .kind = ParameterKind::kInt},
    {.name = "position", .kind = ParameterKind::kInt},
};

Status CheckState(const NodeView& node) {
  const ValueId state = node.Input(params::WriteState::kInput);
  if (node.graph().value(state).kind != ValueKind::kState) {
    return Reject(node, "input must be a state");
  }
  return {};
}

Status InferRead(const NodeView& node, ResultTypes& results) {
  ANECHECK_RETURN_IF_ERROR(CheckState(node));
  return InferSameAsX(node, results);
}

Status InferWrite(const NodeView& node, ResultTypes&) {
  using P = params::WriteState;
  ANECHECK_RETURN_IF_ERROR(CheckState(node));
  if (node.InputType(P::kData) != node.InputType(P::kInput)) {
    return Reject(node, fmt::format("data is {}, the state {}", node.InputType(P::kData).ToString(),
                                    node.InputType(P::kInput).ToString()));
  }
  return {};
}

// Checks a ring and returns its axis. The position is taken modulo the extent of that axis.
Result<int> RingAxis(const NodeView& node, int axis, int position) {
  ANECHECK_RETURN_IF_ERROR(CheckState(node));
  const Shape& ring = node.InputShape(0);
  const auto at = NormalizeAxis(node.Int(axis, 0), ring.rank());
  if (!at) return Reject(node, fmt::format("axis is outside rank {}", ring.rank()));
  if (node.Int(position, 0) < 0) return Reject(node, "position is negative");
  return *at;
}

Status InferRingRead(const NodeView& node, ResultTypes& results) {
  using P = params::RingRead;
  ANECHECK_ASSIGN(const int axis, RingAxis(node, P::kAxis, P::kPosition));
  TensorType type = node.InputType(P::kInput);
  const int64_t size = node.Int(P::kSize, 0);
  if (size < 1 || size > type.shape[axis]) {
    return Reject(node, fmt::format("size {} does not fit a ring of {}", size, type.shape[axis]));
  }
  type.shape[axis] = size;
  results.Add(type.dtype, type.shape);
  return {};
}

Status InferRingWrite(const NodeView& node, ResultTypes&) {
  using P = params::RingWrite;
  ANECHECK_ASSIGN(const int axis, RingAxis(node, P::kAxis, P::kPosition));
  TensorType ring = node.InputType(P::kInput);
  const TensorType& data = node.InputType(P::kData);
  const bool fits = data.shape.rank() == ring.shape.rank() && data.shape[axis] >= 1 &&
                    data.shape[axis] <= ring.shape[axis];
  if (fits) ring.shape[axis] = data.shape[axis];
  if (!fits || data != ring) {
    return Reject(node, fmt::format("data {} does not fit the ring {} on axis {}", data.ToString(),
                                    node.InputType(P::kInput).ToString(), axis));
  }
  return {};
}

// ---- blocks -------------------------------------------------------------------------------------

constexpr Parameter kCondParameters[] = {
    {.name = "pred", .dtypes = {DType::kBool}},
    {.name = "captures",
     .kind = ParameterKind::kTensorList,
     .need = Need::kOptional,
     .dtypes = kAnything},
};
constexpr Parameter kWhileParameters[] = {
    {.name = "loop_vars", .kind = ParameterKind::kTensorList, .dtypes = kAnything},
    {.name = "captures",
     .kind = ParameterKind::kTensorList,
     .need = Need::kOptional,
     .dtypes = kAnything},
};
constexpr Parameter kCallParameters[] = {
    {.name = "values", .kind = ParameterKind::kTensorList, .dtypes = kAnything},
    {.name = "captures",
     .kind = ParameterKind::kTensorList,
     .need = Need::kOptional,
     .dtypes = kAnything},
};
constexpr std::array<std::string_view, 2> kCondBlocks = {"_true_fn", "_false_fn"};
constexpr std::array<std::string_view, 2> kWhileBlocks = {"_cond", "_body"};
constexpr std::array<std::string_view, 1> kCallBlocks = {"_function"};

// Checks the inputs of a block. It must take the values at `parameter` (-1 for none), then the
// captures, and it must have no state.
Status CheckBlock(const NodeView& node, const Graph& block, int parameter) {
  std::vector<ValueId> given;
  if (parameter >= 0) given = node.InputList(parameter);
  for (const ValueId id : node.InputList(params::Cond::kCaptures)) given.push_back(id);
  if (!block.ValuesOfKind(ValueKind::kState).empty()) return Reject(node, "a block holds no state");
  const std::vector<ValueId> inputs = block.ValuesOfKind(ValueKind::kInput);
  if (inputs.size() != given.size()) {
    return Reject(node,
                  fmt::format("a block has {} inputs, must have {}", inputs.size(), given.size()));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (block.type(inputs[i]) == node.graph().type(given[i])) continue;
    return Reject(node, fmt::format("input {} of a block is {}, must be {}", i,
                                    block.type(inputs[i]).ToString(),
                                    node.graph().type(given[i]).ToString()));
  }
  return {};
}

Status InferCond(const NodeView& node, ResultTypes& results) {
  if (node.InputShape(params::Cond::kPred).Elements() != 1) {
    return Reject(node, "pred must be one bool");
  }
  const auto blocks = node.graph().blocks(node.node());
  for (const Graph& block : blocks) ANECHECK_RETURN_IF_ERROR(CheckBlock(node, block, -1));
  if (blocks[0].outputs().size() != blocks[1].outputs().size()) {
    return Reject(node, "the branches give different numbers of results");
  }
  for (size_t i = 0; i < blocks[0].outputs().size(); ++i) {
    const TensorType& type = blocks[0].type(blocks[0].outputs()[i]);
    if (type != blocks[1].type(blocks[1].outputs()[i])) {
      return Reject(node, fmt::format("result {} differs between the branches", i));
    }
    results.Add(type.dtype, type.shape);
  }
  return {};
}

Status InferWhile(const NodeView& node, ResultTypes& results) {
  using P = params::WhileLoop;
  const auto blocks = node.graph().blocks(node.node());
  const auto variables = node.InputList(P::kLoopVars);
  for (const Graph& block : blocks) {
    ANECHECK_RETURN_IF_ERROR(CheckBlock(node, block, P::kLoopVars));
  }
  const auto condition = blocks[0].outputs();
  if (condition.size() != 1 || blocks[0].type(condition[0]).dtype != DType::kBool ||
      blocks[0].type(condition[0]).shape.Elements() != 1) {
    return Reject(node, "the condition must give one bool");
  }
  const auto outputs = blocks[1].outputs();
  if (outputs.size() != variables.size()) {
    return Reject(node, fmt::format("the body gives {} results for {} variables", outputs.size(),
                                    variables.size()));
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    const TensorType& type = node.graph().type(variables[i]);
    if (blocks[1].type(outputs[i]) != type) {
      return Reject(node, fmt::format("variable {} changes its type in the body", i));
    }
    results.Add(type.dtype, type.shape);
  }
  return {};
}

Status InferCall(const NodeView& node, ResultTypes& results) {
  const Graph& block = node.graph().blocks(node.node())[0];
  ANECHECK_RETURN_IF_ERROR(CheckBlock(node, block, params::Call::kValues));
  for (const ValueId output : block.outputs()) {
    results.Add(block.type(output).dtype, block.type(output).shape);
  }
  return {};
}

}  // namespace

constinit const OpDefinition kOpReadState = Define(OpKind::kReadState, kReadParameters, InferRead);
constinit const OpDefinition kOpWriteState =
    Define(OpKind::kWriteState, kWriteParameters, InferWrite, {}, kWithoutResults);
constinit const OpDefinition kOpTensorBufferToTensor =
    Define(OpKind::kTensorBufferToTensor, kReadParameters, InferRead);
constinit const OpDefinition kOpTensorToTensorBuffer =
    Define(OpKind::kTensorToTensorBuffer, kWriteParameters, InferWrite, {}, kWithoutResults);
constinit const OpDefinition kOpCircularBufferToTensor =
    Define(OpKind::kCircularBufferToTensor, kRingReadParameters, InferRingRead);
constinit const OpDefinition kOpTensorToCircularBuffer = Define(
    OpKind::kTensorToCircularBuffer, kRingWriteParameters, InferRingWrite, {}, kWithoutResults);
constinit const OpDefinition kOpCond =
    Define(OpKind::kCond, kCondParameters, InferCond, kCondBlocks);
constinit const OpDefinition kOpWhileLoop =
    Define(OpKind::kWhileLoop, kWhileParameters, InferWhile, kWhileBlocks);
constinit const OpDefinition kOpCall =
    Define(OpKind::kCall, kCallParameters, InferCall, kCallBlocks);

}  // namespace anecheck
