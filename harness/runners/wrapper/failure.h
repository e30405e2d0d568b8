// Error messages of the parts of the wrapper library.
#pragma once

#include <string>

namespace anecheck {

// Keeps the reason for anecheck_e5rt_last_error of this thread. Returns -1.
int WrapperFailed(std::string message);

}  // namespace anecheck
