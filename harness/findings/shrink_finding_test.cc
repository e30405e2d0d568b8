// A shrunk finding is still the same finding, and names one operation.
#include "harness/findings/shrink_finding.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <string_view>

#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/findings/run_again.h"
#include "harness/graph/json.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// Returns the oracle's values, except that the first element of an output is wrong if the operation
// `op` computes the output.
class WrongResult final : public Runner {
 public:
  explicit WrongResult(OpKind op = OpKind::kAdd) : op_(op) {}
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "wrong-result"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kOk, .backend = "ane"};
      const Graph& graph = *request.graph;
      const auto estimates = Evaluate(graph, request.inputs, ConformingContract(2));
      if (!estimates.ok()) return estimates.error();
      for (size_t i = 0; i < estimates->size(); ++i) {
        const Estimate& estimate = (*estimates)[i];
        Tensor tensor = {estimate.type,
                         std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
        EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
        const Value& value = graph.value(graph.outputs()[i]);
        const bool wrong =
            value.kind == ValueKind::kResult && KindOf(*graph.node(value.producer).schema) == op_;
        if (wrong) tensor.bytes[1] = static_cast<uint8_t>(tensor.bytes[1] ^ 0x04);
        reply.outputs.push_back(std::move(tensor));
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  OpKind op_;
};

// Returns the first case with more than three nodes that is judged wrong.
Artifact FindWrong() {
  Artifact artifact;
  artifact.options.targets = {{"h13", 2}};
  artifact.options.modes = {CaseMode::kFloat};
  artifact.id = "f000000000001";
  artifact.verdict = Verdict::kWrong;
  WrongResult runner;
  Evaluation evaluation;
  for (uint64_t index = 0;; ++index) {
    artifact.item = *MakeCase(artifact.options, index);
    const Case& item = artifact.item;
    const RunRequest request = {index, "h13", item.mil, &item.graph, item.inputs};
    const auto replies = runner.Run({&request, 1});
    const CaseOutcome outcome = JudgeCase(item, (*replies)[0], evaluation);
    if (outcome.verdict() == Verdict::kWrong && item.graph.nodes().size() > 3) return artifact;
  }
}

// Another engine, or a partly repaired one, may show another defect, which is not the finding.
TEST(ShrinkFinding, RefusesAnotherDefectThanTheRecordedOne) {
  const auto why = [](const Artifact& artifact) {
    WrongResult runner;
    const auto shrunk = ShrinkFinding(artifact, runner);
    return shrunk.ok() ? "" : shrunk.error().message;
  };
  Artifact artifact = FindWrong();
  artifact.op = "add";
  EXPECT_EQ(why(artifact), "");
  artifact.op = "mul";
  EXPECT_EQ(
      why(artifact),
      "finding f000000000001: the recorded verdict is wrong in mul, now it is wrong in add: "
      "another defect; run the campaign again to find that one, or name a condition with --if");
  artifact.op = "add";
  artifact.verdict = Verdict::kCrashed;
  EXPECT_NE(why(artifact), "");
  artifact.verdict = Verdict::kFlaky;
  EXPECT_EQ(why(artifact), "");
  artifact.verdict = Verdict::kKnownDefect;
  artifact.defects = {"D01"};
  EXPECT_EQ(why(artifact), "") << "the catalogue may no longer name the defect";
}

// Returns the values of an engine of A13 that has D01.
class OverflowsAtThePort final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "port"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    constexpr std::string_view kPort[] = {"D01"};
    ANECHECK_ASSIGN(const Contract contract, WithDepartures(2, kPort));
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kOk, .backend = "ane"};
      ANECHECK_ASSIGN(const auto estimates, Evaluate(*request.graph, request.inputs, contract));
      for (const Estimate& estimate : estimates) {
        Tensor tensor = {estimate.type,
                         std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
        EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
        reply.outputs.push_back(std::move(tensor));
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  Status Restart() override { return {}; }
};

// If two defects together explain a case, each defect is a finding with its own operation.
TEST(ShrinkFinding, ADocumentedDefectIsRecognisedAtAnyOperation) {
  Artifact artifact;
  artifact.options.targets = {{"h13", 2}};
  artifact.options.modes = {CaseMode::kBoundary};
  artifact.id = "f000000000001";
  artifact.verdict = Verdict::kKnownDefect;
  artifact.defects = {"D01"};
  OverflowsAtThePort runner;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 20000; ++index) {
    artifact.item = *MakeCase(artifact.options, index);
    const auto answer = AnswerAgain(artifact.item, artifact.verdict, runner, evaluation);
    if (!answer.ok() || answer->outcome.verdict() != artifact.verdict) continue;
    ASSERT_EQ(answer->outcome.shown.defects(), artifact.defects);
    artifact.op = answer->outcome.shown.op() == "add" ? "mul" : "add";
    const auto shrunk = ShrinkFinding(artifact, runner);
    ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
    EXPECT_EQ(shrunk->outcome.shown.defects(), artifact.defects);
    return;
  }
  FAIL() << "no case shows D01";
}

TEST(ShrinkFinding, LeavesOnlyTheWrongOperationWithLittleData) {
  const Artifact artifact = FindWrong();
  WrongResult runner;
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->outcome.verdict(), Verdict::kWrong);
  EXPECT_EQ(shrunk->outcome.shown.op(), "add");
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u);
  EXPECT_EQ(shrunk->item.graph.node(0).schema->name, "add");
  EXPECT_LE(shrunk->after.elements, 4u);
  EXPECT_LT(shrunk->after, shrunk->before);
  EXPECT_FALSE(shrunk->item.mil.empty());
}

// An engine that is right at the graph's own shape, and wrong at a further shape if a result of
// `add` is an output.
class WrongAtFurtherShapes final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "wrong-further"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kOk, .backend = "ane"};
      ANECHECK_ASSIGN(reply.outputs, Outputs(*request.graph, request.inputs, false));
      for (const RunShape& shape : request.further) {
        ANECHECK_ASSIGN(auto outputs, Outputs(shape.graph, shape.inputs, true));
        reply.further.push_back(std::move(outputs));
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  static Result<std::vector<Tensor>> Outputs(const Graph& graph, std::span<const Tensor> inputs,
                                             bool wrong) {
    ANECHECK_ASSIGN(const auto estimates, Evaluate(graph, inputs, ConformingContract(2)));
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < estimates.size(); ++i) {
      const TensorType& type = estimates[i].type;
      Tensor tensor = {type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
      EncodeElements(type.dtype, estimates[i].value, tensor.bytes);
      const Value& value = graph.value(graph.outputs()[i]);
      const bool add = value.kind == ValueKind::kResult &&
                       KindOf(*graph.node(value.producer).schema) == OpKind::kAdd;
      if (wrong && add) tensor.bytes[1] = static_cast<uint8_t>(tensor.bytes[1] ^ 0x04);
      outputs.push_back(std::move(tensor));
    }
    return outputs;
  }
};

// Returns whether an add takes the input whose extent is open. Shrinking can then remove all other
// operations. If the add takes only values computed from that input, the operations between must
// stay.
bool AddsTheOpenInput(const Case& item) {
  const auto open = item.graph.FindValue(item.range->input);
  return std::ranges::any_of(item.graph.nodes(), [&](const Node& node) {
    return KindOf(*node.schema) == OpKind::kAdd &&
           std::ranges::any_of(item.graph.arguments(node),
                               [&](const Argument& argument) { return argument.value == open; });
  });
}

// Returns the first case that is wrong only at further shapes.
Artifact FindWrongFurther(Runner& runner) {
  Artifact artifact;
  artifact.options.targets = {{"h13", 2}};
  artifact.options.modes = {CaseMode::kShapeRanges};
  artifact.id = "f000000000002";
  artifact.verdict = Verdict::kWrong;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 2000; ++index) {
    artifact.item = *MakeCase(artifact.options, index);
    const Case& item = artifact.item;
    if (!item.range || item.graph.nodes().size() < 2 || !AddsTheOpenInput(item)) continue;
    const RunRequest request = RequestOf(item);
    const auto replies = runner.Run({&request, 1});
    if (!replies.ok()) break;
    const CaseOutcome outcome = JudgeCase(item, (*replies)[0], evaluation);
    if (outcome.of_further_run() && outcome.verdict() == Verdict::kWrong) return artifact;
  }
  ADD_FAILURE() << "no case is wrong at further shapes only";
  return artifact;
}

TEST(ShrinkFinding, KeepsTheRangeOfShapesThatAFindingNeeds) {
  WrongAtFurtherShapes runner;
  const Artifact artifact = FindWrongFurther(runner);
  ASSERT_FALSE(HasFailure());
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_TRUE(shrunk->outcome.of_further_run());
  ASSERT_TRUE(shrunk->item.range);
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u) << shrunk->item.mil;
  // The graph's own extent and one further extent suffice, and 1 and 2 are the shortest.
  const CaseRange& range = *shrunk->item.range;
  EXPECT_EQ(range.step, 1) << shrunk->item.ranged_mil;
  EXPECT_EQ(range.start, 1) << shrunk->item.ranged_mil;
  EXPECT_EQ(range.stop, 2) << shrunk->item.ranged_mil;
}

// The range is shortened after the graph. A stop during that time must end the search too.
TEST(ShrinkFinding, StopsWhileARangeIsShortened) {
  WrongAtFurtherShapes runner;
  const Artifact artifact = FindWrongFurther(runner);
  ASSERT_FALSE(HasFailure());
  const auto folder = TempDirectory::Create("anecheck-shrink-test-");
  ASSERT_TRUE(folder.ok());
  std::atomic<bool> stop = false;
  int later = 0;
  const auto steps_up = [](const Case& item) {
    const CaseRange& range = *item.range;
    const ValueId input = *item.graph.FindValue(range.input);
    return (range.stop - item.graph.type(input).shape[range.axis]) / range.step;
  };
  const int64_t up = steps_up(artifact.item);
  ASSERT_GT(up, 0);
  // The predicate keeps two nodes, so that there are always candidates left to try.
  const FilePredicate predicate = [&](const std::string& path) {
    if (stop) ++later;
    const auto candidate = ArtifactFromJson(*ParseJson(*ReadTextFile(path), path));
    if (!candidate.ok() || !candidate->item.range) return false;
    if (candidate->item.graph.nodes().size() < 2) return false;
    if (steps_up(candidate->item) < up) stop = true;
    return true;
  };
  const auto shrunk = ShrinkFindingIf(artifact, runner, predicate, folder->path(), {.stop = &stop});
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_TRUE(stop);
  EXPECT_EQ(later, 0) << "candidates after the stop";
  EXPECT_EQ(shrunk->unanswered, "interrupted before it had answered");
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 2u);
}

// Requests the stop in run number `last`, which it still answers. It does not answer later runs.
class StoppedAfter final : public Runner {
 public:
  StoppedAfter(uint64_t last, std::atomic<bool>& stop) : last_(last), stop_(stop) {}
  Result<RunnerIdentity> Identify() override { return runner_.Identify(); }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    if (stop_) {
      ++later_;
      return Stopped();
    }
    stop_ = ++runs_ == last_;
    return runner_.Run(requests);
  }
  Status Restart() override { return {}; }

  uint64_t runs() const { return runs_; }
  uint64_t later() const { return later_; }

 private:
  WrongResult runner_;
  const uint64_t last_;
  uint64_t runs_ = 0, later_ = 0;
  std::atomic<bool>& stop_;
};

// For a stop at any time, the result has the verdict and the values of the last accepted run.
TEST(ShrinkFinding, AfterAStopTheRunnerGetsNoRequest) {
  const Artifact artifact = FindWrong();
  std::atomic<bool> never = false;
  StoppedAfter whole(0, never);
  ASSERT_TRUE(ShrinkFinding(artifact, whole).ok());
  // The first three runs judge the finding itself. They run the case, the case with every result as
  // an output, and the wrong operation alone.
  for (uint64_t last = 3; last < whole.runs(); last += 1 + last / 4) {
    std::atomic<bool> stop = false;
    StoppedAfter runner(last, stop);
    const auto shrunk = ShrinkFinding(artifact, runner, {.stop = &stop});
    ASSERT_TRUE(shrunk.ok()) << last << ": " << shrunk.error().message;
    EXPECT_EQ(shrunk->unanswered, "");
    EXPECT_EQ(shrunk->outcome.verdict(), Verdict::kWrong);
    EXPECT_EQ(shrunk->outcome.shown.op(), "add");
    ASSERT_EQ(shrunk->reply.outputs.size(), shrunk->item.graph.outputs().size()) << last;
    for (size_t i = 0; i < shrunk->reply.outputs.size(); ++i) {
      EXPECT_EQ(shrunk->reply.outputs[i].type,
                shrunk->item.graph.type(shrunk->item.graph.outputs()[i]));
    }
    // At most one run follows, to find the operation of a run that was in progress.
    EXPECT_LE(runner.later(), 1u) << last;
  }
}

// The result of a stopped command does not count as a refusal of the finding.
TEST(ShrinkFindingIf, AStopBeforeTheFirstAnswerIsNoRefusal) {
  const Artifact artifact = FindWrong();
  WrongResult runner;
  const auto folder = TempDirectory::Create("anecheck-shrink-test-");
  ASSERT_TRUE(folder.ok());
  std::atomic<bool> stop = false;
  const FilePredicate stopped = [&stop](const std::string&) {
    stop = true;
    return false;
  };
  const auto shrunk = ShrinkFindingIf(artifact, runner, stopped, folder->path(), {.stop = &stop});
  ASSERT_FALSE(shrunk.ok());
  EXPECT_EQ(shrunk.error().code, ErrorCode::kInterrupted);
  EXPECT_NE(shrunk.error().message.find("interrupted"), std::string::npos);
}

// An engine whose values are all within the bounds, but which returns another admitted number at
// odd places of the results of softsign. Only a comparison with the same numbers at other places
// shows this.
class UnlikeAtOddPlaces final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "unlike"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kOk, .backend = "ane"};
      const Graph& graph = *request.graph;
      ANECHECK_ASSIGN(const auto estimates, Evaluate(graph, request.inputs, ConformingContract(2)));
      for (size_t i = 0; i < estimates.size(); ++i) {
        const Value& value = graph.value(graph.outputs()[i]);
        const bool table = value.kind == ValueKind::kResult &&
                           KindOf(*graph.node(value.producer).schema) == OpKind::kSoftsign;
        reply.outputs.push_back(Stored(estimates[i], table));
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  static Tensor Stored(const Estimate& estimate, bool unlike) {
    const TensorType& type = estimate.type;
    Tensor tensor = {type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
    EncodeElements(type.dtype, estimate.value, tensor.bytes);
    for (size_t i = 1; unlike && i < estimate.value.size(); i += 2) {
      const Half other{static_cast<uint16_t>(DoubleToHalf(estimate.value[i]).bits + 1)};
      if (!Admits(estimate, i, HalfToDouble(other))) continue;
      tensor.bytes[2 * i] = static_cast<uint8_t>(other.bits);
      tensor.bytes[2 * i + 1] = static_cast<uint8_t>(other.bits >> 8);
    }
    return tensor;
  }
};

// Returns the first metamorphic case with more than one node whose deviation only a relation shows.
Artifact FindUnlike(Runner& runner) {
  Artifact artifact;
  artifact.options.targets = {{"h13", 2}};
  artifact.options.modes = {CaseMode::kMetamorphic};
  artifact.options.ops.reset();
  for (const OpKind op : {OpKind::kSoftsign, OpKind::kAdd, OpKind::kRelu}) {
    artifact.options.ops.set(static_cast<size_t>(op));
  }
  artifact.id = "f000000000003";
  artifact.verdict = Verdict::kWrong;
  Evaluation evaluation;
  for (uint64_t index = 0; index < 20000; ++index) {
    artifact.item = *MakeCase(artifact.options, index);
    if (artifact.item.graph.nodes().size() < 4) continue;
    const auto answer = AnswerAgain(artifact.item, Verdict::kWrong, runner, evaluation);
    if (answer.ok() && answer->outcome.verdict() == Verdict::kWrong) return artifact;
  }
  ADD_FAILURE() << "no relation shows it";
  return artifact;
}

TEST(ShrinkFinding, KeepsARelationThatAloneShowsTheFinding) {
  UnlikeAtOddPlaces runner;
  const Artifact artifact = FindUnlike(runner);
  ASSERT_FALSE(HasFailure());
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  const CaseOutcome& outcome = shrunk->outcome;
  EXPECT_EQ(outcome.verdict(), Verdict::kWrong);
  EXPECT_LE(shrunk->item.graph.nodes().size(), 3u);
  EXPECT_LT(shrunk->after, shrunk->before);
  ASSERT_TRUE(outcome.relation);
  EXPECT_NE(outcome.message().find(outcome.relation->name), std::string::npos) << outcome.message();
  // Without its relation the small case is right.
  Case alone = shrunk->item;
  alone.mode = CaseMode::kFloat;
  Evaluation evaluation;
  const auto plain = RunAgain(alone, Verdict::kWrong, runner, evaluation);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->verdict(), Verdict::kPass);
}

// Runs relu(concat(x, y)) on an engine whose concat is wrong if it is an output. The relation that
// cuts the relu into parts shows this. The concat alone also shows it, but without the relation.
TEST(ShrinkFinding, KeepsTheRelationIfTheOperationAloneIsWrongToo) {
  Artifact artifact;
  artifact.options.targets = {{"h13", 2}};
  artifact.id = "f000000000004";
  artifact.verdict = Verdict::kWrong;
  Case& item = artifact.item;
  item.target = artifact.options.targets[0];
  item.mode = CaseMode::kMetamorphic;
  const TensorType type{DType::kFp16, {1, 2, 4}};
  const ValueId x = item.graph.AddInput(type, "x");
  const ValueId y = item.graph.AddInput(type, "y");
  item.graph.BeginNode(&GetOp(OpKind::kConcat).schema);
  item.graph.AddArgument(params::Concat::kValues, x);
  item.graph.AddArgument(params::Concat::kValues, y);
  item.graph.AddInt(params::Concat::kAxis, 1);
  item.graph.AddBool(params::Concat::kInterleave, false);
  const std::string names[] = {"joined", "out"};
  const ValueId joined = *item.graph.FinishNode({names, 1});
  item.graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  item.graph.AddArgument(params::Unary::kX, joined);
  item.graph.AddOutput(*item.graph.FinishNode({names + 1, 1}));
  std::vector<uint8_t> ones;
  for (int i = 0; i < 8; ++i) ones.insert(ones.end(), {0x00, 0x3c});
  item.inputs = {{type, ones}, {type, ones}};
  item.relation = {.name = "in-batches", .site = "out"};
  ASSERT_TRUE(SpellCase(item).ok());
  WrongResult runner(OpKind::kConcat);
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  ASSERT_EQ(shrunk->item.graph.nodes().size(), 1u);
  EXPECT_EQ(shrunk->item.graph.node(0).schema->name, "relu");
  ASSERT_TRUE(shrunk->outcome.relation);
  EXPECT_EQ(shrunk->outcome.relation->name, "in-batches");
  EXPECT_EQ(shrunk->outcome.shown.op(), "concat");
  EXPECT_NE(shrunk->outcome.message().find("in-batches"), std::string::npos);
}

TEST(ShrinkFinding, WritesTheRelationWithBothGraphsAndReadsItAgain) {
  UnlikeAtOddPlaces runner;
  const Artifact artifact = FindUnlike(runner);
  ASSERT_FALSE(HasFailure());
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  const auto json =
      ArtifactToJson(artifact.options, {}, shrunk->item, shrunk->outcome, shrunk->reply, "f1");
  const auto& relation = json.at("relation");
  EXPECT_EQ(relation.at("name"), shrunk->outcome.relation->name);
  EXPECT_EQ(relation.at("site"), shrunk->outcome.relation->site);
  EXPECT_FALSE(relation.at("mil").get<std::string>().empty());
  EXPECT_EQ(relation.at("actual").size(), shrunk->outcome.rewritten->outputs.size());
  const auto graph = GraphFromJson(relation.at("graph"), OpVocabulary());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph->nodes().size(), shrunk->outcome.rewritten->graph.nodes().size());
  const auto again = ArtifactFromJson(json);
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_TRUE(again->item.relation);
  EXPECT_EQ(again->item.relation->name, shrunk->outcome.relation->name);
  Evaluation evaluation;
  const auto replayed = RunAgain(again->item, again->verdict, runner, evaluation);
  ASSERT_TRUE(replayed.ok());
  EXPECT_EQ(Signature(*replayed), Signature(shrunk->outcome));
  EXPECT_EQ(replayed->message(), shrunk->outcome.message());
}

TEST(ShrinkFinding, AFindingThatDoesNotShowIsAnError) {
  Artifact artifact = FindWrong();
  artifact.options.ops.reset();
  artifact.options.ops.set(static_cast<size_t>(OpKind::kRelu));
  artifact.item = *MakeCase(artifact.options, 0);
  WrongResult runner;
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_FALSE(shrunk.ok());
  EXPECT_NE(shrunk.error().message.find("now it is pass"), std::string::npos)
      << shrunk.error().message;
}

TEST(ShrinkFindingIf, TheUsersPredicateDecides) {
  const Artifact artifact = FindWrong();
  WrongResult runner;
  const auto folder = TempDirectory::Create("anecheck-shrink-test-");
  ASSERT_TRUE(folder.ok());
  const FilePredicate two_nodes = [](const std::string& path) {
    const auto text = ReadTextFile(path);
    const std::string_view needle = "\"op\":";
    size_t count = 0;
    for (size_t at = text->find("\"ops\":"); (at = text->find(needle, at)) != std::string::npos;
         at += needle.size()) {
      ++count;
    }
    return count >= 2;
  };
  const auto shrunk = ShrinkFindingIf(artifact, runner, two_nodes, folder->path());
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 2u);
  const auto none =
      ShrinkFindingIf(artifact, runner, [](const std::string&) { return false; }, folder->path());
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("does not accept"), std::string::npos);
}

// A runner that identifies itself but cannot run.
class Unreachable final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "unreachable"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest>) override {
    return MakeError(ErrorCode::kIo, "the machine is gone");
  }
  Status Restart() override { return {}; }
};

TEST(ShrinkFindingIf, TheSmallCaseIsKeptIfTheRunnerFailsAtTheEnd) {
  const Artifact artifact = FindWrong();
  Unreachable runner;
  const auto folder = TempDirectory::Create("anecheck-shrink-test-");
  ASSERT_TRUE(folder.ok());
  const auto shrunk =
      ShrinkFindingIf(artifact, runner, [](const std::string&) { return true; }, folder->path());
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u);
  EXPECT_EQ(shrunk->unanswered, "the machine is gone");
  EXPECT_EQ(shrunk->outcome.verdict(), artifact.verdict);
}

}  // namespace
}  // namespace anecheck
