// Names the documented defects that explain an engine's values outside their bound. The search
// evaluates the graph again with departures from the contract switched on.
#pragma once

#include <cstddef>
#include <span>

#include "harness/graph/graph.h"
#include "harness/verdict/defect_set.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

struct DefectAnswer {
  DefectSet defects;   // empty if some element stays unexplained
  bool vague = false;  // OutputJudgement::vague
};

// The defects of `catalogue` on `family` that admit every element of `outside`, the indices into
// `actual` that `conforming` does not admit. Tries each defect alone and then several together, the
// smallest set first. Any thread may call it; each thread keeps its own memory between calls.
// `threads` as in Evaluation::UseThreads.
DefectAnswer FindDefects(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                         const Estimate& conforming, int family, std::span<const double> actual,
                         std::span<const size_t> outside, std::span<const Departure> catalogue,
                         int threads = 1);

// The first operation whose results may change if those of `defects` that are in force on `family`
// are switched on. Earlier results do not change, so that the defect belongs to this operation.
// kNoNode if there is none, or if the graph cannot be evaluated.
NodeId FirstToDepart(const Graph& graph, std::span<const Tensor> inputs, int family,
                     const DefectSet& defects);

}  // namespace anecheck
