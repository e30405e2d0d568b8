// Generated and damaged chains have the properties that every td file must have.
#include "generators/formats/td/td_generator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/json.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_td.generate(choices);
}

TEST(TdGenerator, MakesValidChains) { testing::ExpectValidFiles(kFormat_td, kGenerator_td, 150); }

TEST(TdGenerator, MutationsKeepTheirPromises) {
  testing::ExpectMutationsKeepTheirPromises(kFormat_td, kGenerator_td, 60);
}

TEST(TdGenerator, CoversGenerationsCodingsAndPadding) {
  std::set<uint32_t> versions;
  std::set<size_t> tasks;
  bool sparse = false;
  bool padding = false;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const td::Chain chain = td::DecodeAnyVersion(Generated(seed)).value();
    versions.insert(chain.generation->version);
    tasks.insert(chain.tasks.size());
    for (const td::Task& task : chain.tasks) {
      padding |= task.padding != 0;
      for (const td::RegisterWrite& write : task.writes) sparse |= write.sparse;
    }
  }
  EXPECT_GE(versions.size(), 5u);
  EXPECT_EQ(tasks, (std::set<size_t>{1, 2, 3, 4}));
  EXPECT_TRUE(sparse);
  EXPECT_TRUE(padding);
}

// If a chain is decoded as its own generation, the result equals the chain that was encoded.
TEST(TdGenerator, DecodeIsTheInverseOfEncodeForEachGeneration) {
  for (const td::Generation& generation : td::Generations()) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      const td::Chain chain = GenerateChain(generation, choices);
      const Bytes bytes = td::Encode(chain).value();
      const td::Chain again = td::Decode(bytes, generation).value();
      ASSERT_EQ(again.tasks.size(), chain.tasks.size());
      for (size_t i = 0; i < chain.tasks.size(); ++i) {
        EXPECT_EQ(again.tasks[i].offset, chain.tasks[i].offset);
        EXPECT_EQ(again.tasks[i].header, chain.tasks[i].header);
        EXPECT_EQ(again.tasks[i].values, chain.tasks[i].values);
        ASSERT_EQ(again.tasks[i].writes.size(), chain.tasks[i].writes.size());
        for (size_t k = 0; k < chain.tasks[i].writes.size(); ++k) {
          EXPECT_EQ(again.tasks[i].writes[k].byte_address, chain.tasks[i].writes[k].byte_address);
          EXPECT_EQ(again.tasks[i].writes[k].mask, chain.tasks[i].writes[k].mask);
        }
      }
      const std::vector<Violation> violations = td::VerifyChain(again);
      for (const Violation& violation : violations) {
        EXPECT_EQ(violation.rule->id, "td-header-open") << violation.message;
      }
    }
  }
}

// A bare section does not state its version. The reader must choose the correct one or list it.
TEST(TdGenerator, TheVersionOfABareChainIsChosenOrNamedAsAnAlternative) {
  int guessed_wrongly = 0;
  for (const td::Generation& generation : td::Generations()) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      const Bytes bytes = td::Encode(GenerateChain(generation, choices)).value();
      const td::Chain chain = td::DecodeAnyVersion(bytes).value();
      if (chain.generation == &generation) continue;
      ++guessed_wrongly;
      EXPECT_EQ(std::ranges::count(chain.other_generations, &generation), 1);
      const auto violations = kFormat_td.verify(bytes).value();
      EXPECT_EQ(std::ranges::count(violations, "td-version-open",
                                   [](const Violation& v) { return v.rule->id; }),
                1);
    }
  }
  EXPECT_GT(guessed_wrongly, 0);
}

TEST(TdFormat, DamagedFilesDoNotCrash) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    testing::ExpectHarmlessDamage(kFormat_td, Generated(seed), 37);
  }
  testing::ExpectHarmlessJson(kFormat_td, Generated(2));
}

RC_GTEST_PROP(TdGenerator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const auto violations = kFormat_td.verify(kGenerator_td.generate(choices));
  RC_ASSERT(violations.ok());
  RC_ASSERT(std::ranges::all_of(*violations, &Violation::IsWarning));
}

RC_GTEST_PROP(TdFormat, NoiseThatParsesRoundTrips, (const std::vector<uint32_t>& words)) {
  Bytes bytes;
  for (const uint32_t word : words) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }
  const auto rewritten = kFormat_td.rewrite(bytes);
  if (rewritten.ok()) RC_ASSERT(*rewritten == bytes);
}

}  // namespace
}  // namespace anecheck
