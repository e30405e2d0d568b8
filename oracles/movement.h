// The proof that a judged output could expose something: a change of the inputs under which the
// oracle's value leaves the bounds that hold without it. Campaigns attach one to every output.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

// Element `element` of a value has, at the inputs `change`, the value `moved_to`, which its bounds
// at the case's own inputs do not admit.
struct Witness {
  size_t change = 0;
  uint64_t element = 0;
  double low = 0, high = 0;
  double moved_to = 0;
};

// What a case carries: one witness an output, and the inputs of which `change` is the index.
struct MovementProof {
  std::vector<Witness> witnesses;
  std::vector<std::vector<Tensor>> changes;
};

// Looks for witnesses in memory that it keeps. Not thread-safe.
class MovementSearch {
 public:
  using Inputs = std::vector<Tensor>;

  // One entry a value of `values`, empty where none of `changes` moves it: constant, zero whatever
  // comes in, or with bounds so wide that they admit all of it. Changes that the oracle cannot
  // evaluate prove nothing. Errors: those of Evaluation::Run at `inputs`.
  Result<std::vector<std::optional<Witness>>> Find(const Graph& graph,
                                                   std::span<const Tensor> inputs,
                                                   std::span<const Inputs> changes,
                                                   std::span<const ValueId> values,
                                                   const Contract& contract);

 private:
  Evaluation at_inputs_, at_change_;
  std::vector<Estimate> bounds_;
  Estimate moved_;
};

}  // namespace anecheck
