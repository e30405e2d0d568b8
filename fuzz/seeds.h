// Makes seed candidates of a target. They are generated files, parts of these files, and one
// mutation of each kind. scripts/fuzz-seeds keeps the few candidates that reach new coverage.
#pragma once

#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

struct SeedCandidate {
  std::string name;    // a file name such as "0017" or "0017-alias-sections"
  std::string reason;  // one line that tells how the file was made, and the rule that it breaks
  Bytes bytes;
};

// Returns the candidates from the choice streams of the seeds 0 to `count` - 1. Leaves out
// candidates larger than `max_size` bytes.
std::vector<SeedCandidate> MakeSeedCandidates(const FuzzTarget& target, uint64_t count,
                                              size_t max_size);

}  // namespace anecheck::fuzz
