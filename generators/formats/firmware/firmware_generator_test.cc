// Checks the properties that every generator must have (GeneratorLaws) on the firmware format, with
// generated and damaged files, and compares the text of one file with a golden file.

#include "generators/formats/firmware/firmware_generator.h"

#include <gtest/gtest.h>
#include <set>

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/formats/firmware/firmware.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_firmware.generate(choices);
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
  EXPECT_GE(ids.size(), 120u) << "nearly all of the 134 ids in both numberings";
}

}  // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(Firmware, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_firmware,
                             .generator = &kGenerator_firmware,
                             .valid_files = 150,
                             .files_per_mutation = 40,
                             .damaged_seeds = {0, 1, 2, 3, 4, 5},
                             .damage_stride = 1,
                             .golden = "generators/formats/firmware/golden_seed_5.txt",
                             .golden_seed = 5}),
                         SubjectName);

}  // namespace testing
}  // namespace anecheck
