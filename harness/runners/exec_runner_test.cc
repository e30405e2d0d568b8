// Tests the exec runner and its protocol. Answers of a program count only as far as they can be
// checked, and misconduct of the program affects only the case in which it occurs.
#include "harness/runners/exec_runner.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "harness/base/testing/wait.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/runners/executable_path.h"
#include "harness/runners/testing/hostile_runner.h"
#include "harness/runners/testing/word_cases.h"

namespace anecheck {
namespace {

using testing::WordCases;

ExecOptions Hostile(const std::string& words = "") {
  return {.command = "'" + ExecutablePath() + "' " + testing::kHostileArgument + " " + words,
          .case_timeout_ms = 10000};
}

RunReply RunWord(const std::string& word, const std::string& hello = "",
                 uint64_t memory_limit = 0) {
  ExecOptions options = Hostile(hello);
  options.memory_limit = memory_limit;
  ExecRunner runner(options);
  return testing::RunWord(runner, word);
}

TEST(ExecRunner, RunsACase) {
  ExecRunner runner(Hostile());
  const WordCases cases({"copy"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ(replies->front().status, RunStatus::kOk) << replies->front().message;
  ASSERT_EQ(replies->front().outputs.size(), 1u);
  EXPECT_EQ(replies->front().outputs[0].bytes, cases.input());
}

TEST(ExecRunner, NamesTheProgramAndCallsItsResultsReported) {
  const auto identity = ExecRunner(Hostile()).Identify();
  ASSERT_TRUE(identity.ok()) << identity.error().message;
  EXPECT_EQ(identity->engine, "hostile 2");
  EXPECT_EQ(identity->provenance, Provenance::kReported);
  EXPECT_EQ(identity->proved, std::nullopt) << "the program names no chip";
  EXPECT_EQ(identity->runner.find("exec:"), 0u);
}

struct Misdeed {
  const char* word;
  RunStatus status;
  const char* message;
};

// Runs with a program that takes one case at a time, and with a program that takes several.
class Misdeeds : public ::testing::TestWithParam<std::tuple<Misdeed, const char*>> {};

// The cases before and after a misdeed keep their results.
TEST_P(Misdeeds, AffectOnlyTheirCase) {
  const auto& [misdeed, hello] = GetParam();
  ExecOptions options = Hostile(hello);
  options.case_timeout_ms = 400;
  ExecRunner runner(options);
  ASSERT_TRUE(runner.Identify().ok());
  const WordCases cases({"a", misdeed.word, "b"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ(replies->size(), 3u);
  for (const size_t good : {0, 2}) {
    EXPECT_EQ((*replies)[good].status, RunStatus::kOk) << (*replies)[good].message;
    ASSERT_EQ((*replies)[good].outputs.size(), 1u);
    EXPECT_EQ((*replies)[good].outputs[0].bytes, cases.input());
  }
  const RunReply& bad = (*replies)[1];
  EXPECT_EQ(bad.id, 1u);
  EXPECT_EQ(bad.status, misdeed.status) << bad.message;
  EXPECT_NE(bad.message.find(misdeed.message), std::string::npos) << bad.message;
  EXPECT_TRUE(bad.outputs.empty());
}

constexpr Misdeed kMisdeeds[] = {
    {"SLEEP", RunStatus::kHung, "no answer in 400 ms"},
    {"EXIT", RunStatus::kCrashed, "the runner exited with code 7: last words"},
    {"ABORT", RunStatus::kCrashed, "the runner was killed by signal 6"},
    {"GARBAGE", RunStatus::kGarbled, "reply: "},
    {"NUMBER", RunStatus::kGarbled, "is no JSON object"},
    {"HUGE", RunStatus::kGarbled, "the reply is longer than 1048576 bytes"},
    {"PARTIAL", RunStatus::kGarbled, "breaks off"},
    {"OTHER_ID", RunStatus::kGarbled, ", the request has "},
    {"TWICE", RunStatus::kGarbled, "it was answered twice"},
    {"AHEAD", RunStatus::kGarbled, "a line follows the reply that answers no request"},
    {"BANNER", RunStatus::kGarbled, "a line follows the reply that answers no request"},
    {"LATE", RunStatus::kHung, "no answer in 400 ms"},
    {"STATUS", RunStatus::kGarbled, "status: \"splendid\" is none of ok, rejected, failed"},
    {"STAGE", RunStatus::kGarbled, "stage: \"nowhere\" is none of frontend"},
    {"REJECT", RunStatus::kRejected, "not supported"},
    {"FAIL", RunStatus::kFailed, ""},
    {"NO_FILE", RunStatus::kGarbled, "outputs.npz was not written"},
    {"PIPE", RunStatus::kGarbled, "outputs.npz was not written"},
    {"HUGE_FILE", RunStatus::kGarbled, "outputs.npz"},
    {"NO_NPZ", RunStatus::kGarbled, "outputs.npz"},
    {"SHAPE", RunStatus::kGarbled, "output y has shape [4, 1], must be [1, 4]"},
    {"TYPE", RunStatus::kGarbled, "output y has element type <i2, must be fp16"},
    {"NAME", RunStatus::kGarbled, "output y is missing"},
    {"PROOF_EMPTY", RunStatus::kGarbled, "proof: names no SelectedBackend"},
    {"PROOF_MARKER", RunStatus::kGarbled,
     "proof: is about another program: the ports and operations of the case are not in it"},
    {"PROOF_SIMULATED", RunStatus::kGarbled, "proof: was written by the simulated engine"},
    {"PROOF_ELSEWHERE", RunStatus::kGarbled, "proof: must be in the folder of the case"},
    {"CPU_ELSEWHERE", RunStatus::kGarbled, "cpu_outputs: must be in the folder of the case"},
    {"CPU_NAME", RunStatus::kGarbled, "cpu_outputs: "},
};
INSTANTIATE_TEST_SUITE_P(ExecRunner, Misdeeds,
                         ::testing::Combine(::testing::ValuesIn(kMisdeeds),
                                            ::testing::Values("well", "batch")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).word) + "_" +
                                  std::get<1>(info.param);
                         });

TEST(ExecRunner, ABatchIsOneRequestAndEachCaseHasItsReply) {
  const auto home = TempDirectory::Create("anecheck-batch-");
  ASSERT_TRUE(home.ok());
  ExecRunner runner(Hostile("batch " + home->File("log")));
  ASSERT_TRUE(runner.Identify().ok());
  const WordCases cases({"a", "REJECT", "b", "c", "d"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ(replies->size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*replies)[i].id, i);
    EXPECT_EQ((*replies)[i].status, i == 1 ? RunStatus::kRejected : RunStatus::kOk) << i;
  }
  EXPECT_EQ(*ReadTextFile(home->File("log")),
            "1 together\n2 together\n3 together\n4 together\n5\n");
}

TEST(ExecRunner, ACrashThatDoesNotRepeatStaysWithItsCase) {
  const auto home = TempDirectory::Create("anecheck-batch-");
  ASSERT_TRUE(home.ok());
  ExecRunner runner(Hostile("batch " + home->File("log")));
  ASSERT_TRUE(runner.Identify().ok());
  const WordCases cases({"a", "b", "ONCE", "c"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ((*replies)[i].status, i == 2 ? RunStatus::kCrashed : RunStatus::kOk) << i;
  }
  EXPECT_EQ(*ReadTextFile(home->File("log")), "1 together\n2 together\n3 together\n5\n6\n7\n8\n");
}

TEST(ExecRunner, ASecondExecutionIsComparedWithTheFirst) {
  ExecRunner runner(Hostile("batch"));
  ASSERT_TRUE(runner.Identify().ok());
  const auto run = [&](const char* word) {
    const WordCases cases({word});
    RunRequest request = cases.all()[0];
    request.settings.repeat = true;
    return runner.Run({&request, 1}).value()[0];
  };
  const RunReply same = run("SECOND");
  EXPECT_EQ(same.status, RunStatus::kOk) << same.message;
  EXPECT_TRUE(same.misconduct.empty());
  const RunReply other = run("SECOND_OTHER");
  ASSERT_EQ(other.misconduct.size(), 1u) << other.message;
  EXPECT_EQ(other.misconduct[0].verdict, Verdict::kNotRepeatable);
  EXPECT_EQ(other.misconduct[0].message,
            "output y: the second execution of the program gives other values, from byte 1 on");
  const RunReply missing = run("a");
  EXPECT_EQ(missing.status, RunStatus::kGarbled);
  EXPECT_EQ(missing.message, "second: outputs.npz was not written");
}

TEST(ExecRunner, OutputsOfASecondExecutionOnOtherInputsAreReturned) {
  ExecRunner runner(Hostile("batch"));
  ASSERT_TRUE(runner.Identify().ok());
  const WordCases cases({"SECOND"});
  const std::vector<Tensor> again = {{{DType::kFp16, {1, 4}}, {8, 7, 6, 5, 4, 3, 2, 1}}};
  RunRequest request = cases.all()[0];
  request.settings.repeat = true;
  request.again = again;
  const RunReply reply = runner.Run({&request, 1}).value()[0];
  ASSERT_EQ(reply.further.size(), 1u) << reply.message;
  EXPECT_EQ(reply.further[0][0].bytes, again[0].bytes);
}

TEST(ExecRunner, AReplyInPiecesIsOneReply) { EXPECT_EQ(RunWord("DRIBBLE").status, RunStatus::kOk); }

TEST(ExecRunner, ASecondReplyIsChargedToTheCaseThatItNames) {
  ExecRunner runner(Hostile());
  const WordCases cases({"a", "b", "AGAIN", "c"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ(replies->size(), 4u);
  for (const size_t good : {0, 2, 3}) {
    EXPECT_EQ((*replies)[good].status, RunStatus::kOk) << (*replies)[good].message;
    EXPECT_TRUE((*replies)[good].misconduct.empty());
    EXPECT_EQ((*replies)[good].outputs[0].bytes, cases.input());
  }
  EXPECT_EQ((*replies)[1].status, RunStatus::kGarbled);
  EXPECT_EQ((*replies)[1].message, "it was answered twice");
  EXPECT_EQ(runner.started(), 1) << "no reply is lost, because each has its id";
}

// Runs a command word in a request with the given number.
RunReply RunNumbered(Runner& runner, const std::string& word, uint64_t number) {
  const WordCases cases({word});
  RunRequest request = cases.all()[0];
  request.id = number;
  const auto replies = runner.Run({&request, 1});
  EXPECT_TRUE(replies.ok()) << replies.error().message;
  return replies.ok() ? replies->front() : RunReply{};
}

// The second reply arrives during a later run, after the runner returned the first reply.
TEST(ExecRunner, ASecondReplyInALaterRunIsChargedToTheCaseThatItNames) {
  ExecRunner runner(Hostile());
  EXPECT_EQ(RunNumbered(runner, "a", 70).status, RunStatus::kOk);
  EXPECT_TRUE(runner.TakeLate(false).empty());
  const RunReply again = RunNumbered(runner, "AGAIN", 71);
  EXPECT_EQ(again.status, RunStatus::kOk) << again.message;
  EXPECT_EQ(again.outputs.size(), 1u);
  EXPECT_TRUE(again.misconduct.empty());
  const auto late = runner.TakeLate(false);
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0].id, 70u);
  EXPECT_EQ(late[0].message, "it was answered twice");
  EXPECT_TRUE(runner.TakeLate(false).empty()) << "a late reply is reported once";
}

// Waits until there are late replies, for as long as the program may need.
std::vector<LateReply> AwaitLate(ExecRunner& runner) {
  std::vector<LateReply> late;
  for (int i = 0; i < 50 && late.empty(); ++i) late = runner.TakeLate(true);
  return late;
}

// The runner reads the line after the run of its case, or during that run if this process was slow.
TEST(ExecRunner, OutputAfterTheLastAnswerIsChargedToItsCase) {
  const std::pair<const char*, const char*> kWords[] = {
      {"AFTERWARDS", "it was answered twice"},
      {"CHATTER", "a line follows the reply that answers no request"}};
  for (const auto& [word, message] : kWords) {
    ExecRunner runner(Hostile());
    const RunReply reply = RunNumbered(runner, word, 70);
    std::vector<LateReply> late = {{reply.id, reply.message}};
    if (reply.status == RunStatus::kOk) late = AwaitLate(runner);
    ASSERT_EQ(late.size(), 1u) << word;
    EXPECT_EQ(late[0].id, 70u);
    EXPECT_EQ(late[0].message, message);
    EXPECT_EQ(RunNumbered(runner, "a", 71).status, RunStatus::kOk);
    EXPECT_EQ(runner.started(), 1);
  }
}

TEST(ExecRunner, LingeringShowsALateReply) {
  ExecRunner runner(Hostile());
  runner.Linger(true);
  for (int turn = 0; turn < 2; ++turn) {
    const RunReply reply = RunNumbered(runner, "AFTERWARDS", 70);
    EXPECT_EQ(reply.status, RunStatus::kGarbled);
    EXPECT_EQ(reply.message, "it was answered twice");
    EXPECT_TRUE(runner.TakeLate(false).empty());
  }
}

// The process writes the line before it has answered any request.
TEST(ExecRunner, ALineBeforeTheFirstAnswerIsMisconductOfTheRunningCase) {
  ExecRunner runner(Hostile("chatty"));
  ASSERT_TRUE(runner.Identify().ok());
  EXPECT_EQ(RunNumbered(runner, "a", 70).misconduct.size(), 1u);
  ASSERT_TRUE(runner.Restart().ok());
  const RunReply reply = RunNumbered(runner, "a", 71);
  EXPECT_EQ(reply.status, RunStatus::kOk);
  ASSERT_EQ(reply.misconduct.size(), 1u);
  EXPECT_EQ(reply.misconduct[0].verdict, Verdict::kGarbled);
  EXPECT_EQ(reply.misconduct[0].message, "a line came that answers no request");
  EXPECT_TRUE(runner.TakeLate(false).empty());
}

TEST(ExecRunner, ADoubleReplyToTheOnlyCaseOfARunIsSeen) {
  const RunReply reply = RunWord("TWICE");
  EXPECT_EQ(reply.status, RunStatus::kGarbled);
  EXPECT_EQ(reply.message, "it was answered twice");
}

TEST(ExecRunner, AProgramThatDoesNotStopWritingIsReplaced) {
  ExecRunner runner(Hostile());
  const WordCases cases({"FLOOD", "b", "c"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  EXPECT_EQ((*replies)[0].status, RunStatus::kGarbled);
  EXPECT_EQ((*replies)[2].status, RunStatus::kOk);
  EXPECT_GE(runner.started(), 2);
}

// The run ends long before the time limit of the case, and later cases do not run.
TEST(ExecRunner, EndsSoonAfterItIsStopped) {
  ExecOptions options = Hostile();
  options.case_timeout_ms = 3600'000;
  const testing::OwnTemporaryFiles files;
  ExecRunner runner(options);
  std::atomic<bool> stop{false};
  runner.StopWhen(&stop);
  std::thread stopper([&] {
    EXPECT_TRUE(testing::WaitUntil([&] { return files.Has("asleep"); }));
    stop = true;
  });
  const WordCases cases({"a", "SLEEP", "b"});
  const auto replies = runner.Run(cases.all());
  stopper.join();
  ASSERT_FALSE(replies.ok());
  EXPECT_EQ(replies.error().code, ErrorCode::kInterrupted);
  EXPECT_EQ(runner.Run(cases.all()).error().code, ErrorCode::kInterrupted);
  stop = false;
  EXPECT_EQ(testing::RunWord(runner, "a").status, RunStatus::kOk)
      << "after the stop the runner can be used again";
}

TEST(ExecRunner, NoTwoRequestsHaveOneId) {
  const auto home = TempDirectory::Create("anecheck-ids-");
  ASSERT_TRUE(home.ok());
  const std::string log = home->File("log");
  ExecRunner runner(Hostile("log " + log));
  testing::RunWord(runner, "a");
  testing::RunWord(runner, "a");
  ASSERT_TRUE(runner.Restart().ok());
  testing::RunWord(runner, "a");
  EXPECT_EQ(*ReadTextFile(log), "1\n2\n3\n");
}

RunShape ShapeOf(int64_t extent) {
  RunShape shape;
  const ValueId x = shape.graph.AddInput({DType::kFp16, {1, extent}}, "x");
  shape.graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  shape.graph.AddArgument(0, x);
  shape.graph.AddOutput(*shape.graph.FinishNode(std::vector<std::string>{"y"}));
  std::vector<uint8_t> bytes(static_cast<size_t>(extent) * 2);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  shape.inputs = {{{DType::kFp16, {1, extent}}, std::move(bytes)}};
  return shape;
}

TEST(ExecRunner, AProgramWithARangeIsAskedForEachShape) {
  const auto home = TempDirectory::Create("anecheck-shapes-");
  ASSERT_TRUE(home.ok());
  ExecRunner runner(Hostile("log " + home->File("log")));
  const WordCases cases({"copy"});
  const std::vector<RunShape> further = {ShapeOf(2), ShapeOf(6)};
  RunRequest request = cases.all()[0];
  request.ranged_mil = "a text of the range";
  request.further = further;
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  const RunReply& reply = replies->front();
  EXPECT_EQ(reply.status, RunStatus::kOk) << reply.message;
  EXPECT_EQ(reply.outputs[0].bytes, cases.input());
  ASSERT_EQ(reply.further.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(reply.further[i].size(), 1u);
    EXPECT_EQ(reply.further[i][0].bytes, further[i].inputs[0].bytes) << i;
  }
  EXPECT_EQ(*ReadTextFile(home->File("log")), "1 ranged\n2 ranged\n3 ranged\n");
}

TEST(ExecRunner, AShapeThatFailsEndsItsCase) {
  const WordCases cases({"copy"});
  std::vector<RunShape> further = {ShapeOf(2)};
  further[0].inputs[0].type.shape = {2, 1};  // so that the copied output has a wrong shape
  RunRequest request = cases.all()[0];
  request.further = further;
  ExecRunner runner(Hostile());
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  EXPECT_EQ(replies->front().status, RunStatus::kGarbled);
  EXPECT_EQ(replies->front().message.find("at another shape of the range: "), 0u)
      << replies->front().message;
}

TEST(ExecRunner, AReplyKeepsItsStage) {
  EXPECT_EQ(RunWord("REJECT").step, Step::kValidator);
  EXPECT_EQ(RunWord("FAIL").step, Step::kLoad);
}

TEST(ExecRunner, ACaseThatEndedTheProgramHasNoStage) {
  for (const char* word : {"EXIT", "GARBAGE", "NO_FILE"})
    EXPECT_EQ(RunWord(word).step, Step::kNone) << word;
}

TEST(ExecRunner, AnUnwritableFileIsAnErrorAndNoAnswerOfTheProgram) {
  const auto home = TempDirectory::Create("anecheck-full-");
  ASSERT_TRUE(home.ok());
  setenv("TMPDIR", home->path().c_str(), 1);
  ExecRunner runner(Hostile());
  const bool started = runner.Identify().ok();
  unsetenv("TMPDIR");
  ASSERT_TRUE(started);
  testing::PutFilesInPlaceOfFolders(home->path());
  const WordCases cases({"copy"});
  const auto replies = runner.Run(cases.all());
  ASSERT_FALSE(replies.ok());
  EXPECT_EQ(replies.error().code, ErrorCode::kIo);
  EXPECT_NE(replies.error().message.find("cannot be written"), std::string::npos)
      << replies.error().message;
}

TEST(ExecRunner, AGreedyProgramIsStopped) {
  const RunReply reply = RunWord("EAT", "", uint64_t{256} << 20);
  EXPECT_EQ(reply.status, RunStatus::kMemoryGrowth);
  EXPECT_EQ(reply.message, "the runner was stopped: it holds more than 256 MiB of memory");
}

TEST(ExecRunner, ABackendCountsOnlyWithItsProof) {
  EXPECT_EQ(RunWord("CLAIM").backend, "");
  EXPECT_EQ(RunWord("PROOF").backend, "ane");
}

// A program may claim any chip, and cannot prove that the machine has that chip.
TEST(ExecRunner, AProgramNeverCountsAsSilicon) {
  const auto identity = ExecRunner(Hostile("silicon")).Identify();
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity->chip, "M1");
  EXPECT_EQ(identity->provenance, Provenance::kReported);
  EXPECT_EQ(identity->proved, std::nullopt);
}

TEST(ExecRunner, RestartGivesAFreshProgram) {
  ExecRunner runner(Hostile());
  ASSERT_TRUE(runner.Identify().ok());
  ASSERT_TRUE(runner.Restart().ok());
  EXPECT_EQ(runner.started(), 2);
}

TEST(ExecRunner, AFailedStartGivesItsReason) {
  const std::pair<ExecOptions, const char*> kBroken[] = {
      {{.command = "/nonexistent/runner --fast"},
       "/nonexistent/runner: cannot be started: No such"},
      {{.command = ""}, "names no program"},
      {{.command = "'open"}, "a quote is not closed"},
      {Hostile("gone"), "the runner exited with code 3: no engine here"},
      {Hostile("nameless"), "the answer to the hello: name: is missing"},
      {{.command = "cat"}, "the answer to the hello: name: is missing"},
  };
  for (const auto& [options, message] : kBroken) {
    const auto identity = ExecRunner(options).Identify();
    ASSERT_FALSE(identity.ok()) << message;
    EXPECT_EQ(identity.error().message.find("--runner exec:" + options.command + ": "), 0u)
        << identity.error().message;
    EXPECT_NE(identity.error().message.find(message), std::string::npos)
        << identity.error().message;
  }
  ExecOptions silent = Hostile("silent");
  silent.start_timeout_ms = 200;
  const auto identity = ExecRunner(silent).Identify();
  ASSERT_FALSE(identity.ok());
  EXPECT_NE(identity.error().message.find("no answer to the hello in 200 ms"), std::string::npos);
}

TEST(ExecRunner, AProgramThatCannotBeRestartedEndsTheRunAfterThreeCases) {
  const auto folder = TempDirectory::Create("anecheck-once-");
  ASSERT_TRUE(folder.ok());
  ExecRunner runner(Hostile("once " + folder->File("mark")));
  const WordCases two({"EXIT", "a", "b"});
  const auto replies = runner.Run(two.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  EXPECT_EQ((*replies)[1].status, RunStatus::kCrashed);
  EXPECT_NE((*replies)[2].message.find("no engine here"), std::string::npos);
  EXPECT_FALSE(runner.Run(two.all()).ok());
}

TEST(ExecRunner, TargetsThatItLacksAreNamed) {
  ExecRunner runner(Hostile("h17s"));
  const WordCases cases({"a"});
  const auto replies = runner.Run(cases.all());
  ASSERT_FALSE(replies.ok());
  EXPECT_NE(replies.error().message.find("has no target h13; it has H17S"), std::string::npos)
      << replies.error().message;
}

// The file must be in the folder of the case and contain its outputs.
TEST(ExecRunner, OutputsOfTheCpuAreReadAsWell) {
  const RunReply reply = RunWord("CPU");
  EXPECT_EQ(reply.status, RunStatus::kOk) << reply.message;
  ASSERT_EQ(reply.cpu_outputs.size(), 1u);
  EXPECT_EQ(reply.cpu_outputs[0].bytes, reply.outputs[0].bytes);
  ASSERT_EQ(reply.plan.size(), 1u);
  EXPECT_EQ(reply.plan[0].op, "relu");
}

// The MIL text is a command word and no model, so the case is not run. The campaign continues.
TEST(ExecRunner, AModelThatCannotBePackagedIsNotRun) {
  const RunReply reply = RunWord("a", "packages");
  EXPECT_EQ(reply.status, RunStatus::kNotRun);
  EXPECT_NE(reply.message.find("no package holds the model: "), std::string::npos) << reply.message;
}

TEST(ExecRunner, AProgramThatAsksForPackagesGetsTheModelAsOne) {
  ExecRunner runner(Hostile("packages"));
  const Graph graph = testing::ReluGraph();
  const Tensor inputs[] = {{{DType::kFp16, {1, 4}}, {1, 2, 3, 4, 5, 6, 7, 8}}};
  const auto mil = GraphToMil(graph);
  ASSERT_TRUE(mil.ok());
  const RunRequest request = {1, "h13", *mil, &graph, inputs};
  const auto replies = runner.Run({&request, 1});
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  EXPECT_EQ(replies->front().status, RunStatus::kRejected);
  EXPECT_NE(replies->front().message.find("relu("), std::string::npos) << replies->front().message;
}

TEST(SplitCommand, ReadsWordsQuotesAndBackslashes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(*SplitCommand("python3 run.py  --fast"), (Words{"python3", "run.py", "--fast"}));
  EXPECT_EQ(*SplitCommand("'a b' \"c \\\" d\" e\\ f ''"), (Words{"a b", "c \" d", "e f", ""}));
  EXPECT_FALSE(SplitCommand("  ").ok());
  EXPECT_FALSE(SplitCommand("a 'b").ok());
}

}  // namespace
}  // namespace anecheck
