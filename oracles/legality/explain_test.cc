// The output of `anecheck explain`.
#include "oracles/legality/explain.h"

#include <gmock/gmock.h>

#include "harness/base/json.h"
#include "harness/ops/op.h"
#include "oracles/legality/testing/judge.h"

namespace anecheck::legality {
namespace {

using ::testing::HasSubstr;

TEST(Explain, NamesEachLayerItsReasonAndItsSource) {
  const Verdict verdict = Judged("h13", Route::kMil, Make("conv", {"kernel=16", "x:1,64,56,56"}));
  const std::string text = VerdictText(verdict, **FindTarget("h13"));
  EXPECT_THAT(text, HasSubstr("conv on h13 (A14, M1), route mil: rejected\n"));
  EXPECT_THAT(text, HasSubstr("  front end        reject      kW must be <=15 [facts/"));
  EXPECT_THAT(text, HasSubstr("  minimum family   not reached\n"));
  EXPECT_THAT(text,
              HasSubstr("code generation  not reached would reject: Invalid conv kernel width = "
                        "16, It should be in [1, 13]"));
  EXPECT_THAT(text, HasSubstr("otherwise: 16 from A14 [public guide, appendix A]"));
}

TEST(Explain, PrintsARule) {
  const Rule* rule = FindRule("conv_kernel_width_15");
  ASSERT_NE(rule, nullptr);
  const std::string text = RuleText(*rule);
  EXPECT_THAT(text, HasSubstr("conv_kernel_width_15: a rule of the front end\n  applies to: conv"));
  EXPECT_THAT(text, HasSubstr("\n  then: reject: kW must be <=15\n  source: facts/"));
  EXPECT_EQ(RuleJson(*rule)["ruling"], "reject");
  EXPECT_EQ(FindRule("nosuch"), nullptr);
}

// The limits for other formats of weights do not apply to fp16 weights.
TEST(Explain, NamesOneLimitOfAKernelsWidth) {
  for (const char* target : {"h14", "h15", "h17s"}) {
    const Instance conv =
        Make("conv", {"x:1,8,300,300", "weight:8,8,1,256:fp16:const", "groups=1"});
    const std::string text = VerdictText(Judged(target, Route::kMil, conv), **FindTarget(target));
    const size_t first = text.find("It should be in [1, ");
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_EQ(text.find("It should be in [1, ", first + 1), std::string::npos) << text;
  }
}

// An argument that has no effect is a mistake of the user and must be reported.
TEST(Explain, UnknownAttributesAndOperandsAreRefused) {
  const OpSchema& conv = FindOp("conv")->schema;
  // These are an argument of MIL, a name that only rules read, and a name that a definition reads.
  EXPECT_TRUE(CheckSaid(Make("conv", {"strides=2,2", "kernel=16", "KernelDepth=3", "x:1,64,56,56",
                                      "weight:8,8,3,3:fp16:const"}),
                        conv)
                  .ok());
  const Status attribute = CheckSaid(Make("conv", {"nosuch=1"}), conv);
  ASSERT_FALSE(attribute.ok());
  EXPECT_THAT(attribute.error().message,
              HasSubstr("nosuch: conv has no such attribute; its arguments are x, weight"));
  const Status operand = CheckSaid(Make("conv", {"nosuch:1,2"}), conv);
  ASSERT_FALSE(operand.ok());
  EXPECT_THAT(operand.error().message, HasSubstr("nosuch: conv has no such operand"));
  EXPECT_TRUE(CheckSaid(Make("concat", {"a:1,2", "b:1,2"}), FindOp("concat")->schema).ok());
}

TEST(Explain, JsonHasAllLayersInOrder) {
  const auto json = VerdictJson(Judged("h13", Route::kNetlist, Make("TopK", {"K=5"})));
  EXPECT_EQ(json["outcome"], "rejected");
  EXPECT_EQ(json["route"], "netlist");
  ASSERT_EQ(json["layers"].size(), kLayerCount);
  EXPECT_EQ(json["layers"][0]["layer"], "front end");
  EXPECT_EQ(json["layers"][0]["verdict"], "not read");
  EXPECT_EQ(json["layers"][5]["rule"], "top_k_a13");
  EXPECT_EQ(json["layers"][5]["others"].size(), 1u);
  EXPECT_EQ(json["layers"][6]["reached"], false);
  EXPECT_GT(json["layers"][3]["depends_on"].size(), 0u);
}

}  // namespace
}  // namespace anecheck::legality
