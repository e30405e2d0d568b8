// A fuzz target. Each target is linked into a libFuzzer binary (`<name>_fuzzer`, in builds with
// ANECHECK_FUZZERS), and all targets into `anecheck_fuzz_tool`, which replays corpora.
#pragma once

#include <span>
#include <string_view>

#include "fuzz/words/words.h"
#include "generators/formats/descriptor_generator.h"
#include "harness/formats/format.h"

namespace anecheck::fuzz {

struct FuzzTarget {
  std::string_view name;

  // Asserts the target's laws. Returns false if the input is unsuitable for this target; the fuzzer
  // then does not keep it.
  bool (*check)(ByteSpan input);

  // The laws, as the texts that report a broken law.
  std::span<const std::string_view> laws;

  // The words that have a meaning for the reader of the inputs, for dictionaries. Null if an input
  // is a choice stream, in which words have no meaning.
  WordTables (*words)() = nullptr;

  // The format of the inputs and its generator, which the structured mutator, the seeds and the
  // dictionary use. Null if inputs are plain bytes or the choice stream of a generator: every edit
  // of a choice stream is a small change of its result.
  const Format* format = nullptr;
  const DescriptorGenerator* generator = nullptr;

  // Draws an input, if inputs do not come from `generator`.
  Bytes (*generate)(ChoiceStream& choices) = nullptr;

  // For choice streams: makes the same draws as `check`, without checking, so that crossovers cut
  // streams between draws.
  void (*draw)(ChoiceStream& choices) = nullptr;
};

// Every target of this executable, sorted by name.
std::span<const FuzzTarget* const> AllTargets();
// Null if no target has that name.
const FuzzTarget* FindTarget(std::string_view name);

}  // namespace anecheck::fuzz
