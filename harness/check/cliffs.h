// Finds cliffs: numbers from which a family's engine is documented to leave plain fp16 arithmetic.
// `anecheck check` warns of a model's values near or past a cliff before a user's inputs reach it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/check/model_values.h"
#include "harness/graph/graph.h"
#include "oracles/contract.h"

namespace anecheck {

struct Cliff {
  NodeId node = 0;
  std::string id;         // the departure's id, "fixed_sums" or "fp16"
  std::string what;       // the description of the departure
  bool past = false;      // true: these inputs are past it; false: only inputs a third larger are
  uint64_t elements = 0;  // the number of elements of the first result that it changes
  double operand = 0;     // the largest |value| of the operation's first operand
  double result = 0;      // the largest |value| of the operation's first result
  // The result is infinite only because an operand is, so no change of this operation helps.
  bool inherited = false;
};

// Returns every cliff of `family` in the order of the operations. There are three kinds. (1) A
// departure of `departures` with a threshold (overflow of a port, a partial sum or a gain, or a
// function that departs from some number on) changes an operation's own result, at a conforming
// engine's operands or with the first operand a third larger. (2) Sums of products exceed the
// accumulator's limit, in families whose accumulator has one. (3) Results reach three quarters of
// the largest fp16 number. `values` are the graph's values at `inputs` under the family's
// conforming contract. Skips operations that read a state. Uses the threads and memory of
// `evaluation`.
std::vector<Cliff> FindCliffs(const Graph& graph, std::span<const Tensor> inputs,
                              const ModelValues& values, int family,
                              std::span<const Departure> departures, Evaluation& evaluation);

}  // namespace anecheck
