// Adapters for RapidCheck. Properties may take graphs, graphs with inputs, and files of every
// format. The generators draw each value from a vector of bytes through a choice stream, so
// RapidCheck makes a value smaller by shrinking its vector. This header is part of the installed
// package and needs the library rapidcheck.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <ostream>
#include <rapidcheck.h>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/formats/registry/registry.h"
#include "generators/graph_generator.h"
#include "generators/repair/non_vacuous.h"
#include "generators/shrink/edit.h"
#include "harness/base/json.h"
#include "harness/graph/json.h"

namespace anecheck {

// A format's name as a template argument: FileOf<"hwx">.
template <size_t N>
struct FormatName {
  char text[N]{};
  constexpr FormatName(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT
  constexpr std::string_view view() const { return {text, N - 1}; }
};

// Whether generators/formats/generators.def lists a format of that name.
consteval bool HasGenerator(std::string_view name) {
#define ANECHECK_GENERATOR(format) \
  if (name == #format) return true;
#include "generators/formats/generators.def"
#undef ANECHECK_GENERATOR
  return false;
}

template <FormatName Name>
concept GeneratedFormat = HasGenerator(Name.view());

// A valid file of a format. The file parses and breaks no rule. A name that
// generators/formats/generators.def does not list does not compile.
template <FormatName Name>
  requires GeneratedFormat<Name>
struct FileOf {
  Bytes bytes;
};

// A file after one to three mutations of its format's generator. Some files then break a rule, and
// some do not parse.
template <FormatName Name>
  requires GeneratedFormat<Name>
struct MutatedFileOf {
  Bytes bytes;
};

namespace arbitrary {

// Bytes for choice streams. The vectors are longer than RapidCheck's default sizes, because an
// exhausted stream gives only the simplest choices.
inline rc::Gen<std::vector<uint8_t>> Choices(size_t most = 512) {
  return rc::gen::mapcat(rc::gen::inRange<size_t>(0, most + 1), [](size_t count) {
    return rc::gen::container<std::vector<uint8_t>>(
        count, rc::gen::map(rc::gen::inRange<int>(0, 256),
                            [](int value) { return static_cast<uint8_t>(value); }));
  });
}

// Choices, followed by thousands of bytes expanded from one seed. Graphs and their tensors need
// more bytes than RapidCheck can shrink in reasonable time. The seed shrinks to 0, which adds no
// bytes.
inline rc::Gen<std::vector<uint8_t>> LongChoices() {
  const auto lengthened = [](uint64_t seed, std::vector<uint8_t> bytes) {
    constexpr size_t kTail = 16384;
    ChoiceStream tail = ChoiceStream::FromSeed(seed);
    for (size_t i = 0; seed != 0 && i < kTail; ++i) {
      bytes.push_back(static_cast<uint8_t>(tail.Below(256)));
    }
    return bytes;
  };
  return rc::gen::apply(lengthened, rc::gen::arbitrary<uint64_t>(), Choices());
}

// Returns the case that a campaign makes from these choices. GenerateGraph and GenerateInputs draw
// the case with `options`. The case is then repaired, until for every output some change of the
// inputs changes the output by more than its bound (generators/repair).
inline GraphCase DrawCase(const GeneratorOptions& options, const std::vector<uint8_t>& bytes) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  GraphCase item;
  GenerateGraph(choices, options, item.graph);
  item.inputs = GenerateInputs(choices, item.graph, options.mode);
  // Operations of kNoFamily must be as exact as IEEE requires.
  const Contract& contract =
      options.family == kNoFamily ? IeeeContract() : ConformingContract(options.family);
  CaseRepair repair;
  std::vector<Estimate> expected;
  GraphCase repaired = item;
  const auto proof =
      repair.Run(choices, options.mode, contract, repaired.graph, repaired.inputs, expected);
  return proof.ok() ? repaired : item;
}

// Valid graphs with inputs, as campaigns draw them with `options`.
inline rc::Gen<GraphCase> Graphs(GeneratorOptions options = {}) {
  return rc::gen::map(LongChoices(), [options](const std::vector<uint8_t>& bytes) {
    return DrawCase(options, bytes);
  });
}

// Valid files of the format, or empty files if no generator has that name.
inline rc::Gen<Bytes> Files(std::string_view format) {
  const DescriptorGenerator* generator = FindGenerator(format);
  return rc::gen::map(Choices(), [generator](const std::vector<uint8_t>& bytes) {
    ChoiceStream choices = ChoiceStream::FromBytes(bytes);
    return generator == nullptr ? Bytes() : generator->generate(choices);
  });
}

// Files of the format after up to three mutations.
inline rc::Gen<Bytes> MutatedFiles(std::string_view format) {
  const DescriptorGenerator* generator = FindGenerator(format);
  return rc::gen::map(Choices(), [generator](const std::vector<uint8_t>& bytes) {
    ChoiceStream choices = ChoiceStream::FromBytes(bytes);
    if (generator == nullptr) return Bytes();
    const uint64_t mutations = 1 + choices.Below(3);
    uint64_t kinds[3] = {};
    for (uint64_t& kind : kinds) kind = choices.Below(generator->mutations.size());
    Bytes file = generator->generate(choices);
    for (uint64_t i = 0; i < mutations && !generator->mutations.empty(); ++i) {
      const MutationKind& kind = generator->mutations[kinds[i]];
      const auto mutation = kind.propose(file, choices);
      if (!mutation) continue;
      Result<Bytes> changed = kind.apply(file, *mutation);
      if (changed.ok()) file = std::move(changed).value();
    }
    return file;
  });
}

}  // namespace arbitrary

// Writes the text that RapidCheck prints for a counterexample.
inline void showValue(const Graph& graph, std::ostream& out) { out << GraphToJson(graph).dump(1); }
inline void showValue(const GraphCase& item, std::ostream& out) { showValue(item.graph, out); }
template <FormatName Name>
  requires GeneratedFormat<Name>
void showValue(const FileOf<Name>& file, std::ostream& out) {
  out << Name.view() << " of " << file.bytes.size() << " bytes";
}
template <FormatName Name>
  requires GeneratedFormat<Name>
void showValue(const MutatedFileOf<Name>& file, std::ostream& out) {
  out << "mutated " << Name.view() << " of " << file.bytes.size() << " bytes";
}

}  // namespace anecheck

namespace rc {

template <>
struct Arbitrary<anecheck::GraphCase> {
  static Gen<anecheck::GraphCase> arbitrary() { return anecheck::arbitrary::Graphs(); }
};

template <>
struct Arbitrary<anecheck::Graph> {
  static Gen<anecheck::Graph> arbitrary() {
    return gen::map(anecheck::arbitrary::Graphs(),
                    [](anecheck::GraphCase item) { return std::move(item.graph); });
  }
};

template <anecheck::FormatName Name>
  requires anecheck::GeneratedFormat<Name>
struct Arbitrary<anecheck::FileOf<Name>> {
  static Gen<anecheck::FileOf<Name>> arbitrary() {
    return gen::map(anecheck::arbitrary::Files(Name.view()),
                    [](anecheck::Bytes bytes) { return anecheck::FileOf<Name>{std::move(bytes)}; });
  }
};

template <anecheck::FormatName Name>
  requires anecheck::GeneratedFormat<Name>
struct Arbitrary<anecheck::MutatedFileOf<Name>> {
  static Gen<anecheck::MutatedFileOf<Name>> arbitrary() {
    return gen::map(anecheck::arbitrary::MutatedFiles(Name.view()), [](anecheck::Bytes bytes) {
      return anecheck::MutatedFileOf<Name>{std::move(bytes)};
    });
  }
};

}  // namespace rc
