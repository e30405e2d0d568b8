// The laws that fuzz targets assert. A law is a property that must hold for every input. A broken
// law ends the process with one line on standard error that names the law. libFuzzer, the replays
// and `scripts/nightly` treat this as a finding.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "harness/formats/format.h"

namespace anecheck::fuzz {

// Prints "law broken: <law> [<target>]: <detail>" and aborts. The target in brackets appears only
// after TellTarget().
[[noreturn]] void FailLaw(std::string_view law, std::string_view detail);

// Sets the target that later messages name. A law that two targets break gives two findings.
void TellTarget(std::string_view target);

// Starts to count the checks of each law, from 0. Fuzzers do not call it. Not thread-safe.
void CountLaws();
// Returns the number of checks of each law since CountLaws(), by the text of the law.
const std::map<std::string_view, uint64_t>& LawCounts();

// An array of laws.
template <typename... Words>
constexpr std::array<std::string_view, sizeof...(Words)> LawList(Words... words) {
  return {words...};
}
// An array of `laws` and of further laws.
template <size_t kCount, typename... Words>
constexpr auto MoreLaws(const std::array<std::string_view, kCount>& laws, Words... words) {
  std::array<std::string_view, kCount + sizeof...(Words)> all = {};
  std::ranges::copy(LawList(words...), std::ranges::copy(laws, all.begin()).out);
  return all;
}

// The kinds of laws checked since laws_met was last set to {}.
struct LawsMet {
  bool compared = false;    // a law that is not in kErrorLaws was checked
  bool read_again = false;  // laws that read the input again were checked
  bool as_text = false;     // laws of text and the JSON form were checked
};
inline LawsMet laws_met;

// The laws for errors, which make sure that a user can act upon the message. A message is not empty
// and has one line, and its offset lies inside the input.
inline constexpr auto kErrorLaws =
    LawList("errors have a message", "errors are one line", "errors point into the input",
            "input is never an internal error");
void RequireGoodError(const Error& error, size_t input_size);

namespace law_internal {

inline bool counting = false;
void Count(std::string_view law);

}  // namespace law_internal

// Checks the laws of a target. kLaws is the array of their texts. A call with a law that is not in
// the array does not compile, so the list of a target (FuzzTarget::laws) is complete.
template <const auto& kLaws>
struct LawBook {
  struct Law {
    std::string_view words;
    bool compares = false;
    // NOLINTNEXTLINE(google-explicit-constructor): laws are written as literals
    consteval Law(const char* text)
        : words(text), compares(std::ranges::find(kErrorLaws, words) == kErrorLaws.end()) {
      if (std::ranges::find(kLaws, words) == std::end(kLaws)) throw "no law of this target";
    }
  };

  static void Require(bool holds, Law law, std::string_view detail = {}) {
    Note(law);
    if (!holds) FailLaw(law.words, detail);
  }
  // As above, but `detail` returns the detail and is called only if the law is broken.
  template <std::invocable Detail>
  static void Require(bool holds, Law law, const Detail& detail) {
    Note(law);
    if (!holds) FailLaw(law.words, detail());
  }

 private:
  static void Note(Law law) {
    if (law_internal::counting) law_internal::Count(law.words);
    laws_met.compared |= law.compares;
  }
};

// Turns on the sampling of costly laws. Each such law parses the file again. Laws of text and the
// JSON form cost five to forty times as much as the others, or a hundred times as much if a small
// file has many fields. After this call, CheckFormatLaws asserts write(parse(x)) is x for every
// input. It asserts the laws of text and the JSON form for one in kTextLawsEvery of the small
// inputs, and the other laws and the bound on memory for one in kReaderLawsEvery. Larger inputs are
// sampled less often, in proportion to their size, so that a few large inputs do not take all the
// time. The rate falls by a factor of at most kFewestTexts (kFewestReaders for the other laws), so
// that inputs as large as real files are checked within a night. The content of the input decides,
// so the same laws are always checked on the same input. Fuzzers call this function, and replays do
// not.
void SampleCostlyLaws();
inline constexpr uint32_t kReaderLawsEvery = 16;
inline constexpr uint64_t kFewestReaders = 4;
inline constexpr uint32_t kTextLawsEvery = 256;
inline constexpr uint64_t kFewestTexts = 32;
inline constexpr size_t kSmallInput = 256;  // bytes

// MeetsReaderLaws returns whether to check the laws that read the input again or read the file
// written from it. MeetsTextLaws returns whether to check also the laws of text. Targets without a
// format use MeetsReaderLaws for their own costly laws.
bool MeetsReaderLaws(ByteSpan input);
bool MeetsTextLaws(ByteSpan input);

// Checks every law of a format on one input, which may be invalid:
// - all functions agree on whether it parses, and an error is one line with an offset inside the
// input;
// - write(parse(x)) is x, and encoding the JSON form that was written as text and read again gives
// x;
// - each field's evidence has a source;
// - verify reports only rules of the format, at offsets inside the file;
// - the byte counts of the coverage add up;
// - under sanitizers, no function holds more memory than a multiple of the input.
// Returns whether the input parses.
bool CheckFormatLaws(const Format& format, ByteSpan input);
inline constexpr auto kFormatLaws =
    MoreLaws(kErrorLaws, "memory is bounded by the input", "write(parse(x)) is x",
             "all functions accept the same files", "recognise gives 0 to 100",
             "violations name a rule of the format", "violations point into the input",
             "violations have a message", "coverage counts the whole file", "coverage adds up",
             "the JSON form is JSON", "facts have a field and a source", "the JSON form encodes",
             "encode(inspect(x)) is x");

}  // namespace anecheck::fuzz
