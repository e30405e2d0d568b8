// A model cut around operations that an engine has no path for, so that the rest of it can run: as
// Core ML leaves such operations to another processor and hands the values between back and forth.
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
  std::vector<NodeId> nodes;     // operations of the model that it was made for, in order
  std::vector<ValueId> outputs;  // values of the model, one per output
};

// Cuts parts out of one graph. Everything that it is given must live as long. Not thread-safe.
class ModelParts {
 public:
  // `values` are those of `graph` at `inputs`.
  ModelParts(const Graph& graph, std::span<const Tensor> inputs, const ModelValues& values);
  ~ModelParts();

  // The operations that `outside` does not mark, in as few parts as there can be with constants of
  // at most `most_weights` bytes each (more only where one operation has more): users of an
  // operation outside stand in a later part than its operands. Outputs of a part are the fp16,
  // uint8 and fp32 results that are outputs of the model or that operations outside of the part
  // read; operations that lead to none of them are in no part. Integers and bools that another part
  // makes, and values made of constants alone, are made again in the part that reads them.
  std::vector<ModelPart> Around(const std::vector<bool>& outside,
                                uint64_t most_weights = kAnyWeights);
  static constexpr uint64_t kAnyWeights = ~uint64_t{0};

  // One operation, with the values that have to be made again for it; empty if none of its results
  // can be an output.
  std::optional<ModelPart> Alone(NodeId node);

 private:
  class Cutter;
  std::unique_ptr<Cutter> cutter_;
};

}  // namespace anecheck
