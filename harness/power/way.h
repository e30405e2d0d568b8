// The ways in which the harness sees the engine of a hunt. Judging depends on the way: a real
// engine is also judged by terms that were never measured on its family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/verdict/words.h"

namespace anecheck {

enum class Way : uint8_t {
  kMarked,    // as the simulated engine
  kUnmarked,  // the simulated engine without its mark, so it is judged as a real one
  kExec,      // a program of the exec protocol
};

template <>
struct Words<Way> {
  static constexpr std::string_view kConcept = "way";
  static constexpr auto kTexts = std::to_array<std::string_view>({"marked", "unmarked", "exec"});
};

}  // namespace anecheck
