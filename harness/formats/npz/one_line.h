// Errors of this room quote member names and header text, which are the file's: what would break
// their line becomes \xNN.
#pragma once

#include <string_view>

#include "harness/base/one_line.h"
#include "harness/base/result.h"

namespace anecheck::npz {

// MakeError with the message on one line.
inline Error OneLineError(ErrorCode code, std::string_view message,
                          uint64_t offset = Error::kNoOffset) {
  return MakeError(code, OneLine(message), offset);
}

}  // namespace anecheck::npz
