// Seed candidates of a target: generated files, parts of them, and one of each mutation, with the
// recipe by which each came to be. scripts/fuzz-seeds keeps the few that reach something new.
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

// Candidates of choice streams 0 to `count` - 1. Those above `max_size` bytes are left out.
std::vector<SeedCandidate> MakeSeedCandidates(const FuzzTarget& target, uint64_t count,
                                              size_t max_size);

// Smaller files of the target's format than `file`: each is its JSON form without some members and
// elements, or with shorter texts. Single cuts first, then, drawn from `choices`, many at a time.
// At most `count`; none where the file does not parse or the target has no format. Names and
// reasons are empty.
std::vector<SeedCandidate> CutDown(const FuzzTarget& target, ByteSpan file, ChoiceStream& choices,
                                   size_t count);

}  // namespace anecheck::fuzz
