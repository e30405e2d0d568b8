// Tests both views of activation records, their rules, and the curve.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"
#include "harness/base/testing/generators.h"
#include "harness/formats/activation/record.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::activation {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Returns a record with the published domain of the sigmoid table (facts/numerics.md).
WordsRecord SigmoidRecord() { return Sample(-9.938, 8.320, Sigmoid); }

DeltasRecord SigmoidDeltas() {
  DeltasRecord record;
  record.header = {1, 2, 3};
  record.knots = SigmoidRecord().knots;
  record.deltas = DeltasOf(record.knots);
  return record;
}

TEST(Activation, BothViewsHaveTheirDescribedLengths) {
  EXPECT_EQ(Write(SigmoidRecord()).size(), 86U);
  EXPECT_EQ(Write(SigmoidDeltas()).size(), 6 + 2 * (33 + 32U));
  for (const size_t size : {0, 83, 85, 88, 130, 133, 148}) {
    EXPECT_FALSE(Parse(Bytes(size)).ok()) << size;
  }
  EXPECT_TRUE(std::holds_alternative<WordsRecord>(Parse(Bytes(84)).value()));
  EXPECT_TRUE(std::holds_alternative<DeltasRecord>(Parse(Bytes(132)).value()));
}

TEST(Activation, BothViewsAreValidFiles) {
  testing::CheckValidFile(kFormat_activation, Write(SigmoidRecord()), "sigmoid.activation");
  testing::CheckValidFile(kFormat_activation, Write(SigmoidDeltas()), "deltas.activation");
  EXPECT_TRUE(kFormat_activation.verify(Write(SigmoidRecord()))->empty());
  EXPECT_TRUE(kFormat_activation.verify(Write(SigmoidDeltas()))->empty());
}

TEST(Activation, EditsNeverCrashNorAllocateTooMuch) {
  testing::CheckHostileEdits(kFormat_activation, Write(SigmoidRecord()), "words");
  testing::CheckHostileEdits(kFormat_activation, Write(SigmoidDeltas()), "deltas");
}

TEST(Activation, TheShorterLengthOnlyWarns) {
  WordsRecord record = SigmoidRecord();
  record.unplaced.clear();
  const std::vector<Violation> violations = kFormat_activation.verify(Write(record)).value();
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].rule->id, "described-length");
  EXPECT_TRUE(violations[0].IsWarning());
}

// Source: facts/numerics.md, which gives 0.0034 as the largest absolute error of the sigmoid table.
TEST(Activation, TheSigmoidTableHasThePublishedError) {
  const WordsRecord record = SigmoidRecord();
  double worst = 0;
  for (int i = -2000; i <= 2000; ++i) {
    const double x = i / 100.0;
    worst = std::max(worst, std::fabs(Evaluate(record, x) - Sigmoid(x)));
  }
  EXPECT_GT(worst, 0.0030);
  EXPECT_LT(worst, 0.0045);
}

TEST(Activation, TheCurvePassesTheKnotsAndClamps) {
  const WordsRecord record = SigmoidRecord();
  const double low = HalfToDouble(record.clamp_low);
  const double high = HalfToDouble(record.clamp_high);
  for (size_t i = 0; i < kKnots; ++i) {
    const double x = low + (high - low) * static_cast<double>(i) / kSegments;
    EXPECT_NEAR(Evaluate(record, x), HalfToDouble(record.knots[i]), 1e-12);
  }
  EXPECT_EQ(Evaluate(record, -1e9), HalfToDouble(record.knots[0]));
  EXPECT_EQ(Evaluate(record, 1e9), HalfToDouble(record.knots[32]));
  EXPECT_EQ(Evaluate(record, std::nan("")), HalfToDouble(record.knots[32]));
}

RC_GTEST_PROP(Activation, AnyWordsRoundTrip, ()) {
  const auto size = *rc::gen::element<size_t>(84, 86, 132, 138, 146);
  const Bytes bytes = *testing::BytesOfSize(size);
  RC_ASSERT(Write(Parse(bytes).value()) == bytes);
  RC_ASSERT(kFormat_activation.from_json(kFormat_activation.to_json(bytes).value()).value() ==
            bytes);
}

}  // namespace
}  // namespace anecheck::activation
