// The adversarial engine's state, buffers and control flow.
#include <algorithm>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/oracle.h"
#include "oracles/testing/adversary.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

double InMemory(DType dtype, double x) {
  if (dtype == DType::kFp16) return HalfToDouble(DoubleToHalf(x));
  return dtype == DType::kFp32 ? static_cast<double>(static_cast<float>(x)) : x;
}

// Returns the index in the ring of element `at` of `part`.
size_t RingElement(const NodeView& node, const Shape& part, int axis_index, int position_index,
                   size_t at) {
  const Shape& ring = node.InputShape(0);
  const int64_t given = node.Int(axis_index, 0);
  const int axis = static_cast<int>(given < 0 ? given + ring.rank() : given);
  Coordinates place = CoordinatesOf(part, at);
  int64_t& moved = place[static_cast<size_t>(axis)];
  moved = (moved + node.Int(position_index, 0)) % ring[axis];
  return IndexOf(ring, place);
}

}  // namespace

bool Adversary::RunBlock(const Graph& block, std::vector<Elements> inputs,
                         std::vector<Elements>& outputs) {
  std::vector<Elements> outer(block.values().size());
  std::swap(outer, values_);
  size_t next = 0;
  for (ValueId id = 0; id < values_.size(); ++id) {
    if (block.value(id).kind == ValueKind::kInput) values_[id] = std::move(inputs[next++]);
    if (block.value(id).kind != ValueKind::kConst) continue;
    values_[id].resize(static_cast<size_t>(block.type(id).shape.Elements()));
    DecodeElements(block.type(id).dtype, block.ConstData(id), values_[id]);
  }
  bool ran = true;
  for (const Node& node : block.nodes()) ran = ran && RunNode(NodeView(block, node));
  outputs.clear();
  for (const ValueId id : block.outputs()) outputs.push_back(values_[id]);
  std::swap(outer, values_);
  return ran;
}

bool Adversary::RunWhile(const NodeView& node) {
  const auto blocks = node.graph().blocks(node.node());
  std::vector<Elements> variables;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    variables.push_back(values_[argument.value]);
  }
  while (true) {
    std::vector<Elements> results;
    if (!RunBlock(blocks[0], variables, results)) return false;
    if (results[0][0] == 0) break;
    if (!RunBlock(blocks[1], variables, results)) return false;
    std::ranges::move(results, variables.begin());
  }
  for (uint32_t r = 0; r < node.node().result_count; ++r) {
    values_[node.Result(r)] = variables[r];
  }
  return true;
}

bool Adversary::RunBranch(const NodeView& node, const Graph& block, size_t first_argument) {
  std::vector<Elements> inputs;
  const auto arguments = node.graph().arguments(node.node());
  for (const Argument& argument : arguments.subspan(first_argument)) {
    inputs.push_back(values_[argument.value]);
  }
  std::vector<Elements> results;
  if (!RunBlock(block, std::move(inputs), results)) return false;
  for (uint32_t r = 0; r < results.size(); ++r) values_[node.Result(r)] = results[r];
  return true;
}

bool Adversary::RunControl(const NodeView& node) {
  const auto blocks = node.graph().blocks(node.node());
  switch (KindOf(node.schema())) {
    case OpKind::kReadState:
    case OpKind::kTensorBufferToTensor:
      values_[node.Result()] = In(node, 0);
      return true;
    case OpKind::kWriteState:
    case OpKind::kTensorToTensorBuffer: {
      Elements stored = In(node, params::WriteState::kData);
      for (double& x : stored) x = InMemory(node.InputType(0).dtype, x);
      values_[node.Input(0)] = std::move(stored);
      return true;
    }
    case OpKind::kCircularBufferToTensor: {
      using P = params::RingRead;
      const Shape& part = node.ResultType().shape;
      for (size_t i = 0; i < static_cast<size_t>(part.Elements()); ++i) {
        values_[node.Result()].push_back(
            In(node, 0)[RingElement(node, part, P::kAxis, P::kPosition, i)]);
      }
      return true;
    }
    case OpKind::kTensorToCircularBuffer: {
      using P = params::RingWrite;
      const Elements& data = In(node, P::kData);
      for (size_t i = 0; i < data.size(); ++i) {
        const size_t place =
            RingElement(node, node.InputShape(P::kData), P::kAxis, P::kPosition, i);
        values_[node.Input(0)][place] = InMemory(node.InputType(0).dtype, data[i]);
      }
      return true;
    }
    case OpKind::kCond:
      return RunBranch(node, blocks[In(node, params::Cond::kPred)[0] != 0 ? 0 : 1], 1);
    case OpKind::kWhileLoop:
      return RunWhile(node);
    case OpKind::kCall:
      return RunBranch(node, blocks[0], 0);
    default:
      return false;
  }
}

}  // namespace anecheck::testing
