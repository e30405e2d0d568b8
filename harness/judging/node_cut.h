// Cuts operations out of a graph, to run, judge or evaluate them alone.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// Operands that have a value become inputs, and constants stay. The operations that compute other
// operands (integers between two casts, which cannot leave an engine) are included. If a cut
// operation reads a state, the operations that wrote to the state are included too.
class NodeCut {
 public:
  using Values = std::map<ValueId, const Tensor*>;

  // `graph` and `values` must outlive the cut. Precondition: `values` has every input of `graph`.
  NodeCut(const Graph& graph, const Values& values)
      : graph_(graph),
        values_(values),
        wanted_(graph.nodes().size(), false),
        known_(graph.values().size(), kNoValue) {}

  // Cuts out one operation. Its results that have a value become outputs. Call either Take or
  // TakeAll, and only once.
  void Take(NodeId node);
  // Cuts out these operations and those that they need. `outputs` are results of `nodes`.
  void TakeAll(std::span<const NodeId> nodes, std::span<const ValueId> outputs);

  const Graph& graph() const { return cut_; }
  std::span<const Tensor> inputs() const { return inputs_; }
  // Returns whether the cut has an operation of the graph.
  bool Has(NodeId node) const { return wanted_[node]; }

 private:
  // Marks the operation `id`, and the operations that the cut needs to compute its operands.
  void Want(NodeId id);
  void WantWriters(ValueId state, NodeId before);
  // Both functions add to the cut, and record the additions in known_.
  void Include(NodeId id);
  void IncludeLeaf(ValueId id);

  const Graph& graph_;
  const Values& values_;
  Graph cut_;
  std::vector<Tensor> inputs_;
  std::vector<bool> wanted_;    // the operations of the cut
  std::vector<ValueId> known_;  // the id in the cut of each value, or kNoValue
};

}  // namespace anecheck
