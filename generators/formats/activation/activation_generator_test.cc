// The laws of the activation format over generated and damaged files, and the golden text of one.
#include "generators/formats/activation/activation_generator.h"

#include <gtest/gtest.h>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/activation/record.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_activation.generate(choices);
}

TEST(ActivationGenerator, MakesValidFiles) {
  testing::ExpectValidFiles(kFormat_activation, kGenerator_activation, 100);
}

TEST(ActivationGenerator, MutationsDoWhatTheySay) {
  testing::ExpectMutationsDoWhatTheySay(kFormat_activation, kGenerator_activation, 40);
}

TEST(ActivationGenerator, BreaksEveryRule) {
  testing::ExpectEveryRuleIsBroken(kFormat_activation, kGenerator_activation);
}

TEST(ActivationGenerator, DamageDoesNoHarm) {
  testing::ExpectHarmlessDamage(kFormat_activation, Generated(1), 7);
  testing::ExpectHarmlessJson(kFormat_activation, Generated(1));
}

TEST(ActivationGenerator, GoldenText) {
  const Result<std::string> golden =
      ReadTextFile(testing::SourcePath("generators/formats/activation/golden_seed_7.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(kFormat_activation.print(Generated(7)).value(), *golden);
}

}  // namespace
}  // namespace anecheck
