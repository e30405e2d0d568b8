// `anecheck gen --corpus`: seeds and a dictionary for any fuzzer.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

// Writes valid files and files with one value at an edge (generators/formats/corpus) to `folder`.
// The dictionary is "<folder>.dict", outside the folder, because fuzzers read every file of a
// folder as a seed. Returns the written files: {"format", "seed", "files": [{"file", "size",
// "reason"}], "dictionary"}.
Result<Json> WriteCorpus(const std::string& format, uint64_t seed, const std::string& folder);

}  // namespace anecheck
