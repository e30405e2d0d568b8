// The proof that a judged output can expose an error: a change of the inputs for which the oracle's
// value lies outside the bounds that hold for the unchanged inputs. Campaigns attach a proof to
// every output.
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

// At the inputs `change`, element `element` of a value is `moved_to`, which its bounds at the
// case's own inputs do not admit.
struct Witness {
  size_t change = 0;
  uint64_t element = 0;
  double low = 0, high = 0;
  double moved_to = 0;
};

// The sensitivity of a case: one witness for each output, and the changed inputs, which
// Witness::change indexes.
struct SensitivityProof {
  std::vector<Witness> witnesses;
  std::vector<std::vector<Tensor>> changes;
};

// Looks for witnesses; reuses its memory. Not thread-safe.
class SensitivitySearch {
 public:
  using Inputs = std::vector<Tensor>;
  // One entry for each value. It is empty if no change has moved the value: the value is constant,
  // or its bounds are so wide that they admit every change.
  using Witnesses = std::vector<std::optional<Witness>>;

  // Computes the bounds of `values` at `inputs`. `graph` and `contract` must live until the last
  // call. Errors: those of Evaluation::Run.
  Status Start(const Graph& graph, std::span<const Tensor> inputs, std::span<const ValueId> values,
               const Contract& contract);
  // Evaluates the inputs `change` and looks for witnesses of the values that have none in `found`.
  // `number` becomes Witness::change; the first change has number 0. A change that the oracle
  // cannot evaluate proves nothing. Precondition: `found` has an entry for each value, in the order
  // of Start.
  void Move(std::span<const Tensor> change, size_t number, Witnesses& found);
  // Looks for witnesses of other values of the graph, under every change that was evaluated since
  // Start. `found` receives an entry for each value. Evaluates nothing again.
  void LookAt(std::span<const ValueId> values, Witnesses& found);
  // The bounds of the last given values, one estimate for each, from Evaluation::Stored.
  std::span<const Estimate> bounds() const { return bounds_; }
  // The oracle's values of any value of the graph, at the inputs of Start.
  std::span<const double> Values(ValueId id) const { return at_inputs_.Values(id); }
  // Returns the bounds and takes `memory` to reuse. Move may not be called again before the next
  // Start.
  std::vector<Estimate> TakeBounds(std::vector<Estimate> memory = {});

 private:
  struct Change {
    Evaluation evaluation;
    bool evaluated = false;
  };

  void SetValues(std::span<const ValueId> values);
  void Look(size_t number, Witnesses& found) const;

  std::vector<ValueId> values_;
  Evaluation at_inputs_;
  std::vector<Change> changes_;  // indexed by the number of the change
  std::vector<Estimate> bounds_;
};

}  // namespace anecheck
