// Decodes task streams of one coding as each generation that uses this coding. This file is
// compiled once for each coding, with ANECHECK_FUZZ_CODING (an enumerator of td::Coding) and
// ANECHECK_FUZZ_NAME. The target of the td format calls the decoders less often, because that
// format first guesses the generation.
#include <algorithm>
#include <utility>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/td/td_generator.h"
#include "harness/base/json.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/td/td.h"

#define ANECHECK_FUZZ_JOIN_INNER(a, b) a##b
#define ANECHECK_FUZZ_JOIN(a, b) ANECHECK_FUZZ_JOIN_INNER(a, b)
#define ANECHECK_FUZZ_TEXT_INNER(a) #a
#define ANECHECK_FUZZ_TEXT(a) ANECHECK_FUZZ_TEXT_INNER(a)

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    MoreLaws(kErrorLaws, "a chain prints", "the JSON form reads", "encode(json(x)) is x",
             "violations point into the input", "coverage adds up", "decoded writes encode",
             "encode(decode(x)) is x");
using Laws = LawBook<kLaws>;

constexpr td::Coding kCoding = td::Coding::ANECHECK_FUZZ_CODING;

void CheckTexts(const td::Chain& chain, ByteSpan input) {
  Laws::Require(!td::PrintChain(chain, 0).empty(), "a chain prints");
  const auto reread = td::ChainFromJson(td::ChainToJson(chain));
  Laws::Require(reread.ok(), "the JSON form reads", reread.ok() ? "" : reread.error().message);
  const auto again = td::Encode(*reread);
  Laws::Require(again.ok() && std::ranges::equal(*again, input), "encode(json(x)) is x");
}

void CheckReaders(const td::Chain& chain, ByteSpan input) {
  const std::vector<Violation> violations = td::VerifyChain(chain);
  for (const Violation& violation : violations) {
    Laws::Require(violation.offset == Error::kNoOffset || violation.offset <= input.size(),
                  "violations point into the input", violation.message);
  }
  td::RegisterState state;
  for (const td::Task& task : chain.tasks) state.Apply(task);
  (void)td::Summarise(*chain.generation, state);
  ByteKindMap map(input);
  td::ClaimChain(chain, 0, &map);
  const ByteCounts coverage = std::move(map).Count();
  Laws::Require(coverage.typed + coverage.fill + coverage.payload <= input.size(),
                "coverage adds up");
}

void CheckChain(const td::Chain& chain, ByteSpan input) {
  const auto encoded = td::Encode(chain);
  Laws::Require(encoded.ok(), "decoded writes encode", encoded.ok() ? "" : encoded.error().message);
  Laws::Require(std::ranges::equal(*encoded, input), "encode(decode(x)) is x");
  if (MeetsReaderLaws(input)) CheckReaders(chain, input);
  if (MeetsTextLaws(input)) CheckTexts(chain, input);
}

bool Check(ByteSpan input) {
  for (const td::Generation& generation : td::Generations()) {
    if (generation.coding != kCoding) continue;
    const auto chain = td::Decode(input, generation);
    if (!chain.ok()) {
      RequireGoodError(chain.error(), input.size());
      continue;
    }
    CheckChain(*chain, input);
  }
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  std::vector<const td::Generation*> generations;
  for (const td::Generation& generation : td::Generations()) {
    if (generation.coding == kCoding) generations.push_back(&generation);
  }
  const td::Generation& generation = *choices.Pick(generations);
  return td::Encode(GenerateChain(generation, choices)).value();
}

}  // namespace

extern const FuzzTarget ANECHECK_FUZZ_JOIN(kTarget_, ANECHECK_FUZZ_NAME);
const FuzzTarget ANECHECK_FUZZ_JOIN(kTarget_, ANECHECK_FUZZ_NAME) = {
    .name = ANECHECK_FUZZ_TEXT(ANECHECK_FUZZ_NAME),
    .check = Check,
    .laws = kLaws,
    .words = [] { return WordTables{words::RegisterRuns(kCoding)}; },
    .format = &kFormat_td,
    .generator = &kGenerator_td,
    .generate = Generate};

}  // namespace anecheck::fuzz
