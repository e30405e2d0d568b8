// `anecheck gen --corpus`: seeds and a dictionary for any fuzzer.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

// Writes valid files, and files in which one value is at the edge of its range
// (generators/formats/corpus), to `folder`. The dictionary is "<folder>.dict", outside the folder,
// because fuzzers read every file of a folder as a seed. Returns {"format", "seed", "files":
// [{"file", "size", "reason"}], "dictionary"}.
Result<Json> WriteCorpus(const std::string& format, uint64_t seed, const std::string& folder);

}  // namespace anecheck
