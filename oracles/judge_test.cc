// The judge's verdicts: a value inside passes, a value outside is wrong or a known defect, and
// bounds too wide to be evidence are inconclusive.
#include "oracles/judge.h"

#include <gtest/gtest.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kA12 = 1;  // no law, and nothing measured
constexpr int kA13 = 2;
constexpr int kA16 = 5;
constexpr int kA17 = 6;

// y = x + x for fp16 x; the value is exact.
class Doubling : public ::testing::Test {
 protected:
  void SetUp() override {
    const ValueId x = case_.Input(MakeTensor(DType::kFp16, {4}, {1, 2, 3, 4}));
    expected_ = case_.Run(case_.Binary(OpKind::kAdd, x, x));
  }
  OutputJudgement JudgeActual(std::initializer_list<double> actual, int family = kA13) {
    return Judge(case_.graph, case_.inputs, 0, expected_, MakeTensor(DType::kFp16, {4}, actual),
                 family);
  }
  Case case_;
  Estimate expected_;
};

TEST_F(Doubling, ExactResultPasses) {
  const OutputJudgement judgement = JudgeActual({2, 4, 6, 8});
  EXPECT_EQ(judgement.verdict, Verdict::kPass);
  EXPECT_EQ(judgement.elements, 4u);
  EXPECT_EQ(judgement.judged, 4u);
  EXPECT_EQ(judgement.outside, 0u);
  EXPECT_EQ(judgement.first_bad, -1);
  EXPECT_EQ(judgement.ulp_histogram[0], 4u);
  EXPECT_EQ(judgement.reason, "");
}

// ---- the sign of zero ---------------------------------------------------------------------------

OutputJudgement JudgeZeros(Case& c, ValueId y, std::initializer_list<double> actual, int family) {
  const Estimate expected = c.Run(y, ConformingContract(family));
  const Tensor given = MakeTensor(DType::kFp16, expected.type.shape, actual);
  return Judge(c.graph, c.inputs, 0, expected, given, family);
}

TEST(SignOfZero, OfMovedElementsIsJudged) {
  for (const int family : {kA13, kA17, kFloatFamily, kIeeeFamily}) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {2, 2}, {-0.0, 0.0, 1, -0.0}));
    using P = params::Transpose;
    const ValueId y = c.Begin(OpKind::kTranspose).Arg(P::kX, x).Ints(P::kPerm, {1, 0}).Finish();
    EXPECT_EQ(JudgeZeros(c, y, {-0.0, 1, 0.0, -0.0}, family).verdict, Verdict::kPass);
    const OutputJudgement lost = JudgeZeros(c, y, {0.0, 1, 0.0, 0.0}, family);
    EXPECT_EQ(lost.verdict, Verdict::kWrong) << family;
    EXPECT_EQ(lost.outside, 2u);
    EXPECT_EQ(lost.reason, "2 of 4 elements outside; worst at 0: 0 is not in [-0, -0]");
    EXPECT_EQ(JudgeZeros(c, y, {-0.0, 1, -0.0, -0.0}, family).outside, 1u) << "-0 in place of +0";
  }
}

// No source says whether a move is a product with ones, which turns -0 into +0.
TEST(SignOfZero, OfMovedElementsWasNeverMeasuredOnAFamily) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {-0.0, 1}));
  using P = params::Reshape;
  c.graph.AddOutput(c.Begin(OpKind::kReshape).Arg(P::kX, x).Ints(P::kShape, {2, 1}).Finish());
  const Tensor lost = MakeTensor(DType::kFp16, {2, 1}, {0.0, 1});
  EXPECT_EQ(NeverMeasured(c.graph, c.inputs, 0, lost, kA13), "moved_zero");
  EXPECT_EQ(NeverMeasured(c.graph, c.inputs, 0, lost, kFloatFamily), "");
}

TEST(SignOfZero, OfComputedElementsIsNotJudged) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {-0.0, 1}));
  const ValueId y = c.Binary(OpKind::kAdd, x, x);
  EXPECT_EQ(JudgeZeros(c, y, {0.0, 2}, kFloatFamily).verdict, Verdict::kPass);
  EXPECT_EQ(JudgeZeros(c, y, {-0.0, 2}, kFloatFamily).verdict, Verdict::kPass);
}

TEST_F(Doubling, OneUlpOffIsWrong) {
  const double off = 6 + HalfUlp(6);
  const OutputJudgement judgement = JudgeActual({2, 4, off, 8 + 3 * HalfUlp(8)});
  EXPECT_EQ(judgement.verdict, Verdict::kWrong);
  EXPECT_EQ(judgement.outside, 2u);
  EXPECT_EQ(judgement.first_bad, 2);
  EXPECT_EQ(judgement.worst, 3);
  EXPECT_EQ(judgement.worst_ulp, 3u);
  EXPECT_EQ(judgement.expected_low, 8);
  EXPECT_EQ(judgement.expected_high, 8);
  EXPECT_EQ(judgement.ulp_histogram[0], 2u);
  EXPECT_EQ(judgement.ulp_histogram[1], 1u);
  EXPECT_EQ(judgement.ulp_histogram[UlpBucket(3)], 1u);
  EXPECT_NE(judgement.reason.find("2 of 4 elements outside"), std::string::npos);
}

TEST_F(Doubling, CountsWidthsOfBoundsForAnyOutput) {
  EXPECT_EQ(JudgeActual({2, 4, 6, 8}).widths[0], 4u);
  EXPECT_EQ(JudgeActual({2, 4, 6, 80}).widths[0], 4u);
  // 4 ulp below the value and 2 above it; of element 2 only NaN is right.
  expected_.low[1] = 4 - 4 * 0x1p-9;
  expected_.high[1] = 4 + 2 * HalfUlp(4);
  expected_.flags[2] |= Estimate::kNanOnly;
  const OutputJudgement judgement = JudgeActual({2, 4, 6, 8});
  EXPECT_EQ(judgement.widths[0], 3u);
  EXPECT_EQ(judgement.widths[UlpBucket(6)], 1u);
}

TEST(Reasons, NameTheOutputAndTheAdmittedInterval) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {nan}));
  const Estimate only_nan = c.Run(c.Binary(OpKind::kAdd, x, x));
  const auto reason = [&](const Estimate& expected, double actual) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1}, {actual}), kA13)
        .reason;
  };
  EXPECT_EQ(reason(only_nan, 3),
            "1 of 1 elements outside; worst at 0: 3 where only nan is admitted");
  Case number;
  const ValueId one = number.Input(MakeTensor(DType::kFp16, {1}, {1}));
  const Estimate two = number.Run(number.Binary(OpKind::kAdd, one, one));
  EXPECT_EQ(Judge(number.graph, number.inputs, 0, two, MakeTensor(DType::kFp16, {1}, {-nan}), kA13)
                .reason,
            "1 of 1 elements outside; worst at 0: nan is not in [2, 2]");
}

TEST_F(Doubling, NanAgainstANumberIsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const OutputJudgement judgement = JudgeActual({2, 4, nan, 8});
  EXPECT_EQ(judgement.verdict, Verdict::kWrong);
  EXPECT_EQ(judgement.worst_ulp, std::numeric_limits<uint32_t>::max());
  EXPECT_EQ(judgement.ulp_histogram.back(), 1u);
}

TEST_F(Doubling, AnotherTypeIsWrong) {
  const OutputJudgement judgement = Judge(case_.graph, case_.inputs, 0, expected_,
                                          MakeTensor(DType::kFp16, {2, 2}, {2, 4, 6, 8}), kA13);
  EXPECT_EQ(judgement.verdict, Verdict::kWrong);
  EXPECT_NE(judgement.reason.find("[2, 2]"), std::string::npos);
}

TEST(UlpBucket, GrowsByPowersOfTwo) {
  EXPECT_EQ(UlpBucket(0), 0u);
  EXPECT_EQ(UlpBucket(1), 1u);
  EXPECT_EQ(UlpBucket(2), 2u);
  EXPECT_EQ(UlpBucket(3), 3u);
  EXPECT_EQ(UlpBucket(4), 3u);
  EXPECT_EQ(UlpBucket(5), 4u);
  EXPECT_EQ(UlpBucket(8), 4u);
  EXPECT_EQ(UlpBucket(8192), OutputJudgement::kHistogramSize - 3);
  EXPECT_EQ(UlpBucket(std::numeric_limits<uint32_t>::max()), OutputJudgement::kHistogramSize - 1);
}

TEST(Judge, SignOfZeroIsNotJudged) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {-1.0}));
  const Estimate expected = c.Run(c.Unary(OpKind::kRelu, x));
  EXPECT_EQ(
      Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1}, {-0.0}), kA13).verdict,
      Verdict::kPass);
}

TEST(Judge, LabelsTheTileLatticeOnItsFamilyOnly) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 4}, {4096, 1, 1, 2}));
  const ValueId w = c.Input(MakeTensor(DType::kFp16, {4, 1}, {1, 1, 1, 1}));
  const Estimate expected = c.Run(c.Binary(OpKind::kMatmul, x, w));
  EXPECT_EQ(expected.value[0], 4100);
  const auto judge = [&](double actual, int family) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1, 1}, {actual}),
                 family);
  };
  // Beside 4096 both ones are cut off and the 2 is not: 4098 lies on a tie of the grid of 4.
  EXPECT_EQ(judge(4096, kA13).verdict, Verdict::kKnownDefect);
  EXPECT_EQ(judge(4096, kA13).defects.ToText(), "D03");
  EXPECT_EQ(judge(4096, kA17).verdict, Verdict::kWrong);
  EXPECT_EQ(judge(4104, kA13).verdict, Verdict::kWrong);
}

TEST(Judge, NamesSeveralDefectsOfOneOutput) {
  Case c;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {0, nan}));
  const Estimate expected = c.Run(c.Unary(OpKind::kGelu, x));
  const OutputJudgement judgement = Judge(
      c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {2}, {-0.000543, kInfinity}), kA13);
  EXPECT_EQ(judgement.verdict, Verdict::kKnownDefect);
  EXPECT_EQ(judgement.defects.ToText(), "D06,D12");
}

TEST(Judge, FindsCombinationsThatNoDefectExplainsAlone) {
  // NaN enters as an infinity (D06) and inf - inf then gives zero (D07).
  Case c;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {nan}));
  const Estimate expected = c.Run(c.Binary(OpKind::kSub, c.Unary(OpKind::kRelu, x), x));
  const OutputJudgement judgement =
      Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1}, {0.0}), kA13);
  EXPECT_EQ(judgement.verdict, Verdict::kKnownDefect);
  EXPECT_TRUE(judgement.defects.Has("D07"));
  EXPECT_EQ(
      Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {1}, {7.0}), kA13).verdict,
      Verdict::kWrong);
}

TEST(Judge, UsersMayBringTheirOwnCatalogue) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {0, 20}));
  const Estimate expected = c.Run(c.Unary(OpKind::kSigmoid, x));
  const Departure mine[] = {
      {"U1", Effect::kValueFrom, "sigmoid", 16, 0, 1u << kA16, "drops to 0", "own measurement"}};
  const Tensor actual = MakeTensor(DType::kFp16, {2}, {0.5, 0});
  EXPECT_EQ(Judge(c.graph, c.inputs, 0, expected, actual, kA16, mine).defects.ToText(), "U1");
  EXPECT_EQ(Judge(c.graph, c.inputs, 0, expected, actual, kA16).verdict, Verdict::kWrong);
}

// Small quotients may be truncated or floored: both results pass, and no other number does.
TEST(Judge, EitherNeighbourOfAQuotientIsAnAnswer) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kInt32, {3}, {-7, -5, -3}));
  const ValueId two = c.Input(MakeTensor(DType::kInt32, {3}, {2, 2, 2}));
  const Estimate quotient = c.Run(c.Binary(OpKind::kRealDiv, x, two));
  const auto verdict = [&](std::initializer_list<double> actual) {
    return Judge(c.graph, c.inputs, 0, quotient, MakeTensor(DType::kInt32, {3}, actual), kA13)
        .verdict;
  };
  EXPECT_EQ(verdict({-3, -3, -2}), Verdict::kPass);
  EXPECT_EQ(verdict({-4, -3, -2}), Verdict::kPass);
  EXPECT_EQ(verdict({-3, -3, 0}), Verdict::kWrong);
}

// tanh of a small number, times 1000: the table's error swamps the result.
TEST(Judge, WideBoundsAreInconclusive) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {0.0001, 0.0002}));
  const Estimate expected = c.Run(c.Unary(OpKind::kTanh, x));
  const auto judge = [&](double a, double b) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kFp16, {2}, {a, b}), kA13);
  };
  EXPECT_EQ(judge(0.0001, 0.0002).verdict, Verdict::kInconclusive);
  EXPECT_NE(judge(0.0001, 0.0002).reason, "");
  EXPECT_EQ(judge(0.0001, 0.0002).judged, 0u);
  EXPECT_EQ(judge(0.0001, 0.5).verdict, Verdict::kWrong);  // outside, however wide the bounds
}

// Each of the three equal elements may be chosen as the largest; any other choice is wrong.
TEST(Judge, AnOpenTieIsInconclusiveWithItsReason) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {5}, {3, 1, 3, 2, 3}));
  const Estimate expected = c.Run(c.Unary(OpKind::kReduceArgmax, x));
  const auto judge = [&](double index) {
    return Judge(c.graph, c.inputs, 0, expected, MakeTensor(DType::kInt32, {}, {index}), kA13);
  };
  EXPECT_EQ(judge(2).verdict, Verdict::kInconclusive);
  EXPECT_EQ(judge(2).reason,
            "1 of 1 elements may be one of several numbers each, as this one is: ties, or "
            "comparisons within one rounding, leave them open");
  EXPECT_EQ(judge(1).verdict, Verdict::kWrong);
}

TEST(AssumedTerms, AreThoseNeverMeasuredOnTheFamily) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 2}, {1, 2}));
  const ValueId w = c.Input(MakeTensor(DType::kFp16, {2, 1}, {1, 2}));
  const ValueId y = c.Unary(OpKind::kSigmoid, c.Binary(OpKind::kMatmul, x, w));
  const ValueId unused = c.Unary(OpKind::kTanh, x);
  ASSERT_NE(unused, kNoValue);
  c.graph.AddOutput(y);
  EXPECT_EQ(AssumedTerms(c.graph, 0, kA13),
            (std::vector{Term::kProductRounding, Term::kBiasRounding}));
  EXPECT_EQ(AssumedTerms(c.graph, 0, kA16),
            (std::vector{Term::kProductRounding, Term::kAccumulatorUnit, Term::kBiasRounding,
                         Term::kSigmoidTable}));
}

// Only the tanh has a term; it is in a branch of a branch.
TEST(AssumedTerms, AreThoseOfBlocksToo) {
  Graph inner;
  inner.BeginNode(&GetOp(OpKind::kTanh).schema);
  const TensorType number = {DType::kFp16, {1}};
  inner.AddArgument(0, inner.AddInput(number));
  inner.AddOutput(*inner.FinishNode());
  Graph straight;
  straight.AddOutput(straight.AddInput(number));
  Graph outer;
  const ValueId taken = outer.AddInput(number);
  outer.BeginNode(&GetOp(OpKind::kCond).schema);
  outer.AddArgument(params::Cond::kPred,
                    outer.AddConst({DType::kBool, {}}, std::vector<uint8_t>{1}));
  outer.AddArgument(params::Cond::kCaptures, taken);
  outer.AddBlock(std::move(inner));
  outer.AddBlock(straight);
  outer.AddOutput(*outer.FinishNode());
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {1}));
  const ValueId pred = c.Const(MakeTensor(DType::kBool, {}, {1}));
  c.Begin(OpKind::kCond).Arg(params::Cond::kPred, pred).Arg(params::Cond::kCaptures, x);
  c.graph.AddBlock(std::move(outer));
  c.graph.AddBlock(std::move(straight));
  const ValueId y = c.Finish();
  ASSERT_EQ(c.error, "");
  c.graph.AddOutput(y);
  EXPECT_EQ(AssumedTerms(c.graph, 0, kA16), std::vector{Term::kTanhTable});
}

TEST(ForbiddingTerms, AreUnmeasuredTermsThatForbidByThemselves) {
  const auto terms = [](OpKind op, double value, double given, int family) {
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {1}, {value}));
    c.Run(c.Unary(op, x));
    return ForbiddingTerms(c.graph, c.inputs, 0, MakeTensor(DType::kFp16, {1}, {given}), family);
  };
  EXPECT_EQ(terms(OpKind::kSigmoid, 0, 0.506, kA12), std::vector{Term::kSigmoidTable});
  EXPECT_TRUE(terms(OpKind::kSigmoid, 0, 0.506, kA13).empty()) << "measured on A13";
  EXPECT_TRUE(terms(OpKind::kSigmoid, 0, 0.6, kA12).empty()) << "no table is that bad";
  EXPECT_TRUE(terms(OpKind::kSigmoid, 0, 0.5, kA12).empty()) << "the value is admitted";
  EXPECT_TRUE(terms(OpKind::kRelu, 1, 1.01, kA12).empty()) << "exact, whatever was measured";
}

// Only two terms together forbid the value: the accumulator, which may be less accurate than A13's
// measured one, and the table of sigmoid. The small products keep the sum from being exact in any
// accumulator.
TEST(ForbiddingTerms, AreSeveralIfNoneIsEnough) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 8}, {4, 4, 4, 0.0001, 4, 4, 4, 0.00013}));
  const ValueId w =
      c.Input(MakeTensor(DType::kFp16, {8, 1}, {8, 8, 8, 0.0001, -8, -8, -8, 0.0001}));
  c.Run(c.Unary(OpKind::kSigmoid, c.Binary(OpKind::kMatmul, x, w)));
  const Tensor actual = MakeTensor(DType::kFp16, {1, 1}, {0.5083});
  EXPECT_EQ(ForbiddingTerms(c.graph, c.inputs, 0, actual, kA12),
            (std::vector{Term::kAccumulatorUnit, Term::kSigmoidTable}));
}

// inf / inf with the result of D07, beside a quotient that is two ulp off.
TEST(ForbiddingTerms, AreNamedBesidesDocumentedDepartures) {
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {2}, {kInfinity, 1}));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {2}, {kInfinity, 4}));
  c.Run(c.Binary(OpKind::kRealDiv, x, y));
  const auto terms = [&](double first, double second) {
    const Tensor actual = MakeTensor(DType::kFp16, {2}, {first, second});
    return ForbiddingTerms(c.graph, c.inputs, 0, actual, kA13);
  };
  EXPECT_EQ(terms(0, 0.25 + 0x1p-11), std::vector{Term::kDivideUlp});
  EXPECT_TRUE(terms(0, 0.25).empty()) << "the departure alone";
  EXPECT_TRUE(terms(3, 0.25 + 0x1p-11).empty()) << "no departure gives that number";
}

TEST(Verdicts, HaveNames) {
  EXPECT_EQ(ToText(Verdict::kPass), "pass");
  EXPECT_EQ(ToText(Verdict::kKnownDefect), "known-defect");
  EXPECT_EQ(ToText(Verdict::kUnconfirmed), "unconfirmed");
  EXPECT_EQ(ToText(Verdict::kWrong), "wrong");
  EXPECT_EQ(ToText(Verdict::kInconclusive), "inconclusive");
}

}  // namespace
}  // namespace anecheck
