// The laws of the netweights format over generated and damaged files, and the golden text of one.
#include "generators/formats/netweights/netweights_generator.h"

#include <gtest/gtest.h>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/weightblob/netweights_format.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_netweights.generate(choices);
}

TEST(NetweightsGenerator, MakesValidFiles) {
  testing::ExpectValidFiles(kFormat_netweights, kGenerator_netweights, 100);
}

TEST(NetweightsGenerator, MutationsDoWhatTheySay) {
  testing::ExpectMutationsDoWhatTheySay(kFormat_netweights, kGenerator_netweights, 40);
}

TEST(NetweightsGenerator, BreaksEveryRule) {
  testing::ExpectEveryRuleIsBroken(kFormat_netweights, kGenerator_netweights);
}

TEST(NetweightsGenerator, DamageDoesNoHarm) {
  testing::ExpectHarmlessDamage(kFormat_netweights, Generated(1), 7);
  testing::ExpectHarmlessJson(kFormat_netweights, Generated(1));
}

TEST(NetweightsGenerator, GoldenText) {
  const Result<std::string> golden =
      ReadTextFile(testing::SourcePath("generators/formats/netweights/golden_seed_7.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(kFormat_netweights.print(Generated(7)).value(), *golden);
}

}  // namespace
}  // namespace anecheck
