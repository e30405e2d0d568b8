// What a command may do to the machine: write without end, take memory, hang. It is ended, and what
// it did is told.
#include "harness/parserfuzz/command.h"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/parserfuzz/captured_output.h"

namespace anecheck::parserfuzz {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

CommandOutcome RunScript(const std::string& script, const CommandLimits& limits) {
  auto outcome = RunCommand({"/bin/sh", "-c", script}, "/no/file", limits);
  EXPECT_TRUE(outcome.ok());
  return outcome.ok() ? *std::move(outcome) : CommandOutcome{};
}

TEST(Command, OutputWithoutEndIsCutAndNowhereOnDisk) {
  const auto outcome = RunScript("cat /dev/zero & cat /dev/zero >&2; wait", {.timeout_ms = 300});
  EXPECT_TRUE(outcome.timed_out);
  for (const std::string& text : {outcome.out, outcome.err}) {
    EXPECT_GE(text.size(), 2 * CapturedOutput::kKept);
    EXPECT_LE(text.size(), 2 * CapturedOutput::kKept + 100);
  }
}

TEST(Command, TheBeginningOfAnOutputIsKeptAndItsEnd) {
  const auto outcome = RunScript("echo first; seq 100000; echo last", {});
  EXPECT_TRUE(outcome.out.starts_with("first\n1\n2\n"));
  EXPECT_TRUE(outcome.out.ends_with("\n99999\n100000\nlast\n"));
  EXPECT_NE(outcome.out.find(" bytes are left out]\n"), std::string::npos);
  EXPECT_EQ(RunScript("seq 20000", {}).out, RunScript("seq 10000; seq 10001 20000", {}).out);
  EXPECT_EQ(RunScript("seq 20000", {}).out.find("left out"), std::string::npos);
}

// `tail` keeps the last line, of which this file has but one. The shell's child takes the memory.
TEST(Command, WhoTakesMemoryIsEndedAtTheLimit) {
  const CommandLimits limits = {.timeout_ms = 60000, .max_memory = 64 * kMebibyte};
  const auto outcome = RunScript("ulimit -v 3000000; tail /dev/zero; true", limits);
  EXPECT_GT(outcome.peak_memory, limits.max_memory);
  EXPECT_LT(outcome.peak_memory, 2048 * kMebibyte);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_FALSE(outcome.timed_out);
}

TEST(Command, WhoWorksEndsAtTheLimitOfProcessorTime) {
  const auto outcome = RunScript("while :; do :; done", {.timeout_ms = 300});
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, SIGKILL);
}

// As one that is ready and gets no processor: on a busy machine all are slow.
TEST(Command, WhoUsesNoProcessorHasMoreOfTheClock) {
  EXPECT_FALSE(RunScript("sleep 2", {.timeout_ms = 1500}).timed_out);
  EXPECT_TRUE(RunScript("sleep 100", {.timeout_ms = 50}).timed_out);
}

TEST(Command, MemoryOfTheCallerIsNotTheCommands) {
  const std::vector<char> held(200 * kMebibyte, 1);
  const auto outcome = RunScript("exit 0", {.max_memory = 100 * kMebibyte});
  EXPECT_LT(outcome.peak_memory, 100 * kMebibyte);
  EXPECT_EQ(held.back(), 1);
}

#if defined(__linux__)

TEST(Command, AFileThatGrowsEndsAtTheLimit) {
  const auto folder = TempDirectory::Create("anecheck-test-");
  ASSERT_TRUE(folder.ok());
  const std::string path = folder->File("grown");
  const auto outcome = RunScript("exec head -c 1000000 /dev/zero >" + path, {.max_file = 5000});
  EXPECT_EQ(outcome.signal, SIGXFSZ);
  EXPECT_EQ(ReadFile(path).value().size(), 5000u);
}

#endif

TEST(Command, WhatItLeavesBehindEndsWithIt) {
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = RunScript("sleep 50 & echo $!", {});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(outcome.exit_code, 0);
  // Nobody may have waited for it yet, so what is left of it has no command line.
  const auto words =
      ReadTextFile("/proc/" + outcome.out.substr(0, outcome.out.find('\n')) + "/cmdline");
  EXPECT_TRUE(!words.ok() || words->empty());
}

}  // namespace
}  // namespace anecheck::parserfuzz
