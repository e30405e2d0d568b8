// In the cases of a campaign, every operation reaches an output, every judged output can move
// beyond its bound, and a graph that must be refused breaks one rule.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <set>

#include "generators/must_reject.h"
#include "generators/repair/non_vacuous.h"
#include "harness/campaign/campaign.h"
#include "harness/cases/drawn_ops.h"
#include "harness/cases/options_json.h"
#include "harness/cases/placement_cost.h"
#include "harness/cases/rejected_graph.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/reach_counter.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/targets/catalog.h"
#include "oracles/testing/vacuity.h"

namespace anecheck {
namespace {

CampaignOptions Options(std::vector<CaseMode> modes, CampaignTarget target = {"h13", 2}) {
  CampaignOptions options;
  options.seed = 5;
  options.targets = {std::move(target)};
  options.modes = std::move(modes);
  return options;
}

constexpr CaseMode kJudged[] = {CaseMode::kInteger,     CaseMode::kFloat,       CaseMode::kSpecial,
                                CaseMode::kBoundary,    CaseMode::kCompressed,  CaseMode::kState,
                                CaseMode::kMetamorphic, CaseMode::kCancellation};

// ANECHECK_CHECKED_CASES sets the number of cases checked in each mode (default 60).
class CasesOfMode : public ::testing::TestWithParam<CaseMode> {};

uint64_t CheckedCases() {
  const char* wanted = std::getenv("ANECHECK_CHECKED_CASES");
  return wanted == nullptr ? 60 : std::strtoull(wanted, nullptr, 10);
}

TEST_P(CasesOfMode, HaveNoDeadNodeAndNoVacuousOutputByTheIndependentCheck) {
  Evaluation evaluation;
  const CampaignOptions options = Options({GetParam()});
  for (uint64_t index = 0; index < CheckedCases(); ++index) {
    const auto item = MakeCase(options, index);
    ASSERT_TRUE(item.ok()) << item.error().message;
    EXPECT_TRUE(testing::DeadNodes(item->graph).empty()) << "case " << index;
    for (const auto& output :
         testing::FindVacuous(evaluation, item->graph, item->inputs, ConformingContract(2),
                              item->sensitivity.changes)) {
      ADD_FAILURE() << "case " << index << ": output " << output.output << " of " << output.op
                    << " does not move";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Judged, CasesOfMode, ::testing::ValuesIn(kJudged),
                         [](const auto& instance) {
                           std::string name(ToText(instance.param));
                           std::erase(name, '-');
                           return name;
                         });

// Chains of an operation that enlarges tensors must also stay small enough to be evaluated.
TEST(Cases, OfOneOperationStaySmall) {
  for (const OpDefinition* op : AllOps()) {
    CampaignOptions options = Options({CaseMode::kFloat});
    options.ops.reset();
    options.ops.set(op->schema.id);
    for (uint64_t index = 0; index < 6; ++index) {
      const auto item = MakeCase(options, index);
      ASSERT_TRUE(item.ok()) << op->schema.name << " " << index << ": " << item.error().message;
      int64_t elements = 0;
      for (ValueId id = 0; id < item->graph.values().size(); ++id) {
        elements += item->graph.type(id).shape.Elements();
      }
      EXPECT_LT(elements, 1 << 20) << op->schema.name << " " << index;
    }
  }
}

bool Holds(const Graph& graph, OpKind kind) {
  return std::ranges::any_of(graph.nodes(),
                             [&](const Node& node) { return KindOf(*node.schema) == kind; });
}

// The cases are of the default mix, which includes the mode `integer`. If no possible operation
// keeps integers, the graph is drawn with other numbers.
TEST(Cases, ContainTheNamedOperation) {
  for (const OpKind kind : {OpKind::kGelu, OpKind::kResizeNearestNeighbor, OpKind::kPePool}) {
    CampaignOptions options = Options({});
    options.ops.reset().set(static_cast<size_t>(kind));
    for (uint64_t index = 0; index < 150; ++index) {
      const auto item = MakeCase(options, index);
      ASSERT_TRUE(item.ok()) << item.error().message;
      EXPECT_TRUE(Holds(item->graph, kind)) << GetOp(kind).schema.name << " " << index;
    }
  }
}

TEST(Cases, HaveNativeLayersOnlyInNetworkDescriptions) {
  CampaignOptions options = Options({CaseMode::kFloat});
  options.routes = RouteSet::kBoth;
  options.ops.reset();
  for (const OpKind kind : {OpKind::kNativeSdpa, OpKind::kRelu}) {
    options.ops.set(static_cast<size_t>(kind));
  }
  int direct = 0;
  for (uint64_t index = 0; index < 200; ++index) {
    const auto item = MakeCase(options, index);
    ASSERT_TRUE(item.ok()) << item.error().message;
    if (item->route == Route::kMil) {
      EXPECT_FALSE(Holds(item->graph, OpKind::kNativeSdpa)) << index;
    } else {
      direct += Holds(item->graph, OpKind::kNativeSdpa) ? 1 : 0;
    }
  }
  EXPECT_GT(direct, 20);
}

TEST(Cases, CannotBeDrawnByNameOnlyWithAReason) {
  for (const OpDefinition* op : AllOps()) {
    for (int family = 0; family < kContractFamilies; ++family) {
      for (const Route route : AllWords<Route>()) {
        if (IsDrawnByName(*op, family, route)) continue;
        EXPECT_NE(WhyNotDrawnByName(*op, family, route), "") << op->schema.name << " " << family;
      }
    }
  }
  EXPECT_EQ(WhyNotDrawnByName(GetOp(OpKind::kSin), 2, Route::kMil),
            "engines have it from A15 on, and this is A13");
  EXPECT_EQ(WhyNotDrawnByName(GetOp(OpKind::kNativeTopK), 2, Route::kNetlist),
            "engines have it from A14 on, and this is A13")
      << "network descriptions name native layers";
  EXPECT_EQ(WhyNotDrawnByName(GetOp(OpKind::kNativeTopK), 6, Route::kMil),
            "is a native layer, which no MIL text names");
}

// The generator must not draw an operation that no network description can express.
TEST(Cases, OfTheDirectRouteHaveOnlyOperationsOfDescriptions) {
  Graph graph;
  for (const CaseMode mode : kJudged) {
    for (const int family : {2, 6}) {
      for (uint64_t seed = 0; seed < 150; ++seed) {
        GeneratorOptions options = {.family = family, .mode = mode, .direct = true};
        options.spelt = NetlistOps();
        // Also asks for pairs, which a description may be unable to express.
        if (seed % 3 == 0) options.chain = OpChain{OpKind::kConv, OpKind::kReduceSum};
        if (seed % 3 == 1) options.chain = OpChain{OpKind::kConv, OpKind::kLayerNorm};
        ChoiceStream choices = ChoiceStream::FromSeed(seed);
        GenerateGraph(choices, options, graph);
        const auto program = GraphToNetlist(graph);
        EXPECT_TRUE(program.ok()) << ToText(mode) << " family " << family << " seed " << seed
                                  << ": " << program.error().message;
      }
    }
  }
}

TEST(Cases, AreSmallOnRequest) {
  struct Sizes {
    size_t most_nodes = 0;
    int inputs = 0;
    int larger = 0;  // inputs that are larger than the tensors of a small graph
  };
  const auto sizes_of = [](bool small) {
    CampaignOptions options = Options({CaseMode::kFloat, CaseMode::kInteger});
    options.small = small;
    Sizes sizes;
    for (uint64_t index = 0; index < 400; ++index) {
      const auto item = MakeCase(options, index);
      EXPECT_TRUE(item.ok());
      sizes.most_nodes = std::max(sizes.most_nodes, item->graph.nodes().size());
      for (const Tensor& input : item->inputs) {
        ++sizes.inputs;
        sizes.larger += input.type.shape.Elements() > kSmallElements ? 1 : 0;
      }
    }
    return sizes;
  };
  const Sizes all = sizes_of(false), small = sizes_of(true);
  EXPECT_GT(all.most_nodes, 24u);
  EXPECT_LE(small.most_nodes, 24u) << "12 operations and the conversions that they need";
  EXPECT_GT(5 * all.larger, all.inputs);
  EXPECT_LT(20 * small.larger, small.inputs) << "some operations have no smaller instance";
}

TEST(Cases, CarryAWitnessForEveryOutput) {
  Evaluation evaluation;
  Estimate bounds;
  for (uint64_t index = 0; index < 100; ++index) {
    const auto item = MakeCase(Options({CaseMode::kFloat, CaseMode::kInteger}), index);
    ASSERT_TRUE(item.ok());
    ASSERT_EQ(item->sensitivity.witnesses.size(), item->graph.outputs().size());
    ASSERT_TRUE(evaluation.Run(item->graph, item->inputs, ConformingContract(2)).ok());
    for (size_t i = 0; i < item->sensitivity.witnesses.size(); ++i) {
      evaluation.Stored(item->graph.outputs()[i], bounds);
      const Witness& witness = item->sensitivity.witnesses[i];
      EXPECT_FALSE(Admits(bounds, witness.element, witness.moved_to));
      EXPECT_EQ(bounds.low[witness.element], witness.low);
      // The changed inputs can be evaluated, and give the witness's values.
      const auto& change = item->sensitivity.changes.at(witness.change);
      ASSERT_TRUE(evaluation.Run(item->graph, change, ConformingContract(2)).ok());
      Estimate moved;
      evaluation.Stored(item->graph.outputs()[i], moved);
      EXPECT_EQ(moved.value[witness.element], witness.moved_to);
      ASSERT_TRUE(evaluation.Run(item->graph, item->inputs, ConformingContract(2)).ok());
    }
  }
}

// The expectation that comes with a case equals a separate evaluation.
TEST(Cases, CarryTheOraclesExpectation) {
  Evaluation evaluation;
  Estimate bounds;
  for (uint64_t index = 0; index < 200; ++index) {
    std::vector<Estimate> expected;
    const auto item = MakeCase(Options({CaseMode::kFloat, CaseMode::kSpecial, CaseMode::kBoundary}),
                               index, &expected);
    ASSERT_TRUE(item.ok());
    ASSERT_EQ(expected.size(), item->graph.outputs().size());
    ASSERT_TRUE(evaluation.Run(item->graph, item->inputs, ConformingContract(2)).ok());
    for (size_t i = 0; i < expected.size(); ++i) {
      evaluation.Stored(item->graph.outputs()[i], bounds);
      ASSERT_EQ(expected[i].type, bounds.type);
      ASSERT_EQ(expected[i].flags, bounds.flags);
      ASSERT_EQ(expected[i].members, bounds.members);
      ASSERT_EQ(expected[i].value.size(), bounds.value.size());
      for (size_t k = 0; k < bounds.value.size(); ++k) {
        ASSERT_EQ(std::bit_cast<uint64_t>(expected[i].low[k]),
                  std::bit_cast<uint64_t>(bounds.low[k]));
        ASSERT_EQ(std::bit_cast<uint64_t>(expected[i].high[k]),
                  std::bit_cast<uint64_t>(bounds.high[k]));
      }
    }
  }
}

// x - x cannot move, but its operands can.
TEST(CaseRepair, JudgesTheOperandsOfAnOutputThatCannotMove) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {4}}, "x");
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(0, x);
  const ValueId y = *graph.FinishNode(std::vector<std::string>{"y"});
  graph.BeginNode(&GetOp(OpKind::kSub).schema);
  graph.AddArgument(0, y);
  graph.AddArgument(1, y);
  graph.AddOutput(*graph.FinishNode());
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  std::vector<Tensor> inputs = GenerateInputs(choices, graph, CaseMode::kInteger);
  std::vector<Estimate> expected;
  const auto proof =
      CaseRepair().Run(choices, CaseMode::kInteger, ConformingContract(2), graph, inputs, expected);
  ASSERT_TRUE(proof.ok());
  ASSERT_EQ(proof->witnesses.size(), 1u);
  ASSERT_EQ(expected.size(), 1u);
  const auto alone = Evaluate(graph, inputs, ConformingContract(2));
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(expected[0].value, (*alone)[0].value) << "the expectation is that of the new output";
  ASSERT_EQ(graph.nodes().size(), 1u);
  EXPECT_EQ(graph.value(graph.outputs()[0]).name, "y");
}

// Repair removes few operations, so most drawn values are judged.
TEST(CaseRepair, LeavesMostGraphsUnchanged) {
  constexpr int kGraphs = 400;
  for (const CaseMode mode : {CaseMode::kFloat, CaseMode::kInteger, CaseMode::kCompressed}) {
    CaseRepair repair;
    std::vector<Estimate> expected;
    int cut = 0;
    for (uint64_t seed = 0; seed < kGraphs; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      Graph graph;
      GenerateGraph(choices, {.mode = mode, .max_elements = 64}, graph);
      const size_t drawn = graph.nodes().size();
      std::vector<Tensor> inputs = GenerateInputs(choices, graph, mode);
      const auto proof = repair.Run(choices, mode, ConformingContract(2), graph, inputs, expected);
      ASSERT_TRUE(proof.ok());
      cut += graph.nodes().size() != drawn ? 1 : 0;
    }
    EXPECT_LT(cut, kGraphs / 6) << ToText(mode);
  }
}

// A graph in which no output can move still becomes a case.
TEST(CaseRepair, RectifiesTheInputIfNothingMoves) {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {4}}, "x");
  graph.BeginNode(&GetOp(OpKind::kSub).schema);
  graph.AddArgument(0, x);
  graph.AddArgument(1, x);
  graph.AddOutput(*graph.FinishNode());
  ChoiceStream choices = ChoiceStream::FromBytes({});
  std::vector<Tensor> inputs = GenerateInputs(choices, graph, CaseMode::kFloat);
  std::vector<Estimate> expected;
  const auto proof =
      CaseRepair().Run(choices, CaseMode::kFloat, ConformingContract(2), graph, inputs, expected);
  ASSERT_TRUE(proof.ok());
  EXPECT_EQ(proof->witnesses.size(), 1u);
  EXPECT_EQ(expected.size(), 1u);
  ASSERT_EQ(graph.nodes().size(), 1u);
  EXPECT_EQ(graph.nodes()[0].schema->name, "relu");
}

// Counts the cases among the first `count` that have a tensor of 32752 elements or more.
uint64_t LargeCases(const CampaignOptions& options, uint64_t count) {
  uint64_t large = 0;
  for (uint64_t index = 0; index < count; ++index) {
    const auto item = MakeCase(options, index);
    if (!item.ok()) continue;
    large += std::ranges::any_of(item->graph.values(), [](const Value& value) {
      return value.type.shape.Elements() >= 32752;
    });
  }
  return large;
}

TEST(WorkingSets, AreRareAndNeverInSmallCases) {
  CampaignOptions options = Options({CaseMode::kBoundary});
  const uint64_t named = LargeCases(options, 1000);
  EXPECT_GE(named, 5u);
  EXPECT_LE(named, 32u);
  options.small = true;
  EXPECT_EQ(LargeCases(options, 1000), 0u);
  EXPECT_EQ(LargeCases(Options({CaseMode::kFloat}), 1000), 0u)
      << "this mode draws no large tensors";
  const uint64_t mixed = LargeCases(Options({}), 6000);
  EXPECT_GE(mixed, 1u);
  EXPECT_LE(mixed, 16u);
}

TEST(RejectedGraphs, BreakOneRuleOnEveryTarget) {
  std::set<std::string> broken;
  for (const CampaignTarget& target : {CampaignTarget{"h11", 0}, CampaignTarget{"h13", 2},
                                       CampaignTarget{"h14", 3}, CampaignTarget{"h17s", 6}}) {
    for (uint64_t index = 0; index < 40; ++index) {
      const auto item = MakeCase(Options({CaseMode::kMustReject}, target), index);
      ASSERT_TRUE(item.ok()) << target.name << ": " << item.error().message;
      const auto rules = RefusingRules(item->graph, **FindTarget(target.name));
      ASSERT_TRUE(rules.ok());
      EXPECT_TRUE(rules->contains(item->broken_rule)) << item->broken_rule;
      // No other rule is broken, except rules that restate the same limit according to the table.
      const auto row = std::ranges::find(RuleBreaks(), item->broken_rule, &RuleBreak::rule);
      ASSERT_NE(row, RuleBreaks().end());
      for (const auto& [rule, layer] : *rules) {
        const std::string restated = fmt::format(",{},", row->restated_by);
        EXPECT_TRUE(rule == row->rule || restated.find("," + rule + ",") != std::string::npos)
            << item->broken_rule << " and " << rule << " on " << target.name;
      }
      broken.insert(item->broken_rule);
    }
  }
  EXPECT_EQ(broken.size(), 7u) << fmt::format("{}", fmt::join(broken, " "));
}

RunReply Reply(RunStatus status) { return {.status = status, .backend = "ane"}; }

TEST(RejectedGraphs, PassIfRefusedAndAreFindingsIfNot) {
  const auto item = MakeCase(Options({CaseMode::kMustReject}), 0);
  ASSERT_TRUE(item.ok());
  Evaluation evaluation;
  EXPECT_EQ(JudgeCase(*item, Reply(RunStatus::kRejected), evaluation).verdict(), Verdict::kPass);
  EXPECT_EQ(JudgeCase(*item, Reply(RunStatus::kCrashed), evaluation).verdict(), Verdict::kCrashed);
  const CaseOutcome accepted = JudgeCase(*item, Reply(RunStatus::kOk), evaluation);
  EXPECT_EQ(accepted.verdict(), Verdict::kAccepted);
  EXPECT_NE(accepted.message().find(item->broken_rule), std::string::npos);
  EXPECT_TRUE(IsNewFinding(accepted.verdict()));
  RunReply fallback = Reply(RunStatus::kOk);
  fallback.backend = "bnns";
  const CaseOutcome elsewhere = JudgeCase(*item, fallback, evaluation);
  EXPECT_EQ(elsewhere.verdict(), Verdict::kMisplaced) << "the graph ran on another backend";
  EXPECT_EQ(elsewhere.message(),
            "asked for the engine, ran on bnns; accepted there: " + accepted.message());
}

TEST(RejectedGraphs, AreInconclusiveIfTheRefusalShowsNothing) {
  auto item = MakeCase(Options({CaseMode::kMustReject}), 0);
  ASSERT_TRUE(item.ok());
  Evaluation evaluation;
  const auto verdict = [&](const RunReply& reply) {
    return JudgeCase(*item, reply, evaluation).verdict();
  };
  const auto rules = RefusingRules(item->graph, **FindTarget("h13"));
  ASSERT_TRUE(rules.ok());
  RunReply refused = Reply(RunStatus::kRejected);
  int speaking = 0;
  for (const Step step :
       {Step::kFrontend, Step::kFloor, Step::kHal, Step::kValidator, Step::kCodegen}) {
    refused.step = step;
    speaking += verdict(refused) == Verdict::kPass ? 1 : 0;
  }
  EXPECT_GE(speaking, 1);
  EXPECT_LE(speaking, static_cast<int>(rules->size()))
      << "a refusal by a layer without a broken rule shows nothing";
  const legality::LayerVerdict& rule = rules->begin()->second;
  for (const Step step :
       {Step::kFrontend, Step::kFloor, Step::kHal, Step::kValidator, Step::kCodegen}) {
    refused.step = step;
    if (verdict(refused) != Verdict::kPass) continue;
    refused.message = rule.reason + " @ Somewhere";
    EXPECT_EQ(verdict(refused), Verdict::kPass);
    refused.message = "conv is not available on this ANE architecture @ Validator";
    EXPECT_EQ(verdict(refused), Verdict::kInconclusive) << "the message names another reason";
    refused.message.clear();
  }
  refused.step = Step::kLoad;
  EXPECT_EQ(verdict(refused), Verdict::kInconclusive) << "the compiler accepted the graph";
  refused.step = Step::kCompile;
  refused.message = "cannot allocate";
  EXPECT_EQ(verdict(refused), Verdict::kInconclusive)
      << "if the stage is unknown, the message must be that of the rule";
  refused.message = rule.reason;
  EXPECT_EQ(verdict(refused), Verdict::kPass);
  refused.no_kernel = true;
  EXPECT_EQ(verdict(refused), Verdict::kInconclusive);
  item->target.name = "h99";
  EXPECT_EQ(verdict(Reply(RunStatus::kOk)), Verdict::kInconclusive)
      << "the rules of this target are unknown";
  item->target.name = "h13";
  item->graph = MakeCase(Options({CaseMode::kFloat}), 0)->graph;
  EXPECT_EQ(verdict(Reply(RunStatus::kOk)), Verdict::kInconclusive) << "the graph breaks no rule";
}

TEST(LegalGraphs, AreInconclusiveIfTheEngineLacksAnOperation) {
  const auto item = MakeCase(Options({CaseMode::kFloat}), 0);
  ASSERT_TRUE(item.ok());
  Evaluation evaluation;
  RunReply refused = Reply(RunStatus::kRejected);
  refused.message = "tan: no kernel";
  refused.no_kernel = true;
  const CaseOutcome lacking = JudgeCase(*item, refused, evaluation);
  EXPECT_EQ(lacking.verdict(), Verdict::kInconclusive);
  EXPECT_EQ(lacking.message(), refused.message);
  RowBatch batch;
  CountReach(*item, lacking, batch, {});
  EXPECT_EQ(batch.reach.begin()->second.inconclusive, 1);
  EXPECT_EQ(batch.reach.begin()->second.rejected, 0);
  refused.no_kernel = false;
  EXPECT_EQ(JudgeCase(*item, refused, evaluation).verdict(), Verdict::kRejected);
}

// Every graph must begin with a linear map for which the engine saves enough time, for any
// operations that follow.
TEST(MakeCase, GraphsSaveAsMuchTimeAsARunnerAsksFor) {
  CampaignOptions options;
  options.targets = {{"h13", 2}, {"h17s", 6}};
  options.least_saving_us = 250;
  std::bitset<kOpCount> ops;
  for (uint64_t index = 0; index < 12; ++index) {
    const auto item = MakeCase(options, index);
    ASSERT_TRUE(item.ok()) << item.error().message;
    EXPECT_GE(PredictedSaving(item->graph), 0.25) << "case " << index << ": " << item->mil;
    for (const Node& node : item->graph.nodes()) ops.set(node.schema->id);
  }
  EXPECT_GT(ops.count(), 5u) << "graphs have other operations besides the map";
}

TEST(MakeCase, SmallGraphsIgnoreTheLeastSaving) {
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  const auto mil = [&](uint64_t index) { return MakeCase(options, index)->mil; };
  options.small = true;
  const std::string before = mil(0);
  options.least_saving_us = 250;
  EXPECT_EQ(mil(0), before);
}

TEST(CampaignOptions, KeepTheLeastSaving) {
  CampaignOptions options;
  options.targets = {{"h13", 2}};
  options.least_saving_us = 250;
  const auto read = OptionsFromJson(OptionsToJson(options));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->least_saving_us, 250u);
}

}  // namespace
}  // namespace anecheck
