// Functions of one variable are correctly rounded on all 65,536 fp16 arguments, against MPFR.
#include <gtest/gtest.h>

#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::DecodedElements;
using testing::MakeTensor;

// Every fp16 bit pattern as one tensor, infinities and NaN included.
Tensor AllHalves() {
  std::vector<double> all;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    all.push_back(HalfToDouble(Half{static_cast<uint16_t>(bits)}));
  }
  return MakeTensor(DType::kFp16, {0x10000}, all);
}

struct UnaryCase {
  OpKind kind;
  std::string_view mode = {};
  double alpha = 0;
  double beta = 0;
};

class EveryHalf : public ::testing::TestWithParam<UnaryCase> {};

// x's node with the attributes that its schema requires.
ValueId MakeUnary(Case& c, const UnaryCase& unary, ValueId x) {
  const OpSchema& schema = GetOp(unary.kind).schema;
  c.Begin(unary.kind).Arg(0, x);
  if (!unary.mode.empty()) c.String(params::Gelu::kMode, unary.mode);
  using P = params::WithAlphaBeta;
  if (schema.FindParameter("alpha") == P::kAlpha) c.Float(P::kAlpha, unary.alpha);
  if (schema.FindParameter("beta") == P::kBeta) c.Float(P::kBeta, unary.beta);
  return c.Finish();
}

TEST_P(EveryHalf, IsCorrectlyRounded) {
  Case c;
  const Tensor input = AllHalves();
  const ValueId x = c.Input(input);
  const Estimate estimate = c.Run(MakeUnary(c, GetParam(), x));
  ASSERT_EQ(estimate.value.size(), 0x10000u) << c.error;
  const std::vector<std::vector<double>> operands = {DecodedElements(input)};
  testing::Real::bits = 112;
  const auto slow = testing::SlowValues(NodeView(c.graph, NodeId{0}), operands);
  testing::Real::bits = 320;
  ASSERT_TRUE(slow);
  for (size_t i = 0; i < slow->size(); ++i) {
    const double number = operands[0][i];
    const bool nan = std::isnan((*slow)[i].value_or(number));
    if (nan) {
      ASSERT_TRUE(std::isnan(estimate.value[i])) << number;
    } else if ((*slow)[i]) {
      ASSERT_EQ(estimate.value[i], *(*slow)[i]) << number;
    }
    if (std::isnan(number)) {
      ASSERT_EQ(estimate.flags[i], Estimate::kNanAllowed | Estimate::kNanOnly);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(
    Functions, EveryHalf,
    ::testing::Values(
        UnaryCase{OpKind::kSigmoid}, UnaryCase{OpKind::kTanh}, UnaryCase{OpKind::kRelu},
        UnaryCase{OpKind::kGelu, "EXACT"}, UnaryCase{OpKind::kGelu, "TANH_APPROXIMATION"},
        UnaryCase{OpKind::kGelu, "SIGMOID_APPROXIMATION"}, UnaryCase{OpKind::kAbs},
        UnaryCase{OpKind::kSquare}, UnaryCase{OpKind::kSqrt}, UnaryCase{OpKind::kRsqrt},
        UnaryCase{OpKind::kInverse}, UnaryCase{OpKind::kRelu6},
        UnaryCase{OpKind::kLeakyRelu, "", 0.1}, UnaryCase{OpKind::kClampedRelu, "", 0.25, 4},
        UnaryCase{OpKind::kThresholdedRelu, "", 1}, UnaryCase{OpKind::kThreshold, "", -0.5},
        UnaryCase{OpKind::kElu, "", 1.5}, UnaryCase{OpKind::kSigmoidHard, "", 0.2, 0.5},
        UnaryCase{OpKind::kScaledTanh, "", 1.7159, 0.6667}, UnaryCase{OpKind::kSilu},
        UnaryCase{OpKind::kSoftplus}, UnaryCase{OpKind::kSoftsign}, UnaryCase{OpKind::kErf},
        UnaryCase{OpKind::kExp}, UnaryCase{OpKind::kExp2}, UnaryCase{OpKind::kLog},
        UnaryCase{OpKind::kSign}, UnaryCase{OpKind::kCeil}, UnaryCase{OpKind::kFloor},
        UnaryCase{OpKind::kRound}, UnaryCase{OpKind::kSin}, UnaryCase{OpKind::kCos},
        UnaryCase{OpKind::kTan}, UnaryCase{OpKind::kAsin}, UnaryCase{OpKind::kAcos},
        UnaryCase{OpKind::kAtan}, UnaryCase{OpKind::kSinh}, UnaryCase{OpKind::kCosh},
        UnaryCase{OpKind::kAsinh}, UnaryCase{OpKind::kAcosh}, UnaryCase{OpKind::kAtanh}),
    [](const auto& instance) {
      std::string name(GetOp(instance.param.kind).schema.name);
      return instance.param.mode.empty() ? name : name + "_" + std::string(instance.param.mode);
    });

}  // namespace
}  // namespace anecheck
