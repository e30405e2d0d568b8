#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "harness/base/little_endian.h"
#include "harness/curves/compose.h"
#include "harness/curves/curve.h"
#include "harness/curves/plot.h"
#include "harness/curves/study.h"
#include "harness/encoder/activation_table.h"
#include "harness/formats/activation/record.h"
#include "oracles/oracle.h"

namespace anecheck::curves {
namespace {

TEST(Curve, HasTheKnotsThatCompilersWrite) {
  // The 16-bit values of facts/silicon/act_tables.csv: knot 0, at -4, is 0; knot 16, at 0, is
  // 0x922d.
  const Curve gelu = NamedCurve("gelu").value();
  ASSERT_EQ(gelu.knots.size(), 33u);
  EXPECT_EQ(gelu.knots[0].x, -4);
  EXPECT_EQ(gelu.knots[0].y, 0);
  EXPECT_EQ(gelu.knots[16].x, 0);
  EXPECT_EQ(DoubleToHalf(gelu.knots[16].y).bits, 0x922d);
  EXPECT_EQ(gelu.knots[32].x, 4);
  EXPECT_EQ(gelu.low, -4.3984375);
}

TEST(Curve, TheErrorOfAnUnknownNameListsAllNames) {
  const auto curve = NamedCurve("mish");
  ASSERT_FALSE(curve.ok());
  EXPECT_NE(curve.error().message.find("sigmoid, silu, gelu"), std::string::npos);
}

TEST(Curve, AFileIsATasksTableOrARecord) {
  const Bytes table = encoder::TableOf(encoder::Function::kSigmoid);
  EXPECT_EQ(CurveOfBytes(table, "a.bin")->value(0.3), NamedCurve("sigmoid")->value(0.3));
  const Bytes record = activation::Write(activation::Sample(-2, 2, std::tanh));
  const Curve curve = CurveOfBytes(record, "a.rec").value();
  EXPECT_NEAR(curve.value(0.5), std::tanh(0.5), 1e-3);
  EXPECT_EQ(curve.knots[32].x, 2);
}

TEST(Curve, ATableInMode2HasItsLastKnotAtZero) {
  Bytes table = encoder::TableOf(encoder::Function::kSigmoid);
  StoreLittle(table, 2 * 41, 2, 0xffff);  // a knot for each second number
  StoreLittle(table, 2 * 42, 2, 2);
  const Curve curve = CurveOfBytes(table, "a.bin").value();
  ASSERT_EQ(curve.knots.size(), 33u);
  EXPECT_EQ(curve.knots[0].x, -64);
  EXPECT_EQ(curve.knots[32].x, 0);
  for (const auto& knot : curve.knots) {
    if (knot.x > curve.low && knot.x < curve.high) EXPECT_EQ(curve.value(knot.x), knot.y) << knot.x;
  }
}

TEST(Curve, ADomainThatNoSourceStatesIsRefused) {
  activation::DeltasRecord deltas;
  deltas.header = {1};
  const auto curve = CurveOfBytes(activation::Write(deltas), "a.rec");
  ASSERT_FALSE(curve.ok());
  EXPECT_EQ(curve.error().message,
            "a.rec: a record of knots and deltas; no source gives the arguments of its knots");
  EXPECT_EQ(CurveOfBytes(Bytes(100), "b").error().message,
            "b: 100 bytes; a task's table has 128, an activation record 84 or 86");
  EXPECT_FALSE(CurveOfBytes(activation::Write(activation::WordsRecord()), "c").ok());
}

TEST(Study, CountsEveryNumberOnce) {
  Curve curve;
  curve.value = [](double x) { return x + (x == 1 ? 0.001 : 0); };
  curve.exact = [](double x) { return x; };
  const Study study = StudyOf(curve);
  EXPECT_EQ(study.inputs, 63487u);
  EXPECT_EQ(study.nearest, 63486u);
  EXPECT_EQ(study.farthest.x, 1);
  EXPECT_EQ(study.farthest.ulp, 1u);
  EXPECT_NEAR(study.largest_error, 0.0009765625, 1e-9);
  EXPECT_NEAR(study.mean_ulp, 1.0 / 63487, 1e-12);
}

// The encoder's tables, the emulator's evaluation and the oracle's arithmetic rules share no code.
// They must agree on the families that compute by these tables.
TEST(Admission, RecordedTablesLieInsideTheBoundsOfTheirFamilies) {
  for (const std::string_view name : CurveNames()) {
    const auto admission = AdmittedBy(NamedCurve(name).value(), ContractFromName("h18g").value());
    ASSERT_TRUE(admission.ok()) << admission.error().message;
    EXPECT_EQ(admission->outside, 0u) << name << " first at " << admission->first.value_or(0);
  }
}

TEST(Admission, AShiftedTableLiesOutside) {
  Curve shifted = NamedCurve("sigmoid").value();
  shifted.value = [table = shifted.value](double x) { return table(x) + 0.1; };
  const Admission admission = AdmittedBy(shifted, ContractFromName("h13").value()).value();
  EXPECT_GT(admission.outside, 20000u);
  EXPECT_TRUE(admission.first.has_value());
}

std::vector<Knot> Bump() {
  std::vector<Knot> knots;
  for (int i = 0; i <= 32; ++i) {
    const double x = -4 + 0.25 * i;
    knots.push_back({x, std::nearbyint(std::exp(-x * x) * 1024) / 1024});
  }
  return knots;
}

TEST(Compose, EqualsTheCurveIfFp16RepresentsTheConstants) {
  const std::vector<Knot> knots = Bump();
  const Composition made = Compose(knots, 640).value();
  EXPECT_EQ(made.rounded, 0u);
  Tensor input = {made.graph.type(made.graph.ValuesOfKind(ValueKind::kInput)[0]), Bytes(2 * 640)};
  std::vector<double> x;
  for (int i = 0; i < 640; ++i) x.push_back(-5 + i / 64.0);
  EncodeElements(DType::kFp16, x, input.bytes);
  const auto estimates = Evaluate(made.graph, std::span(&input, 1), IeeeContract()).value();
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(estimates[0].value[i], HalfToDouble(DoubleToHalf(ValueAt(knots, x[i])))) << x[i];
  }
}

TEST(Compose, CountsConstantsThatFp16CannotRepresent) {
  const std::array knots = {Knot{0, 0}, Knot{3, 1}};
  // The slope 1/3 is rounded where the curve begins to rise and where it stops.
  EXPECT_EQ(Compose(knots, 1)->rounded, 2u);
}

TEST(Compose, RefusesWithReason) {
  const auto message = [](std::vector<Knot> knots, int64_t points = 1) {
    const auto made = Compose(knots, points);
    return made.ok() ? std::string() : made.error().message;
  };
  EXPECT_EQ(message({{0, 0}}), "a curve must have 2 to 4096 knots, but it has 1");
  EXPECT_EQ(message({{1, 0}, {1, 1}}),
            "knot 1 at (1, 1): knots must be finite and in ascending order of x");
  EXPECT_EQ(message({{0, 0}, {1, INFINITY}}),
            "knot 1 at (1, inf): knots must be finite and in ascending order of x");
  EXPECT_EQ(message({{0, 0}, {1e-6, 1}}),
            "1000000 is beyond the range of fp16: a curve with such steep or distant knots cannot "
            "be composed");
  EXPECT_EQ(message({{0, 0}, {1, 1}}, 0), "a composed curve must have at least 1 point");
}

TEST(ReadKnots, TakesAHeadingCommentsAndEitherSeparator) {
  const auto knots = ReadKnots("x,y\n# middle\n-1, 2\n\n0.5 3\r\n", "k.csv").value();
  ASSERT_EQ(knots.size(), 2u);
  EXPECT_EQ(knots[1].x, 0.5);
  EXPECT_EQ(knots[1].y, 3);
  EXPECT_EQ(ReadKnots("1,2\n3\n", "k.csv").error().message,
            "k.csv: line 2: expected two numbers, x and y");
  EXPECT_EQ(ReadKnots("1,2\n3,4,5\n", "k.csv").error().message,
            "k.csv: line 2: expected two numbers, x and y");
}

TEST(Plot, HasEveryKnotAndNoNanOrInfinity) {
  const std::string svg = PlotOf(NamedCurve("gelu").value(), -4.5, 4.5);
  size_t circles = 0;
  for (size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) {
    ++circles;
  }
  EXPECT_EQ(circles, 33u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_NE(svg.find("<title"), std::string::npos);
}

TEST(Plot, TheErrorHasALineAtZero) {
  const std::string svg = PlotOf(NamedCurve("sigmoid").value(), -9, 9);
  const size_t below = svg.find("error of the stored value");
  ASSERT_NE(below, std::string::npos);
  EXPECT_NE(svg.find(">0</text>", below), std::string::npos) << svg.substr(below, 800);
  EXPECT_EQ(svg.rfind(">0.5</text>"), svg.find(">0.5</text>"))
      << "only the plot of the curve has a line at 0.5";
}

TEST(Plot, EscapesNamesOfFiles) {
  Curve curve = NamedCurve("tanh").value();
  curve.name = "a<b>&\"\n";
  EXPECT_NE(PlotOf(curve, -1, 1).find("a&#60;b&#62;&#38;&#34;&#65533;"), std::string::npos);
  EXPECT_EQ(PlotOf(curve, -1, 1).find("a<"), std::string::npos);
}

}  // namespace
}  // namespace anecheck::curves
