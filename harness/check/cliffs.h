// The places at which a model's values come near a number at which a family's engine is documented
// to leave the rails, or past it: `anecheck check` warns of them before a user's inputs find them.
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
  std::string id;         // the departure's, "fixed_sums" or "fp16"
  std::string what;       // the departure's words
  bool past = false;      // these inputs are past it; else they would be, a third larger
  uint64_t elements = 0;  // of the first result that it changes
  double operand = 0;     // the largest |value| that the operation's first operand holds
  double result = 0;      // and its first result
};

// Every cliff of `family` in the order of the operations: a departure of `departures` with a
// threshold (overflow of a port, a partial sum or a gain; a function from a number on) that changes
// an operation's own result, fed with a conforming engine's operands or with its first operand a
// third larger; sums of products that leave the accumulator of families whose law has a limit; and
// results of three quarters of the largest fp16 number or more. `values` are
// those of the graph under the family's conforming contract with `inputs`. Operations that read a
// state are left out. `evaluation` lends its threads and memory.
std::vector<Cliff> FindCliffs(const Graph& graph, std::span<const Tensor> inputs,
                              const ModelValues& values, int family,
                              std::span<const Departure> departures, Evaluation& evaluation);

}  // namespace anecheck
