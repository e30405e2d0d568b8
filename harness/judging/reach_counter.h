// Counts how far the operations of many cases got, and the errors of their outputs. It counts by
// index, so that it builds the name of each operation only once for a batch.
#pragma once

#include <memory>
#include <optional>

#include "harness/judging/judge_case.h"

namespace anecheck {

// Not thread-safe. Each thread needs its own.
class ReachCounter {
 public:
  ReachCounter();
  ~ReachCounter();

  // Adds the case's evidence about each of its operations, and the evidence of the rewritten graph
  // about the operations that rewriting added (CaseOutcome::reached). `proved` is the provenance of
  // an answer with a checked proof, if it is stronger than the run's own evidence.
  void Add(const Case& item, const CaseOutcome& outcome,
           std::optional<Provenance> proved = std::nullopt);
  // Adds the counts since the last Flush to `reach`, `proved_reach`, `ulp`, `magnitudes` and
  // `leans` of the batch. Adds to `proofs` one proof for each operation that had none yet on its
  // target by its route.
  void Flush(RowBatch& batch);

 private:
  class Counts;
  std::unique_ptr<Counts> counts_;
};

// Does the same for one case.
void CountReach(const Case& item, const CaseOutcome& outcome, RowBatch& batch,
                std::optional<Provenance> proved = std::nullopt);

}  // namespace anecheck
