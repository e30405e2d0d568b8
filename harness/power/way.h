// The ways in which a hunt presents its engine to the harness. The judgement depends on the way,
// because terms that were not measured on a family apply only to a real engine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/verdict/words.h"

namespace anecheck {

enum class Way : uint8_t {
  kMarked,    // the simulated engine
  kUnmarked,  // the simulated engine without its mark, judged like a real engine
  kExec,      // a program of the exec protocol
};

template <>
struct Words<Way> {
  static constexpr std::string_view kConcept = "way";
  static constexpr auto kTexts = std::to_array<std::string_view>({"marked", "unmarked", "exec"});
};

}  // namespace anecheck
