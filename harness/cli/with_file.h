// Adds the file and the offset to error messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// Puts the file's path in front of the message, unless the path is empty or already there.
Error WithFile(const std::string& path, Error error);

// Returns the message with the offset at its end. Adds nothing if there is no offset or the message
// contains it.
std::string WithPlace(std::string_view message, uint64_t offset);

}  // namespace anecheck
