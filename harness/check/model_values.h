// The values of a model on a conforming engine, kept as tensors, so that the model can be cut at
// any value. They take a twelfth of the memory of an Evaluation that keeps all values.
#pragma once

#include <span>
#include <vector>

#include "harness/graph/graph.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

class ModelValues {
 public:
  // Runs `graph` at `inputs` under `contract` in `evaluation`. The graph's outputs may be read from
  // `evaluation` afterwards. Errors: kLimit for more than 2^31 elements; those of
  // Evaluation::RunForOutputs.
  static Result<ModelValues> Of(const Graph& graph, std::span<const Tensor> inputs,
                                const Contract& contract, Evaluation& evaluation);

  // A result's value by the oracle, in the type of the graph.
  const Tensor& operator[](ValueId result) const { return tensors_[result]; }

 private:
  std::vector<Tensor> tensors_;  // by value; empty for values that are no results
};

}  // namespace anecheck
