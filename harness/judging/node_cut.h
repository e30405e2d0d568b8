// One operation, or several, cut out of a graph, to be run, judged or evaluated on their own.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// Operands that have a value become inputs, constants stay, and other operands (integers between
// two casts, which cannot leave an engine) are computed inside. If a cut operation reads a state,
// the operations that wrote to the state are included.
class NodeCut {
 public:
  using Values = std::map<ValueId, const Tensor*>;

  // `graph` and `values` must outlive the cut. Precondition: `values` has every input of `graph`.
  NodeCut(const Graph& graph, const Values& values)
      : graph_(graph),
        values_(values),
        wanted_(graph.nodes().size(), false),
        known_(graph.values().size(), kNoValue) {}

  // Cuts out one operation. The outputs are those of its results that have a value. Call either
  // Take or TakeAll, and only once.
  void Take(NodeId node);
  // Cuts out these operations and those that they need. `outputs` are results of `nodes`.
  void TakeAll(std::span<const NodeId> nodes, std::span<const ValueId> outputs);

  const Graph& graph() const { return cut_; }
  std::span<const Tensor> inputs() const { return inputs_; }
  // Whether the cut has an operation of the graph.
  bool Has(NodeId node) const { return wanted_[node]; }

 private:
  // Marks the operation `id`, and the operations whose results it needs inside the cut.
  void Want(NodeId id);
  void WantWriters(ValueId state, NodeId before);
  // Both functions record their additions to the cut in known_.
  void Include(NodeId id);
  void IncludeLeaf(ValueId id);

  const Graph& graph_;
  const Values& values_;
  Graph cut_;
  std::vector<Tensor> inputs_;
  std::vector<bool> wanted_;    // the operations of the cut
  std::vector<ValueId> known_;  // the place in the cut of each value, or kNoValue
};

}  // namespace anecheck
