// The laws of the firmware format over generated and damaged files, and the golden text of
// one.

#include "generators/formats/firmware/firmware_generator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/firmware/firmware.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_firmware.generate(choices);
}

TEST(FirmwareGenerator, MakesValidFiles) {
  testing::ExpectValidFiles(kFormat_firmware, kGenerator_firmware, 150);
}

TEST(FirmwareGenerator, MutationsDoWhatTheySay) {
  testing::ExpectMutationsDoWhatTheySay(kFormat_firmware, kGenerator_firmware, 40);
}

TEST(FirmwareGenerator, BreaksEveryRule) {
  testing::ExpectEveryRuleIsBroken(kFormat_firmware, kGenerator_firmware);
}

TEST(FirmwareGenerator, MakesBothFormsAndEveryCommand) {
  std::set<uint32_t> ids;
  size_t packages = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const Bytes bytes = Generated(seed);
    if (firmware::IsPackage(bytes)) {
      ++packages;
    } else {
      ids.insert(firmware::ParseCommand(bytes).value().id);
    }
  }
  EXPECT_GT(packages, 1000u);
  EXPECT_GE(ids.size(), 120u) << "of 134 ids in both numberings";
}

TEST(FirmwareFormat, DamageDoesNoHarm) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    testing::ExpectHarmlessDamage(kFormat_firmware, Generated(seed));
    testing::ExpectHarmlessJson(kFormat_firmware, Generated(seed));
  }
}

TEST(FirmwareFormat, GoldenText) {
  const Result<std::string> golden =
      ReadTextFile(testing::SourcePath("generators/formats/firmware/golden_seed_5.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(kFormat_firmware.print(Generated(5)).value(), *golden);
}

RC_GTEST_PROP(FirmwareGenerator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const Result<std::vector<Violation>> violations =
      kFormat_firmware.verify(kGenerator_firmware.generate(choices));
  RC_ASSERT(violations.ok());
  RC_ASSERT(violations->empty());
}

}  // namespace
}  // namespace anecheck
