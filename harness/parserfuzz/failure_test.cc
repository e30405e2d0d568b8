// Tests how failures are classified and named.
#include "harness/parserfuzz/failure.h"

#include <csignal>
#include <gtest/gtest.h>

namespace anecheck::parserfuzz {
namespace {

TEST(Classify, NamesTheKindOfFailure) {
  const CommandLimits limits;
  EXPECT_EQ(Classify({}, limits).kind, FailureKind::kNone);
  EXPECT_EQ(Classify({.exit_code = 1, .err = "bad file"}, limits).kind, FailureKind::kNone);
  EXPECT_EQ(Classify({.signal = SIGSEGV}, limits).kind, FailureKind::kCrash);
  EXPECT_EQ(Classify({.exit_code = 128 + SIGSEGV, .err = "dumped"}, limits).signature,
            Classify({.signal = SIGSEGV, .err = "dumped"}, limits).signature);
  EXPECT_EQ(Classify({.exit_code = 128 + SIGTERM}, limits).kind, FailureKind::kNone);
  EXPECT_EQ(Classify({.peak_memory = limits.max_memory + 1}, limits).kind, FailureKind::kMemory);
  EXPECT_EQ(
      Classify({.exit_code = 1, .err = "==7==ERROR: AddressSanitizer: SEGV on 0"}, limits).kind,
      FailureKind::kSanitizer);
}

TEST(Classify, PanicsAndTheGivenSignsAreCrashes) {
  const CommandLimits limits;
  const CommandOutcome panic = {.exit_code = 101, .err = "thread 'a' panicked at b.rs:5:3:\nbad 7"};
  EXPECT_EQ(Classify(panic, limits).signature, "crash panic b.rs:5");
  const CommandOutcome raised = {.exit_code = 1,
                                 .err =
                                     "Traceback (most recent call last):\n"
                                     "  File \"/a/b.py\", line 7, in parse\nKeyError: 'x'\n"};
  EXPECT_EQ(Classify(raised, limits).signature, "crash KeyError parse b.py:7");
  const CommandOutcome ended = {.exit_code = 3, .err = "internal error 7\n"};
  EXPECT_EQ(Classify(ended, limits, {.exit_codes = {2}, .texts = {"fatal"}}).kind,
            FailureKind::kNone);
  EXPECT_EQ(Classify(ended, limits, {.exit_codes = {2, 3}}).signature,
            "crash exit code 3 internal error N");
  EXPECT_EQ(Classify(ended, limits, {.texts = {"internal"}}).kind, FailureKind::kCrash);
}

TEST(Classify, APanicIsNamedByItsPlaceAlsoIfItAborts) {
  const CommandLimits limits;
  EXPECT_EQ(
      Classify({.signal = SIGABRT, .err = "thread 'a' panicked at b.rs:5:3:\nbad\nnote: run\n"},
               limits)
          .signature,
      "crash panic b.rs:5");
  EXPECT_EQ(
      Classify({.exit_code = 2,
                .err = "panic: runtime error: index out of range [5]\n\ngoroutine 1 [running]:\n"
                       "main.parse(0x1)\n\t/a/main.go:12 +0x1d\n"},
               limits)
          .signature,
      "crash panic: runtime error: index out of range [N] main.parse main.go:12");
}

// A parser may report undefined behaviour on every file and continue. Its other bugs must be found.
TEST(Classify, UndefinedBehaviourHidesNoOtherBug) {
  const CommandLimits limits;
  const std::string undefined = "u.cc:3:8: runtime error: load of misaligned address 0x7\n";
  EXPECT_EQ(Classify({.err = undefined}, limits).signature,
            "sanitizer u.cc:3:8: runtime error: load of misaligned address N");
  EXPECT_EQ(
      Classify({.exit_code = 1,
                .err = undefined + "==7==ERROR: AddressSanitizer: double-free on address 0x1\n"
                                   "    #0 0x5 in Parse /src/a.cc:7:1\n"},
               limits)
          .signature,
      "sanitizer AddressSanitizer: double-free Parse a.cc:7");
  EXPECT_EQ(Classify({.signal = SIGSEGV, .err = undefined}, limits).kind, FailureKind::kCrash);
  EXPECT_EQ(Classify({.signal = SIGABRT, .err = undefined + "free(): invalid pointer\n"}, limits)
                .signature,
            "crash signal 6 free(): invalid pointer");
  EXPECT_EQ(Classify({.signal = SIGKILL, .timed_out = true, .err = undefined}, limits).kind,
            FailureKind::kHang);
  // In these outcomes, undefined behaviour ended the program.
  EXPECT_EQ(Classify({.signal = SIGABRT, .err = undefined}, limits).kind, FailureKind::kSanitizer);
  EXPECT_EQ(Classify({.exit_code = 1, .err = undefined}, limits, {.exit_codes = {1}}).kind,
            FailureKind::kSanitizer);
}

TEST(Classify, ATimedOutRunIsNamedByItsReportOrItsMemoryFirst) {
  const CommandLimits limits;
  EXPECT_EQ(Classify({.signal = SIGKILL, .timed_out = true}, limits).kind, FailureKind::kHang);
  EXPECT_EQ(
      Classify({.signal = SIGKILL, .timed_out = true, .peak_memory = limits.max_memory + 1}, limits)
          .kind,
      FailureKind::kMemory);
  EXPECT_EQ(Classify({.signal = SIGKILL,
                      .timed_out = true,
                      .peak_memory = limits.max_memory + 1,
                      .err = "==7==ERROR: AddressSanitizer: SEGV on 0"},
                     limits)
                .kind,
            FailureKind::kSanitizer);
}

CommandOutcome Reported(const std::string& kind, const std::string& frames) {
  return {.exit_code = 1,
          .err = "==7==ERROR: AddressSanitizer: " + kind + " on address 0x1\n" + frames};
}

TEST(Classify, InterceptorsAreLeftOutOfTheNameOfABug) {
  const std::string parser =
      "    #2 0x7 in ReadNames /src/a.c:12:3\n    #3 0x8 in main /src/a.c:40:1\n";
  const Failure by_printf = Classify(
      Reported(
          "heap-buffer-overflow",
          "    #0 0x5 in internal_strlen (/tmp/a+0x1)\n    #1 0x6 in printf_common (/tmp/a+0x2)\n" +
              parser),
      {});
  const Failure by_puts = Classify(
      Reported(
          "SEGV",
          "    #0 0x5 in strlen (/lib/libc.so.6+0x1)\n    #1 0x6 in puts (/tmp/a+0x2)\n" + parser),
      {});
  EXPECT_EQ(by_printf.signature,
            "sanitizer AddressSanitizer: heap-buffer-overflow ReadNames a.c:12 main");
  EXPECT_TRUE(IsSameBug(by_puts, by_printf)) << by_puts.bug;
  const Failure twice = Classify(Reported("attempting double-free", parser), {});
  EXPECT_FALSE(IsSameBug(twice, by_printf)) << "a double free is no bad access";
}

TEST(Classify, AHangIsNamedByTheSharedPartOfItsStacks) {
  const auto hang = [](const std::string& frames) {
    return Classify({.signal = SIGSEGV,
                     .timed_out = true,
                     .stack_asked = true,
                     .err = "==7==ERROR: AddressSanitizer: SEGV on unknown address\n" + frames},
                    {});
  };
  const std::string rest =
      "    #1 0x7 in ReadCommands /src/a.c:12:3\n    #2 0x8 in main /src/a.c:40:1\n";
  Failure failure = hang("    #0 0x5 in Load /src/a.c:3:1\n" + rest);
  EXPECT_EQ(failure.kind, FailureKind::kHang);
  EXPECT_EQ(failure.signature, "hang Load a.c:3 ReadCommands");
  const Failure other = hang("    #0 0x5 in Check /src/a.c:5:1\n" + rest);
  EXPECT_FALSE(IsSameBug(other, failure));
  NarrowHang(failure, other.stack);
  EXPECT_EQ(failure.signature, "hang ReadCommands a.c:12 main");
  EXPECT_TRUE(IsSameBug(other, failure));
  const Failure elsewhere = hang(
      "    #0 0x5 in Load /src/a.c:3:1\n    #1 0x7 in ReadTasks /src/a.c:20:3\n"
      "    #2 0x8 in main /src/a.c:40:1\n");
  EXPECT_FALSE(IsSameBug(elsewhere, failure));
}

// The helper is not the cause of the hang. The loop only calls it.
TEST(Classify, AHangOfTheEntryFunctionIsNamedByItsLoop) {
  const auto hang = [](const std::string& frames) {
    return Classify({.signal = SIGSEGV,
                     .timed_out = true,
                     .stack_asked = true,
                     .err = "==7==ERROR: AddressSanitizer: SEGV on unknown address\n" + frames},
                    {});
  };
  const std::string driver = "    #2 0x8 in anecheck_fuzz_run /kit/anecheck_fuzz.h:146:23\n";
  Failure loop = hang(
      "    #0 0x5 in u32 /src/target.c:14:90\n    #1 0x7 in LLVMFuzzerTestOneInput "
      "/src/target.c:24:20\n" +
      driver);
  const Failure again = hang(
      "    #0 0x5 in LLVMFuzzerTestOneInput /src/target.c:24:9\n    #1 0x8 in "
      "anecheck_fuzz_run /kit/anecheck_fuzz.h:146:23\n");
  EXPECT_EQ(again.signature, "hang LLVMFuzzerTestOneInput target.c:24");
  NarrowHang(loop, again.stack);
  EXPECT_EQ(loop.signature, "hang LLVMFuzzerTestOneInput target.c:24");
  const Failure walk = hang(
      "    #0 0x5 in Walk /src/target.c:70:9\n    #1 0x7 in LLVMFuzzerTestOneInput "
      "/src/target.c:90:20\n" +
      driver);
  EXPECT_TRUE(IsSameNarrowedBug(again, loop));
  EXPECT_FALSE(IsSameNarrowedBug(walk, loop)) << "each stack begins with the entry function";
}

TEST(Classify, AHangOfPythonHasTheStackOfItsFaultHandler) {
  const Failure failure = Classify({.signal = SIGSEGV,
                                    .timed_out = true,
                                    .stack_asked = true,
                                    .err = "Fatal Python error: Segmentation fault\n\n"
                                           "Current thread 0x00007f (most recent call first):\n"
                                           "  File \"/a/reader.py\", line 36 in walk\n"
                                           "  File \"/a/reader.py\", line 50 in parse\n"
                                           "  File \"/b/anecheck_fuzz.py\", line 9 in _refuses\n"
                                           "  File \"/a/reader.py\", line 60 in <module>\n"},
                                   {});
  EXPECT_EQ(failure.signature, "hang walk reader.py:36 parse");
  EXPECT_EQ(failure.stack, (std::vector<std::string>{"parse", "walk"}));
}

}  // namespace
}  // namespace anecheck::parserfuzz
