// Cuts a model around operations for which an engine has no path, so that the rest can run. Core ML
// cuts models too: another processor runs these operations, and values pass back and forth.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/check/model_values.h"
#include "harness/graph/graph.h"

namespace anecheck {

struct ModelPart {
  Graph graph;
  std::vector<Tensor> inputs;    // in order of ValuesOfKind(kInput): the oracle's values
  std::vector<NodeId> nodes;     // the operations of the model in this part, in order
  std::vector<ValueId> outputs;  // values of the model, one per output
};

// Cuts parts out of one graph. The constructor's arguments must outlive it. Not thread-safe.
class ModelParts {
 public:
  // `values` are the values of `graph` at `inputs`.
  ModelParts(const Graph& graph, std::span<const Tensor> inputs, const ModelValues& values);
  ~ModelParts();

  // Puts the operations that `outside` does not mark into as few parts as possible. A part has
  // constants of at most `most_weights` bytes, or more if a single operation has more. An operation
  // that reads a result of an operation outside is in a later part than the operands of the
  // operation outside. Outputs of a part are the fp16, uint8 and fp32 results that are outputs of
  // the model or that operations outside of the part read. Operations that lead to no output are in
  // no part. Integers and bools of other parts, and values made of constants alone, are computed
  // again in the part that reads them.
  std::vector<ModelPart> Around(const std::vector<bool>& outside,
                                uint64_t most_weights = kAnyWeights);
  static constexpr uint64_t kAnyWeights = ~uint64_t{0};

  // A part of one operation, with the values that must be computed again for it; empty if none of
  // its results can be an output.
  std::optional<ModelPart> Alone(NodeId node);

 private:
  class Cutter;
  std::unique_ptr<Cutter> cutter_;
};

}  // namespace anecheck
