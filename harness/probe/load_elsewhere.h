// A bundle that one process compiled, loaded by another of the same executable (posix_spawn).
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

// 0 if the other process loads the bundle in that folder, 1 if the engine refuses it there, 2 if a
// signal ends it. Errors: the process does not start, or cannot ask.
Result<double> LoadElsewhere(const E5rtLibrary& engine, std::string_view target,
                             const std::string& bundle);

// The other process's side: the exit code if the name that it was started with asks for a load; -1
// if it is a probe's.
int LoadIfAsked(const E5rtLibrary& engine, std::string_view name);

}  // namespace anecheck
