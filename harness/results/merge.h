// Joins results files: each machine tests its own chip, and one file holds the findings of all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/results/shards.h"

namespace anecheck {

struct MergeSummary {
  int64_t runs = 0;        // in the joined file
  int64_t duplicates = 0;  // runs that stood in more than one file
  int64_t cases = 0;
  std::vector<MissingShards> missing;  // parts of campaigns that no input has
};

// Writes `out`, which must not exist, with every run of `inputs`, ordered by uuid. A run that
// stands in several files is taken once: from the file that holds the most of its cases; among
// those, from the one where it came furthest (running, interrupted, finished); among those, from
// the one whose rows have the largest digest. So the result depends on the files' content and not
// on their order: joining is idempotent, commutative and associative. The inputs are only read.
// Errors: those of Store::OpenReadOnly; kInvalid where `out` exists; kIo. On an error there is no
// `out`.
Result<MergeSummary> MergeResults(std::span<const std::string> inputs, const std::string& out);

}  // namespace anecheck
