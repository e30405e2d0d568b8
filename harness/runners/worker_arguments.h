// The command line that starts this executable as a worker.
#pragma once

#include <string>
#include <vector>

#include "harness/runners/worker.h"

namespace anecheck {

// Returns the command line of a worker with these options. It ends with pairs such as ("fault",
// "conv-bias-dropped"). For a runtime probe the caller may append the pairs ("target", NAME) and
// ("probe", NAME) (runtime_probe.h).
std::vector<std::string> WorkerArguments(const WorkerOptions& options);

}  // namespace anecheck
