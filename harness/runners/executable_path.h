// Where the running executable stands: the workers are started from it and the simulated engine
// lies beside it.
#pragma once

#include <string>

namespace anecheck {

// The absolute path of the running executable; empty where the system does not tell.
std::string ExecutablePath();
// Its folder, without a slash at the end; "." where it is not known.
std::string ExecutableFolder();

}  // namespace anecheck
