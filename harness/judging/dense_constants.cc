#include "harness/judging/dense_constants.h"

#include <algorithm>
#include <vector>

#include "harness/graph/constant_values.h"
#include "harness/graph/copy_node.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"
#include "oracles/right_tensor.h"

namespace anecheck {
namespace {

// Returns for each node whether its results are constants of which none is an output of the graph.
std::vector<bool> KnownNodes(const Graph& graph) {
  ConstantValues constants(graph);
  std::vector<bool> known(graph.nodes().size());
  for (size_t i = 0; i < known.size(); ++i) {
    const Node& node = graph.nodes()[i];
    known[i] = constants.Contains(node.first_result);
    for (const ValueId output : graph.outputs()) {
      if (graph.value(output).kind == ValueKind::kResult && graph.value(output).producer == i) {
        known[i] = false;
      }
    }
  }
  return known;
}

// Returns the results of known nodes that other nodes read.
std::vector<ValueId> ReadResults(const Graph& graph, const std::vector<bool>& known) {
  std::vector<ValueId> read;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]) continue;
    for (const Argument& argument : graph.arguments(graph.nodes()[i])) {
      const Value& value = graph.value(argument.value);
      if (value.kind == ValueKind::kResult && known[value.producer]) read.push_back(argument.value);
    }
  }
  std::ranges::sort(read);
  read.erase(std::ranges::unique(read).begin(), read.end());
  return read;
}

// Returns the values of `results`, in the same order.
Result<std::vector<Tensor>> ValuesOf(const Graph& graph, const std::vector<ValueId>& results) {
  ConstantValues constants(graph);
  std::vector<ValueId> places(graph.values().size(), kNoValue);
  Graph weights;
  for (const ValueId id : results) {
    if (constants.Contains(id)) constants.Copy(id, places, weights);
    weights.AddOutput(places[id]);
  }
  Evaluation evaluation;
  ANECHECK_RETURN_IF_ERROR(evaluation.Run(weights, {}, IeeeContract()));
  std::vector<Tensor> values;
  values.reserve(results.size());
  Estimate estimate;
  for (const ValueId output : weights.outputs()) {
    evaluation.Stored(output, estimate);
    values.push_back(RightTensor(estimate));
  }
  return values;
}

}  // namespace

Result<Graph> WithDenseConstants(const Graph& graph) {
  const std::vector<bool> known = KnownNodes(graph);
  const std::vector<ValueId> read = ReadResults(graph, known);
  if (read.empty()) return graph;
  ANECHECK_ASSIGN(const std::vector<Tensor> values, ValuesOf(graph, read));
  Graph dense;
  dense.name = graph.name;
  std::vector<ValueId> places(graph.values().size(), kNoValue);
  CopyLeaves(graph, places, dense);
  for (size_t i = 0; i < read.size(); ++i) {
    places[read[i]] = dense.AddConst(values[i].type, values[i].bytes, graph.value(read[i]).name);
  }
  for (size_t i = 0; i < known.size(); ++i) {
    if (!known[i]) CopyNode(graph, graph.nodes()[i], places, dense);
  }
  for (const ValueId output : graph.outputs()) dense.AddOutput(places[output]);
  return dense;
}

}  // namespace anecheck
