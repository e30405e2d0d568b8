// Checks results of one operation that depend on each other: topk returns values and their
// positions. A value and a position may each be admissible, although the two together are not.
// Campaigns and `judge` check this after they judged the outputs one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/graph/graph.h"
#include "oracles/oracle.h"

namespace anecheck {

// A position that an engine returned with a value that this position cannot have.
struct UnpairedResult {
  size_t output = 0;    // index of the positions among the graph's outputs
  int64_t element = 0;  // index of the position in that output
  std::string reason;   // one line
};

// Whether the graph has a topk whose two results are both outputs.
bool HasPairs(const Graph& graph);

// The first unpaired element of a topk whose two results are both outputs. `actual` holds the
// outputs in order. Skips outputs of another type than the graph's, and positions that a conversion
// through fp16 may change (Term::kIndexRounding). `evaluation` must hold a Run of `graph` under
// `contract`.
std::optional<UnpairedResult> FindUnpaired(const Graph& graph, std::span<const Tensor> actual,
                                           const Contract& contract, const Evaluation& evaluation);

}  // namespace anecheck
