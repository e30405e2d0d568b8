// Seed candidates of a target: generated files, parts of them, and one mutation of each kind. Each
// candidate has a recipe. scripts/fuzz-seeds keeps the few that reach new coverage.
#pragma once

#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

struct SeedCandidate {
  std::string name;    // a file name: "0017", "0017-alias-sections"
  std::string reason;  // one line: how it was made, and the rule that it breaks
  Bytes bytes;
};

// Candidates from the choice streams of the seeds 0 to `count` - 1. Candidates larger than
// `max_size` bytes are left out.
std::vector<SeedCandidate> MakeSeedCandidates(const FuzzTarget& target, uint64_t count,
                                              size_t max_size);

}  // namespace anecheck::fuzz
