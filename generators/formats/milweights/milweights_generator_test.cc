// Generated and damaged files have the properties that every milweights file must have.

#include "generators/formats/milweights/milweights_generator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/formats/milweights/milweights_format.h"
#include "harness/formats/milweights/weight_file.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_milweights.generate(choices);
}

TEST(MilWeightsGenerator, MakesValidFiles) {
  testing::ExpectValidFiles(kFormat_milweights, kGenerator_milweights, 200);
}

TEST(MilWeightsGenerator, MutationsKeepTheirPromises) {
  testing::ExpectMutationsKeepTheirPromises(kFormat_milweights, kGenerator_milweights, 60);
}

TEST(MilWeightsGenerator, CoversEveryType) {
  std::set<uint32_t> types;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Bytes bytes = Generated(seed);
    const auto file = milweights::Parse(bytes);
    for (const milweights::Blob& blob : file->blobs) types.insert(blob.type);
  }
  EXPECT_EQ(types.size(), 17u);
}

TEST(MilWeightsGenerator, DamagedFilesDoNotCrash) {
  testing::ExpectHarmlessDamage(kFormat_milweights, Generated(3), 3);
  testing::ExpectHarmlessJson(kFormat_milweights, Generated(3));
}

RC_GTEST_PROP(MilWeightsGenerator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const auto violations = kFormat_milweights.verify(kGenerator_milweights.generate(choices));
  RC_ASSERT(violations.ok());
  RC_ASSERT(violations->empty());
}

}  // namespace
}  // namespace anecheck
