// Says of an error which file it is about, and where in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// The error with the file's path in front; as it is where that is empty or there already.
Error WithFile(const std::string& path, Error error);

// The message with the offset behind it; as it is where that is none or is said there.
std::string WithPlace(std::string_view message, uint64_t offset);

}  // namespace anecheck
