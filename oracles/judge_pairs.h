// Results of one operation that speak of each other: topk gives values and their positions. Each
// may be admitted by itself and both not together. Campaigns and `judge` ask after the outputs were
// judged one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/graph/graph.h"
#include "oracles/oracle.h"

namespace anecheck {

// A position that an engine gave beside a value which cannot stand there.
struct UnpairedResult {
  size_t output = 0;    // index among the graph's outputs, that of the positions
  int64_t element = 0;  // of it
  std::string reason;   // one line
};

// Whether the graph has a topk whose two results are both outputs.
bool HasPairs(const Graph& graph);

// The first such element of a topk whose two results are both outputs. `actual` holds the outputs
// in order; those of another type than the graph's are passed over, and so are positions that may
// pass through fp16 and become others (Term::kIndexRounding). `evaluation` must hold a Run of
// `graph` under `contract`.
std::optional<UnpairedResult> FindUnpaired(const Graph& graph, std::span<const Tensor> actual,
                                           const Contract& contract, const Evaluation& evaluation);

}  // namespace anecheck
