// Checks the properties that every generator must have (GeneratorLaws) on the submission format,
// with generated and damaged captures, and compares the text of one file with a golden file.

#include "generators/formats/submission/submission_generator.h"

#include <gtest/gtest.h>
#include <set>

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/formats/submission/submission.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_submission.generate(choices);
}

TEST(SubmissionGenerator, CallsEveryMethodOfEverySource) {
  std::set<std::pair<uint32_t, uint32_t>> seen;  // client and selector
  std::set<std::pair<uint32_t, uint32_t>> listed;
  for (const submission::Method& method : submission::Methods()) {
    listed.insert({static_cast<uint32_t>(method.client), method.selector});
  }
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const auto capture = submission::Parse(Generated(seed)).value();
    for (const submission::Call& call : capture.calls) {
      seen.insert({call.client, call.selector});
    }
  }
  EXPECT_EQ(seen, listed);
}

}  // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(Submission, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_submission,
                             .generator = &kGenerator_submission,
                             .valid_files = 150,
                             .files_per_mutation = 40,
                             .damaged_seeds = {4},
                             .damage_stride = 23,
                             .golden = "generators/formats/submission/golden_seed_5.txt",
                             .golden_seed = 5}),
                         SubjectName);

}  // namespace testing
}  // namespace anecheck
