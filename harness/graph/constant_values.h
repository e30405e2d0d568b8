// Finds the values that are known when a graph is compiled: constants, and results computed from
// constants alone, such as decompressed weights.
#pragma once

#include <vector>

#include "harness/graph/graph.h"

namespace anecheck {

// Checks each value at most once, when it is first needed. The graph must not change during the
// lifetime of this object.
class ConstantValues {
 public:
  explicit ConstantValues(const Graph& graph) : graph_(graph) {}

  // Precondition: `id` is a value of the graph.
  bool Contains(ValueId id);

  // Copies `id` and the values from which it is computed to `to`. Sets places[v] to the new id of
  // each copied value v. Precondition: Contains(id).
  void Copy(ValueId id, std::span<ValueId> places, Graph& to) const;

 private:
  bool IsKnown(ValueId id) const;

  const Graph& graph_;
  std::vector<bool> known_;
};

}  // namespace anecheck
