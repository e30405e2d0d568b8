#include "harness/cases/second_execution.h"

#include <string>
#include <vector>

#include "harness/graph/copy_node.h"

namespace anecheck {

Graph ExecutedTwice(const Graph& graph, bool other_inputs) {
  Graph twice;
  twice.name = graph.name;
  std::vector<ValueId> known(graph.values().size(), kNoValue);
  CopyLeaves(graph, known, twice);
  for (const Node& node : graph.nodes()) CopyNode(graph, node, known, twice);
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.value(id);
    const bool other = other_inputs && value.kind == ValueKind::kInput;
    if (value.kind == ValueKind::kResult || other)
      twice.Rename(known[id], value.name + std::string(kAtFirst));
    if (other) known[id] = twice.AddInput(value.type, value.name);
  }
  for (const Node& node : graph.nodes()) CopyNode(graph, node, known, twice);
  for (const ValueId output : graph.outputs()) twice.AddOutput(known[output]);
  return twice;
}

std::vector<Tensor> InputsOfBoth(std::span<const Tensor> inputs, std::span<const Tensor> again) {
  std::vector<Tensor> both(inputs.begin(), inputs.end());
  both.insert(both.end(), again.begin(), again.end());
  return both;
}

}  // namespace anecheck
