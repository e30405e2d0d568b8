#include "harness/evidence/graph_answer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "oracles/legality/instance.h"

namespace anecheck::evidence {
namespace {

bool Runs(const plan::Layer& layer) {
  return layer.fate != plan::Fate::kRejected && layer.fate != plan::Fate::kUnknown &&
         layer.fate != plan::Fate::kBridge;
}

}  // namespace

const plan::Layer* GraphAnswer::RefusedPart(NodeId operation) const {
  const OperationAnswer& of = operations[operation];
  if (!of.known.cell.admitted) return nullptr;
  for (const size_t layer : of.layers) {
    if (!Runs(plan.layers[layer])) return &plan.layers[layer];
  }
  return nullptr;
}

bool GraphAnswer::LayersRun(NodeId operation) const {
  return std::ranges::all_of(operations[operation].layers,
                             [&](size_t layer) { return Runs(plan.layers[layer]); });
}

bool GraphAnswer::Admits(NodeId operation) const {
  return operations[operation].known.cell.admitted && RefusedPart(operation) == nullptr;
}

std::vector<int> GraphAnswer::SegmentsOf(NodeId operation) const {
  std::set<int> segments;
  for (const size_t layer : operations[operation].layers) {
    if (plan.layers[layer].segment >= 0) segments.insert(plan.layers[layer].segment);
  }
  return {segments.begin(), segments.end()};
}

Result<GraphAnswer> AnswerOf(const Graph& graph, const Target& target,
                             const plan::PlanOptions& options,
                             std::span<const Statement> statements) {
  GraphAnswer answer;
  ANECHECK_ASSIGN(answer.plan, plan::PlanLowering(graph, target, options));
  std::map<std::string, std::vector<size_t>, std::less<>> by_operation;
  for (size_t i = 0; i < answer.plan.layers.size(); ++i) {
    by_operation[answer.plan.layers[i].from].push_back(i);
  }
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView node(graph, id);
    OperationAnswer& operation = answer.operations.emplace_back();
    ANECHECK_ASSIGN(operation.known, AnswerOf(legality::InstanceOf(node), target, options.route,
                                              statements, options.order));
    operation.layers = by_operation[plan::OperationName(node)];
  }
  return answer;
}

Json OperationAnswerJson(const GraphAnswer& answer, NodeId operation) {
  const Answer& known = answer.operations[operation].known;
  return {{"outcome", legality::OutcomeName(known.verdict.outcome)},
          {"known", CellText(known.cell)},
          {"segments", answer.SegmentsOf(operation)}};
}

}  // namespace anecheck::evidence
