// Addresses of the command line.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

// Reads "0x30000000" or decimal digits. Errors: kInvalid, which names `option`.
Result<uint64_t> ReadAddress(std::string_view option, std::string_view text);

}  // namespace anecheck
