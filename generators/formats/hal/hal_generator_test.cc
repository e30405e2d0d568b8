// The laws of the hal format over generated and damaged tables, and the golden text of one.

#include "generators/formats/hal/hal_generator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/hal/hal.h"

namespace anecheck {
namespace {

using ::anecheck::testing::SourcePath;

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_hal.generate(choices);
}

TEST(HalGenerator, MakesValidTables) { testing::ExpectValidFiles(kFormat_hal, kGenerator_hal, 60); }

TEST(HalGenerator, MutationsDoWhatTheySay) {
  testing::ExpectMutationsDoWhatTheySay(kFormat_hal, kGenerator_hal, 6);
}

TEST(HalGenerator, BreaksEveryRule) {
  testing::ExpectEveryRuleIsBroken(kFormat_hal, kGenerator_hal);
}

TEST(HalGenerator, CoversEveryTier) {
  std::set<uint64_t> counts;
  std::set<uint64_t> cores;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const HalBlob blob = HalBlob::Parse(Generated(seed)).value();
    counts.insert(blob.Scalar(0x668).value());
    cores.insert(blob.Scalar(0x238).value());
  }
  EXPECT_EQ(counts, (std::set<uint64_t>{0, 3, 13, 14, 16}));
  EXPECT_EQ(cores, (std::set<uint64_t>{1, 4, 8, 16, 32, 64}));
}

TEST(HalFormat, DamageDoesNoHarm) {
  testing::ExpectHarmlessDamage(kFormat_hal, Generated(1), 29);
  testing::ExpectHarmlessJson(kFormat_hal, Generated(1));
}

TEST(HalFormat, GoldenText) {
  const Result<std::string> golden =
      ReadTextFile(SourcePath("generators/formats/hal/golden_seed_7.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(kFormat_hal.print(Generated(7)).value(), *golden);
}

RC_GTEST_PROP(HalGenerator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const Result<std::vector<Violation>> violations =
      kFormat_hal.verify(kGenerator_hal.generate(choices));
  RC_ASSERT(violations.ok());
  RC_ASSERT(violations->empty());
}

}  // namespace
}  // namespace anecheck
