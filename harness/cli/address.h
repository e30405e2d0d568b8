// Reads addresses on the command line.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// Reads "0x30000000" or decimal digits. Errors: kInvalid, with `option` in the message.
Result<uint64_t> ReadAddress(std::string_view option, std::string_view text);

}  // namespace anecheck
