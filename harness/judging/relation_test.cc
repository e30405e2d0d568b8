// In metamorphic cases, the target admits the rewritten graph, the results of both graphs are
// compared, and the finding names the relation.
#include "harness/judging/relation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "harness/cases/rejected_graph.h"
#include "harness/findings/run_again.h"
#include "harness/judging/reach_counter.h"
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

// How a rewritten graph's outputs differ from the oracle's values.
enum class Move : uint8_t { kNot, kFar, kWithinBound };

// A runner that returns the oracle's values, but moves every element of a rewritten graph's outputs
// or replaces the outputs. A graph counts as rewritten if its nodes differ from the first graph's.
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
    CaseOutcome outcome = JudgeCase(*item, replies->front(), evaluation);
    if (outcome.verdict() != Verdict::kPass) continue;
    const Status refined = Refine(*item, replies->front(), runner, evaluation, outcome);
    verdicts.emplace(refined.ok() ? ToText(outcome.verdict()) : refined.error().message);
  }
  return verdicts;
}

TEST(MetamorphicCases, PassIfBothGraphsAgree) {
  EXPECT_EQ(Verdicts(Move::kNot), std::set<std::string>{"pass"});
}

TEST(MetamorphicCases, AreInconclusiveIfTheRewrittenGraphDidNotRun) {
  EXPECT_EQ(Verdicts(Move::kNot, RunStatus::kNotRun), std::set<std::string>{"inconclusive"});
}

TEST(MetamorphicCases, ReturnTheRunnersError) {
  EXPECT_EQ(Verdicts(Move::kNot, RunStatus::kCrashed), std::set<std::string>{"no room left"});
}

TEST(MetamorphicCases, AreWrongIfRewritingChangesTheResult) {
  EXPECT_TRUE(Verdicts(Move::kFar).contains("wrong"));
}

// If the same graph is compiled again, outputs inside their bounds can still differ. Only the
// comparison of both shows this.
TEST(MetamorphicCases, AreWrongIfRightOutputsDiffer) {
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
    CaseOutcome outcome = JudgeCase(*item, reply, evaluation);
    if (outcome.verdict() != Verdict::kPass) continue;
    // No graph has SIZE_MAX nodes, so all graphs count as rewritten.
    MovedByRewriting second(SIZE_MAX, Move::kWithinBound);
    const RunReply moved = second.Run({&request, 1}).value()[0];
    if (JudgeCase(*item, moved, evaluation).verdict() != Verdict::kPass) continue;
    bool differs = false;
    for (size_t i = 0; i < reply.outputs.size(); ++i) {
      differs = differs || reply.outputs[i].bytes != moved.outputs[i].bytes;
    }
    ASSERT_TRUE(Refine(*item, reply, second, evaluation, outcome).ok());
    EXPECT_EQ(outcome.verdict(), differs ? Verdict::kWrong : Verdict::kPass) << outcome.message();
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
    CaseOutcome outcome = JudgeCase(*item, reply, evaluation);
    if (outcome.verdict() != Verdict::kPass) continue;
    MovedByRewriting moved(SIZE_MAX, Move::kWithinBound);
    ASSERT_TRUE(Refine(*item, reply, moved, evaluation, outcome).ok());
    if (outcome.verdict() != Verdict::kWrong) continue;
    // A message that begins with "with" is about the rewritten graph alone.
    if (outcome.message().starts_with("with ")) continue;
    const ValueId site = item->graph.FindValue(rewritten->site).value();
    const Node& node = item->graph.node(item->graph.value(site).producer);
    EXPECT_EQ(outcome.shown.op(), "commute of " + std::string(node.schema->name));
    EXPECT_NE(Signature(outcome).find(outcome.shown.op()), std::string::npos);
    ++wrong;
  }
  EXPECT_GT(wrong, 1u);
}

// On integers both graphs have the same exact result, so any difference is a finding.
TEST(MetamorphicCases, HaveIntegersInMoreThanAThirdOfTheCases) {
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

TEST(MetamorphicCases, NameTheRelationAndKeepBothGraphsUnlessTheyPass) {
  size_t wrong = 0;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 20; ++index) {
    const auto item = MakeCase(Options({CaseMode::kMetamorphic}), index);
    ASSERT_TRUE(item.ok());
    const auto rewritten = RewriteCase(*item, false);
    if (!rewritten || rewritten->graph.nodes().size() == item->graph.nodes().size()) continue;
    for (const Move move : {Move::kNot, Move::kFar}) {
      MovedByRewriting runner(item->graph.nodes().size(), move);
      const auto answer = AnswerAgain(*item, Verdict::kWrong, runner, evaluation);
      ASSERT_TRUE(answer.ok());
      const CaseOutcome& outcome = answer->outcome;
      if (!outcome.relation) continue;  // the case's own graph did not pass
      EXPECT_EQ(outcome.relation->name, rewritten->relation->name);
      EXPECT_EQ(outcome.relation->site, rewritten->site);
      if (outcome.verdict() == Verdict::kPass) {
        EXPECT_FALSE(outcome.rewritten);
        continue;
      }
      ++wrong;
      ASSERT_TRUE(outcome.rewritten);
      EXPECT_EQ(outcome.rewritten->graph.nodes().size(), rewritten->graph.nodes().size());
      EXPECT_FALSE(outcome.rewritten->mil.empty());
      EXPECT_NE(outcome.message().find(PlaceOf(*outcome.relation)), std::string::npos)
          << outcome.message();
    }
  }
  EXPECT_GT(wrong, 0u);
}

// The rules of the target admit the rewritten graph, so a refusal is a finding.
TEST(MetamorphicCases, AreRewrittenIntoGraphsThatTheTargetAdmits) {
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
      EXPECT_NE(node.schema->name, "pe_goc") << "no MIL text has this operation";
    }
  }
}

// The generator must draw suitable operations for each relation often enough. The rarest relation
// rewrites only three activations.
TEST(MetamorphicCases, UseEachRelationOften) {
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
      EXPECT_GE(times[relation.name], kCases / 75) << relation.name;
    }
  }
}

// The outcome of a metamorphic case of pointwise operations. The runner returns the oracle's
// values, and `spoil` changes the reply for every graph but the first.
struct Shown {
  CaseOutcome outcome;
  std::map<std::string, ReachCounts> reach;  // of the route mil
};

class SpoiledByRewriting final : public Runner {
 public:
  using Spoil = void (*)(RunReply&);
  SpoiledByRewriting(size_t nodes, Spoil spoil) : right_(nodes, Move::kNot), spoil_(spoil) {}
  Result<RunnerIdentity> Identify() override { return right_.Identify(); }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    auto replies = right_.Run(requests);
    for (size_t i = 0; replies.ok() && i < requests.size(); ++i) {
      const auto transposes = [](const Node& node) { return node.schema->name == "transpose"; };
      if (std::ranges::any_of(requests[i].graph->nodes(), transposes)) spoil_((*replies)[i]);
    }
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  MovedByRewriting right_;
  Spoil spoil_;
};

Shown ShownWithTransposes(SpoiledByRewriting::Spoil spoil) {
  CampaignOptions options = Options({CaseMode::kMetamorphic});
  options.small = true;
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kRelu)).set(static_cast<size_t>(OpKind::kAbs));
  Evaluation evaluation;
  for (uint64_t index = 0; index < 400; ++index) {
    auto item = MakeCase(options, index);
    if (!item.ok()) continue;
    item->relation = CaseRelation{"transpose-twice", ""};
    if (!RewriteCase(*item, false)) continue;
    SpoiledByRewriting runner(item->graph.nodes().size(), spoil);
    const RunRequest request = RequestOf(*item);
    const RunReply reply = runner.Run({&request, 1}).value()[0];
    Shown shown{JudgeCase(*item, reply, evaluation), {}};
    if (!Refine(*item, reply, runner, evaluation, shown.outcome).ok()) continue;
    RowBatch batch;
    CountReach(*item, shown.outcome, batch);
    for (const auto& [key, counts] : batch.reach) {
      EXPECT_EQ(std::get<1>(key), Route::kMil);
      shown.reach[std::get<2>(key)] = counts;
    }
    return shown;
  }
  ADD_FAILURE() << "no case can be rewritten so";
  return {};
}

// Expects that every operation of the case's own graph counts as correct, whatever the result of
// added operations.
void ExpectOwnToBeCorrect(const Shown& shown) {
  EXPECT_GE(shown.reach.size(), 2u);
  for (const auto& [op, counts] : shown.reach) {
    EXPECT_EQ(counts.cases, 1) << op;
    if (op == "transpose") continue;
    EXPECT_EQ(counts.correct, 1) << op;
    EXPECT_EQ(counts.rejected + counts.wrong + counts.inconclusive, 0) << op;
  }
}

TEST(ReachOfMetamorphicCases, ChargesARefusalToAddedOperations) {
  const Shown shown = ShownWithTransposes([](RunReply& reply) {
    reply = {.status = RunStatus::kRejected,
             .step = Step::kValidator,
             .message = "transpose is not available"};
  });
  EXPECT_EQ(shown.outcome.verdict(), Verdict::kRejected);
  EXPECT_EQ(shown.outcome.shown.op(), "transpose") << "the added operation was refused";
  ExpectOwnToBeCorrect(shown);
  const ReachCounts& added = shown.reach.at("transpose");
  EXPECT_EQ(added.rejected, 1);
  EXPECT_EQ(added.compiled + added.dispatched + added.wrong, 0);
}

TEST(ReachOfMetamorphicCases, ChargesWrongValuesToAddedOperations) {
  const Shown shown = ShownWithTransposes([](RunReply& reply) {
    for (Tensor& output : reply.outputs) output.bytes[1] ^= 0x40;
  });
  EXPECT_EQ(shown.outcome.verdict(), Verdict::kWrong) << shown.outcome.message();
  for (const auto& [op, counts] : shown.reach) {
    const bool charged = op == "transpose" || op == shown.outcome.shown.op();
    EXPECT_EQ(counts.wrong, charged ? 1 : 0) << op;
    EXPECT_EQ(counts.correct, charged ? 0 : 1) << op;
  }
  EXPECT_EQ(shown.reach.at("transpose").dispatched, 1);
}

TEST(ReachOfMetamorphicCases, CountsAddedOperationsIfAllIsRight) {
  const Shown shown = ShownWithTransposes([](RunReply&) {});
  EXPECT_EQ(shown.outcome.verdict(), Verdict::kPass) << shown.outcome.message();
  ExpectOwnToBeCorrect(shown);
  EXPECT_EQ(shown.reach.at("transpose").correct, 1);
}

// The graph is right at first and wrong when it is compiled again. No operation was added, so none
// can be charged instead.
TEST(ReachOfMetamorphicCases, CountsAnOperationOnceByItsFurthestResult) {
  Evaluation evaluation;
  const auto item = [] {
    auto made = MakeCase(Options({CaseMode::kMetamorphic}), 3);
    made->relation = CaseRelation{"recompile", ""};
    return std::move(made).value();
  }();
  const RunRequest request = RequestOf(item);
  MovedByRewriting first(item.graph.nodes().size(), Move::kNot);
  const RunReply reply = first.Run({&request, 1}).value()[0];
  CaseOutcome outcome = JudgeCase(item, reply, evaluation);
  ASSERT_EQ(outcome.verdict(), Verdict::kPass);
  MovedByRewriting second(SIZE_MAX, Move::kFar);
  ASSERT_TRUE(Refine(item, reply, second, evaluation, outcome).ok());
  ASSERT_NE(outcome.verdict(), Verdict::kPass);
  RowBatch batch;
  CountReach(item, outcome, batch);
  ASSERT_FALSE(batch.reach.empty());
  for (const auto& [key, counts] : batch.reach) {
    EXPECT_EQ(counts.cases, 1);
    EXPECT_EQ(counts.correct, 0) << std::get<2>(key);
  }
}

}  // namespace
}  // namespace anecheck
