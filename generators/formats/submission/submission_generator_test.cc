// The laws of the submission format over generated and damaged captures, and the golden text of
// one.

#include "generators/formats/submission/submission_generator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/submission/submission.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_submission.generate(choices);
}

TEST(SubmissionGenerator, MakesValidCaptures) {
  testing::ExpectValidFiles(kFormat_submission, kGenerator_submission, 150);
}

TEST(SubmissionGenerator, MutationsDoWhatTheySay) {
  testing::ExpectMutationsDoWhatTheySay(kFormat_submission, kGenerator_submission, 40);
}

TEST(SubmissionGenerator, BreaksEveryRule) {
  testing::ExpectEveryRuleIsBroken(kFormat_submission, kGenerator_submission);
}

TEST(SubmissionGenerator, CallsEveryMethodOfEverySource) {
  std::set<std::pair<uint32_t, uint32_t>> seen;  // client and selector
  std::set<std::pair<uint32_t, uint32_t>> listed;
  for (const submission::Method& method : submission::Methods()) {
    listed.insert({static_cast<uint32_t>(method.client), method.selector});
  }
  for (uint64_t seed = 0; seed < 150; ++seed) {
    for (const submission::Call& call : submission::Parse(Generated(seed)).value().calls) {
      seen.insert({call.client, call.selector});
    }
  }
  EXPECT_EQ(seen, listed);
}

TEST(SubmissionFormat, DamageDoesNoHarm) {
  testing::ExpectHarmlessDamage(kFormat_submission, Generated(4), 23);
  testing::ExpectHarmlessJson(kFormat_submission, Generated(4));
}

TEST(SubmissionFormat, GoldenText) {
  const Result<std::string> golden =
      ReadTextFile(testing::SourcePath("generators/formats/submission/golden_seed_5.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(kFormat_submission.print(Generated(5)).value(), *golden);
}

RC_GTEST_PROP(SubmissionGenerator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const Result<std::vector<Violation>> violations =
      kFormat_submission.verify(kGenerator_submission.generate(choices));
  RC_ASSERT(violations.ok());
  RC_ASSERT(violations->empty());
}

}  // namespace
}  // namespace anecheck
