// Loads a bundle in a different process from the one that compiled it. Both processes run the same
// executable (posix_spawn).
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// Returns 0 if the other process loads the bundle, 1 if the engine refuses it there, 2 if a signal
// ends that process. Errors: the process does not start, or cannot make the call.
Result<double> LoadElsewhere(const E5rtLibrary& engine, std::string_view target,
                             const std::string& bundle);

// Runs in the other process. If `name` requests a load, the function loads the bundle and returns
// the exit code. It returns -1 if `name` is the name of a probe.
int LoadIfAsked(const E5rtLibrary& engine, std::string_view name);

}  // namespace anecheck
