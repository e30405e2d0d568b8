// Tests stacks that gcc 12, clang 14 and clang 19 print for a parser that passes a wrong pointer to
// printf. The finding is named after the parser's own function for all names of the runtime's
// functions.
#include "harness/parserfuzz/runtime_frames.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "harness/parserfuzz/failure.h"
#include "harness/parserfuzz/signature.h"
#include "harness/parserfuzz/stack_text.h"

namespace anecheck::parserfuzz {
namespace {

constexpr const char* kSources = "../../../../src/libsanitizer/sanitizer_common/";
constexpr const char* kDebian =
    "/build/reproducible-path/gcc-12-12.2.0/build/x86_64-linux-gnu/libsanitizer/"
    "sanitizer_common/../../../../src/libsanitizer/sanitizer_common/";

// The library's part of a stack. The parser's frame follows. Its number is the list's size.
using Frames = std::vector<std::string>;

Frames OfGcc(const std::string& sources) {
  return {"in __sanitizer::internal_strlen(char const*) " + sources + "sanitizer_libc.cpp:167",
          "in printf_common(void*, char const*, __va_list_tag*) " + sources +
              "sanitizer_common_interceptors_format.inc:551",
          "in __interceptor_vprintf " + sources + "sanitizer_common_interceptors.inc:1657",
          "in printf " + sources + "sanitizer_common_interceptors.inc:1715"};
}

Frames OfClang(const std::string& common, const std::string& printf) {
  return {"in __sanitizer::internal_strlen(char const*) (/tmp/toy+0xe40e0) (BuildId: 8c1b)",
          "in printf_common(void*, char const*, __va_list_tag*) " + common,
          "in " + printf + " (/tmp/toy+0x53f5d) (BuildId: 8c1b)"};
}

std::vector<Frames> EachRuntime() {
  const Frames gcc_in_library = {
      "in __sanitizer::internal_strlen(char const*) (/lib/x86_64-linux-gnu/libasan.so.8+0xd0d66)",
      "in printf_common(void*, char const*, __va_list_tag*) "
      "(/lib/x86_64-linux-gnu/libasan.so.8+0x72f07)",
      "in printf (/lib/x86_64-linux-gnu/libasan.so.8+0x732d6)"};
  const Frames without_symbols = {" (/lib/x86_64-linux-gnu/libasan.so.8+0xd0d66)",
                                  " (/lib/x86_64-linux-gnu/libasan.so.8+0x732d6)"};
  return {
      OfGcc(kSources),
      OfGcc(kDebian),
      gcc_in_library,
      without_symbols,
      OfClang("asan_interceptors.cpp.o:0:0", "__interceptor_printf"),
      OfClang("asan_interceptors.cpp.o", "printf"),
      OfClang("(/tmp/toy+0x521b6) (BuildId: 8c1b)", "printf"),
      OfClang("/llvm/compiler-rt/lib/asan/../sanitizer_common/interceptors.inc:551:9", "printf")};
}

std::string Report(const std::string& kind, Frames frames, const Frames& parser) {
  frames.insert(frames.end(), parser.begin(), parser.end());
  frames.emplace_back("in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16");
  frames.emplace_back("in _start (/tmp/toy+0x2c3e0) (BuildId: 8c1b)");
  std::string text =
      fmt::format("==7==ERROR: AddressSanitizer: {} on unknown address 0x52d0400017b7\n", kind);
  for (size_t i = 0; i < frames.size(); ++i) {
    text += fmt::format("    #{} 0x55e929c950e0 {}\n", i, frames[i]);
  }
  return text;
}

std::string SignatureOf(const std::string& kind, const Frames& frames, const Frames& parser) {
  return ReportSignature(Report(kind, frames, parser)).value_or("none");
}

const Frames kMain = {"in main /tmp/toy_hwx.c:38:9"};
const Frames kDriver = {"in LLVMFuzzerTestOneInput /tmp/target.c:37:9",
                        "in anecheck_fuzz_run /kit/include/anecheck_fuzz.h:146:23",
                        "in main /kit/include/anecheck_fuzz.h:228:3"};

TEST(RuntimeFrames, OfPrintfDoNotNameABug) {
  for (const Frames& runtime : EachRuntime()) {
    EXPECT_EQ(SignatureOf("SEGV", runtime, kMain), "AddressSanitizer: SEGV main toy_hwx.c:38")
        << runtime[0] << runtime[1];
  }
}

TEST(RuntimeFrames, LeaveTheEntryFunctionIfNoOtherIsThere) {
  for (const Frames& runtime : EachRuntime()) {
    EXPECT_EQ(SignatureOf("SEGV", runtime, kDriver),
              "AddressSanitizer: SEGV LLVMFuzzerTestOneInput target.c:37")
        << runtime[0] << runtime[1];
    Frames deeper = kDriver;
    deeper.insert(deeper.begin(), "in ReadNames /tmp/target.c:20:5");
    EXPECT_EQ(SignatureOf("SEGV", runtime, deeper), "AddressSanitizer: SEGV ReadNames target.c:20");
  }
}

TEST(RuntimeFrames, OneBugOfEitherWordingHasOneName) {
  Frames nearer = OfClang("asan_interceptors.cpp.o:0:0", "__interceptor_printf");
  nearer.erase(nearer.begin());  // in this stack the interceptor itself checks the bytes
  const CommandOutcome far = {
      .exit_code = 1, .err = Report("SEGV", OfClang("asan_interceptors.cpp.o", "printf"), kDriver)};
  const CommandOutcome near = {.exit_code = 1,
                               .err = Report("heap-buffer-overflow", nearer, kDriver)};
  EXPECT_TRUE(IsSameBug(Classify(far, {}), Classify(near, {})));
  const CommandOutcome other = {
      .exit_code = 1,
      .err = Report("SEGV", nearer, {"in LLVMFuzzerTestOneInput /tmp/target.c:50:9"})};
  EXPECT_FALSE(IsSameBug(Classify(other, {}), Classify(near, {})));
}

TEST(RuntimeFrames, OfAProgramWithoutLinesAreLeftOutToo) {
  const Frames parser = {"in ReadNames (/tmp/toy+0x10c3bb) (BuildId: 2e9e)",
                         "in main (/tmp/toy+0x10c4bb) (BuildId: 2e9e)"};
  for (const Frames& runtime : EachRuntime()) {
    EXPECT_EQ(SignatureOf("SEGV", runtime, parser), "AddressSanitizer: SEGV ReadNames main")
        << runtime[0] << runtime[1];
  }
}

// Only the entry function was compiled with -g.
TEST(RuntimeFrames, AnEntryFunctionWithALineHidesNoFunctionWithout) {
  EXPECT_EQ(SignatureOf("SEGV", {},
                        {"in Parse (/tmp/toy+0x10c3bb)", "in LLVMFuzzerTestOneInput /src/a.c:9:3"}),
            "AddressSanitizer: SEGV Parse");
}

TEST(RuntimeFrames, AFunctionThatTheLibraryCallsIsTheParsers) {
  EXPECT_EQ(SignatureOf("SEGV",
                        {"in Compare (/tmp/toy+0x10c3bb)", "in qsort_r (/lib/libc.so.6+0x3)",
                         "in __interceptor_qsort (/tmp/toy+0x53f5d)"},
                        {"in Sort (/tmp/toy+0x10c4bb)"}),
            "AddressSanitizer: SEGV Compare Sort");
}

TEST(RuntimeFrames, AParserMayHaveFilesAndFunctionsOfSimilarNames) {
  EXPECT_FALSE(IsRuntimeFrame({"Clean", "/src/html/sanitizer_html.cc:7:3", ""}));
  EXPECT_FALSE(IsRuntimeFrame({"Parse", "/src/asan/parse.cc:7:3", ""}));
  EXPECT_FALSE(IsLibraryCall({"read", "/src/reader.c:7:3", ""}));
  EXPECT_TRUE(IsLibraryCall({"read", "", "toy"}));
  EXPECT_TRUE(IsRuntimeFrame({"memcpy", "/src/reader.c:7:3", ""}));
  EXPECT_FALSE(IsLibraryCall({"_start", "", "toy"})) << "all frames of a stack are further in";
  EXPECT_TRUE(IsRuntimeFrame({"printf_common", "asan_interceptors.cpp.o", ""}));
  EXPECT_TRUE(IsRuntimeFrame({"wrap_strlen", "", "libclang_rt.asan_osx_dynamic.dylib:arm64e"}));
}

}  // namespace
}  // namespace anecheck::parserfuzz
