// A command that would harm the machine by endless output, too much memory or a hang is ended, and
// the outcome reports this.
#include "harness/parserfuzz/command.h"

#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/testing/wait.h"
#include "harness/parserfuzz/captured_output.h"

namespace anecheck::parserfuzz {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

CommandOutcome RunScript(const std::string& script, const CommandLimits& limits) {
  auto outcome = RunCommand({"/bin/sh", "-c", script}, "/no/file", limits);
  EXPECT_TRUE(outcome.ok());
  return outcome.ok() ? *std::move(outcome) : CommandOutcome{};
}

TEST(Command, EndlessOutputIsCut) {
  const auto outcome = RunScript("cat /dev/zero & cat /dev/zero >&2; wait", {.timeout_ms = 300});
  EXPECT_TRUE(outcome.timed_out);
  for (const std::string& text : {outcome.out, outcome.err}) {
    EXPECT_GE(text.size(), 2 * CapturedOutput::kKept);
    EXPECT_LE(text.size(), 2 * CapturedOutput::kKept + 100);
  }
}

TEST(Command, TheBeginningAndTheEndOfAnOutputAreKept) {
  const auto outcome = RunScript("echo first; seq 100000; echo last", {});
  EXPECT_TRUE(outcome.out.starts_with("first\n1\n2\n"));
  EXPECT_TRUE(outcome.out.ends_with("\n99999\n100000\nlast\n"));
  EXPECT_NE(outcome.out.find(" bytes are left out]\n"), std::string::npos);
  EXPECT_EQ(RunScript("seq 20000", {}).out, RunScript("seq 10000; seq 10001 20000", {}).out);
  EXPECT_EQ(RunScript("seq 20000", {}).out.find("left out"), std::string::npos);
}

// The memory of child processes counts too. `tail` keeps the last line in memory, and /dev/zero is
// a single line without end.
TEST(Command, ACommandThatTakesTooMuchMemoryIsKilled) {
  const CommandLimits limits = {.timeout_ms = 60000, .max_memory = 64 * kMebibyte};
  const auto outcome = RunScript("ulimit -v 3000000; tail /dev/zero; true", limits);
  EXPECT_GT(outcome.peak_memory, limits.max_memory);
  EXPECT_LT(outcome.peak_memory, 2048 * kMebibyte);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_FALSE(outcome.timed_out);
}

TEST(Command, ABusyCommandEndsAtTheLimitOfProcessorTime) {
  const auto outcome = RunScript("while :; do :; done", {.timeout_ms = 300});
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, SIGKILL);
}

// A program that sleeps is like a program that gets no processor time on a busy machine.
TEST(Command, ACommandThatUsesNoProcessorHasMoreTime) {
  EXPECT_FALSE(RunScript("sleep 2", {.timeout_ms = 1500}).timed_out);
  EXPECT_TRUE(RunScript("sleep 100", {.timeout_ms = 50}).timed_out);
}

TEST(Command, MemoryOfTheCallerDoesNotCount) {
  const std::vector<char> held(200 * kMebibyte, 1);
  const auto outcome = RunScript("exit 0", {.max_memory = 100 * kMebibyte});
  EXPECT_LT(outcome.peak_memory, 100 * kMebibyte);
  EXPECT_EQ(held.back(), 1);
}

TEST(Command, AFileThatGrowsEndsAtTheLimit) {
  const auto folder = TempDirectory::Create("anecheck-test-");
  ASSERT_TRUE(folder.ok());
  const std::string path = folder->File("grown");
  const auto outcome = RunScript("exec head -c 1000000 /dev/zero >" + path, {.max_file = 5000});
  EXPECT_EQ(outcome.signal, SIGXFSZ);
  EXPECT_EQ(ReadFile(path).value().size(), 5000u);
}

// A killed process takes a moment to end. After its end its command line is empty.
TEST(Command, ItsBackgroundProcessesEndWithIt) {
  const auto outcome = RunScript("sleep 200 & echo $!", {});
  EXPECT_EQ(outcome.exit_code, 0);
  const std::string pid = outcome.out.substr(0, outcome.out.find('\n'));
  const auto gone = [&] {
    const auto words = ReadTextFile("/proc/" + pid + "/cmdline");
    return !words.ok() || words->empty();
  };
  EXPECT_TRUE(testing::WaitUntil(gone));
}

TEST(Command, AMissingProgramIsAnError) {
  const auto outcome = RunCommand({"/no/such/program"}, "/no/file", {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kNotFound);
  EXPECT_NE(outcome.error().message.find("/no/such/program: cannot be started: No such file"),
            std::string::npos)
      << outcome.error().message;
}

}  // namespace
}  // namespace anecheck::parserfuzz
