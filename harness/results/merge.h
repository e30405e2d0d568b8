// Joins results files, so that one file has the findings of several machines.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/results/shards.h"

namespace anecheck {

struct MergeSummary {
  int64_t runs = 0;        // in the joined file
  int64_t duplicates = 0;  // runs that were in more than one file
  int64_t cases = 0;
  std::vector<MissingShards> missing;  // parts of campaigns that no input has
};

// Writes every run of `inputs` to `out`, ordered by uuid. `out` must not exist. A run that is in
// several files is taken once, from the file with the most of its cases. If several files have
// equally many, it is taken from the file with the latest state of the run (running, interrupted,
// finished), and then from the file whose rows have the largest digest. The result therefore
// depends only on the content of the files, and joining is idempotent, commutative and associative.
// The inputs are only read. Errors: those of Store::OpenReadOnly; kInvalid if `out` exists; kIo;
// kInterrupted if `stop` is set between two inputs. On an error, no part of `out` is left.
Result<MergeSummary> MergeResults(std::span<const std::string> inputs, const std::string& out,
                                  const std::atomic<bool>* stop = nullptr);

}  // namespace anecheck
