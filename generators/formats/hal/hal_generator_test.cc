// Checks the properties that every generator must have (GeneratorLaws) on the hal format, with
// generated and damaged tables, and compares the text of one file with a golden file.

#include "generators/formats/hal/hal_generator.h"

#include <gtest/gtest.h>
#include <set>

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/formats/hal/hal.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_hal.generate(choices);
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

}  // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(Hal, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_hal,
                             .generator = &kGenerator_hal,
                             .valid_files = 60,
                             .files_per_mutation = 6,
                             .damaged_seeds = {1},
                             .damage_stride = 29,
                             .golden = "generators/formats/hal/golden_seed_7.txt",
                             .golden_seed = 7}),
                         SubjectName);

}  // namespace testing
}  // namespace anecheck
