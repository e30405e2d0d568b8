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

// Each law parses the file again, and those of text and the JSON form cost a hundred times the
// others. After this call CheckFormatLaws asserts write(parse(x)) is x for every input, the other
// laws and the bound on memory for one in kReaderLawsEvery, and those of text and the JSON form for
// one in kTextLawsEvery of the small inputs, and for as many fewer of the larger ones as these are
// larger, so that a few large ones do not take the time of all. The content of the input chooses,
// so the same input always meets the same laws. Fuzzers call it; replays do not.
void SampleCostlyLaws();
inline constexpr uint32_t kReaderLawsEvery = 16;
inline constexpr uint32_t kTextLawsEvery = 512;
inline constexpr size_t kSmallInput = 128;  // bytes

// Whether the input meets the laws that read it again; whether it meets those of text as well.
bool MeetsReaderLaws(ByteSpan input);
bool MeetsTextLaws(ByteSpan input);

// Every law of a format on one input, valid or not:
// - all functions agree on whether it parses, and an error is one line with an offset inside;
// - write(parse(x)) is x, and so is what the JSON form, taken through text, encodes to;
// - verify names only rules of the format, at offsets inside the file;
// - coverage adds up;
// - under sanitizers, no function holds more memory than a multiple of the input.
// Returns whether the input parses.
bool CheckFormatLaws(const Format& format, ByteSpan input);

}  // namespace anecheck::fuzz
