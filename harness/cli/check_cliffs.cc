#include "harness/cli/check_cliffs.h"

#include <utility>

#include "harness/check/own_cliffs.h"
#include "oracles/catalogue.h"

namespace anecheck {

Result<Expectation> Expect(const Case& item, int family, Evaluation& evaluation) {
  Expectation expectation;
  const Contract& contract = ConformingContract(family);
  Result<ModelValues> kept = ModelValues::Of(item.graph, item.inputs, contract, evaluation);
  if (!kept.ok()) {
    if (kept.error().code != ErrorCode::kLimit) return kept.error();
    expectation.not_looked_for = kept.error().message;
    ANECHECK_RETURN_IF_ERROR(evaluation.RunForOutputs(item.graph, item.inputs, contract));
  }
  for (const ValueId output : item.graph.outputs()) {
    evaluation.Stored(output, expectation.outputs.emplace_back());
  }
  if (!kept.ok()) return expectation;
  expectation.values = std::move(kept).value();
  expectation.cliffs = FindCliffs(item.graph, item.inputs, *expectation.values, family,
                                  DeparturesInForce(), evaluation);
  for (Cliff& cliff : FindOwnCliffs(item.graph, item.inputs, *expectation.values)) {
    expectation.cliffs.push_back(std::move(cliff));
  }
  return expectation;
}

Json CliffsJson(const Graph& graph, const std::string& target, const std::vector<Cliff>& cliffs) {
  Json warnings = Json::array();
  for (const Cliff& cliff : cliffs) {
    const NodeView node(graph, cliff.node);
    warnings.push_back({{"target", target},
                        {"op", node.op()},
                        {"name", graph.value(node.Result()).name},
                        {"cliff", cliff.id},
                        {"what", cliff.what},
                        {"past", cliff.past},
                        {"elements", cliff.elements},
                        {"operand", cliff.operand},
                        {"result", cliff.result}});
  }
  return warnings;
}

}  // namespace anecheck
