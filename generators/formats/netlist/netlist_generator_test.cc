// The laws of the netlist format over generated and damaged files, and the golden text of one.
#include "generators/formats/netlist/netlist_generator.h"

#include <gtest/gtest.h>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/netlist/netlist_format.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_netlist.generate(choices);
}

TEST(NetlistGenerator, MakesValidFiles) {
  testing::ExpectValidFiles(kFormat_netlist, kGenerator_netlist, 100);
}

TEST(NetlistGenerator, MutationsDoWhatTheySay) {
  testing::ExpectMutationsDoWhatTheySay(kFormat_netlist, kGenerator_netlist, 40);
}

TEST(NetlistGenerator, BreaksEveryRule) {
  testing::ExpectEveryRuleIsBroken(kFormat_netlist, kGenerator_netlist);
}

TEST(NetlistGenerator, DamageDoesNoHarm) {
  testing::ExpectHarmlessDamage(kFormat_netlist, Generated(1), 7);
  testing::ExpectHarmlessJson(kFormat_netlist, Generated(1));
}

TEST(NetlistGenerator, GoldenText) {
  const Result<std::string> golden =
      ReadTextFile(testing::SourcePath("generators/formats/netlist/golden_seed_7.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(kFormat_netlist.print(Generated(7)).value(), *golden);
}

}  // namespace
}  // namespace anecheck
