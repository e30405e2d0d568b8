// Builds the drivers of drivers/ with small parsers, as a user does, and tests the outcomes.
#include "harness/parserfuzz/persistent.h"

#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "harness/base/file.h"
#include "harness/parserfuzz/failure.h"
#include "harness/parserfuzz/symbolise.h"

namespace anecheck::parserfuzz {
namespace {

// A parser that refuses the file, crashes, ends the process, hangs or aborts, depending on the
// first byte. It accepts all other files.
constexpr const char* kParser = R"(
#define ANECHECK_FUZZ_MAIN
#include "anecheck_fuzz.h"
#include <assert.h>
static volatile int spin = 1;
__attribute__((noinline)) static int Helper(int i) { while (i % 1000) ++i; return i; }
__attribute__((noinline)) static void WaitForEver(void) { while (spin) ; }
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 1;
  switch (data[0]) {
    case 'r': fprintf(stderr, "refused\n"); return 1;
    case 'c': *(volatile int*)8 = 1; return 0;
    case 'e': exit(7);
    case 'h': WaitForEver(); return 0;
    case 'l': for (;;) spin += Helper(spin);
    case 's': printf("%s\n", (const char*)data); return 0;
    case 'a': assert(size == 0); return 0;
  }
  return 0;
})";

constexpr const char* kPythonParser = R"(
import anecheck_fuzz
class Bad(Exception): pass
def walk():
    while True: pass
def parse(data):
    if data[:1] == b"r": raise Bad()
    if data[:1] == b"c": return {}[data]
    if data[:1] == b"h": walk()
    if data[:2] == b"ab":
        data = data[2:]
anecheck_fuzz.main(parse, refusals=(Bad,))
)";

Bytes Text(std::string_view text) { return {text.begin(), text.end()}; }

class Driver : public ::testing::Test {
 protected:
  std::vector<std::string> BuildC(const std::string& flags) {
    const std::string source = folder_.File("parser.c"), program = folder_.File("parser");
    EXPECT_TRUE(WriteFileAtomic(source, std::string(kParser)).ok());
    const std::string command = fmt::format("{} -g -I{} {} {} -o {}", ANECHECK_C_COMPILER,
                                            ANECHECK_DRIVERS, flags, source, program);
    EXPECT_EQ(std::system(command.c_str()), 0);
    return {program};
  }

  std::vector<std::string> Python() {
    const std::string source = folder_.File("parser.py");
    EXPECT_TRUE(WriteFileAtomic(source, std::string(kPythonParser)).ok());
    return {"env", std::string("PYTHONPATH=") + ANECHECK_DRIVERS, "python3", source};
  }

  CommandOutcome Run(PersistentParser& parser, std::string_view file) {
    auto outcome = parser.Run(Text(file), limits_, nullptr);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.ok() ? *outcome : CommandOutcome{};
  }

  TempDirectory folder_ = TempDirectory::Create("anecheck-test-").value();
  CommandLimits limits_ = {.timeout_ms = 300, .want_stack = true};
};

TEST_F(Driver, OfCAnswersForEachFileAndContinuesAfterACrash) {
  auto parser = PersistentParser::Start(BuildC(""), folder_.path(), 1000);
  ASSERT_TRUE(parser.ok()) << parser.error().message;
  EXPECT_EQ(Run(*parser, "x").exit_code, 0);
  const CommandOutcome refused = Run(*parser, "r");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.err, "refused\n");
  EXPECT_EQ(Run(*parser, "c").signal, SIGSEGV);
  EXPECT_EQ(Run(*parser, "e").exit_code, 7);
  const CommandOutcome aborted = Run(*parser, "a");
  EXPECT_EQ(aborted.signal, SIGABRT);
  EXPECT_EQ(Classify(aborted, limits_).signature,
            "crash assertion LLVMFuzzerTestOneInput parser.c:17");
  EXPECT_EQ(Run(*parser, "x").exit_code, 0);
  EXPECT_EQ(Run(*parser, "x").err, "") << "an earlier file's message must not remain";
}

TEST_F(Driver, OfCReportsCoverageIfTheCompilerGivesIt) {
  auto without = PersistentParser::Start(BuildC(""), folder_.path(), 1000);
  ASSERT_TRUE(without.ok());
  Run(*without, "x");
  EXPECT_TRUE(without->Counters().empty());
  auto with = PersistentParser::Start(BuildC("-fsanitize-coverage=inline-8bit-counters"),
                                      folder_.path(), 1000);
  ASSERT_TRUE(with.ok());
  Run(*with, "x");
  const Bytes accepted(with->Counters().begin(), with->Counters().end());
  Run(*with, "r");
  const Bytes refused(with->Counters().begin(), with->Counters().end());
  EXPECT_FALSE(accepted.empty());
  EXPECT_NE(accepted, refused);
}

TEST_F(Driver, AHangHasAStack) {
  const auto address = BuildC("-fsanitize=address");
  auto parser = PersistentParser::Start(address, folder_.path(), 1000);
  ASSERT_TRUE(parser.ok()) << parser.error().message;
  const CommandOutcome hang = Run(*parser, "h");
  EXPECT_TRUE(hang.timed_out);
  EXPECT_TRUE(hang.stack_asked);
  EXPECT_NE(hang.err.find("#0 0x"), std::string::npos) << hang.err;
  EXPECT_EQ(Run(*parser, "x").exit_code, 0);
}

// The wrong access is in the runtime of the sanitizer, and the loop is in the entry function.
TEST_F(Driver, OfCNamesFailuresByTheEntryFunctionIfNoOtherIsThere) {
  auto parser = PersistentParser::Start(BuildC("-fsanitize=address"), folder_.path(), 1000);
  ASSERT_TRUE(parser.ok()) << parser.error().message;
  const std::string text = "s" + std::string(900, 'x');
  Symboliser symboliser;
  CommandOutcome wrong = Run(*parser, text);
  wrong.err = symboliser.Symbolise(wrong.err);
  EXPECT_THAT(Classify(wrong, limits_).signature,
              ::testing::EndsWith(" LLVMFuzzerTestOneInput parser.c:16"));
  for (int i = 0; i < 5; ++i) {
    CommandOutcome hang = Run(*parser, "l");
    hang.err = symboliser.Symbolise(hang.err);
    const Failure failure = Classify(hang, limits_);
    ASSERT_FALSE(failure.stack.empty()) << hang.err;
    EXPECT_EQ(failure.stack.front(), "LLVMFuzzerTestOneInput");
  }
}

TEST_F(Driver, OfPythonReportsExceptionsCoverageAndStacks) {
  auto parser = PersistentParser::Start(Python(), folder_.path(), 1000);
  ASSERT_TRUE(parser.ok()) << parser.error().message;
  EXPECT_EQ(Run(*parser, "x").exit_code, 0);
  const Bytes one(parser->Counters().begin(), parser->Counters().end());
  EXPECT_EQ(Run(*parser, "ab").exit_code, 0);
  EXPECT_NE(one, Bytes(parser->Counters().begin(), parser->Counters().end()));
  const CommandOutcome refused = Run(*parser, "r");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(Classify(refused, limits_).kind, FailureKind::kNone) << refused.err;
  limits_.timeout_ms = 10000;  // the first traceback imports modules, which may be slow
  EXPECT_EQ(Classify(Run(*parser, "c"), limits_).signature, "crash KeyError parse parser.py:8");
  limits_.timeout_ms = 1000;
  EXPECT_TRUE(Classify(Run(*parser, "h"), limits_).signature.starts_with("hang walk parser.py:"));
  EXPECT_EQ(Run(*parser, "x").exit_code, 0);
}

TEST_F(Driver, ACommandThatIsNoDriverIsRefusedWithAdvice) {
  const auto parser = PersistentParser::Start({"true"}, folder_.path(), 1000);
  ASSERT_FALSE(parser.ok());
  EXPECT_EQ(parser.error().code, ErrorCode::kInvalid);
  EXPECT_NE(parser.error().message.find("put @@ for a file into the command"), std::string::npos);
}

}  // namespace
}  // namespace anecheck::parserfuzz
