// Counts how far the operations of many cases got, and the errors of their outputs. It counts by
// index, so that it makes each name only once for a batch.
#pragma once

#include <memory>
#include <optional>

#include "harness/judging/judge_case.h"

namespace anecheck {

// Not thread-safe; one per thread.
class ReachCounter {
 public:
  ReachCounter();
  ~ReachCounter();

  // Adds the case's evidence about each of its operations, and the rewritten graph of a metamorphic
  // case about those that rewriting added (CaseOutcome::reached). `proved` is the provenance of an
  // answer with a checked proof, if that is stronger than the run's own evidence.
  void Add(const Case& item, const CaseOutcome& outcome,
           std::optional<Provenance> proved = std::nullopt);
  // Adds the counts since the last call to `reach`, `proved_reach`, `ulp`, `magnitudes` and `leans`
  // of the batch, and to `proofs` one proof for each operation that had no proof yet on its target
  // by its route.
  void Flush(RowBatch& batch);

 private:
  class Counts;
  std::unique_ptr<Counts> counts_;
};

// As ReachCounter, but for one case.
void CountReach(const Case& item, const CaseOutcome& outcome, RowBatch& batch,
                std::optional<Provenance> proved = std::nullopt);

}  // namespace anecheck
