// Tests that generated and damaged files have the properties that every npz file must have.
#include "generators/formats/npz/npz_generator.h"

#include <gtest/gtest.h>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/formats/npz/npz_format.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_npz.generate(choices);
}

TEST(NpzGenerator, MakesValidFiles) { testing::ExpectValidFiles(kFormat_npz, kGenerator_npz, 100); }

TEST(NpzGenerator, EachMutationAppliesAndBreaksOnlyItsRule) {
  for (const MutationKind& kind : kGenerator_npz.mutations) {
    int applied = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      const Bytes file = kGenerator_npz.generate(choices);
      const std::optional<Mutation> mutation = kind.propose(file, choices);
      if (!mutation) continue;
      ++applied;
      const Bytes mutated = kind.apply(file, *mutation).value();
      EXPECT_NE(mutated, file) << kind.id;
      EXPECT_EQ(kind.apply(file, *mutation).value(), mutated) << kind.id;
      if (kind.breaks_rule.empty()) continue;
      const auto violations = kFormat_npz.verify(mutated);
      ASSERT_TRUE(violations.ok()) << kind.id << ": " << violations.error().message;
      EXPECT_FALSE(violations->empty()) << kind.id << " seed " << seed;
      for (const Violation& violation : *violations) {
        EXPECT_EQ(violation.rule->id, kind.breaks_rule) << kind.id << ": " << violation.message;
      }
    }
    EXPECT_GT(applied, 0) << kind.id;
  }
}

TEST(NpzGenerator, DamagedFilesDoNotCrash) {
  testing::ExpectHarmlessDamage(kFormat_npz, Generated(1), 7);
  testing::ExpectHarmlessJson(kFormat_npz, Generated(1));
}

}  // namespace
}  // namespace anecheck
