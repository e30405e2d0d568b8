// The memory of a streamed evaluation's values, freed as soon as no later operation reads them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/graph/graph.h"
#include "oracles/contract.h"
#include "oracles/reference/kernel.h"

namespace anecheck {

// The memory of each value's arrays, and how long it is needed. Every operation and every constant
// has its own memory; a result may also point into that of its operands (a reshape does). A
// constant is loaded for each operation that reads it: this takes less time than the operation, and
// all constants of a model would not fit at once. Keeps a reference to `graph`. For one thread.
class Lifetimes {
 public:
  explicit Lifetimes(const Graph& graph);

  reference::Arena& ArenaOf(NodeId node) { return NewArena(node); }

  void LoadConstantsOf(NodeId id, const Contract& contract,
                       std::span<reference::BoundedTensor> values);
  // Precondition: every node has run.
  void LoadConstantOutputs(const Contract& contract, std::span<reference::BoundedTensor> values);
  // Call after node `id` ran: records the memory of its results, and frees values that no later
  // node needs.
  void Finish(NodeId id, std::span<reference::BoundedTensor> values);

 private:
  reference::Arena& NewArena(size_t owner);
  void LoadConstant(ValueId id, const Contract& contract,
                    std::span<reference::BoundedTensor> values);
  // A state may share the memory of the value written into it, which is kept.
  void HoldForStates(NodeId id);
  void HoldResultsOf(NodeId id, std::span<const reference::BoundedTensor> values);
  void Hold(ValueId value, size_t owner);
  void Drop(ValueId value);

  const Graph& graph_;
  reference::BlockPool pool_;                              // outlives the arenas
  std::vector<std::unique_ptr<reference::Arena>> arenas_;  // by owner: nodes, then constants
  std::vector<uint32_t> holders_;                          // number of values in each
  std::vector<std::vector<size_t>> owners_;                // by value
  std::vector<NodeId> last_use_;
};

}  // namespace anecheck
