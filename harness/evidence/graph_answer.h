// The answer about each operation of a graph on a target by a route. It has the operation's cell
// (cell.h) and its layers in the lowering plan. `check` and `lower` print it.
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
  std::vector<size_t> layers;  // indices in the plan's layers that the operation becomes, in order
};

struct GraphAnswer {
  plan::Plan plan;
  std::vector<OperationAnswer> operations;  // by node of the given graph

  // Returns the first of the operation's layers that cannot run on the engine by the plan's route,
  // although the rules admit the operation itself. Null if there is no such layer or if the rules
  // do not admit the operation.
  const plan::Layer* RefusedPart(NodeId operation) const;
  // Returns whether the plan's route admits every layer that the operation becomes.
  bool LayersRun(NodeId operation) const;
  // Returns whether the rules admit the operation and every layer that it becomes.
  bool Admits(NodeId operation) const;
  // Returns the segments of the plan that contain the operation's layers, ascending, each once.
  std::vector<int> SegmentsOf(NodeId operation) const;
};

// Answers about each operation. Pure. Precondition: ValidateGraph(graph) is ok. Errors: those of
// plan::PlanLowering and AnswerOf.
Result<GraphAnswer> AnswerOf(const Graph& graph, const Target& target,
                             const plan::PlanOptions& options,
                             std::span<const Statement> statements);

// {"outcome": the rules' outcome, "known": the text of the cell, "segments": SegmentsOf}.
Json OperationAnswerJson(const GraphAnswer& answer, NodeId operation);

}  // namespace anecheck::evidence
