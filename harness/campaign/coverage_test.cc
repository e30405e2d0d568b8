// Tests the names of the cells that a case meets, the cells known beforehand, and the steering of
// campaigns towards empty cells.
#include "harness/campaign/coverage.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <tuple>

#include "harness/campaign/testing/coverage_options.h"
#include "harness/judging/judge_case.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

using testing::CoverageOptions;

CaseOutcome Ran() {
  CaseOutcome outcome;
  outcome.status = RunStatus::kOk;
  return outcome;
}

void CountCoverage(const Case& item, const CaseOutcome& outcome, RowBatch& batch) {
  CoverageCounter counter;
  counter.Add(item, outcome);
  counter.Flush(batch);
}

// relu(softmax(x, axis -1)) on a vector with a subnormal and an infinity.
Case SmallCase() {
  Case item;
  item.index = kRulesEvery;
  item.target = {"h13", 2};
  Graph& graph = item.graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 3}});
  graph.BeginNode(&FindOp("softmax")->schema);
  graph.AddArgument(params::Softmax::kX, x);
  graph.AddInt(params::Softmax::kAxis, -1);
  const auto first = graph.FinishNode();
  graph.BeginNode(&FindOp("relu")->schema);
  graph.AddArgument(0, *first);
  graph.AddOutput(*graph.FinishNode());
  item.inputs = {{{DType::kFp16, {1, 3}}, {0x01, 0x00, 0x00, 0x7c, 0x00, 0x80}}};
  return item;
}

TEST(CoverageTest, NamesTheCellsOfACase) {
  RowBatch batch;
  CountCoverage(SmallCase(), Ran(), batch);
  for (const auto& [kind, cell] : {std::pair{"op_attribute", "softmax.axis=given"},
                                   {"op_attribute", "softmax.x=computed"},
                                   {"attribute_value", "softmax.axis=negative"},
                                   {"op_pair", "softmax>relu"},
                                   {"shape", "softmax.rank=2"},
                                   {"shape", "all.extent=one"},
                                   {"shape", "all.extent=next to a power"},
                                   {"dtype", "softmax.x=fp16"},
                                   {"value", "all.input=subnormal"},
                                   {"value", "all.input=infinite"},
                                   {"value", "all.input=negative zero"}}) {
    const auto found = batch.coverage.find({kind, cell});
    ASSERT_NE(found, batch.coverage.end()) << kind << " " << cell;
    EXPECT_EQ(found->second.cases, 1);
    EXPECT_EQ(found->second.first_case, kRulesEvery);
  }
  EXPECT_FALSE(batch.coverage.contains({"value", "all.input=nan"}));
  EXPECT_FALSE(batch.coverage.contains({"op_pair", "relu>softmax"}));
}

TEST(CoverageTest, CountsCasesAndKeepsTheFirst) {
  RowBatch batch;
  Case item = SmallCase();
  CountCoverage(item, Ran(), batch);
  item.index = 5;
  CountCoverage(item, Ran(), batch);
  const CoverageCounts counts = batch.coverage[{"op_pair", "softmax>relu"}];
  EXPECT_EQ(counts.cases, 2);
  EXPECT_EQ(counts.first_case, 5u);
}

TEST(CoverageTest, ACaseThatDidNotRunReachesAtMostItsBrokenRule) {
  RowBatch batch;
  Case item = SmallCase();
  CaseOutcome outcome;
  for (const RunStatus status : {RunStatus::kRejected, RunStatus::kFailed, RunStatus::kCrashed}) {
    outcome.status = status;
    outcome.shown = Outcome({.verdict = VerdictOf(status)});
    CountCoverage(item, outcome, batch);
  }
  EXPECT_TRUE(batch.coverage.empty());
  // A refused must-reject case still reaches the rule that its graph breaks on purpose.
  CampaignOptions options = CoverageOptions("", false);
  options.modes = {CaseMode::kMustReject};
  item = *MakeCase(options, 16);
  item.seed = 0;  // rules are counted only for chosen seeds, such as 0
  outcome.status = RunStatus::kRejected;
  outcome.shown = Outcome();
  CountCoverage(item, outcome, batch);
  EXPECT_TRUE(batch.coverage.contains({"rule", item.broken_rule}));
  for (const auto& [key, counts] : batch.coverage) EXPECT_EQ(key.first, "rule");
}

TEST(CoverageTest, CountsTheRulesOfTheCasesRoute) {
  Case item = SmallCase();
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 1, 1, 16385}});
  graph.BeginNode(&FindOp("relu")->schema);
  graph.AddArgument(0, x);
  graph.AddOutput(*graph.FinishNode());
  item.graph = graph;
  RowBatch mil, netlist;
  CountCoverage(item, Ran(), mil);
  EXPECT_TRUE(mil.coverage.contains({"rule", "axis_extent"})) << "a rule of the conversion route";
  item.route = Route::kNetlist;
  CountCoverage(item, Ran(), netlist);
  EXPECT_FALSE(netlist.coverage.contains({"rule", "axis_extent"}));
}

bool IsInSpace(std::string_view kind, std::string_view cell) {
  return std::ranges::binary_search(CoverageSpace(),
                                    CoverageCell{std::string(kind), std::string(cell)});
}

TEST(CoverageTest, TheSpaceContainsEveryPairValueAndRuleThatIsReached) {
  const auto& space = CoverageSpace();
  EXPECT_TRUE(std::ranges::is_sorted(space));
  EXPECT_EQ(std::ranges::adjacent_find(space), space.end());
  CampaignOptions options = CoverageOptions("", false);
  options.targets = {{"h17s", 6}, {"h13", 2}, {"h15", 4}};
  RowBatch batch;
  for (uint64_t index = 0; index < 1200; ++index) {
    auto item = MakeCase(options, index);
    ASSERT_TRUE(item.ok());
    if (index % 64 == 0) item->seed = 0;  // a seed for which rules are counted
    CountCoverage(*item, Ran(), batch);
  }
  size_t rules = 0, classes = 0, known = 0;
  for (const auto& [key, counts] : batch.coverage) {
    rules += key.first == "rule" ? 1 : 0;
    if (key.first == "attribute_value") {
      ++classes;
      known += IsInSpace(key.first, key.second) ? 1 : 0;
    }
    const bool listed = key.first == "op_pair" || key.first == "value" || key.first == "rule";
    if (!listed) continue;
    EXPECT_TRUE(IsInSpace(key.first, key.second)) << key.first << " " << key.second;
  }
  EXPECT_GT(rules, 0u);
  EXPECT_GT(classes, 100u);
  EXPECT_LE(20 * (classes - known), classes)
      << "only rarely drawn classes may be missing from the space";
}

TEST(CoverageTest, ExcludedCellsAreNotInTheSpaceAndSayWhy) {
  ASSERT_FALSE(ExcludedCells().empty());
  for (const ExcludedCell& cell : ExcludedCells()) {
    EXPECT_FALSE(std::ranges::binary_search(
        CoverageSpace(), CoverageCell{std::string(cell.kind), std::string(cell.cell)}))
        << cell.cell;
    EXPECT_FALSE(cell.reason.empty()) << cell.cell;
    const bool op = FindOp(cell.cell.substr(0, cell.cell.find_first_of(".>"))) != nullptr;
    EXPECT_EQ(op, cell.kind != "rule") << cell.cell;
  }
}

TEST(CoverageTest, EveryOperationIsInTheSpaceOrExcludedWithAReason) {
  std::set<std::string, std::less<>> inside;
  for (const CoverageCell& cell : CoverageSpace()) {
    if (cell.kind == "op_attribute") inside.insert(cell.cell.substr(0, cell.cell.find('.')));
  }
  for (const OpDefinition* op : AllOps()) {
    const std::string_view name = op->schema.name;
    const bool counted = inside.contains(name) || op->schema.parameters.empty();
    EXPECT_EQ(counted, WhyNotDrawn(*op).empty()) << name;
    const bool said =
        std::ranges::find(ExcludedCells(), name, &ExcludedCell::cell) != ExcludedCells().end();
    EXPECT_EQ(said, !WhyNotDrawn(*op).empty()) << name;
  }
}

TEST(CoverageTest, TheSpaceContainsStatesAndNativeLayersAndTheirPairs) {
  for (const char* cell :
       {"read_state.input=state", "write_state.data=computed",
        "tensor_to_circular_buffer.position=given", "SDPA.mask=absent", "TopK.Type=Min",
        "cost_volume.disparity_range=given", "pe_goc.x=computed"}) {
    EXPECT_TRUE(IsInSpace("op_attribute", cell)) << cell;
  }
  for (const char* cell : {"conv>write_state", "read_state>conv", "conv>Sort", "SDPA>relu",
                           "Sort>Dropout", "circular_buffer_to_tensor>tensor_to_tensor_buffer"}) {
    EXPECT_TRUE(IsInSpace("op_pair", cell)) << cell;
  }
  EXPECT_FALSE(IsInSpace("op_pair", "read_state>Sort")) << "no route takes both operations";
  EXPECT_FALSE(IsInSpace("op_pair", "gelu>Sort") && !NetlistOps().test(FindOp("gelu")->schema.id));
  EXPECT_FALSE(IsInSpace("op_attribute", "cond.pred=constant")) << "the engine refuses blocks";
}

TEST(CoverageTest, TheSpaceContainsTheClassesOfNumbersThatGeneratorsDraw) {
  for (const char* cell :
       {"conv.groups=one", "conv.groups=more", "conv.strides=2 one", "conv.strides=2 mixed",
        "softmax.axis=negative", "softmax.axis=zero", "leaky_relu.alpha=fraction",
        "slice_by_index.end_mask=4 zero", "slice_by_index.end_mask=4 mixed"}) {
    EXPECT_TRUE(IsInSpace("attribute_value", cell)) << cell;
  }
  EXPECT_FALSE(IsInSpace("attribute_value", "conv.groups=zero")) << "groups are never zero";
  EXPECT_FALSE(IsInSpace("attribute_value", "conv.strides=3 one")) << "strides have two axes";
  EXPECT_FALSE(IsInSpace("attribute_value", "lstm.direction=other"));
}

constexpr int kA15 = 4;

bool IsFree(const Aim& aim) { return aim.ops.all() && !aim.chain; }

TEST(SteeringTest, TheSeedAndIndexDecideTheEmptyCell) {
  Steering steering, other;
  size_t pairs = 0, singles = 0;
  for (uint64_t index = 0; index < 256; ++index) {
    const Aim aim = steering.AimFor(index, 9, 0, kA15);
    const Aim again = other.AimFor(index, 9, 0, kA15);
    EXPECT_EQ(aim.ops, again.ops);
    EXPECT_EQ(aim.chain, again.chain);
    if (IsFree(aim)) continue;
    pairs += aim.chain ? 1 : 0;
    singles += aim.chain ? 0 : 1;
    EXPECT_EQ(aim.ops.all(), aim.chain.has_value());
    const size_t most = aim.chain ? kOpCount : 3;
    EXPECT_LE(aim.ops.count(), most)
        << "the operation and the operations that keep its operands in range";
  }
  EXPECT_GT(pairs, 8u);
  EXPECT_GT(singles, 2u);
  EXPECT_LT(pairs + singles, 256u);
}

TEST(SteeringTest, AimsOnlyAtTheLastEmptyCell) {
  Steering steering;
  for (const CoverageCell& cell : CoverageSpace()) {
    if (cell.cell != "conv>relu") steering.Meet(cell.kind, cell.cell, 0);
  }
  size_t steered = 0;
  for (uint64_t index = 0; index < 64; ++index) {
    const Aim aim = steering.AimFor(index, 9, 1, kA15);
    EXPECT_TRUE(aim.ops.all());
    if (!aim.chain) continue;
    ++steered;
    EXPECT_EQ(*aim.chain, (OpChain{OpKind::kConv, OpKind::kRelu}));
  }
  EXPECT_GT(steered, 16u);
}

TEST(SteeringTest, SkipsCellsThatAFamilyDoesNotReach) {
  // reduce_argmin is native from A15.
  Steering steering;
  for (const CoverageCell& cell : CoverageSpace()) {
    if (cell.cell != "relu>reduce_argmin") steering.Meet(cell.kind, cell.cell, 0);
  }
  constexpr int kA13 = 2;
  size_t steered = 0;
  for (uint64_t index = 0; index < 64; ++index) {
    EXPECT_TRUE(IsFree(steering.AimFor(index, 9, 1, kA13)));
    steered += steering.AimFor(index, 9, 1, kA15).chain ? 1 : 0;
  }
  EXPECT_GT(steered, 16u);
}

TEST(SteeringTest, AimsAtNativeLayersOnlyInNetworkDescriptionsAndAtStatesOnlyInMil) {
  const auto aims = [](std::string_view kept, bool direct) {
    Steering steering;
    for (const CoverageCell& cell : CoverageSpace()) {
      if (cell.cell != kept) steering.Meet(cell.kind, cell.cell, 0);
    }
    size_t steered = 0;
    for (uint64_t index = 0; index < 64; ++index) {
      steered += IsFree(steering.AimFor(index, 9, 1, kA15, direct)) ? 0 : 1;
    }
    return steered;
  };
  EXPECT_GT(aims("conv>Sort", true), 16u);
  EXPECT_EQ(aims("conv>Sort", false), 0u);
  EXPECT_GT(aims("read_state>relu", false), 16u);
  EXPECT_EQ(aims("read_state>relu", true), 0u);
  EXPECT_GT(aims("conv>relu", false), 16u);
  EXPECT_GT(aims("conv>relu", true), 16u) << "both routes take this pair";
}

TEST(SteeringTest, CellsOfLaterCasesDoNotCount) {
  Steering early, late;
  for (const CoverageCell& cell : CoverageSpace()) late.Meet(cell.kind, cell.cell, 1000);
  for (uint64_t index = 0; index < 64; ++index) {
    EXPECT_EQ(early.AimFor(index, 1, 1000, kA15).ops, late.AimFor(index, 1, 1000, kA15).ops);
    EXPECT_EQ(early.AimFor(index, 1, 1000, kA15).chain, late.AimFor(index, 1, 1000, kA15).chain);
    EXPECT_TRUE(IsFree(late.AimFor(index, 1, 1001, kA15))) << "nothing is left";
  }
}

TEST(SteeringTest, CellsOfEarlierCasesCountOnceRecorded) {
  Steering steering;
  size_t steered = 0;
  for (uint64_t index = 0; index < 64; ++index) {
    steered += IsFree(steering.AimFor(index, 9, 5, kA15)) ? 0 : 1;
  }
  EXPECT_GT(steered, 16u);
  for (const CoverageCell& cell : CoverageSpace()) steering.Meet(cell.kind, cell.cell, 4);
  for (uint64_t index = 0; index < 64; ++index) {
    EXPECT_TRUE(IsFree(steering.AimFor(index, 9, 5, kA15)));
  }
}

TEST(SteeringTest, ACaseAimedAtAPairUsuallyContainsIt) {
  CampaignOptions options = CoverageOptions("", false);
  const std::pair<OpKind, OpKind> pairs[] = {{OpKind::kConv, OpKind::kMatmul},
                                             {OpKind::kConst, OpKind::kRelu},
                                             {OpKind::kSoftmax, OpKind::kSliceBySize},
                                             {OpKind::kGreater, OpKind::kCast},
                                             {OpKind::kReduceMax, OpKind::kAdd}};
  for (const auto& [producer, consumer] : pairs) {
    options.chain = OpChain{producer, consumer};
    const std::string cell =
        std::string(GetOp(producer).schema.name) + ">" + std::string(GetOp(consumer).schema.name);
    int held = 0;
    for (uint64_t index = 0; index < 32; ++index) {
      const auto item = MakeCase(options, index);
      ASSERT_TRUE(item.ok()) << cell;
      RowBatch batch;
      CountCoverage(*item, Ran(), batch);
      held += batch.coverage.contains({"op_pair", cell}) ? 1 : 0;
    }
    EXPECT_GT(held, 16) << cell;
  }
}

// The maximum number of cases aimed at an operation before all of its cells are met.
constexpr uint64_t kSoon = 1024;

// The test names a cell that no generator draws. Such a cell must be drawn, or be listed in
// kExcluded with a reason.
TEST(SteeringTest, CasesAimedAtACellOfAnOperationMeetItSoon) {
  std::map<std::string, std::set<std::string>> open;  // cells by operation
  for (const CoverageCell& cell : CoverageSpace()) {
    if (cell.kind == "op_attribute")
      open[cell.cell.substr(0, cell.cell.find('.'))].insert(cell.cell);
  }
  ASSERT_GT(open.size(), 100u);
  CampaignOptions options = CoverageOptions("", false);
  options.targets = {{"h18", 7}};  // it has the operations of all families
  CoverageCounter counter;
  for (auto& [op, cells] : open) {
    const auto aim = AimAt({"op_attribute", *cells.begin()});
    ASSERT_TRUE(aim) << op;
    options.ops = aim->ops;
    options.routes = Has(aim->routes, Route::kMil) ? RouteSet::kMil : RouteSet::kNetlist;
    for (uint64_t index = 0; index < kSoon && !cells.empty(); ++index) {
      const auto item = MakeCase(options, index);
      ASSERT_TRUE(item.ok()) << op << " " << index << ": " << item.error().message;
      counter.Add(*item, Ran());
      RowBatch batch;
      counter.Flush(batch);
      for (const auto& [key, counts] : batch.coverage) {
        if (key.first == "op_attribute") cells.erase(std::string(key.second));
      }
    }
    for (const std::string& cell : cells) {
      ADD_FAILURE() << cell << " was met by none of " << kSoon << " cases aimed at it";
    }
  }
}

// The maximum number of graphs aimed at an operation before all classes of its numbers occur.
constexpr uint64_t kSoonDrawn = 8192;

// The graphs differ from those that determined the classes.
TEST(SteeringTest, GraphsAimedAtAClassOfNumbersSoonContainIt) {
  std::map<std::string, std::set<std::string>> open;  // cells by operation
  for (const CoverageCell& cell : CoverageSpace()) {
    if (cell.kind != "attribute_value") continue;
    open[cell.cell.substr(0, cell.cell.find('.'))].insert(cell.cell);
  }
  ASSERT_GT(open.size(), 50u);
  constexpr CaseMode kModes[] = {CaseMode::kFloat, CaseMode::kInteger, CaseMode::kSpecial,
                                 CaseMode::kBoundary};
  CoverageCounter counter;
  Case item;
  item.index = 1;
  item.target = {"h18", 7};
  for (auto& [op, cells] : open) {
    const auto aim = AimAt({"attribute_value", *cells.begin()});
    ASSERT_TRUE(aim && !aim->chain) << op;
    EXPECT_TRUE(aim->ops.test(FindOp(op)->schema.id)) << op;
    GeneratorOptions options = {.family = 7, .ops = aim->ops};
    options.direct = !Has(aim->routes, Route::kMil);
    if (options.direct) options.spelt = NetlistOps();
    for (uint64_t seed = 0; seed < kSoonDrawn && !cells.empty(); ++seed) {
      options.mode = kModes[seed % std::size(kModes)];
      ChoiceStream choices = ChoiceStream::FromSeed(seed + 1000000);
      GenerateGraph(choices, options, item.graph);
      counter.Add(item, Ran());
      RowBatch batch;
      counter.Flush(batch);
      for (const auto& [key, counts] : batch.coverage) {
        if (key.first == "attribute_value") cells.erase(std::string(key.second));
      }
    }
    EXPECT_TRUE(cells.empty()) << fmt::format("{}", fmt::join(cells, "; "));
  }
}

// Some pairs need shapes that are drawn rarely, so a few pairs may be missed.
TEST(SteeringTest, GraphsAimedAtAPairSoonContainItForNearlyEveryPair) {
  constexpr uint64_t kTries = 48;
  size_t pairs = 0;
  std::vector<std::string> missed;
  CoverageCounter counter;
  Case item;
  item.index = 1;
  item.target = {"h18", 7};
  for (const CoverageCell& cell : CoverageSpace()) {
    if (cell.kind != "op_pair") continue;
    ++pairs;
    const auto aim = AimAt(cell);
    ASSERT_TRUE(aim && aim->chain) << cell.cell;
    GeneratorOptions options = {.family = 7, .max_nodes = 1, .chain = aim->chain};
    options.direct = !Has(aim->routes, Route::kMil);
    if (options.direct) options.spelt = NetlistOps();
    bool held = false;
    for (uint64_t seed = 0; seed < kTries && !held; ++seed) {
      // In special mode the generator does not first bring values into a domain.
      options.mode = seed % 2 == 0 ? CaseMode::kFloat : CaseMode::kSpecial;
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      GenerateGraph(choices, options, item.graph);
      counter.Add(item, Ran());
      RowBatch batch;
      counter.Flush(batch);
      held = batch.coverage.contains({"op_pair", cell.cell});
    }
    if (!held) missed.push_back(cell.cell);
  }
  ASSERT_GT(pairs, 5000u);
  EXPECT_LE(missed.size(), pairs / 40) << fmt::format("{}", fmt::join(missed, " "));
}

// The lowest bit of a case's index decides the target, the next bit the route, and each batch of 64
// cases belongs to one shard. The choice of cases for rules must not favour any of them.
TEST(CoverageTest, RulesAreCountedOnEveryTargetRouteAndShard) {
  std::map<std::tuple<uint64_t, uint64_t, uint64_t>, int> asked;
  for (uint64_t index = 0; index < 65536; ++index) {
    if (!IsAskedForRules(CaseSeed(1, index), kRulesEvery)) continue;
    ++asked[{index % 2, index / 2 % 2, index / 64 % 4}];
  }
  EXPECT_EQ(asked.size(), 16u);
  for (const auto& [where, count] : asked) EXPECT_NEAR(count, 16, 14);
}

}  // namespace
}  // namespace anecheck
