#include "harness/verdict/words.h"

#include <fmt/ranges.h>

namespace anecheck {

Error UnknownWord(std::string_view text, std::string_view kind,
                  std::span<const std::string_view> known) {
  return MakeError(ErrorCode::kInvalid, fmt::format("\"{}\" is no {}: give one of {}", text, kind,
                                                    fmt::join(known, ", ")));
}

}  // namespace anecheck
