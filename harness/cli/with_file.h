// Adds to an error its file and the place in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// The error with the file's path in front; unchanged if that is empty or there already.
Error WithFile(const std::string& path, Error error);

// The message with the offset behind it; unchanged if there is none or it is said there.
std::string WithPlace(std::string_view message, uint64_t offset);

}  // namespace anecheck
