// Tests signatures of failures. Reports of one bug have the same signature in every run, and
// reports of different bugs have different signatures.
#include "harness/parserfuzz/signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace anecheck::parserfuzz {
namespace {

// Returns a report of AddressSanitizer with this stack.
std::string Report(std::string_view stack) {
  return fmt::format(
      "=================================================================\n"
      "==24526==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x5020 at pc 0x5608c136\n"
      "WRITE of size 63 at 0x502000000014 thread T0\n{}\n"
      "0x502000000014 is located 0 bytes after 4-byte region\n"
      "    #0 0x5608c13645df in malloc (/tmp/parser+0xcb5df) (BuildId: f4ff2d)\n"
      "    #1 0x5608c13645df in NeverPartOfIt /tmp/parser.cc:90:1\n",
      stack);
}

std::string SignatureOf(std::string_view stack) {
  return ReportSignature(Report(stack)).value_or("none");
}

TEST(Signature, NamesFunctionsAndThePlaceOfTheFirst) {
  EXPECT_EQ(SignatureOf("    #0 0x55d2 in Parse(char const*) /src/a.cc:7:12\n"
                        "    #1 0x55d3 in Read /src/b.cc:9:3\n"
                        "    #2 0x55d3 in main /src/a.cc:19:3\n"
                        "    #3 0x55d3 in _start (/tmp/parser+0x2c340) (BuildId: f4ff)\n"),
            "AddressSanitizer: heap-buffer-overflow Parse a.cc:7 Read main");
}

TEST(Signature, NamesFunctionsOfAnonymousNamespacesAndTemplates) {
  EXPECT_EQ(
      SignatureOf("    #0 0x5 in a::(anonymous namespace)::ParseA(char const*, unsigned long) "
                  "/tmp/a.cc:6:90\n"),
      "AddressSanitizer: heap-buffer-overflow a::(anonymous namespace)::ParseA a.cc:6");
  EXPECT_EQ(
      SignatureOf("    #0 0x5 in unsigned int a::(anonymous namespace)::Tm1<long>(long) "
                  "/tmp/a.cc:10:101\n"),
      "AddressSanitizer: heap-buffer-overflow unsigned int a::(anonymous namespace)::Tm1<long> "
      "a.cc:10");
  EXPECT_EQ(SignatureOf("    #0 0x5 in Table::operator()(void (*)(int), (anonymous namespace)::K) "
                        "const relative/a.cc:3\n"),
            "AddressSanitizer: heap-buffer-overflow Table::operator() a.cc:3");
}

TEST(Signature, FunctionsOfTheSanitizerDoNotCount) {
  EXPECT_EQ(SignatureOf("    #0 0x5 in __asan_memcpy (/tmp/parser+0xc93fd) (BuildId: f4ff)\n"
                        "    #1 0x5 in ParseA(char const*) /tmp/a.cc:6:90\n"
                        "    #2 0x5 in main (/tmp/parser+0x1) (BuildId: f4ff)\n"),
            "AddressSanitizer: heap-buffer-overflow ParseA a.cc:6 main");
}

TEST(Signature, FramesAboveTheFirstLineOfTheParserDoNotCount) {
  constexpr const char* kParser =
      "    #2 0x5 in __interceptor_printf (/tmp/toy+0x53eed)\n"
      "    #3 0x5 in main /src/toy.c:38:9\n";
  const std::string expected = "AddressSanitizer: heap-buffer-overflow main toy.c:38";
  for (const char* place : {"asan_interceptors.cpp.o:0:0", "asan_interceptors.cpp.o"}) {
    EXPECT_EQ(SignatureOf(fmt::format(
                  "    #0 0x5 in __sanitizer::internal_strlen(char const*) (/tmp/toy+0xe4070)\n"
                  "    #1 0x5 in printf_common(void*, char const*, __va_list_tag*) {}\n{}",
                  place, kParser)),
              expected);
  }
}

TEST(Signature, WithoutSymbolsOffsetsReplaceFunctions) {
  const auto stack = [](std::string_view address, std::string_view offset) {
    return fmt::format(
        "    #0 {}  (/tmp/parser+{}) (BuildId: f4ff)\n"
        "    #1 {}  (/tmp/parser+0x10dfca) (BuildId: f4ff)\n",
        address, offset, address);
  };
  const std::string first = SignatureOf(stack("0x5580efe49165", "0x10e165"));
  EXPECT_EQ(first, "AddressSanitizer: heap-buffer-overflow parser+0x10e165 parser+0x10dfca");
  EXPECT_EQ(SignatureOf(stack("0x7fd2ee4aa16f", "0x10e165")), first);
  EXPECT_NE(SignatureOf(stack("0x5580efe49165", "0x10e16a")), first);
}

TEST(Signature, UndefinedBehaviourIsNamedByItsPlace) {
  EXPECT_EQ(UndefinedSignature("/src/u.cc:3:83: runtime error: shift exponent 64 is too large\n"),
            "u.cc:3:83: runtime error: shift exponent N is too large");
  EXPECT_NE(UndefinedSignature("u.cc:3:83: runtime error: shift exponent 64"),
            UndefinedSignature("u.cc:5:25: runtime error: shift exponent 64"));
  EXPECT_EQ(UndefinedSignature("(/tmp/parser+0x1a2b): runtime error: shift exponent 64\n"),
            "parser+0x1a2b: runtime error: shift exponent N");
}

// Other programs also write "runtime error", and another sanitizer may report an error afterwards.
TEST(Signature, UndefinedBehaviourNeedsAPlaceAndHidesNoOtherReport) {
  EXPECT_FALSE(UndefinedSignature("runtime error: unexpected end of file\n"));
  EXPECT_FALSE(UndefinedSignature("panic: runtime error: index out of range [5]\n"));
  const std::string undefined =
      "u.cc:3:8: runtime error: load of 7\nSUMMARY: UndefinedBehaviorSanitizer: undefined-behavior "
      "u.cc:3:8\n";
  EXPECT_FALSE(ReportSignature(undefined));
  EXPECT_FALSE(ReportSignature("the Sanitizer: removed 3 tags\n"));
  EXPECT_EQ(ReportSignature(undefined + Report("    #0 0x5 in Parse /src/a.cc:7:1\n")),
            "AddressSanitizer: heap-buffer-overflow Parse a.cc:7");
  EXPECT_TRUE(EndsWithUndefined(undefined));
  EXPECT_TRUE(EndsWithUndefined(undefined + "sh: line 1: 77 Aborted  parser\n"));
  EXPECT_FALSE(EndsWithUndefined(undefined + "free(): invalid pointer\n"));
}

TEST(Signature, OtherSanitizersAreRecognised) {
  EXPECT_EQ(ReportSignature("==1==ERROR: LeakSanitizer: detected memory leaks\n\n"
                            "Direct leak of 7 byte(s) in 1 object(s) allocated from:\n"
                            "    #0 0x5 in malloc (/tmp/parser+0xcb5df)\n"
                            "    #1 0x5 in Open(char const*) /src/a.cc:4:9\n"),
            "LeakSanitizer: detected memory leaks Open a.cc:4");
  EXPECT_EQ(ReportSignature("==1==ERROR: AddressSanitizer: requested allocation size 0xff (0x100 "
                            "after adjustments) exceeds\n    #0 0x5 in Open(int) a.cc:4:9\n"),
            "AddressSanitizer: requested allocation size Open a.cc:4");
  EXPECT_EQ(ReportSignature("==1==WARNING: MemorySanitizer: use-of-uninitialized-value\n"),
            "MemorySanitizer: use-of-uninitialized-value");
  EXPECT_FALSE(ReportSignature("all is well").has_value());
}

// libFuzzer itself reports signals that the sanitizer does not handle, and its own limits.
TEST(Signature, ReportsOfLibFuzzerSkipItsOwnFunctions) {
  constexpr const char* kStack =
      "    #0 0x5 in __sanitizer_print_stack_trace (/tmp/lf+0xf1)\n"
      "    #1 0x5 in fuzzer::PrintStackTrace() (/tmp/lf+0x4f)\n"
      "    #2 0x7f (/lib/x86_64-linux-gnu/libc.so.6+0x3c04f) (BuildId: ab)\n"
      "    #3 0x7f  (/lib/x86_64-linux-gnu/libc.so.6+0x8ae3b) (BuildId: ab)\n"
      "    #4 0x7f in gsignal (/lib/libc.so.6+0x3bfb1)\n"
      "    #5 0x7f in abort (/lib/libc.so.6+0x26471)\n"
      "    #6 0x5 in Parse /src/a.c:7:3\n"
      "    #7 0x5 in LLVMFuzzerTestOneInput /src/a.c:9:3\n"
      "    #8 0x5 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long)\n";
  EXPECT_EQ(ReportSignature(fmt::format("INFO: Seed: 1\n==7== ERROR: libFuzzer: deadly signal\n{}"
                                        "SUMMARY: libFuzzer: deadly signal\n",
                                        kStack)),
            "libFuzzer: deadly signal Parse a.c:7");
  EXPECT_EQ(ReportSignature("==7== ERROR: libFuzzer: out-of-memory (malloc(3221225472))\n"
                            "    #0 0x5 in Parse /src/a.c:7:3\n"),
            "libFuzzer: out-of-memory Parse a.c:7");
  EXPECT_EQ(ReportSignature("==7== ERROR: libFuzzer: timeout after 5 seconds\n"),
            "libFuzzer: timeout after N seconds");
  EXPECT_FALSE(ReportSignature("libFuzzer: a file of its corpus\n").has_value());
}

TEST(Signature, CodeWithoutALineIsNamedByItsFile) {
  EXPECT_EQ(SignatureOf("    #0 0x5 in two(unsigned int, char*) /home/me/as.cc\n"
                        "    #1 0x5 in main /home/me/as.cc:9:3\n"
                        "    #2 0x5 in __libc_start_call_main (/lib/libc.so.6+0x2724a)\n"),
            "AddressSanitizer: heap-buffer-overflow two as.cc main");
}

TEST(Signature, AddressesNumbersAndQuotedWordsAreMasked) {
  EXPECT_EQ(WithoutNumbers("at 0x55d2ab of 17, 0x, a1b2, utf8"), "at N of N, Nx, N, utfN");
  EXPECT_EQ(WithoutNumbers("bad checksum be09f1 of 'weights 3'"), "bad checksum N of '...'");
  EXPECT_EQ(WithoutNumbers("can't open \"a\" or 'b"), "can't open \"...\" or 'b");
  EXPECT_EQ(LastLine("one\ntwo 0xffee\n\n"), "two N");
  EXPECT_EQ(LastLine(""), "");
  EXPECT_EQ(LastLine("bad count 7\nsh: line 1: 77 Segmentation fault (core dumped) p x\n"),
            "bad count N");
  EXPECT_EQ(LastLine("Segmentation fault\n"), "Segmentation fault");
}

}  // namespace
}  // namespace anecheck::parserfuzz
