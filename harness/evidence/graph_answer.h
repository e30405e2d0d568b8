// The knowledge of each operation of a graph on a target by a route: the answer of cell.h on it,
// and its fate in the lowering plan. `check` and `lower` print this.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/evidence/cell.h"
#include "harness/graph/graph.h"
#include "harness/targets/target.h"
#include "oracles/plan/plan.h"

namespace anecheck::evidence {

struct OperationAnswer {
  Answer known;
  std::vector<size_t> layers;  // of GraphAnswer::plan that it becomes, in order
};

struct GraphAnswer {
  plan::Plan plan;
  std::vector<OperationAnswer> operations;  // by node of the given graph

  // The layer that keeps an operation off the engine by the plan's route though the rules admit the
  // operation itself: one that it is rewritten into. Null where there is none.
  const plan::Layer* RefusedPart(NodeId operation) const;
  // Whether every layer that the operation becomes is admitted by the plan's route.
  bool LayersRun(NodeId operation) const;
  // Whether the rules admit the operation and every layer that it becomes.
  bool Admits(NodeId operation) const;
  // The segments of the plan that hold its layers, ascending, each once.
  std::vector<int> SegmentsOf(NodeId operation) const;
};

// Pure. Precondition: ValidateGraph(graph) holds. Errors: those of plan::PlanLowering and AnswerOf.
Result<GraphAnswer> AnswerOf(const Graph& graph, const Target& target,
                             const plan::PlanOptions& options,
                             std::span<const Statement> statements);

// {"outcome", "known", "segments"}: of the rules, the words of the cell, and SegmentsOf.
Json OperationAnswerJson(const GraphAnswer& answer, NodeId operation);

}  // namespace anecheck::evidence
