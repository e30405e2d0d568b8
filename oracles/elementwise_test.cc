// The column `elementwise` of the reference kernels is right. A change of one element of an operand
// changes only the elements of the result that broadcasting computes from it, and changes these for
// some operands.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/base/testing/same_number.h"
#include "harness/graph/copy_node.h"
#include "oracles/oracle.h"
#include "oracles/reference/kernel.h"
#include "oracles/reference/layout.h"
#include "oracles/testing/one_operation.h"

namespace anecheck {
namespace {

using testing::SameNumber;

constexpr int kA13 = 2;
constexpr int kGraphs = 32;
constexpr size_t kPlaces = 4;  // the changed elements of each operand

// A graph of one operation.
struct Drawn {
  Graph graph;
  std::vector<Tensor> inputs;
};

// Copies `node` alone into `drawn`: operands from other nodes become inputs with the same values.
// False if the graph cannot be evaluated or the node has several results.
bool Isolate(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs,
             Drawn& drawn) {
  Evaluation evaluation;
  if (!evaluation.Run(graph, inputs, ConformingContract(kA13)).ok()) return false;
  std::vector<ValueId> known(graph.values().size(), kNoValue);
  drawn = {};
  for (const Argument& argument : graph.arguments(node)) {
    const TensorType& type = graph.type(argument.value);
    if (known[argument.value] != kNoValue) continue;
    if (graph.value(argument.value).kind == ValueKind::kConst) {
      known[argument.value] = drawn.graph.AddConst(type, graph.ConstData(argument.value));
      continue;
    }
    known[argument.value] = drawn.graph.AddInput(type);
    Estimate given;
    evaluation.Stored(argument.value, given);
    Tensor tensor = {type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
    EncodeElements(type.dtype, given.value, tensor.bytes);
    drawn.inputs.push_back(std::move(tensor));
  }
  CopyNode(graph, node, known, drawn.graph);
  drawn.graph.AddOutput(known[node.first_result]);
  return node.result_count == 1;
}

bool Draw(size_t op, int turn, ChoiceStream& choices, Drawn& drawn) {
  const GeneratorOptions options =
      testing::OneOperation(op, turn % 2 == 0 ? CaseMode::kFloat : CaseMode::kInteger);
  Graph graph;
  GenerateGraph(choices, options, graph);
  const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
  const auto node =
      std::ranges::find_if(graph.nodes(), [&](const Node& any) { return any.schema->id == op; });
  return node != graph.nodes().end() && Isolate(graph, *node, inputs, drawn);
}

bool Broadcasts(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return false;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const int64_t extent = from[axis];
    if (extent != 1 && extent != to[to.rank() - from.rank() + axis]) return false;
  }
  return true;
}

// Replaces element `place` by another number.
void Change(Tensor& tensor, size_t place) {
  std::vector<double> elements(static_cast<size_t>(tensor.type.shape.Elements()));
  DecodeElements(tensor.type.dtype, tensor.bytes, elements);
  const bool flag = tensor.type.dtype == DType::kBool;
  elements[place] = flag ? 1 - elements[place] : elements[place] == 3 ? 5 : 3;
  EncodeElements(tensor.type.dtype, elements, tensor.bytes);
}

// The first effect that an elementwise operation cannot have, or "" if there is none.
std::string Departure(Drawn& drawn, bool& moves) {
  const Graph& graph = drawn.graph;
  const NodeView node(graph, graph.nodes()[0]);
  const ValueId result = node.Result(0);
  const Shape& shape = graph.type(result).shape;
  Evaluation evaluation;
  if (!evaluation.Run(graph, drawn.inputs, ConformingContract(kA13)).ok()) return "";
  Estimate before, after;
  evaluation.Stored(result, before);
  const std::vector<ValueId> inputs = graph.ValuesOfKind(ValueKind::kInput);
  for (const Argument& argument : graph.arguments(node.node())) {
    const Shape& from = graph.type(argument.value).shape;
    if (!Broadcasts(from, shape)) return "an operand does not broadcast to the result";
    const auto input = std::ranges::find(inputs, argument.value);
    if (input == inputs.end()) continue;
    Tensor& tensor = drawn.inputs[static_cast<size_t>(input - inputs.begin())];
    const auto count = static_cast<size_t>(from.Elements());
    for (size_t place = 0; place < count; place += count / kPlaces + 1) {
      const Tensor kept = tensor;
      Change(tensor, place);
      const bool ran = evaluation.Run(graph, drawn.inputs, ConformingContract(kA13)).ok();
      if (ran) evaluation.Stored(result, after);
      tensor = kept;
      if (!ran) continue;
      std::string seen;
      reference::ForEachSource(
          shape, reference::BroadcastStrides(from, shape), 0, [&](size_t at, size_t source) {
            const bool moved = !SameNumber(before.value[at], after.value[at]) ||
                               !SameNumber(before.low[at], after.low[at]) ||
                               !SameNumber(before.high[at], after.high[at]);
            moves |= moved;
            // A value that is read as two operands changes both.
            if (moved && source != place) seen = "an element moves another one";
          });
      if (!seen.empty()) return seen;
    }
  }
  return "";
}

// Whether the class contains elementwise operations.
bool MayBeElementwise(const OpDefinition& op) {
  return op.op_class == OpClass::kElementwise || op.op_class == OpClass::kActivation ||
         op.op_class == OpClass::kTrigonometric || op.op_class == OpClass::kComparison ||
         op.schema.name == "cast";
}

TEST(Elementwise, DescribesTheKernels) {
  for (size_t op = 0; op < kOpCount; ++op) {
    const ReferenceKernel& kernel = *AllReferenceKernels()[op];
    const OpDefinition& definition = *AllOps()[op];
    if (kernel.evaluate == nullptr) continue;
    if (!kernel.elementwise && !MayBeElementwise(definition)) continue;
    ChoiceStream choices = ChoiceStream::FromSeed(op);
    std::string seen;
    int drawn_graphs = 0;
    bool moves = false;
    for (int turn = 0; turn < kGraphs && seen.empty(); ++turn) {
      Drawn drawn;
      if (!Draw(op, turn, choices, drawn)) continue;
      ++drawn_graphs;
      seen = Departure(drawn, moves);
    }
    ASSERT_GT(drawn_graphs, 0) << definition.schema.name;
    EXPECT_TRUE(moves) << definition.schema.name;
    EXPECT_EQ(kernel.elementwise, seen.empty()) << definition.schema.name << ": " << seen;
  }
}

}  // namespace
}  // namespace anecheck
