// The command line that starts this executable as a worker.
#pragma once

#include <string>
#include <vector>

#include "harness/runners/worker.h"

namespace anecheck {

// The command line of a worker with these options. It ends in pairs such as ("fault",
// "conv-bias-dropped"), to which ("target", NAME) and ("probe", NAME) may be added for a runtime
// probe (runtime_probe.h).
std::vector<std::string> WorkerArguments(const WorkerOptions& options);

}  // namespace anecheck
