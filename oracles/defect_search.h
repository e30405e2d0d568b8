// Names the documented defects that explain an engine's values outside their bound: by evaluating
// the graph again with departures from the contract switched on.
#pragma once

#include <cstddef>
#include <span>

#include "harness/graph/graph.h"
#include "harness/verdict/defect_set.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

struct DefectAnswer {
  DefectSet defects;   // empty where some element stays unexplained
  bool vague = false;  // OutputJudgement::vague
};

// The defects of `catalogue` on `family` under which every element of `outside` (indices into
// `actual`, none of them admitted by `conforming`) is admitted: each alone and then together, the
// smallest set first. Any thread; each keeps memory of its own from one call to the next. Uses as
// many threads as Evaluation::UseThreads says of `threads`.
DefectAnswer FindDefects(const Graph& graph, std::span<const Tensor> inputs, size_t output,
                         const Estimate& conforming, int family, std::span<const double> actual,
                         std::span<const size_t> outside, std::span<const Departure> catalogue,
                         int threads = 1);

// The first operation in order whose results may be others with `defects` of those
// in force on `family` than without: earlier results are the same either way, so that the defect is
// its own. kNoNode if there is none, or if the graph cannot be evaluated.
NodeId FirstToDepart(const Graph& graph, std::span<const Tensor> inputs, int family,
                     const DefectSet& defects);

}  // namespace anecheck
