// Rewrites a graph until no rule requires another rewrite. Part of PlanLowering.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "oracles/plan/plan.h"

namespace anecheck::plan {

class Rewriter {
 public:
  Rewriter(const Graph& graph, const Target& target, const PlanOptions& options);

  // Rewrites up to a fixed point, only for the occasion kHost or for all occasions.
  Status Run(bool host_alone);
  // Shares the states of the graph if the target keeps no state resident (state.cc).
  Status ShareStates(std::vector<StateBuffer>& buffers);

  const Graph& graph() const { return graph_; }
  std::vector<Rewrite>& rewrites() { return rewrites_; }
  // For each node, the operation of the given graph from which it comes.
  const std::vector<std::string>& origins() const { return origins_; }

 private:
  // The reason for a rewrite of a node.
  struct Demand {
    const Decomposition* decomposition = nullptr;
    int64_t cap = 0;
    std::string rule, reason;
  };
  Result<bool> Pass(bool host_alone);
  Result<Demand> DemandOn(const NodeView& node, size_t index, bool host_alone);
  // Appends the replacement of `node` to `next`. False if the replacement is not written as a
  // graph.
  Result<bool> Replace(const NodeView& node, size_t index, const Demand& demand, Graph& next,
                       std::vector<ValueId>& places);
  void Take(Graph next, std::vector<std::string> origins,
            std::vector<std::vector<std::string>> settled);

  const Target& target_;
  PlanOptions options_;
  Graph graph_;
  std::set<std::string, std::less<>> names_;
  std::vector<std::string> origins_;  // indexed by node
  // For each node, the rules that do not rewrite it again, because they made the node or have no
  // graph for it.
  std::vector<std::vector<std::string>> settled_;
  std::vector<Rewrite> rewrites_;
};

// How the legality tables treat the constant kernel of a node; nothing if the node has no such
// kernel.
std::optional<WeightPlan> WeightsOf(const NodeView& node, const Target& target,
                                    const PlanOptions& options);
// The verdict of a reached layer that says "decompose", or null.
const legality::LayerVerdict* Decomposing(const legality::Verdict& verdict);

}  // namespace anecheck::plan
