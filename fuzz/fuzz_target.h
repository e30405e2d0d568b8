// A fuzz target. Each target is linked into its own libFuzzer binary (`<name>_fuzzer`, in builds
// with ANECHECK_FUZZERS). All targets are linked into `anecheck_fuzz_tool`, which replays corpora.
#pragma once

#include <span>
#include <string_view>

#include "fuzz/words/words.h"
#include "generators/formats/descriptor_generator.h"
#include "harness/formats/format.h"

namespace anecheck::fuzz {

struct FuzzTarget {
  std::string_view name;

  // Asserts the target's laws. Returns false if the input is unsuitable for this target. The fuzzer
  // does not keep such an input.
  bool (*check)(ByteSpan input);

  // The texts of the laws. Reports of broken laws contain these texts.
  std::span<const std::string_view> laws;

  // Returns the words for dictionaries, which have a meaning in inputs. Null if an input is a
  // choice stream, because words have no meaning there.
  WordTables (*words)() = nullptr;

  // The format of the inputs and its generator, which the structured mutator, the seeds and the
  // dictionary use. Null if inputs are plain bytes or choice streams. A choice stream needs no
  // structured edits, because every edit of its bytes is a small change of the result.
  const Format* format = nullptr;
  const DescriptorGenerator* generator = nullptr;

  // Draws an input. Set if inputs do not come from `generator`.
  Bytes (*generate)(ChoiceStream& choices) = nullptr;

  // Set if inputs are choice streams. Makes the same draws as `check` without checks, so that
  // crossovers can cut streams between draws.
  void (*draw)(ChoiceStream& choices) = nullptr;
};

// Every target of this executable, sorted by name.
std::span<const FuzzTarget* const> AllTargets();
// Returns the target called `name`, or null if there is none.
const FuzzTarget* FindTarget(std::string_view name);

}  // namespace anecheck::fuzz
