// The laws that fuzz targets assert. A broken law ends the process with one line on standard error
// that names it, which libFuzzer, the replays and `scripts/nightly` all take as a finding.
#pragma once

#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::fuzz {

// "law broken: <law>: <detail>" and abort().
[[noreturn]] void FailLaw(std::string_view law, std::string_view detail);

inline void Require(bool holds, std::string_view law, std::string_view detail = {}) {
  if (!holds) FailLaw(law, detail);
}

// An error that a user can act upon: one line, not empty, its offset inside the input.
void RequireGoodError(const Error& error, size_t input_size);

// Each law parses the file again, and those of text and the JSON form cost many times the others.
// After this call CheckFormatLaws asserts write(parse(x)) is x for every input, the other laws and
// the bound on memory for one in kReaderLawsEvery, and those of text and the JSON form for one in
// kTextLawsEvery. The content of the input chooses, so the same input always meets the same laws.
// Fuzzers call it; replays do not.
void SampleCostlyLaws();
inline constexpr uint32_t kReaderLawsEvery = 16;
inline constexpr uint32_t kTextLawsEvery = 512;

// Whether SampleCostlyLaws leaves the input among the one in `every`, a power of two. The inputs
// of a larger `every` are among those of each smaller one.
bool IsSampled(ByteSpan input, uint32_t every);

// Every law of a format on one input, valid or not:
// - all functions agree on whether it parses, and an error is one line with an offset inside;
// - write(parse(x)) is x, and so is what the JSON form, taken through text, encodes to;
// - verify names only rules of the format, at offsets inside the file;
// - coverage adds up;
// - under sanitizers, no function holds more memory than a multiple of the input.
// Returns whether the input parses.
bool CheckFormatLaws(const Format& format, ByteSpan input);

}  // namespace anecheck::fuzz
