// The tables of rules are complete, state their sources, and have no mistake that gives "unknown".
#include "oracles/legality/rules.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"
#include "oracles/legality/testing/draw_instance.h"
#include "oracles/legality/testing/judge.h"

namespace anecheck::legality {
namespace {

std::string Text(const CatalogueRow& row, std::string_view field) {
  const auto found = row.fields.find(field);
  return found == row.fields.end() ? "" : found->second.text;
}

// facts/op_device_matrix.csv has 187 operations. facts/native_layers.csv has 45 descriptors, 5
// validators without a descriptor, and 3 layers that only a unit type reaches. Specification 004
// names two more layers that no other source has.
TEST(Catalogue, HasEveryOperationAndNativeLayer) {
  const Rules& rules = Rules::Builtin();
  size_t public_operations = 0, descriptors = 0, validators = 0;
  for (const CatalogueRow& row : rules.operations()) {
    public_operations += row.op_class != "names outside the public matrix" ? 1 : 0;
  }
  for (const CatalogueRow& row : rules.layers()) {
    descriptors += row.fields.at("in_45_descriptors").truth() ? 1 : 0;
    validators += row.fields.at("in_50_validators").truth() ? 1 : 0;
  }
  EXPECT_EQ(public_operations, 187u);
  EXPECT_EQ(rules.layers().size(), 55u);
  EXPECT_EQ(descriptors, 45u);
  EXPECT_EQ(validators, 50u);
}

TEST(Catalogue, EveryRowHasASourceAndALayerThatExists) {
  const Rules& rules = Rules::Builtin();
  for (const CatalogueRow& row : rules.operations()) {
    EXPECT_FALSE(Text(row, "source").empty()) << row.name;
    if (!row.native_layer.empty()) {
      const CatalogueRow* layer = rules.Find(row.native_layer);
      ASSERT_NE(layer, nullptr) << row.name;
      EXPECT_TRUE(layer->native) << row.name;
    }
  }
  EXPECT_EQ(rules.Find("gelu_exact"), rules.Find("gelu"));
  EXPECT_EQ(rules.Find("MatrixMultiplication"), rules.Find("MatrixMult"));
  EXPECT_EQ(rules.Find("no such thing"), nullptr);
}

TEST(RuleTable, EveryRuleHasAKnownSubjectAndASource) {
  const Rules& rules = Rules::Builtin();
  std::set<std::string> ids;
  for (const Rule& rule : rules.rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(rule.source.text().empty()) << rule.id;
    for (const std::string& subject : rule.subjects) {
      EXPECT_TRUE(subject == "*" || rules.Find(subject) != nullptr) << rule.id << ": " << subject;
    }
    for (const std::string& tier : rule.tiers) {
      EXPECT_TRUE(ParseTier(tier).ok() || FindTarget(tier).ok()) << rule.id << ": " << tier;
    }
    for (const OtherReading& other : rule.others) {
      EXPECT_FALSE(other.says.empty() || other.source.empty()) << rule.id;
    }
  }
}

// A misspelt field, limit or function makes a value "unknown", with a message of the expression
// language.
TEST(RuleTable, NoRuleMisnamesAFieldALimitOrAFunction) {
  for (const Rule& rule : Rules::Builtin().rules()) {
    for (const std::string& function : rule.when.ScopeFunctions()) {
      const std::set<std::string> known = {"op",
                                           "native",
                                           "route",
                                           "target",
                                           "tier",
                                           "family",
                                           "row",
                                           "hal",
                                           "hal_all",
                                           "limit",
                                           "limit_list",
                                           "operands",
                                           "has",
                                           "rank",
                                           "shape",
                                           "dtype",
                                           "constant",
                                           "elements",
                                           "bits",
                                           "axis",
                                           "max_rank",
                                           "extents",
                                           "extents_off_channel",
                                           "input_dtypes",
                                           "program_input_dtypes",
                                           "result_extents",
                                           "result_channels",
                                           "result_dtypes",
                                           "dtypes"};
      EXPECT_TRUE(known.contains(function)) << rule.id << ": " << function;
    }
    const std::vector<Value> literals = rule.when.Literals();
    for (size_t at = rule.when_text.find("limit('"); at != std::string::npos;
         at = rule.when_text.find("limit('", at + 1)) {
      const size_t begin = at + 7, end = rule.when_text.find('\'', begin);
      const std::string name = rule.when_text.substr(begin, end - begin);
      EXPECT_TRUE((*FindTarget("h13"))->limits.contains(name)) << rule.id << ": " << name;
    }
  }
}

// Every verdict has each layer in order, and a rule with its source for each decision. Only the
// layers up to the first refusal are marked as reached.
TEST(Judging, GivesCompleteVerdictsForDrawnInstances) {
  const Rules& rules = Rules::Builtin();
  for (const char* subject : {"conv", "topk", "pad", "SDPA", "PixelShuffle", "matmul", "softmax"}) {
    InstanceDrawer drawer(rules, subject, 3);
    for (int i = 0; i < 40; ++i) {
      const Instance instance = drawer.Draw();
      for (const char* target : {"h11", "h13", "h17s", "u1"}) {
        const Verdict verdict =
            Judged(target, i % 2 == 0 ? Route::kMil : Route::kNetlist, instance);
        ASSERT_EQ(verdict.layers.size(), kLayerCount);
        bool refused = false;
        for (size_t layer = 0; layer < kLayerCount; ++layer) {
          const LayerVerdict& said = verdict.layers[layer];
          EXPECT_EQ(said.layer, static_cast<Layer>(layer));
          EXPECT_EQ(said.reached, !refused);
          EXPECT_FALSE(said.rule.empty() && said.ruling > Ruling::kNotRead);
          EXPECT_EQ(said.source.empty(), said.rule.empty());
          refused = refused || said.ruling == Ruling::kReject;
        }
        EXPECT_EQ(refused,
                  verdict.outcome == Outcome::kRejected || verdict.outcome == Outcome::kNoPath);
      }
    }
  }
}

// The simulated engine has the same rule (harness/device/compile_test.cc).
TEST(Judging, TakesBoolConditionsAndNoOthers) {
  for (const char* target : {"h13", "h14", "h15", "h16", "h17s", "h18"}) {
    const auto judged = [&](const char* condition) {
      return Judged(target, Route::kMil, Make("select", {condition, "a:1,64", "b:1,64"}));
    };
    EXPECT_NE(judged("cond:1,64:bool").outcome, Outcome::kRejected) << target;
    const Verdict half = judged("cond:1,64:fp16");
    EXPECT_EQ(half.outcome, Outcome::kRejected) << target;
    EXPECT_TRUE(std::ranges::any_of(half.layers, [](const LayerVerdict& layer) {
      return layer.rule == "select_condition";
    })) << target;
  }
}

TEST(Judging, AnUnknownOperationIsAnErrorThatNamesNearOnes) {
  const auto verdict = Judge(Make("convolve"), **FindTarget("h13"), Route::kMil);
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().code, ErrorCode::kNotFound);
  EXPECT_NE(verdict.error().message.find("conv"), std::string::npos);
}

TEST(RuleTable, RefusesMalformedTables) {
  const char* ops = R"({"operations": [{"op": "a", "source": "s"}]})";
  const char* layers = R"({"layers": []})";
  const auto with = [&](const char* rules) { return Rules::Parse(ops, layers, rules).ok(); };
  EXPECT_TRUE(with(R"({"rules": []})"));
  EXPECT_FALSE(with(R"({"rules": [{"id": "r"}]})"));
  EXPECT_FALSE(with(R"({"rules": [{"id": "r", "layer": "attic", "of": ["*"], "when": "true",
                        "text": "", "source": "s"}]})"));
  EXPECT_FALSE(with(R"({"rules": [{"id": "r", "layer": "validator", "of": ["*"], "when": "1 +",
                        "text": "", "source": "s"}]})"));
  EXPECT_FALSE(Rules::Parse(R"({"operations": [{"op": "a", "source": "s"},
                                               {"op": "a", "source": "s"}]})",
                            layers, R"({"rules": []})")
                   .ok());
}

}  // namespace
}  // namespace anecheck::legality
