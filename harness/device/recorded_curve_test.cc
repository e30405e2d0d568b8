// Compares the simulated engine's arithmetic with published figures: the exact bits of every
// published sum, and the errors of tables.
#include "harness/device/recorded_curve.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/testing/silicon_rows.h"
#include "harness/base/testing/test_data.h"
#include "harness/device/half_block.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/device/quirk.h"
#include "harness/device/target.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device {
namespace {

using anecheck::testing::SiliconRow;

NumericModel Family(int family) { return ResolveNumericModel(QuirkSwitches(), family); }

float Convolution(const NumericModel& model, const SiliconRow& row) {
  std::vector<float> x;
  for (const Half half : row.inputs) x.push_back(LoadHalf(half.bits));
  std::vector<float> w(x.size(), LoadHalf(row.weight->bits));
  x.resize(64);
  w.resize(64);
  const float start = LoadHalf(row.bias.value_or(Half{}).bits);
  const bool finite = PrepareMacOperand(model, x.data(), 64);
  float result = 0;
  MultiplyAccumulate(model, w.data(), x.data(), {1, 64, 1}, finite, true, &result,
                     {&start, nullptr});
  return result;
}

TEST(SiliconSums, TheArrayGivesThePublishedBits) {
  const std::string path = anecheck::testing::FactPath("silicon/numerics_silicon.csv");
  ANECHECK_SKIP_WITHOUT(path);
  const auto rows = anecheck::testing::ReadSiliconRows(path);
  ASSERT_TRUE(rows.ok());
  size_t compared = 0;
  for (const SiliconRow& row : *rows) {
    if (!row.path.starts_with("conv 1x1")) continue;
    ASSERT_FALSE(row.inputs.empty()) << row.id;
    for (const int family : {kFamilyA16, kFamilyA18}) {
      EXPECT_EQ(Convolution(Family(family), row), LoadHalf(row.output->bits)) << row.id;
    }
    ++compared;
  }
  EXPECT_GT(compared, 200u);
}

double Elementwise(const SiliconRow& row, const std::string& target) {
  const std::string op = row.path.substr(row.path.rfind(' ') + 1);
  const std::string mil = testing::MilProgram(
      "tensor<fp16, [1]> x, tensor<fp16, [1]> z",
      "tensor<fp16, [1]> y = " + op + "(x = x, y = z)[name = string(\"y\")];", "y");
  const testing::Halves result =
      testing::RunHalves(mil, {{"x", {row.inputs[0]}}, {"z", {row.inputs[1]}}}, 1, target);
  return result.empty() ? NAN : HalfToDouble(result[0]);
}

TEST(SiliconSums, SumsDifferencesAndProductsOfElementsGiveThePublishedBits) {
  const std::string path = anecheck::testing::FactPath("silicon/numerics_silicon.csv");
  ANECHECK_SKIP_WITHOUT(path);
  const auto rows = anecheck::testing::ReadSiliconRows(path);
  ASSERT_TRUE(rows.ok());
  for (const SiliconRow& row : *rows) {
    if (!row.path.starts_with("elementwise")) continue;
    ASSERT_EQ(row.inputs.size(), 2u) << row.id;
    for (const char* target : {"h16g", "h18"}) {
      EXPECT_EQ(Elementwise(row, target), HalfToDouble(*row.output)) << row.id;
    }
  }
}

// Source: facts/silicon/numerics_laws.md, L9 to L13, with figures measured on the M6.
TEST(RecordedCurves, GiveThePublishedFigures) {
  const NumericModel model = Family(kFamilyA18);
  EXPECT_FLOAT_EQ(RecordedGelu(0, model), -0.0007538795471191406f);
  EXPECT_FLOAT_EQ(RecordedSilu(0, model), -0.0017042160034179688f);
  EXPECT_EQ(RecordedSigmoid(-9.9375f, model), 0);
  EXPECT_NEAR(RecordedLog(1.00390625f, model), 0.0037251, 5e-8);
  EXPECT_NEAR(RecordedInverse(RoundToHalf(0.015869f + 0.0001f, Rounding::kNearestAway), model),
              62.594, 5e-3);
  EXPECT_EQ(RecordedExp(11.09375f, model), INFINITY);
  EXPECT_TRUE(std::isfinite(RecordedExp(11.0859375f, model)));
}

// By L15, the greatest error of the line segments of a quarter turn is 6.329e-4.
TEST(RecordedCurves, SineErrsAsPublished) {
  const NumericModel model = Family(kFamilyA18);
  double sine = 0;
  double cosine = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float x = LoadHalf(static_cast<uint16_t>(bits));
    if (!(std::fabs(x) <= 8)) continue;
    const auto exact = static_cast<double>(x);
    const auto by_lines = static_cast<double>(RecordedSine(x, false, model));
    const auto ahead = static_cast<double>(RecordedSine(x, true, model));
    sine = std::max(sine, std::fabs(by_lines - std::sin(exact)));
    cosine = std::max(cosine, std::fabs(ahead - std::cos(exact)));
  }
  EXPECT_NEAR(sine, 6.329e-4, 0.5e-7);
  EXPECT_NEAR(cosine, 6.4e-4, 0.5e-4) << "cosine uses the same line segments";
}

}  // namespace
}  // namespace anecheck::device
