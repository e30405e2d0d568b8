// Contracts of engines that are not an ANE: special values under `float`, and contracts that a file
// describes.
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/catalogue.h"
#include "oracles/judge.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// -0 plus an epsilon of zero is +0.
TEST(Contracts, FloatAdmitsBothInfinitiesAtNegativeZeroWithEpsilon) {
  for (const OpKind op : {OpKind::kRsqrt, OpKind::kInverse}) {
    testing::Case c;
    const ValueId x = c.Input(testing::MakeTensor(DType::kFp16, Shape({2}), {-0.0, 0.0}));
    c.Begin(op).Arg(params::WithEpsilon::kX, x).Float(params::WithEpsilon::kEpsilon, 0);
    c.graph.AddOutput(c.Finish());
    const auto judge = [&](const Contract& contract, size_t at, double given) {
      return Admits((*Evaluate(c.graph, c.inputs, contract))[0], at, given);
    };
    const Contract& sound = ConformingContract(kFloatFamily);
    EXPECT_TRUE(judge(sound, 0, -kInfinity));
    EXPECT_TRUE(judge(sound, 0, kInfinity));
    EXPECT_FALSE(judge(sound, 0, kNan));
    EXPECT_FALSE(judge(sound, 0, 5)) << "no number lies between them";
    EXPECT_TRUE(judge(sound, 1, kInfinity));
    EXPECT_FALSE(judge(sound, 1, -kInfinity));
    EXPECT_FALSE(judge(IeeeContract(), 0, kInfinity));
  }
}

// An epsilon below the smallest fp16 number may be used as it is or as 0.
TEST(Contracts, AdmitBothInfinitiesAtNegativeZeroWithASmallEpsilon) {
  for (const int family : {kFloatFamily, 2, 4, 7}) {
    testing::Case c;
    const ValueId x = c.Input(testing::MakeTensor(DType::kFp16, Shape({2}), {-0.0, 1.0}));
    c.Begin(OpKind::kRsqrt).Arg(params::WithEpsilon::kX, x);
    c.graph.AddFloat(params::WithEpsilon::kEpsilon, 1e-12);
    c.graph.AddOutput(c.Finish());
    const Estimate y = (*Evaluate(c.graph, c.inputs, ConformingContract(family)))[0];
    EXPECT_TRUE(Admits(y, 0, -kInfinity)) << family;
    EXPECT_TRUE(Admits(y, 0, kInfinity)) << family;
    EXPECT_FALSE(Admits(y, 0, 65504)) << family;
    EXPECT_FALSE(Admits(y, 1, kInfinity)) << family;
    EXPECT_TRUE(IsInformative(y, 0, 1)) << family;
  }
}

// The default epsilon of log, 1e-45, is 0 in fp16 and 0x1p-149 in fp32.
TEST(Contracts, FloatAdmitsADefaultEpsilonOfFp32) {
  testing::Case c;
  const ValueId x = c.Input(testing::MakeTensor(DType::kFp16, Shape({2}), {0.0, 1.0}));
  c.graph.AddOutput(c.Begin(OpKind::kLog).Arg(params::WithEpsilon::kX, x).Finish());
  const auto judge = [&](const Contract& contract) {
    return (*Evaluate(c.graph, c.inputs, contract))[0];
  };
  const Estimate sound = judge(ConformingContract(kFloatFamily));
  EXPECT_EQ(sound.value[0], -kInfinity);
  EXPECT_TRUE(Admits(sound, 0, -kInfinity));
  EXPECT_TRUE(Admits(sound, 0, -103.25)) << "log(0x1p-149) is -103.279";
  EXPECT_FALSE(Admits(sound, 0, -102));
  EXPECT_FALSE(Admits(sound, 0, -65504));
  EXPECT_TRUE(Admits(sound, 1, 0));
  EXPECT_FALSE(Admits(sound, 1, -0.001));
  EXPECT_FALSE(Admits(judge(IeeeContract()), 0, -103.25));
  EXPECT_FALSE(Admits(judge(ConformingContract(2)), 0, -103.25));
}

// 0 * infinity also occurs along axes that keep their extents.
TEST(Contracts, FloatAdmitsNanBesidePixelsOfWeightZero) {
  testing::Case c;
  std::vector<double> pixels(2 * 3 * 4, 0);
  pixels.back() = kInfinity;
  const ValueId x = c.Input(testing::MakeTensor(DType::kFp16, Shape({2, 3, 4}), pixels));
  using P = params::Resize;
  c.Begin(OpKind::kResize).Arg(P::kX, x).String(P::kSamplingMode, "UNALIGN_CORNERS");
  c.graph.AddOutput(c.Int(P::kResizedDims, 1).Ints(P::kShape, {2}).Finish());
  const auto judge = [&](int family) {
    return (*Evaluate(c.graph, c.inputs, ConformingContract(family)))[0];
  };
  const Estimate sound = judge(kFloatFamily);
  EXPECT_TRUE(Admits(sound, 5, kNan)) << "its neighbour of weight 0 is infinite";
  EXPECT_TRUE(Admits(sound, 5, 0));
  EXPECT_FALSE(Admits(sound, 5, 1));
  EXPECT_FALSE(Admits(sound, 1, kNan)) << "no neighbour is infinite";
  EXPECT_FALSE(Admits(judge(2), 5, kNan)) << "no family blends along other axes";
}

// ---- contracts of files -------------------------------------------------------------------------

TEST(OwnContract, HasTheTermsOfItsFileAndTheOthersOfItsBase) {
  DepartureCatalogue catalogue;
  const Status added = catalogue.AddJson(
      R"({"contract": {"base": "float", "terms": {"function_ulp": 3, "constant_folding": 0}},
          "departures": [{"id": "U1", "effect": "value_at", "op": "softsign", "a": "inf",
                          "b": 0}]})");
  ASSERT_TRUE(added.ok()) << added.error().message;
  ASSERT_TRUE(catalogue.own().has_value());
  const Contract& own = *catalogue.own();
  EXPECT_EQ(own[Term::kFunctionUlp], 3);
  EXPECT_EQ(own[Term::kConstantFolding], 0);
  EXPECT_EQ(own[Term::kAccumulatorUnit], 0x1p-24);
  EXPECT_FALSE(own.ideal);
  EXPECT_EQ(catalogue.rows().back().families, uint32_t{1} << kOwnFamily);
}

TEST(OwnContract, OnIeeeIsIdealUnlessItGrantsATerm) {
  const auto ideal = [](const char* text) {
    DepartureCatalogue catalogue;
    EXPECT_TRUE(catalogue.AddJson(text).ok());
    return catalogue.own() && catalogue.own()->ideal;
  };
  EXPECT_TRUE(ideal(R"({"contract": {"base": "ieee"}})"));
  EXPECT_FALSE(ideal(R"({"contract": {"base": "ieee", "terms": {"function_ulp": 1}}})"));
}

TEST(OwnContract, RefusesMalformedContracts) {
  for (const char* text : {R"({"contract": {"base": "A13"}})", R"({"contract": {}})",
                           R"({"contract": {"base": "float", "terms": {"speed": 1}}})",
                           R"({"contract": {"base": "float", "terms": {"function_ulp": -1}}})",
                           R"({"contract": {"base": "float", "terms": []}})"}) {
    DepartureCatalogue catalogue;
    EXPECT_FALSE(catalogue.AddJson(text).ok()) << text;
    EXPECT_FALSE(catalogue.own().has_value());
  }
}

}  // namespace
}  // namespace anecheck
