// A test suite of the properties that every format and its generator must have. It also compares
// the text of one file with a golden file. A format's test file instantiates the suite with the
// format's numbers and adds further tests:
//   INSTANTIATE_TEST_SUITE_P(Hal, GeneratorLaws, ::testing::Values(LawSubject{...}), SubjectName);
// At most one file of a test binary may include this header.
#pragma once

#include <cstdlib>
#include <exception>
#include <gtest/gtest.h>
#include <ostream>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"

namespace anecheck::testing {

struct LawSubject {
  const Format* format = nullptr;
  const DescriptorGenerator* generator = nullptr;
  int valid_files = 100;
  int files_per_mutation = 40;
  std::vector<uint64_t> damaged_seeds = {1};
  size_t damage_stride = 7;
  std::string golden;  // path below the project's folder
  uint64_t golden_seed = 7;

  Bytes Generate(uint64_t seed) const {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    return generator->generate(choices);
  }
};

inline void PrintTo(const LawSubject& subject, std::ostream* out) { *out << subject.format->name; }

inline std::string SubjectName(const ::testing::TestParamInfo<LawSubject>& info) {
  return std::string(info.param.format->name);
}

class GeneratorLaws : public ::testing::TestWithParam<LawSubject> {};

TEST_P(GeneratorLaws, MakesValidFiles) {
  ExpectValidFiles(*GetParam().format, *GetParam().generator, GetParam().valid_files);
}

TEST_P(GeneratorLaws, MutationsKeepTheirPromises) {
  ExpectMutationsKeepTheirPromises(*GetParam().format, *GetParam().generator,
                                   GetParam().files_per_mutation);
}

TEST_P(GeneratorLaws, DamagedFilesDoNotCrash) {
  for (const uint64_t seed : GetParam().damaged_seeds) {
    const Bytes bytes = GetParam().Generate(seed);
    ExpectHarmlessDamage(*GetParam().format, bytes, GetParam().damage_stride);
    ExpectHarmlessJson(*GetParam().format, bytes);
  }
}

// If ANECHECK_UPDATE_GOLDEN is set, the test rewrites the golden file before the comparison.
TEST_P(GeneratorLaws, GoldenText) {
  const Result<std::string> text =
      GetParam().format->print(GetParam().Generate(GetParam().golden_seed));
  ASSERT_TRUE(text.ok()) << text.error().message;
  if (std::getenv("ANECHECK_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomic(SourcePath(GetParam().golden), std::string_view(*text)).ok());
  }
  const Result<std::string> golden = ReadTextFile(SourcePath(GetParam().golden));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(*text, *golden);
}

TEST_P(GeneratorLaws, AnyBytesDriveIt) {
  const LawSubject& subject = GetParam();
  const bool held = rc::check([&subject](const std::vector<uint8_t>& bytes) {
    ChoiceStream choices = ChoiceStream::FromBytes(bytes);
    const auto violations = subject.format->verify(subject.generator->generate(choices));
    RC_ASSERT(violations.ok());
    RC_ASSERT(violations->empty());
  });
  EXPECT_TRUE(held);
}

}  // namespace anecheck::testing
