// Error messages of the parts of the wrapper library.
#pragma once

#include <string>

namespace anecheck {

// Stores the message that anecheck_e5rt_last_error returns in this thread. Returns -1.
int WrapperFailed(std::string message);

}  // namespace anecheck
