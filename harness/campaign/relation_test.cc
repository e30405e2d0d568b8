// What metamorphic cases promise: the rewritten graph is one that the target admits, both are held
// against each other, and what shows tells the relation.
#include "harness/campaign/relation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "harness/campaign/rejected_graph.h"
#include "harness/campaign/run_again.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

CampaignOptions Options(std::vector<CaseMode> modes) {
  CampaignOptions options;
  options.seed = 5;
  options.targets = {{"h13", 2}};
  options.modes = std::move(modes);
  return options;
}

// How the outputs of a rewritten graph differ from the oracle's own values.
enum class Move : uint8_t { kNot, kFar, kWithinBound };

// Gives the oracle's own values, with every element of a rewritten graph's outputs moved, or
// something else in place of its outputs. A graph is rewritten where it has other nodes than the
// first.
class MovedByRewriting final : public Runner {
 public:
  MovedByRewriting(size_t nodes, Move move, RunStatus rewritten = RunStatus::kOk)
      : nodes_(nodes), move_(move), status_of_rewritten_(rewritten) {}
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "moved"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply& reply = replies.emplace_back();
      reply.status = RunStatus::kOk;
      reply.backend = "ane";
      const auto expected = Evaluate(*request.graph, request.inputs, ConformingContract(2));
      if (!expected.ok()) return expected.error();
      const bool rewritten = request.graph->nodes().size() != nodes_;
      if (rewritten && status_of_rewritten_ == RunStatus::kCrashed) {
        return MakeError(ErrorCode::kIo, "no room left");
      }
      if (rewritten && status_of_rewritten_ == RunStatus::kNotRun) {
        reply = {.status = RunStatus::kNotRun, .message = "too large"};
        continue;
      }
      for (const Estimate& estimate : *expected) {
        const Move move = rewritten ? move_ : Move::kNot;
        std::vector<double> numbers = move == Move::kNot ? estimate.value : estimate.high;
        Tensor tensor{estimate.type,
                      std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
        if (move == Move::kFar) {
          for (double& number : numbers) number = -number - 100;
        }
        EncodeElements(estimate.type.dtype, numbers, tensor.bytes);
        reply.outputs.push_back(std::move(tensor));
      }
    }
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  size_t nodes_;
  Move move_;
  RunStatus status_of_rewritten_;
};

std::set<std::string> Verdicts(Move move, RunStatus of_rewritten = RunStatus::kOk) {
  std::set<std::string> verdicts;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 20; ++index) {
    const auto item = MakeCase(Options({CaseMode::kMetamorphic}), index);
    if (!item.ok()) return {item.error().message};
    const auto rewritten = RewriteCase(*item, false);
    if (!rewritten || rewritten->graph.nodes().size() == item->graph.nodes().size()) continue;
    MovedByRewriting runner(item->graph.nodes().size(), move, of_rewritten);
    const RunRequest request = {item->index, "h13", item->mil, &item->graph, item->inputs};
    const auto replies = runner.Run({&request, 1});
    CaseOutcome outcome = JudgeCase(*item, "mil", replies->front(), evaluation);
    if (outcome.record.verdict != "pass") continue;
    const Status refined = Refine(*item, replies->front(), runner, evaluation, outcome);
    verdicts.insert(refined.ok() ? outcome.record.verdict : refined.error().message);
  }
  return verdicts;
}

TEST(MetamorphicCases, PassWhereBothGraphsAgree) {
  EXPECT_EQ(Verdicts(Move::kNot), std::set<std::string>{"pass"});
}

TEST(MetamorphicCases, AreInconclusiveWhereTheRewrittenGraphDidNotRun) {
  EXPECT_EQ(Verdicts(Move::kNot, RunStatus::kNotRun), std::set<std::string>{"inconclusive"});
}

TEST(MetamorphicCases, EndWithTheRunnersError) {
  EXPECT_EQ(Verdicts(Move::kNot, RunStatus::kCrashed), std::set<std::string>{"no room left"});
}

TEST(MetamorphicCases, AreWrongWhereRewritingChangesTheResult) {
  EXPECT_TRUE(Verdicts(Move::kFar).contains("wrong"));
}

// The law of the same graph compiled once more is broken by what each bound admits by itself: only
// the comparison of both outputs tells it.
TEST(MetamorphicCases, AreWrongWhereOutputsDifferThatAreRightByThemselves) {
  size_t wrong = 0;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 40; ++index) {
    auto item = MakeCase(Options({CaseMode::kMetamorphic}), index);
    ASSERT_TRUE(item.ok());
    item->relation = CaseRelation{"recompile", ""};
    if (!RewriteCase(*item, false)) continue;
    const RunRequest request = RequestOf(*item);
    MovedByRewriting first(item->graph.nodes().size(), Move::kNot);
    const RunReply reply = first.Run({&request, 1}).value()[0];
    CaseOutcome outcome = JudgeCase(*item, "mil", reply, evaluation);
    if (outcome.record.verdict != "pass") continue;
    // No graph has as many nodes: all count as rewritten.
    MovedByRewriting second(SIZE_MAX, Move::kWithinBound);
    const RunReply moved = second.Run({&request, 1}).value()[0];
    if (JudgeCase(*item, "mil", moved, evaluation).record.verdict != "pass") continue;
    bool differs = false;
    for (size_t i = 0; i < reply.outputs.size(); ++i) {
      differs = differs || reply.outputs[i].bytes != moved.outputs[i].bytes;
    }
    ASSERT_TRUE(Refine(*item, reply, second, evaluation, outcome).ok());
    EXPECT_EQ(outcome.record.verdict, differs ? "wrong" : "pass") << outcome.record.message;
    wrong += differs ? 1 : 0;
  }
  EXPECT_GT(wrong, 5u);
}

TEST(MetamorphicCases, NameTheOperationThatIsRewritten) {
  size_t wrong = 0;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 400 && wrong < 5; ++index) {
    auto item = MakeCase(Options({CaseMode::kMetamorphic}), index);
    ASSERT_TRUE(item.ok());
    item->relation = CaseRelation{"commute", ""};
    const auto rewritten = RewriteCase(*item, false);
    if (!rewritten) continue;
    const RunRequest request = RequestOf(*item);
    MovedByRewriting right(item->graph.nodes().size(), Move::kNot);
    const RunReply reply = right.Run({&request, 1}).value()[0];
    CaseOutcome outcome = JudgeCase(*item, "mil", reply, evaluation);
    MovedByRewriting moved(SIZE_MAX, Move::kWithinBound);
    ASSERT_TRUE(Refine(*item, reply, moved, evaluation, outcome).ok());
    if (outcome.record.verdict != "wrong" || outcome.op.find("commute") != 0) continue;
    const ValueId site = item->graph.FindValue(rewritten->site).value();
    const Node& node = item->graph.node(item->graph.value(site).producer);
    EXPECT_EQ(outcome.op, "commute of " + std::string(node.schema->name));
    EXPECT_NE(Signature(outcome).find(outcome.op), std::string::npos);
    ++wrong;
  }
  EXPECT_GT(wrong, 1u);
}

// Where every number is a whole one, both graphs have one answer.
TEST(MetamorphicCases, AreOfIntegersInHalfOfThem) {
  int exact = 0;
  constexpr int kCases = 200;
  for (uint64_t index = 0; index < kCases; ++index) {
    const auto item = MakeCase(Options({CaseMode::kMetamorphic}), index);
    ASSERT_TRUE(item.ok());
    const auto expected = Evaluate(item->graph, item->inputs, ConformingContract(2));
    ASSERT_TRUE(expected.ok());
    exact += std::ranges::all_of(*expected, [](const Estimate& output) {
      const bool whole = std::ranges::all_of(
          output.value, [](double number) { return number == std::trunc(number); });
      return whole && output.low == output.value && output.high == output.value;
    });
  }
  EXPECT_GT(exact, kCases / 3);
}

TEST(MetamorphicCases, TellTheRelationAndKeepBothGraphsWhereTheyAreNoPass) {
  size_t wrong = 0;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 20; ++index) {
    const auto item = MakeCase(Options({CaseMode::kMetamorphic}), index);
    ASSERT_TRUE(item.ok());
    const auto rewritten = RewriteCase(*item, false);
    if (!rewritten || rewritten->graph.nodes().size() == item->graph.nodes().size()) continue;
    for (const Move move : {Move::kNot, Move::kFar}) {
      MovedByRewriting runner(item->graph.nodes().size(), move);
      const auto answer = AnswerAgain(*item, "wrong", runner, evaluation);
      ASSERT_TRUE(answer.ok());
      const CaseOutcome& outcome = answer->outcome;
      if (!outcome.relation) continue;  // it did not pass by itself
      EXPECT_EQ(outcome.relation->name, rewritten->relation->name);
      EXPECT_EQ(outcome.relation->site, rewritten->site);
      if (outcome.record.verdict == "pass") {
        EXPECT_FALSE(outcome.rewritten);
        continue;
      }
      ++wrong;
      ASSERT_TRUE(outcome.rewritten);
      EXPECT_EQ(outcome.rewritten->graph.nodes().size(), rewritten->graph.nodes().size());
      EXPECT_FALSE(outcome.rewritten->mil.empty());
      EXPECT_NE(outcome.record.message.find(PlaceOf(*outcome.relation)), std::string::npos)
          << outcome.record.message;
    }
  }
  EXPECT_GT(wrong, 0u);
}

// By the rules of the target, so that a refusal of the rewritten graph is news.
TEST(MetamorphicCases, AreRewrittenIntoWhatTheTargetAdmits) {
  const auto target = FindTarget("h13");
  ASSERT_TRUE(target.ok());
  for (uint64_t index = 0; index < 200; ++index) {
    const auto item = MakeCase(Options({CaseMode::kMetamorphic}), index);
    ASSERT_TRUE(item.ok());
    const auto rewritten = RewriteCase(*item, false);
    ASSERT_TRUE(rewritten);
    const auto before = RefusingRules(item->graph, **target);
    const auto after = RefusingRules(rewritten->graph, **target);
    ASSERT_TRUE(before.ok() && after.ok());
    for (const auto& [rule, layer] : *after) {
      EXPECT_TRUE(before->contains(rule))
          << PlaceOf({std::string(rewritten->relation->name), rewritten->site}) << " breaks "
          << rule;
    }
    for (const Node& node : rewritten->graph.nodes()) {
      EXPECT_NE(node.schema->name, "pe_goc") << "no program names it";
    }
  }
}

// How often each is drawn: none is starved by operations that it does not know.
TEST(MetamorphicCases, AreHeldAgainstEachRelationOften) {
  constexpr size_t kCases = 1500;
  std::map<std::string_view, size_t> times;
  for (uint64_t index = 0; index < kCases; ++index) {
    const auto item = MakeCase(Options({CaseMode::kMetamorphic}), index);
    ASSERT_TRUE(item.ok());
    const auto rewritten = RewriteCase(*item, false);
    if (rewritten) ++times[rewritten->relation->name];
  }
  for (const Relation& relation : Relations()) {
    if (!relation.direct) {
      EXPECT_GE(times[relation.name], kCases / 40) << relation.name;
    }
  }
}

}  // namespace
}  // namespace anecheck
