// Tests the evidence of the e5rt runner. Only a case's own analytics prove its placement, a stage
// counts only if the worker reached it, a reply must have the graph's outputs, and a failure of the
// harness is no answer of the engine.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/testing/wait.h"
#include "harness/runners/analytics.h"
#include "harness/runners/e5rt_library.h"
#include "harness/runners/executable_path.h"
#include "harness/runners/testing/stuck_campaign.h"
#include "harness/runners/testing/word_cases.h"
#include "harness/runners/worker.h"
#include "harness/runners/worker_channel.h"

extern char** environ;

namespace anecheck {
namespace testing {

int StuckMain() {
  E5rtRunner runner({.library = ANECHECK_HOSTILE_ENGINE, .case_timeout_ms = 600000});
  const WordCases cases({"HANG"});
  return runner.Run(cases.all()).ok() ? 0 : 1;
}

}  // namespace testing

namespace {

using testing::WordCases;

WorkerOptions Hostile() { return {.library = ANECHECK_HOSTILE_ENGINE, .case_timeout_ms = 400}; }

RunReply RunAlone(const std::string& word) {
  E5rtRunner runner(Hostile());
  return testing::RunWord(runner, word);
}

TEST(Analytics, NameTheEngineIfEveryOperationIsPlacedThere) {
  const auto placed = [](std::initializer_list<const char*> backends) {
    std::string text = "program(1.3)\n{\n";
    for (const char* backend : backends) {
      text += std::string("relu()[SelectedBackend = string(\"") + backend + "\")];\n";
    }
    return BackendInAnalytics(text + "}\n");
  };
  EXPECT_EQ(placed({}), "");
  EXPECT_EQ(placed({"ane"}), "ane");
  EXPECT_EQ(placed({"ane", "ane"}), "ane");
  EXPECT_EQ(placed({"ane", "bnns", "mps", "ane"}), "bnns") << "the first other backend is named";
  EXPECT_EQ(placed({"bnns", "ane"}), "bnns");
  EXPECT_EQ(BackendInAnalytics("SelectedBackend = string(\"ane\") SelectedBackend = string(\"a"),
            "")
      << "a truncated document proves nothing";
}

TEST(Analytics, ApplyToTheProgramWhosePortsAndOperationsTheyName) {
  const std::vector<std::string> ports = {"x", "out_1"}, ops = {"conv", "relu"};
  const auto speaks = [&](std::string_view text) { return SpeaksOf(text, ports, ops); };
  EXPECT_TRUE(speaks("out_1 = relu(x = x)[SelectedBackend = string(\"ane\")];"));
  EXPECT_TRUE(speaks("x out_1 conv"));
  EXPECT_FALSE(speaks("out_1 = tanh(x = x)")) << "tanh is no operation of the case";
  EXPECT_FALSE(speaks("out_1 = relu(x1 = x_)")) << "no port x";
  EXPECT_FALSE(speaks("out_12 = relu(x = x)")) << "no port out_1";
  EXPECT_FALSE(speaks("relu()[SelectedBackend = string(\"ane\")];"));
  EXPECT_TRUE(SpeaksOf("x", std::vector<std::string>{"x"}, {}));
}

TEST(Analytics, ProveAnEngineOnlyByPortsOperationsAndBackend) {
  const std::vector<std::string> ports = {"x"}, ops = {"relu"};
  const std::string proof = "relu(x = x)[SelectedBackend = string(\"ane\")];";
  EXPECT_TRUE(ProvesEngine(proof, ports, ops));
  EXPECT_FALSE(ProvesEngine(proof, ports, {})) << "a proof needs an operation";
  EXPECT_FALSE(ProvesEngine(proof, std::vector<std::string>{"y"}, ops));
  EXPECT_FALSE(ProvesEngine("relu(x = x)[SelectedBackend = string(\"bnns\")];", ports, ops));
  EXPECT_FALSE(ProvesEngine(proof + " anecheck simulated engine", ports, ops));
}

// Analytics of the simulated engine that another engine writes are a copy and prove nothing.
TEST(E5rtRunner, TheSimulatedEnginesTextProvesNothingAboutAnotherEngine) {
  EXPECT_TRUE(SaysSimulated("{\"engine\", \"anecheck simulated engine\"}"));
  EXPECT_EQ(RunAlone("PLACE ane").backend, "ane");
  EXPECT_EQ(RunAlone("COPIED PLACE ane").backend, "");
  EXPECT_EQ(BackendInAnalytics(RunAlone("PLACE ane").proof), "ane")
      << "the reply has the text as its proof";
  EXPECT_EQ(RunAlone("COPIED PLACE ane").proof, "");
}

TEST(E5rtRunner, ACasesPlacementIsProvedByItsOwnAnalytics) {
  E5rtRunner runner(Hostile());
  const WordCases cases({"PLACE ane", "copy", "PLACE ane,bnns", "PLACE ane", "REJECT"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  const char* const kBackends[] = {"ane", "", "bnns", "ane", ""};
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ((*replies)[i].backend, kBackends[i]) << i;
}

TEST(E5rtRunner, TheStageOfADeathIsTheWorkersLastStage) {
  E5rtRunner runner(Hostile());
  const WordCases cases({"copy", "ABORT COMPILER", "STUCK LOADING", "CRASH", "HANG"});
  const auto replies = runner.Run(cases.all());
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  constexpr Step kSteps[] = {Step::kNone, Step::kCompile, Step::kLoad, Step::kRun, Step::kRun};
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ((*replies)[i].step, kSteps[i]) << i;
  EXPECT_EQ((*replies)[1].status, RunStatus::kCrashed);
  EXPECT_EQ((*replies)[2].status, RunStatus::kHung);
  ChannelHeader header{};
  header.step = static_cast<Step>(77);
  EXPECT_EQ(StepOf(header), Step::kNone) << "an engine may overwrite the memory of the step";
}

TEST(E5rtRunner, AReplyOfTheWrongSizeIsGarbled) {
  const RunReply reply = RunAlone("SHORT");
  EXPECT_EQ(reply.status, RunStatus::kGarbled);
  EXPECT_EQ(reply.message, "output 0 has 1 bytes, must have 8");
  EXPECT_TRUE(reply.outputs.empty());
}

TEST(E5rtRunner, ACaseTooLargeForAWorkerIsNotRun) {
  WorkerOptions options = Hostile();
  options.most_area = options.area_size;
  E5rtRunner runner(options);
  const RunReply reply = testing::RunWord(runner, std::string(WorkerChannel::kUsualArea, ' '));
  EXPECT_EQ(reply.status, RunStatus::kNotRun);
  EXPECT_EQ(reply.step, Step::kNone);
}

TEST(E5rtRunner, AnUnwritableFileIsAnErrorAndNoAnswerOfTheEngine) {
  const auto home = TempDirectory::Create("anecheck-full-");
  ASSERT_TRUE(home.ok());
  setenv("TMPDIR", home->path().c_str(), 1);
  E5rtRunner runner(Hostile());
  const bool started = runner.Identify().ok();
  unsetenv("TMPDIR");
  ASSERT_TRUE(started);
  testing::PutFilesInPlaceOfFolders(home->path());
  const WordCases cases({"copy"});
  const auto replies = runner.Run(cases.all());
  ASSERT_FALSE(replies.ok());
  EXPECT_EQ(replies.error().code, ErrorCode::kIo);
  EXPECT_EQ(replies.error().message.find("a worker: "), 0u) << replies.error().message;
}

TEST(E5rtRunner, SignalsDoNotEndTheWaitForAWorker) {
  struct sigaction old_action{};
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGALRM, &action, &old_action), 0);
  const itimerval often = {{0, 1000}, {0, 1000}};
  const itimerval never{};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  E5rtRunner runner(Hostile());
  const auto identity = runner.Identify();
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &old_action, nullptr);
  EXPECT_TRUE(identity.ok()) << identity.error().message;
}

TEST(Engines, BelongToTheSystemIfTheirCodeIsInItsFolders) {
  EXPECT_TRUE(IsSystemImage("/System/Library/PrivateFrameworks/Espresso.framework/Espresso"));
  EXPECT_FALSE(IsSystemImage("./stub.dylib"));
  EXPECT_FALSE(IsSystemImage("/tmp/System/Library/PrivateFrameworks/Espresso"));
  EXPECT_FALSE(IsSystemImage("/System/Library/../../tmp/stub.dylib"));
  const auto hostile = OpenE5rtLibrary(ANECHECK_HOSTILE_ENGINE);
  ASSERT_TRUE(hostile.ok());
  EXPECT_EQ(KindOf(*hostile), EngineKind::kOther);
  EXPECT_EQ(E5rtRunner(Hostile()).Identify()->provenance, Provenance::kReported);
}

#if defined(__linux__)

std::string WordAfter(const std::string& path, std::string_view word) {
  std::ifstream file(path);
  std::string line;
  for (bool next = false; std::getline(file, line, '\0'); next = line == word) {
    if (next) return line;
  }
  return "";
}

// Returns the state letter and the parent of a process, from /proc.
std::pair<char, pid_t> StateOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  std::getline(file, text);
  char state = 'X';
  int parent = 0;
  if (const size_t end = text.rfind(')'); end != std::string::npos) {
    std::sscanf(text.c_str() + end + 1, " %c %d", &state, &parent);
  }
  return {state, parent};
}

std::string WorkerOf(pid_t campaign) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (StateOf(pid).second != campaign) continue;
    if (!WordAfter("/proc/" + pid + "/cmdline", "folder").empty()) return pid;
  }
  return "";
}

TEST(E5rtRunner, AStuckWorkerEndsWithItsCampaign) {
  std::string executable = ExecutablePath();
  char argument[] = "--anecheck-stuck";
  ASSERT_STREQ(argument, testing::kStuckArgument);
  char* argv[] = {executable.data(), argument, nullptr};
  pid_t campaign = 0;
  ASSERT_EQ(posix_spawn(&campaign, argv[0], nullptr, nullptr, argv, environ), 0);
  std::string worker;
  std::string folder;
  // If the MIL text exists, the worker has received the case.
  const bool stuck = testing::WaitUntil([&] {
    worker = WorkerOf(campaign);
    folder = worker.empty() ? "" : WordAfter("/proc/" + worker + "/cmdline", "folder");
    return !folder.empty() && std::filesystem::exists(folder + "/model.mil");
  });
  kill(campaign, SIGKILL);
  int status = 0;
  while (waitpid(campaign, &status, 0) != campaign) {
  }
  ASSERT_TRUE(stuck);
  EXPECT_TRUE(testing::WaitUntil([&] {
    const char state = StateOf(worker).first;
    return state == 'X' || state == 'Z';
  })) << "the worker lives on";
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
}

#endif

// The key of the option is published, but its form is an assumption. So a compilation that needs no
// option gets none.
TEST(Evidence, TheSystemsEngineGetsNoTargetOption) {
  EXPECT_EQ(TargetOption(EngineKind::kSystem, "h13"), std::nullopt);
  EXPECT_EQ(TargetOption(EngineKind::kSimulated, "h13"), "TargetArchitecture=h13");
  EXPECT_EQ(TargetOption(EngineKind::kOther, "h17s"), "TargetArchitecture=h17s");
  EXPECT_EQ(TargetOption(EngineKind::kOther, ""), std::nullopt);
}

}  // namespace
}  // namespace anecheck
