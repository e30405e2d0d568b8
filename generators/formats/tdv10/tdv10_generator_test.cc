// Generated and damaged tasks have the properties that every tdv10 file must have. The text of one
// file is compared with a golden file.

#include "generators/formats/tdv10/tdv10_generator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/tdv10/file.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_tdv10.generate(choices);
}

// Returns the first generated file of that form.
Bytes GeneratedOf(tdv10::Form form) {
  for (uint64_t seed = 0;; ++seed) {
    Bytes bytes = Generated(seed);
    if (tdv10::FormOf(bytes).value() == form) return bytes;
  }
}

TEST(Tdv10Generator, MakesValidTasks) {
  testing::ExpectValidFiles(kFormat_tdv10, kGenerator_tdv10, 150);
}

TEST(Tdv10Generator, MutationsKeepTheirPromises) {
  testing::ExpectMutationsKeepTheirPromises(kFormat_tdv10, kGenerator_tdv10, 24);
}

TEST(Tdv10Generator, MakesAllThreeForms) {
  std::set<tdv10::Form> forms;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    forms.insert(tdv10::FormOf(Generated(seed)).value());
  }
  EXPECT_EQ(forms.size(), 3u);
}

TEST(Tdv10Format, DamagedFilesDoNotCrash) {
  testing::ExpectHarmlessDamage(kFormat_tdv10, GeneratedOf(tdv10::Form::kImage), 13);
  testing::ExpectHarmlessDamage(kFormat_tdv10, GeneratedOf(tdv10::Form::kSparse), 13);
  testing::ExpectHarmlessJson(kFormat_tdv10, GeneratedOf(tdv10::Form::kStructure));
  testing::ExpectHarmlessJson(kFormat_tdv10, GeneratedOf(tdv10::Form::kSparse));
}

TEST(Tdv10Format, GoldenText) {
  const Result<std::string> golden =
      ReadTextFile(testing::SourcePath("generators/formats/tdv10/golden_seed_3.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(kFormat_tdv10.print(Generated(3)).value(), *golden);
}

RC_GTEST_PROP(Tdv10Generator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const Result<std::vector<Violation>> violations =
      kFormat_tdv10.verify(kGenerator_tdv10.generate(choices));
  RC_ASSERT(violations.ok());
  RC_ASSERT(violations->empty());
}

}  // namespace
}  // namespace anecheck
