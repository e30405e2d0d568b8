#include "harness/lowering/state_edges.h"

#include <fmt/format.h>

#include "harness/graph/copy_node.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// Returns a name that no value of `graph` has.
std::string FreeName(const Graph& graph, std::string_view state, std::string_view when) {
  std::string name = fmt::format("{}_{}", state, when);
  while (graph.FindValue(name)) name += '_';
  return name;
}

}  // namespace

StateEdges ExposeStates(const Graph& graph, std::span<const ValueId> given,
                        std::span<const ValueId> asked) {
  using P = params::WriteState;
  StateEdges edges;
  Graph& made = edges.graph;
  made.name = graph.name;
  std::vector<ValueId> known(graph.values().size(), kNoValue);
  CopyLeaves(graph, known, made);
  for (const ValueId state : given) {
    const Value& value = graph.value(state);
    edges.inputs.push_back(FreeName(graph, value.name, "before"));
    const ValueId before = made.AddInput(value.type, edges.inputs.back());
    made.BeginNode(&GetOp(OpKind::kWriteState).schema);
    made.MarkAdded();
    made.AddArgument(P::kInput, known[state]);
    made.AddArgument(P::kData, before);
    made.FinishNodeAs({}, {});
  }
  for (const Node& node : graph.nodes()) CopyNode(graph, node, known, made);
  for (const ValueId output : graph.outputs()) made.AddOutput(known[output]);
  for (const ValueId state : asked) {
    const Value& value = graph.value(state);
    edges.outputs.push_back(FreeName(graph, value.name, "after"));
    made.BeginNode(&GetOp(OpKind::kReadState).schema);
    made.MarkAdded();
    made.AddArgument(P::kInput, known[state]);
    made.AddOutput(
        made.FinishNodeAs(std::span(&value.type, 1), std::span(&edges.outputs.back(), 1)));
  }
  return edges;
}

}  // namespace anecheck
