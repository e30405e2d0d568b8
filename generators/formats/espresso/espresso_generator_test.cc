// The laws of the espresso format over generated and damaged files, and the golden text of one.
#include "generators/formats/espresso/espresso_generator.h"

#include <gtest/gtest.h>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/espresso/espresso.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_espresso.generate(choices);
}

TEST(EspressoGenerator, MakesValidFiles) {
  testing::ExpectValidFiles(kFormat_espresso, kGenerator_espresso, 100);
}

TEST(EspressoGenerator, MutationsDoWhatTheySay) {
  testing::ExpectMutationsDoWhatTheySay(kFormat_espresso, kGenerator_espresso, 40);
}

TEST(EspressoGenerator, BreaksEveryRule) {
  testing::ExpectEveryRuleIsBroken(kFormat_espresso, kGenerator_espresso);
}

TEST(EspressoGenerator, DamageDoesNoHarm) {
  testing::ExpectHarmlessDamage(kFormat_espresso, Generated(1), 7);
  testing::ExpectHarmlessJson(kFormat_espresso, Generated(1));
}

TEST(EspressoGenerator, GoldenText) {
  const Result<std::string> golden =
      ReadTextFile(testing::SourcePath("generators/formats/espresso/golden_seed_7.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(kFormat_espresso.print(Generated(7)).value(), *golden);
}

}  // namespace
}  // namespace anecheck
