// The bound is sound and tight: an engine that keeps the contract and always makes the worst choice
// never leaves the bound, and comes near its ends.
#include "oracles/testing/adversary.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "generators/graph_generator.h"
#include "harness/base/file.h"
#include "oracles/judge.h"
#include "oracles/reached_shares.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Adversary;
using testing::Strategy;

constexpr Strategy kStrategies[] = {Strategy::kRandom, Strategy::kRandom, Strategy::kUp,
                                    Strategy::kDown,   Strategy::kWide,   Strategy::kNarrow};

// The first element outside its bound as text, or "".
std::string Outside(const Graph& graph, ValueId id, const Estimate& estimate,
                    std::span<const double> held, std::string_view form) {
  for (size_t i = 0; i < held.size(); ++i) {
    if (Admits(estimate, i, held[i])) continue;
    const Value& value = graph.value(id);
    const std::string_view op = graph.node(value.producer).schema->name;
    return fmt::format("{} {} element {}: {:a} ({}) is not in [{:a}, {:a}], value {:a}", form, op,
                       i, held[i], held[i], estimate.low[i], estimate.high[i], estimate.value[i]);
  }
  return {};
}

// Runs every strategy on one graph; returns the first violation, or "".
std::string FindViolation(const Graph& graph, std::span<const Tensor> inputs,
                          ChoiceStream& choices) {
  Evaluation evaluation;
  const Status status = evaluation.Run(graph, inputs, ConformingContract(1));
  if (!status.ok()) return status.error().message;
  Estimate held;
  Estimate stored;
  for (const Strategy strategy : kStrategies) {
    Adversary engine(choices, strategy);
    if (!engine.Run(graph, inputs)) return {};
    for (ValueId id = 0; id < graph.values().size(); ++id) {
      if (graph.value(id).kind != ValueKind::kResult) continue;
      evaluation.Intermediate(id, held);
      evaluation.Stored(id, stored);
      std::string found = Outside(graph, id, held, engine.values()[id], "held");
      if (found.empty()) found = Outside(graph, id, stored, engine.Stored(graph, id), "stored");
      if (!found.empty()) return found;
    }
  }
  return {};
}

GeneratorOptions Options(CaseMode mode, int max_nodes) {
  GeneratorOptions options;
  options.mode = mode;
  options.max_nodes = max_nodes;
  options.family = kNoFamily;
  options.max_elements = 64;
  options.max_products = 2048;
  return options;
}

class EveryMode : public ::testing::TestWithParam<size_t> {};

TEST_P(EveryMode, ContractAbidingEnginesStayInside) {
  const auto mode = static_cast<CaseMode>(GetParam());
  const bool held = rc::check([mode](uint64_t seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const int graphs = mode == CaseMode::kLargeAxis ? 1 : 5;
    for (int i = 0; i < graphs; ++i) {
      Graph graph;
      GenerateGraph(choices, Options(mode, 1 + i), graph);
      const std::vector<Tensor> inputs = GenerateInputs(choices, graph, mode);
      const std::string violation = FindViolation(graph, inputs, choices);
      if (!violation.empty()) RC_FAIL(violation);
    }
  });
  EXPECT_TRUE(held);
}
INSTANTIATE_TEST_SUITE_P(Modes, EveryMode,
                         ::testing::Range<size_t>(0, static_cast<size_t>(CaseMode::kLargeAxis) + 1),
                         [](const auto& instance) {
                           std::string name(ToText(static_cast<CaseMode>(instance.param)));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Cells compute in many steps, of which an engine may keep each in fp32.
TEST(Adversary, CellsThatRoundStepsToFp32StayInside) {
  for (const OpKind kind : {OpKind::kLstm, OpKind::kGru, OpKind::kRnn}) {
    GeneratorOptions options = Options(CaseMode::kBoundary, 1);
    options.ops.reset();
    options.ops.set(static_cast<size_t>(kind));
    ChoiceStream choices = ChoiceStream::FromSeed(1);
    for (int i = 0; i < 1000; ++i) {
      Graph graph;
      GenerateGraph(choices, options, graph);
      const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
      ASSERT_EQ(FindViolation(graph, inputs, choices), "") << "graph " << i;
    }
  }
}

// The first result of the last node of `kind`: the generator also draws other operations.
ValueId ResultOf(const Graph& graph, OpKind kind) {
  ValueId result = kNoValue;
  for (const Node& node : graph.nodes()) {
    if (KindOf(*node.schema) == kind) result = node.first_result;
  }
  return result;
}

// The runs of each strategy: one run rarely makes an error that needs several choices at once.
constexpr int kTurns = 4;

// The share of the bound that the engines of all strategies use. For each element it is the largest
// error of any engine, relative to the bound on that side; `share` is the mean over the elements
// that have a bound.
struct Reached {
  double share = 0;
  double bounded = 0;  // elements that have a bound
  double exact = 0;    // elements that admit one number, or only NaN
  double open = 0;     // elements that may be anything
};
Reached MeasureShare(OpKind kind, CaseMode mode) {
  Reached reached;
  double total = 0;
  ChoiceStream choices = ChoiceStream::FromSeed(static_cast<uint64_t>(kind));
  for (int round = 0; round < 60; ++round) {
    GeneratorOptions options = Options(mode, 1);
    options.ops.reset();
    options.ops.set(static_cast<size_t>(kind));
    Graph graph;
    GenerateGraph(choices, options, graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, mode);
    Evaluation evaluation;
    if (!evaluation.Run(graph, inputs, ConformingContract(1)).ok()) continue;
    Estimate expected;
    const ValueId result = ResultOf(graph, kind);
    if (result == kNoValue) continue;
    evaluation.Intermediate(result, expected);
    std::vector<double> shares(expected.value.size(), 0);
    for (int turn = 0; turn < kTurns * static_cast<int>(std::size(kStrategies)); ++turn) {
      const Strategy strategy = kStrategies[static_cast<size_t>(turn) % std::size(kStrategies)];
      Adversary engine(choices, strategy);
      if (!engine.Run(graph, inputs)) continue;
      const auto& held = engine.values()[result];
      for (size_t i = 0; i < held.size(); ++i) {
        const double error = held[i] - expected.value[i];
        const double bound =
            error > 0 ? expected.high[i] - expected.value[i] : expected.value[i] - expected.low[i];
        if (error != 0) shares[i] = std::max(shares[i], std::fabs(error) / bound);
      }
    }
    for (size_t i = 0; i < shares.size(); ++i) {
      const bool only_nan = (expected.flags[i] & Estimate::kNanOnly) != 0;
      const bool exact = only_nan || expected.high[i] == expected.low[i];
      const bool open = !exact && !(expected.high[i] - expected.low[i] < 1e30);
      (exact ? reached.exact : open ? reached.open : reached.bounded) += 1;
      if (!exact && !open) total += shares[i];
    }
  }
  reached.share = total / reached.bounded;
  return reached;
}

// The permitted difference of two measurements: mathematical libraries differ in their last bits.
constexpr double kRepeats = 0.02;

// The table of recorded shares must equal the measurement; if not, writes the right table.
void ExpectRecorded(const std::map<std::string_view, double>& measured) {
  bool same = measured.size() == RecordedShares().size();
  for (const auto& row : RecordedShares()) {
    const auto found = measured.find(row.op);
    const bool holds = found != measured.end() && std::fabs(found->second - row.share) <= kRepeats;
    EXPECT_TRUE(holds) << row.op;
    same &= holds;
  }
  if (same) return;
  std::string rows;
  for (const OpDefinition* op : AllOps()) {
    const auto found = measured.find(op->schema.name);
    if (found == measured.end()) continue;
    rows += fmt::format("ANECHECK_REACHED_SHARE({}, {:.2f})\n", found->first, found->second);
  }
  const std::string path = ANECHECK_BINARY_DIR "/reached_shares.def";
  const Status written = WriteFileAtomic(path, std::string_view(rows));
  ADD_FAILURE()
      << "oracles/reached_shares.def differs from the measurement; its rows should be those of "
      << path << (written.ok() ? "" : ", which could not be written");
}

TEST(Tightness, WorstEnginesReachAQuarterOfTheBound) {
  std::vector<std::string_view> not_compared;
  std::map<std::string_view, double> measured;
  for (size_t i = 0; i < kOpCount; ++i) {
    const auto kind = static_cast<OpKind>(i);
    if (!GetOp(kind).no_reference_reason.empty()) continue;
    const Reached reached = MeasureShare(kind, CaseMode::kFloat);
    const std::string_view name = GetOp(kind).schema.name;
    if (reached.bounded > 0) {
      EXPECT_GE(reached.share, 0.25) << name;
      measured[name] = reached.share;
      RecordProperty(std::string(name), fmt::format("{:.2f}", reached.share));
    } else if (reached.exact == 0 || reached.open > 0) {
      not_compared.push_back(name);
    }
  }
  // Lists the operations without a bounded element whose elements are not all exact.
  EXPECT_EQ(fmt::format("{}", fmt::join(not_compared, ", ")), "");
  ExpectRecorded(measured);
}

// The permitted share of elements that may be anything. Such elements come from operations that
// combine many operands, one of which is infinite or NaN.
struct OpenLimit {
  std::string_view op;
  double share = 0.15;
};
constexpr OpenLimit kOpenLimits[] = {{"non_maximum_suppression", 0.5},
                                     {"rnn", 0.5},
                                     {"lstm", 0.6},
                                     {"gru", 0.5},
                                     {"TopK", 0.45},
                                     {"Sort", 0.3},
                                     {"FurthestPointSampling", 0.3},
                                     {"MinMaxNorm", 0.25},
                                     {"SDPA", 0.2},
                                     {"local_response_norm", 0.25}};

TEST(Tightness, FewElementsMayBeAnything) {
  for (size_t i = 0; i < kOpCount; ++i) {
    const auto kind = static_cast<OpKind>(i);
    if (!GetOp(kind).no_reference_reason.empty()) continue;
    const std::string_view name = GetOp(kind).schema.name;
    const auto* const listed = std::ranges::find(kOpenLimits, name, &OpenLimit::op);
    const OpenLimit limit = listed != std::end(kOpenLimits) ? *listed : OpenLimit{name};
    const Reached special = MeasureShare(kind, CaseMode::kSpecial);
    const double all = special.bounded + special.exact + special.open;
    EXPECT_LE(special.open, limit.share * all) << name;
    const bool enough = special.bounded >= 100;
    EXPECT_TRUE(!enough || special.share >= 0.15) << name << " " << special.share;
    const Reached numbers = MeasureShare(kind, CaseMode::kFloat);
    EXPECT_LE(numbers.open, 0.02 * (numbers.bounded + numbers.exact)) << name;
  }
}

}  // namespace
}  // namespace anecheck
