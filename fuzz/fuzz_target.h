// A fuzz target. Each stands in one libFuzzer binary of its own (`<name>_fuzzer`, in builds with
// ANECHECK_FUZZERS) and, with all others, in `anecheck_fuzz_tool`, which replays corpora.
#pragma once

#include <span>
#include <string_view>

#include "fuzz/words/words.h"
#include "generators/formats/descriptor_generator.h"
#include "harness/formats/format.h"

namespace anecheck::fuzz {

struct FuzzTarget {
  std::string_view name;

  // Asserts the target's laws. False where the input is not one for this target: the fuzzer then
  // does not keep it.
  bool (*check)(ByteSpan input);

  // The laws, by the words that report a broken one.
  std::span<const std::string_view> laws;

  // The words to which the reader of the inputs gives a meaning, for dictionaries; null where an
  // input is a choice stream, in which no word means anything by itself.
  WordTables (*words)() = nullptr;

  // The format of the inputs and its generator, which the structured mutator, the seeds and the
  // dictionary use. Null where inputs are plain bytes or the choice stream of a generator, whose
  // every edit is a small change anyway.
  const Format* format = nullptr;
  const DescriptorGenerator* generator = nullptr;

  // An input drawn from choices, if it is not one of `generator`.
  Bytes (*generate)(ChoiceStream& choices) = nullptr;

  // For inputs that are choice streams: makes the draws that `check` makes, and nothing else, so
  // that crossovers cut streams between draws.
  void (*draw)(ChoiceStream& choices) = nullptr;
};

// Every target of this executable, sorted by name.
std::span<const FuzzTarget* const> AllTargets();
// Null where there is none of that name.
const FuzzTarget* FindTarget(std::string_view name);

}  // namespace anecheck::fuzz
