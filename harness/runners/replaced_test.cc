// Tests files that are replaced on the disk during a run. Replacing the tool has no effect, and
// replacing the engine is reported.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/probe/runtime_probe.h"
#include "harness/runners/engine_file.h"
#include "harness/runners/exec_runner.h"
#include "harness/runners/executable_path.h"
#include "harness/runners/testing/hostile_runner.h"
#include "harness/runners/testing/replaced_tool.h"
#include "harness/runners/testing/word_cases.h"
#include "harness/runners/worker.h"

extern char** environ;

namespace anecheck {
namespace {

namespace fs = std::filesystem;
using testing::RunWord;

class Replaced : public ::testing::Test {
 protected:
  // Replaces the file `name` by a copy of `file` with `more` appended. The copy is a new file that
  // is renamed, as in an update.
  std::string Put(const std::string& file, const std::string& name, const std::string& more = "") {
    const std::string made = folder_->File("new");
    fs::copy_file(file, made, fs::copy_options::overwrite_existing);
    std::ofstream(made, std::ios::app) << more;
    fs::rename(made, folder_->File(name));
    return folder_->File(name);
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-replaced-");
};

#if defined(__linux__)

TEST_F(Replaced, AToolThatIsReplacedWhileItRunsContinues) {
  std::string tool = Put(ExecutablePath(), "tool");
  std::string argument = testing::kReplacedArgument;
  char* argv[] = {tool.data(), argument.data(), nullptr};
  pid_t process = 0;
  ASSERT_EQ(posix_spawn(&process, argv[0], nullptr, nullptr, argv, environ), 0);
  int status = 0;
  while (waitpid(process, &status, 0) != process) {
  }
  EXPECT_FALSE(fs::exists(tool))
      << "the process did not remove its file, so the test shows nothing";
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

#endif

TEST_F(Replaced, AnEngineThatIsReplacedDuringARunEndsIt) {
  const std::string engine = Put(ANECHECK_HOSTILE_ENGINE, "engine.so");
  E5rtRunner runner({.library = engine});
  EXPECT_EQ(RunWord(runner, "copy").status, RunStatus::kOk);
  Put(ANECHECK_HOSTILE_ENGINE, "engine.so", "changed");
  EXPECT_EQ(RunWord(runner, "copy").status, RunStatus::kOk)
      << "the running worker still has the old engine";
  const Status restarted = runner.Restart();
  ASSERT_FALSE(restarted.ok());
  EXPECT_EQ(restarted.error().code, ErrorCode::kInternal);
  EXPECT_NE(restarted.error().message.find(engine + ": the engine was replaced"), std::string::npos)
      << restarted.error().message;
  EXPECT_NE(restarted.error().message.find("--resume"), std::string::npos);
}

TEST_F(Replaced, AWorkerThatWouldRestartWithAnotherEngineEndsTheRun) {
  const std::string engine = Put(ANECHECK_HOSTILE_ENGINE, "engine.so");
  E5rtRunner runner({.library = engine});
  ASSERT_TRUE(runner.Identify().ok());
  Put(ANECHECK_HOSTILE_ENGINE, "engine.so", "changed");
  const testing::WordCases cases({"copy", "CRASH", "copy"});
  const auto replies = runner.Run(cases.all());
  ASSERT_FALSE(replies.ok()) << "two engines answered in one run";
  EXPECT_EQ(replies.error().code, ErrorCode::kInternal);
}

TEST_F(Replaced, AnIdenticalEngineInANewFileIsAccepted) {
  const std::string engine = Put(ANECHECK_HOSTILE_ENGINE, "engine.so");
  E5rtRunner runner({.library = engine});
  const auto before = runner.Identify();
  ASSERT_TRUE(before.ok());
  Put(ANECHECK_HOSTILE_ENGINE, "engine.so");
  EXPECT_TRUE(runner.Restart().ok());
  const auto after = runner.Identify();
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(before->content, after->content);
  EXPECT_EQ(before->content.find("crc32 "), 0u) << before->content;
}

TEST_F(Replaced, ADeletedEngineIsNoErrorOfTheCommandLine) {
  const std::string engine = Put(ANECHECK_HOSTILE_ENGINE, "engine.so");
  E5rtRunner runner({.library = engine});
  ASSERT_TRUE(runner.Identify().ok());
  fs::remove(engine);
  const Status restarted = runner.Restart();
  ASSERT_FALSE(restarted.ok());
  EXPECT_EQ(restarted.error().code, ErrorCode::kInternal);
  EXPECT_NE(restarted.error().message.find("cannot be loaded"), std::string::npos)
      << restarted.error().message;
}

TEST_F(Replaced, AReplacedFileHasNoContent) {
  const std::string engine = Put(ANECHECK_HOSTILE_ENGINE, "engine.so");
  const EngineFile file = FileAt(engine);
  ASSERT_TRUE(ContentOf(file).ok());
  Put(ANECHECK_HOSTILE_ENGINE, "engine.so");
  EXPECT_FALSE(ContentOf(file).ok());
  EXPECT_EQ(*ContentOf({}), "");
}

// The external program reports another version when it is started again.
TEST_F(Replaced, AProgramThatIsReplacedDuringARunEndsIt) {
  const std::string program = folder_->File("program.sh");
  const auto write = [&](const std::string& word) {
    std::ofstream(program) << "exec '" << ExecutablePath() << "' " << testing::kHostileArgument
                           << " " << word << "\n";
  };
  write("well");
  ExecRunner runner({.command = "sh '" + program + "'"});
  EXPECT_EQ(RunWord(runner, "copy").status, RunStatus::kOk);
  write("silicon");
  const testing::WordCases cases({"ABORT", "copy"});
  const auto replies = runner.Run(cases.all());
  ASSERT_FALSE(replies.ok()) << "two programs answered in one run";
  EXPECT_EQ(replies.error().code, ErrorCode::kInternal);
  EXPECT_NE(replies.error().message.find("--resume"), std::string::npos);
}

}  // namespace

namespace testing {

int ReplacedMain() {
  if (unlink(ExecutablePath().c_str()) != 0) return 1;
  E5rtRunner runner({.library = ANECHECK_HOSTILE_ENGINE});
  if (!runner.Identify().ok() || !runner.Restart().ok()) return 2;
  const auto answer = MeasureRuntime(*FindRuntimeProbe("bytes_printed"), "h13",
                                     {.library = ANECHECK_SIMULATED_ENGINE});
  return answer.ok() && answer->value ? 0 : 3;
}

}  // namespace testing
}  // namespace anecheck
