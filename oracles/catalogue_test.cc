// Catalogues of the user's own departures: accepted and refused files, and too many departures.
#include "oracles/catalogue.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

TEST(DepartureCatalogue, StartsWithTheDocumentedOnes) {
  const DepartureCatalogue catalogue;
  ASSERT_EQ(catalogue.rows().size(), KnownDepartures().size());
  EXPECT_EQ(catalogue.rows().front().id, "D01");
}

TEST(DepartureCatalogue, AddsRowsThatTheJudgeUses) {
  DepartureCatalogue catalogue;
  ASSERT_TRUE(catalogue
                  .AddJson(R"({"departures": [{"id": "U1", "effect": "value_from",
                      "op": "sigmoid", "a": 16, "b": 0, "families": ["A16", "h18"],
                      "what": "drops to 0", "source": "measured"}]})")
                  .ok());
  const Departure& row = catalogue.rows().back();
  EXPECT_EQ(row.id, "U1");
  EXPECT_EQ(row.effect, Effect::kValueFrom);
  EXPECT_EQ(row.families, (1u << 5) | (1u << 7));
  testing::Case c;
  const ValueId x = c.Input(testing::MakeTensor(DType::kFp16, {1}, {20.0}));
  const Estimate expected = c.Run(c.Unary(OpKind::kSigmoid, x));
  const DepartureCatalogue moved = std::move(catalogue);
  const Tensor zero = testing::MakeTensor(DType::kFp16, {1}, {0.0});
  EXPECT_EQ(Judge(c.graph, c.inputs, 0, expected, zero, 5, moved.rows()).defects.ToText(), "U1");
  EXPECT_EQ(Judge(c.graph, c.inputs, 0, expected, zero, 2, moved.rows()).verdict, Verdict::kWrong);
}

// The effect of a single operation reads that operation's attributes.
TEST(DepartureCatalogue, AcceptsAnEffectForAnOperationWithDocumentedDefects) {
  DepartureCatalogue catalogue;
  EXPECT_TRUE(catalogue
                  .AddJson(R"({"departures": [{"id": "U3", "effect": "any_of_axis",
                      "op": "gather", "families": ["A16"]}]})")
                  .ok());
}

// An operation without operands has no argument at which its value could differ.
TEST(DepartureCatalogue, AcceptsAnOperationWithoutOperands) {
  testing::Case c;
  const ValueId x = c.Begin(OpKind::kFill).Ints(params::Fill::kShape, {1}).Finish();
  ASSERT_EQ(c.error, "");
  Departure row;
  row.id = "U4";
  row.effect = Effect::kValueAt;
  row.op = "fill";
  row.families = 1u << 2;
  const Departure* const rows[] = {&row};
  EXPECT_EQ(c.Run(x, WithDepartures(2, rows)).value, (std::vector<double>{0}));
}

TEST(DepartureCatalogue, ReadsInfinities) {
  DepartureCatalogue catalogue;
  ASSERT_TRUE(catalogue
                  .AddJson(R"({"departures": [{"id": "U2", "effect": "value_at", "op": "tanh",
                      "a": "inf", "b": "-inf", "families": ["A13"]}]})")
                  .ok());
  EXPECT_EQ(catalogue.rows().back().a, std::numeric_limits<double>::infinity());
  EXPECT_EQ(catalogue.rows().back().b, -std::numeric_limits<double>::infinity());
}

TEST(DepartureCatalogue, RefusesMalformedRowsAndStaysUnchanged) {
  DepartureCatalogue catalogue;
  const size_t before = catalogue.rows().size();
  const std::string good = R"({"id": "U", "effect": "ties_away", "families": ["A13"]})";
  for (const std::string& row : std::initializer_list<std::string>{
           "7", R"({"effect": "ties_away", "families": ["A13"]})",
           R"({"id": "U", "effect": "magic", "families": ["A13"]})",
           R"({"id": "U", "effect": "ties_away"})",
           R"({"id": "U", "effect": "ties_away", "families": ["A99"]})",
           R"({"id": "U", "effect": "ties_away", "families": ["ieee"]})",
           R"({"id": "U", "effect": "ties_away", "families": []})",
           R"({"id": "U", "effect": "value_at", "families": ["A13"]})",
           R"({"id": "U", "effect": "value_at", "op": "no_such_op", "families": ["A13"]})",
           R"({"id": "U", "effect": "reciprocal", "op": "relu", "families": ["A13"]})",
           R"({"id": "U", "effect": "any_of_axis", "op": "add", "families": ["A13"]})",
           R"({"id": "U", "effect": "value_at", "op": "tanh", "a": "x", "families": ["A13"]})",
           R"({"id": "U", "effect": "tile_lattice", "a": 12, "b": 0, "families": ["A13"]})",
           R"({"id": 3, "effect": "ties_away", "families": ["A13"]})"}) {
    const Status status = catalogue.AddJson("{\"departures\": [" + good + "," + row + "]}");
    ASSERT_FALSE(status.ok()) << row;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalid) << row;
    EXPECT_NE(status.error().message.find("departures[1]"), std::string::npos) << row;
    EXPECT_EQ(catalogue.rows().size(), before);
  }
  for (const char* text : {"", "[]", "{}", "{\"departures\": 1}", "{\"departures\": ["}) {
    EXPECT_EQ(catalogue.AddJson(text).error().code, ErrorCode::kMalformed) << text;
  }
}

TEST(EffectName, IsADifferentWordForEachEffect) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kEffectCount; ++i) names.insert(EffectName(static_cast<Effect>(i)));
  EXPECT_EQ(names.size(), kEffectCount);
  EXPECT_EQ(EffectName(Effect::kCastWraps), "cast_wraps");
  EXPECT_EQ(EffectName(Effect::kTiesAway), "ties_away");
  EXPECT_EQ(EffectName(Effect::kValueFrom), "value_from");
  EXPECT_EQ(EffectName(Effect::kInteriorOverflow), "interior_overflow");
}

TEST(Contracts, ReportMoreDeparturesThanTheyHold) {
  // D01 names two departures.
  std::vector<std::string_view> ids(Contract::kMaxDepartures / 2, "D01");
  EXPECT_EQ(WithDepartures(2, ids).value().departure_count, Contract::kMaxDepartures);
  ids.emplace_back("D05");
  const auto one_more = WithDepartures(2, ids);
  ASSERT_FALSE(one_more.ok());
  EXPECT_EQ(one_more.error().code, ErrorCode::kLimit) << one_more.error().message;
  ids.back() = "D99";
  EXPECT_EQ(WithDepartures(2, ids).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace anecheck
