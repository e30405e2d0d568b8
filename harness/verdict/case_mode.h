// The purpose of a generated case.
#pragma once

#include <cstdint>

#include "harness/verdict/words.h"

namespace anecheck {

// The mode determines the operations, constants and input values.
enum class CaseMode : uint8_t {
  kInteger,       // every value an integer of magnitude up to 2048: judged by bit equality
  kFloat,         // conditioned values of mixed magnitude
  kCancellation,  // sums whose terms nearly cancel
  kSpecial,       // infinities, NaN, signed zeros, subnormals
  kBoundary,      // magnitudes at the edges of fp16 and of the accumulator port
  kLargeAxis,     // one long reduction
  kCompressed,    // weights stored as compressed constants
  kState,         // values written into resident states and read again
  kShapeRanges,   // whole numbers in shapes at the limits of targets
  kMustReject,    // one rule of legality broken; drawn by must_reject.h, never by GenerateGraph
  kMetamorphic,   // a second graph beside it that must agree (oracles/metamorphic)
};

template <>
struct Words<CaseMode> {
  static constexpr std::string_view kConcept = "mode";
  static constexpr auto kTexts = std::to_array<std::string_view>(
      {"integer", "float", "cancellation", "special", "boundary", "large-axis", "compressed",
       "state", "shape-ranges", "must-reject", "metamorphic"});
};
inline constexpr size_t kCaseModeCount = Words<CaseMode>::kTexts.size();

}  // namespace anecheck
