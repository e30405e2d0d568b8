// Tests programs that are executed twice. Half of them get other inputs the second time. The second
// result is judged, and findings contain the second inputs.
#include "harness/cases/second_execution.h"

#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/campaign/testing/campaign_test.h"
#include "harness/findings/artifact.h"
#include "harness/findings/export/finding_export.h"
#include "harness/findings/run_again.h"
#include "harness/findings/shrink_finding.h"
#include "harness/judging/judge_case.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

using testing::RightOutputs;

CampaignOptions Options(CaseMode mode) {
  CampaignOptions options;
  options.seed = 5;
  options.targets = {{"h13", 2}};
  options.modes = {mode};
  return options;
}

// Returns the right values for both executions; `spoil` changes those of the second.
class TwiceRunner final : public Runner {
 public:
  using Spoil = std::function<void(const RunRequest&, RunReply&)>;
  explicit TwiceRunner(Spoil spoil) : spoil_(std::move(spoil)) {}
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "twice"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply& reply = replies.emplace_back(RunReply{.id = request.id, .status = RunStatus::kOk});
      reply.backend = "ane";
      reply.outputs = RightOutputs(*request.graph, request.inputs);
      if (!GivesSecond(request)) continue;
      reply.further.push_back(RightOutputs(ExecutedTwice(*request.graph, !request.again.empty()),
                                           InputsOfBoth(request.inputs, request.again)));
      spoil_(request, reply);
    }
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  Spoil spoil_;
};

// Models an engine that uses the inputs of a program's first execution in the second one.
void KeepsItsFirstInputs(const RunRequest&, RunReply& reply) { reply.further[0] = reply.outputs; }

CaseOutcome OutcomeOn(const Case& item, Runner& runner) {
  Evaluation evaluation;
  const auto outcome = RunAgain(item, Verdict::kWrong, runner, evaluation);
  EXPECT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.error().message);
  return outcome.ok() ? *outcome : CaseOutcome{};
}

// Returns the first case without states that takes other inputs the second time.
Case WithOtherInputs(const CampaignOptions& options, uint64_t from = 0) {
  for (uint64_t index = from;; ++index) {
    Case item = MakeCase(options, index).value();
    const bool states = !item.graph.ValuesOfKind(ValueKind::kState).empty();
    if (!item.again.empty() && !states) return item;
  }
}

Artifact ArtifactOf(const Case& item, Runner& runner) {
  const RunRequest request = RequestOf(item);
  const RunReply reply = runner.Run({&request, 1}).value()[0];
  Evaluation evaluation;
  const CaseOutcome outcome = JudgeCase(item, reply, evaluation);
  const auto json = ArtifactToJson(Options(item.mode), {}, item, outcome, reply, "f000000000003");
  const auto artifact = ArtifactFromJson(json);
  EXPECT_TRUE(artifact.ok()) << (artifact.ok() ? "" : artifact.error().message);
  return *artifact;
}

TEST(SecondExecution, TakesOtherInputsInAboutHalfOfTheRepeatedCases) {
  const CampaignOptions options = Options(CaseMode::kFloat);
  int repeated = 0, other = 0;
  for (uint64_t index = 0; index < 1600; ++index) {
    const Case item = MakeCase(options, index).value();
    const RunRequest request = RequestOf(item);
    ASSERT_TRUE(request.settings.repeat || item.again.empty());
    repeated += request.settings.repeat ? 1 : 0;
    if (request.again.empty()) continue;
    ++other;
    ASSERT_EQ(request.again.size(), item.inputs.size());
    bool differs = false;
    for (size_t i = 0; i < item.inputs.size(); ++i) {
      EXPECT_EQ(request.again[i].type, item.inputs[i].type);
      differs |= request.again[i].bytes != item.inputs[i].bytes;
    }
    EXPECT_TRUE(differs) << index;
  }
  EXPECT_GT(other, repeated / 4);
  EXPECT_LT(other, 3 * repeated / 4);
}

TEST(SecondExecution, OfAConformingEnginePasses) {
  TwiceRunner right([](const RunRequest&, RunReply&) {});
  for (const CaseMode mode : {CaseMode::kFloat, CaseMode::kInteger, CaseMode::kState}) {
    const CampaignOptions options = Options(mode);
    int second = 0;
    for (uint64_t index = 0; index < 400; ++index) {
      const Case item = MakeCase(options, index).value();
      if (item.again.empty()) continue;
      ++second;
      const CaseOutcome outcome = OutcomeOn(item, right);
      EXPECT_TRUE(outcome.verdict() == Verdict::kPass ||
                  outcome.verdict() == Verdict::kInconclusive)
          << index << " " << outcome.message();
    }
    EXPECT_GT(second, 5) << ToText(mode);
  }
}

// The new inputs move an output beyond its bound. Its old value nearly always breaks the new bound.
TEST(SecondExecution, WithTheResultsOfTheFirstInputsIsWrong) {
  TwiceRunner keeps(KeepsItsFirstInputs);
  uint64_t index = 0;
  int wrong = 0;
  for (int i = 0; i < 10; ++i, ++index) {
    const Case item = WithOtherInputs(Options(CaseMode::kFloat), index);
    index = item.index;
    const CaseOutcome outcome = OutcomeOn(item, keeps);
    if (outcome.verdict() != Verdict::kWrong) continue;
    ++wrong;
    EXPECT_TRUE(outcome.of_second_run());
    EXPECT_TRUE(
        outcome.message().starts_with("in the second execution, which took other inputs, and "
                                      "not in a first execution by the same inputs: "))
        << outcome.message();
  }
  EXPECT_GE(wrong, 8);
}

TEST(SecondExecution, WithoutStatesDependsOnlyOnItsOwnInputs) {
  const Case item = WithOtherInputs(Options(CaseMode::kFloat));
  const Graph twice = ExecutedTwice(item.graph, true);
  const std::vector<ValueId> inputs = twice.ValuesOfKind(ValueKind::kInput);
  ASSERT_EQ(inputs.size(), 2 * item.inputs.size());
  for (size_t i = 0; i < item.inputs.size(); ++i) {
    const std::string& name = twice.value(inputs[item.inputs.size() + i]).name;
    EXPECT_EQ(name, item.graph.value(item.graph.ValuesOfKind(ValueKind::kInput)[i]).name);
    EXPECT_EQ(twice.value(inputs[i]).name, name + " at first");
  }
  const auto both = RightOutputs(twice, InputsOfBoth(item.inputs, item.again));
  const auto alone = RightOutputs(item.graph, item.again);
  ASSERT_EQ(both.size(), alone.size());
  for (size_t i = 0; i < both.size(); ++i) EXPECT_EQ(both[i].bytes, alone[i].bytes);
}

TEST(SecondExecution, AFindingHasTheInputsOfBothExecutions) {
  TwiceRunner keeps(KeepsItsFirstInputs);
  const Case item = WithOtherInputs(Options(CaseMode::kFloat));
  const Artifact artifact = ArtifactOf(item, keeps);
  ASSERT_EQ(artifact.item.again.size(), item.again.size());
  for (size_t i = 0; i < item.again.size(); ++i) {
    EXPECT_EQ(artifact.item.again[i].bytes, item.again[i].bytes);
  }
  EXPECT_EQ(OutcomeOn(artifact.item, keeps).verdict(), Verdict::kWrong) << "the fault shows again";
  Case same = artifact.item;
  same.again.clear();
  EXPECT_EQ(OutcomeOn(same, keeps).verdict(), Verdict::kPass)
      << "the fault shows only with the second inputs";
}

TEST(SecondExecution, AnExportedFindingHasFilesOfBothExecutions) {
  TwiceRunner keeps(KeepsItsFirstInputs);
  const Case item = WithOtherInputs(Options(CaseMode::kFloat));
  const RunRequest request = RequestOf(item);
  const RunReply reply = keeps.Run({&request, 1}).value()[0];
  auto json = ArtifactToJson(Options(item.mode), {}, item, {}, reply, "f000000000003");
  const auto folder = TempDirectory::Create("anecheck-second-execution-");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(ExportFinding(json, "reported", folder->path()).ok());
  const auto has = [&](const char* name) { return ReadFile(folder->File(name)).ok(); };
  EXPECT_TRUE(has("inputs_again.npz") && has("expected_again.npz") && has("actual_again.npz"));
  EXPECT_NE(ReadFile(folder->File("inputs_again.npz")).value(),
            ReadFile(folder->File("inputs.npz")).value());
  // A case that takes the same inputs twice has no second set of inputs.
  json.erase("again");
  const auto plain = TempDirectory::Create("anecheck-second-execution-");
  ASSERT_TRUE(ExportFinding(json, "reported", plain->path()).ok());
  EXPECT_FALSE(ReadFile(plain->File("inputs_again.npz")).ok());
}

bool IsSum(const Graph& graph, ValueId output) {
  const Value& value = graph.value(output);
  return value.kind == ValueKind::kResult &&
         KindOf(*graph.node(value.producer).schema) == OpKind::kAdd;
}

// Replaces sums of the second execution by those of the first.
void KeepsItsFirstSums(const RunRequest& request, RunReply& reply) {
  for (size_t i = 0; i < reply.outputs.size(); ++i) {
    if (IsSum(*request.graph, request.graph->outputs()[i])) {
      reply.further[0][i] = reply.outputs[i];
    }
  }
}

TEST(SecondExecution, MinimisingAFindingKeepsBothSetsOfInputs) {
  TwiceRunner keeps(KeepsItsFirstSums);
  Case item;
  for (uint64_t index = 0; item.graph.nodes().size() < 3; ++index) {
    item = WithOtherInputs(Options(CaseMode::kFloat), index);
    index = item.index;
    if (OutcomeOn(item, keeps).verdict() != Verdict::kWrong) item = {};
  }
  Artifact artifact = ArtifactOf(item, keeps);
  artifact.verdict = Verdict::kWrong;
  const auto shrunk = ShrinkFinding(artifact, keeps);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u) << shrunk->item.mil;
  EXPECT_EQ(shrunk->outcome.shown.op(), "add");
  EXPECT_LT(shrunk->after, shrunk->before);
  ASSERT_EQ(shrunk->item.again.size(), shrunk->item.inputs.size());
  for (size_t i = 0; i < shrunk->item.again.size(); ++i) {
    EXPECT_EQ(shrunk->item.again[i].type, shrunk->item.inputs[i].type);
  }
}

// A fault that also shows with the same inputs, such as a lost state, needs no other inputs.
TEST(SecondExecution, MinimisingRemovesSecondInputsThatAreNotNeeded) {
  TwiceRunner loses([](const RunRequest& request, RunReply& reply) {
    const bool other = !request.again.empty();
    reply.further[0] = RightOutputs(*request.graph, other ? request.again : request.inputs);
  });
  Case item;
  for (uint64_t index = 0; item.graph.nodes().empty(); ++index) {
    item = MakeCase(Options(CaseMode::kState), index).value();
    const auto verdict = [&] { return OutcomeOn(item, loses).verdict(); };
    bool needed = item.again.empty() || verdict() != Verdict::kWrong;
    if (!needed) {
      Case same = item;
      same.again.clear();
      needed = OutcomeOn(same, loses).verdict() != Verdict::kWrong;
    }
    if (needed) item = {};
  }
  Artifact artifact = ArtifactOf(item, loses);
  artifact.verdict = Verdict::kWrong;
  const auto shrunk = ShrinkFinding(artifact, loses);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_TRUE(shrunk->item.again.empty());
  EXPECT_TRUE(shrunk->outcome.of_second_run());
}

}  // namespace
}  // namespace anecheck
