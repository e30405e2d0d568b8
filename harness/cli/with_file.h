// Says of an error which file it is about.
#pragma once

#include <string>

#include "harness/base/result.h"

namespace anecheck {

// The error with the file's path in front; as it is where that is empty or there already.
Error WithFile(const std::string& path, Error error);

}  // namespace anecheck
