// State, buffers and control flow. Runs blocks operation by operation through the slow forms.
#include <cmath>
#include <limits>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/oracle.h"
#include "oracles/testing/slow_classes.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Numbers = std::vector<double>;
using Operands = std::span<const Numbers>;
using Results = std::vector<SlowElements>;

SlowElements Known(const Numbers& numbers) { return SlowElements(numbers.begin(), numbers.end()); }

// A number without a slow form becomes NaN, with which no result is compared.
Numbers WithGaps(const SlowElements& elements) {
  Numbers numbers;
  for (const auto& element : elements) {
    numbers.push_back(element.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return numbers;
}

// Returns the outputs of a block, or nothing if an operation in the block has no slow form.
std::optional<std::vector<Numbers>> RunBlock(const Graph& block, std::vector<Numbers> inputs) {
  std::vector<Numbers> values(block.values().size());
  size_t next = 0;
  for (ValueId id = 0; id < values.size(); ++id) {
    if (block.value(id).kind == ValueKind::kInput) values[id] = std::move(inputs[next++]);
    if (block.value(id).kind != ValueKind::kConst) continue;
    values[id].resize(static_cast<size_t>(block.type(id).shape.Elements()));
    DecodeElements(block.type(id).dtype, block.ConstData(id), values[id]);
  }
  for (const Node& node : block.nodes()) {
    std::vector<Numbers> operands;
    for (const Argument& argument : block.arguments(node)) {
      operands.push_back(values[argument.value]);
    }
    for (uint32_t r = 0; r < node.result_count; ++r) {
      const auto result = SlowValues(NodeView(block, node), operands, r);
      if (!result) return std::nullopt;
      values[node.first_result + r] = WithGaps(*result);
    }
  }
  std::vector<Numbers> outputs;
  for (const ValueId id : block.outputs()) outputs.push_back(values[id]);
  return outputs;
}

std::optional<Results> Gave(const std::optional<std::vector<Numbers>>& outputs) {
  if (!outputs) return std::nullopt;
  Results results;
  for (const Numbers& output : *outputs) {
    SlowElements& result = results.emplace_back();
    for (const double x : output) {
      result.emplace_back();
      if (!std::isnan(x)) result.back() = x;
    }
  }
  return results;
}

std::optional<Results> While(const NodeView& node, Operands operands) {
  const auto blocks = node.graph().blocks(node.node());
  const size_t count = node.InputList(params::WhileLoop::kLoopVars).size();
  std::vector<Numbers> variables(operands.begin(), operands.end());
  while (true) {
    const auto condition = RunBlock(blocks[0], variables);
    if (!condition) return std::nullopt;
    if ((*condition)[0][0] == 0) break;
    const auto next = RunBlock(blocks[1], variables);
    if (!next) return std::nullopt;
    for (size_t i = 0; i < count; ++i) variables[i] = (*next)[i];
  }
  variables.resize(count);
  return Gave(variables);
}

// Returns the index in the ring of element `at` of `part`.
size_t RingElement(const NodeView& node, const Shape& part, int axis_index, int position_index,
                   size_t at) {
  const Shape& ring = node.InputShape(0);
  const int64_t given = node.Int(axis_index, 0);
  const auto axis = static_cast<size_t>(given < 0 ? given + ring.rank() : given);
  Coordinates place = CoordinatesOf(part, at);
  for (int64_t step = node.Int(position_index, 0); step > 0; --step) {
    ++place[axis];
    if (place[axis] == ring[static_cast<int>(axis)]) place[axis] = 0;
  }
  return IndexOf(ring, place);
}

SlowElements RingRead(const NodeView& node, Operands operands) {
  using P = params::RingRead;
  const Shape& part = node.ResultType().shape;
  SlowElements result;
  for (size_t i = 0; i < static_cast<size_t>(part.Elements()); ++i) {
    result.emplace_back(operands[0][RingElement(node, part, P::kAxis, P::kPosition, i)]);
  }
  return result;
}

SlowElements RingWritten(const NodeView& node, Operands operands) {
  using P = params::RingWrite;
  const Shape& part = node.InputShape(P::kData);
  Numbers ring(operands[0].size(), 0);
  for (size_t i = 0; i < operands[1].size(); ++i) {
    ring[RingElement(node, part, P::kAxis, P::kPosition, i)] = operands[1][i];
  }
  return Known(ring);
}

}  // namespace

std::optional<Results> SlowControl(const NodeView& node, Operands operands) {
  const auto blocks = node.graph().blocks(node.node());
  switch (KindOf(node.schema())) {
    case OpKind::kReadState:
    case OpKind::kTensorBufferToTensor:
      return Results{Known(operands[0])};
    case OpKind::kWriteState:
    case OpKind::kTensorToTensorBuffer:
      return Results{Known(operands[1])};
    case OpKind::kCircularBufferToTensor:
      return Results{RingRead(node, operands)};
    case OpKind::kTensorToCircularBuffer:
      return Results{RingWritten(node, operands)};
    case OpKind::kCond:
      return Gave(
          RunBlock(blocks[operands[0][0] != 0 ? 0 : 1], {operands.begin() + 1, operands.end()}));
    case OpKind::kWhileLoop:
      return While(node, operands);
    case OpKind::kCall:
      return Gave(RunBlock(blocks[0], {operands.begin(), operands.end()}));
    default:
      return std::nullopt;
  }
}

}  // namespace anecheck::testing
