// Adds the file and the offset to the message of an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// Returns the error with the file's path in front; unchanged if the path is empty or already there.
Error WithFile(const std::string& path, Error error);

// Returns the message with the offset at its end; unchanged if there is no offset or the message
// contains it.
std::string WithPlace(std::string_view message, uint64_t offset);

}  // namespace anecheck
