// Restricts graphs to the nodes that compute some of their values.
#include "generators/restrict.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/graph_generator.h"
#include "harness/graph/validate.h"

namespace anecheck {
namespace {

Graph Draw(uint64_t seed, CaseMode mode) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Graph graph;
  GenerateGraph(choices, {.mode = mode}, graph);
  return graph;
}

RC_GTEST_PROP(Restrict, ToOneResultIsValidAndKeepsOnlyNeededValues, (uint64_t seed, bool state)) {
  const Graph graph = Draw(seed, state ? CaseMode::kState : CaseMode::kFloat);
  std::vector<ValueId> results;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const DType dtype = graph.type(id).dtype;
    if (graph.value(id).kind == ValueKind::kResult && dtype == DType::kFp16) results.push_back(id);
  }
  const ValueId kept = results[seed % results.size()];
  const RestrictedGraph made = Restrict(graph, std::vector{kept});
  RC_ASSERT(ValidateGraph(made.graph).ok());
  RC_ASSERT(made.graph.outputs().size() == 1u);
  RC_ASSERT(made.graph.value(made.graph.outputs()[0]).name == graph.value(kept).name);
  RC_ASSERT(made.inputs.size() == made.graph.ValuesOfKind(ValueKind::kInput).size());
  // A second restriction to the same outputs changes nothing.
  const RestrictedGraph again = Restrict(made.graph, made.graph.outputs());
  RC_ASSERT(again.graph.values().size() == made.graph.values().size());
  RC_ASSERT(again.graph.nodes().size() == made.graph.nodes().size());
}

RC_GTEST_PROP(Restrict, ToAllOutputsKeepsEveryNode, (uint64_t seed, bool state)) {
  const Graph graph = Draw(seed, state ? CaseMode::kState : CaseMode::kFloat);
  RC_ASSERT(Restrict(graph, graph.outputs()).graph.nodes().size() == graph.nodes().size());
}

TEST(Restrict, KeepsWritesToReadStates) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Graph graph = Draw(seed, CaseMode::kState);
    const RestrictedGraph made = Restrict(graph, graph.outputs());
    EXPECT_EQ(made.graph.ValuesOfKind(ValueKind::kState).size(),
              graph.ValuesOfKind(ValueKind::kState).size());
  }
}

}  // namespace
}  // namespace anecheck
