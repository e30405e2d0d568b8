// Tests outputs of programs in several languages that ended by an uncaught error.
#include "harness/parserfuzz/uncaught.h"

#include <csignal>
#include <gtest/gtest.h>

namespace anecheck::parserfuzz {
namespace {

TEST(Panic, OfRustIsNamedByFileAndLine) {
  constexpr const char* kNew =
      "thread 'main' panicked at src/main.rs:5:3:\nindex out of bounds: the len is 3\n"
      "note: run with `RUST_BACKTRACE=1`\n";
  constexpr const char* kOld =
      "thread 'main' panicked at 'index out of bounds: the len is 3', src/main.rs:5:3\n";
  EXPECT_EQ(UncaughtSignature(kNew, 101), "panic main.rs:5");
  EXPECT_EQ(UncaughtSignature(kOld, 101), "panic main.rs:5");
  EXPECT_EQ(UncaughtSignature("thread 'x' panicked at somewhere 7\n", 101), "panic somewhere N");
  EXPECT_FALSE(UncaughtSignature(kNew, 1));
  EXPECT_FALSE(UncaughtSignature("no such file\n", 101));
}

TEST(Panic, OfGoIsNamedByItsMessageAndFunction) {
  constexpr const char* kPanic =
      "panic: runtime error: index out of range [5] with length 3\n\n"
      "goroutine 1 [running]:\n"
      "panic({0x45d5c0?, 0xc000012030?})\n\t/usr/lib/go/src/runtime/panic.go:884 +0x213\n"
      "runtime.goPanicIndex(0x5, 0x3)\n\t/usr/lib/go/src/runtime/panic.go:113 +0x1f\n"
      "main.parse({0xc000, 0x3, 0x3})\n\t/home/me/main.go:12 +0x1d\n"
      "main.main()\n\t/home/me/main.go:20 +0x2a\nexit status 2\n";
  EXPECT_EQ(UncaughtSignature(kPanic, 2),
            "panic: runtime error: index out of range [N] with length N main.parse main.go:12");
  EXPECT_EQ(UncaughtSignature("panic: bad 7\n\ngoroutine 1 [running]:\n", 2), "panic: bad N");
  EXPECT_FALSE(UncaughtSignature("no panic: all is well\n", 2));
  EXPECT_FALSE(UncaughtSignature(kPanic, 1));
}

TEST(Panic, OfGoIncludesFatalErrors) {
  constexpr const char* kDeep =
      "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\n"
      "runtime stack:\nruntime.throw({0x4a3b2e?, "
      "0x0?})\n\t/usr/lib/go/src/runtime/panic.go:1047\n\n"
      "goroutine 1 [running]:\nmain.parse(0x0?)\n\t/home/me/main.go:5 +0x2d fp=0xc0\n";
  EXPECT_EQ(UncaughtSignature(kDeep, 2), "fatal error: stack overflow main.parse main.go:5");
  EXPECT_FALSE(UncaughtSignature("fatal error: 'a.h' file not found\n", 2));
}

// Programs built for fuzzing abort after a panic. The failure is named by the panic's place and not
// by its message.
TEST(Panic, MayEndInAbort) {
  constexpr const char* kRust =
      "thread 'main' panicked at src/main.rs:5:3:\nindex out of bounds: the len is 3\n"
      "note: run with `RUST_BACKTRACE=1`\n";
  EXPECT_EQ(UncaughtSignature(kRust, 128 + SIGABRT), "panic main.rs:5");
  EXPECT_EQ(UncaughtSignature("panic: bad 7\n\ngoroutine 1 [running]:\n", 128 + SIGABRT),
            "panic: bad N");
  EXPECT_FALSE(UncaughtSignature("free(): invalid pointer\n", 128 + SIGABRT));
}

TEST(Exception, OfPythonIsNamedByItsTypeAndPlace) {
  EXPECT_EQ(UncaughtSignature("reading\nTraceback (most recent call last):\n"
                              "  File \"/home/me/main.py\", line 30, in <module>\n    main()\n"
                              "  File \"/home/me/reader.py\", line 12, in parse\n    return a[n]\n"
                              "IndexError: list index out of range\n",
                              1),
            "IndexError parse reader.py:12");
  EXPECT_EQ(UncaughtSignature("Traceback (most recent call last):\n"
                              "  File \"/a/reader.py\", line 12, in parse\n    parse()\n"
                              "  File \"/b/anecheck_fuzz.py\", line 45, in trace\n    line\n"
                              "RecursionError: maximum recursion depth exceeded\n",
                              1),
            "RecursionError parse reader.py:12");
  EXPECT_FALSE(UncaughtSignature("IndexError: list index out of range\n", 1));
  EXPECT_FALSE(UncaughtSignature("Traceback (most recent call last):\n", 1));
}

// The output of each language for a program of four lines.
TEST(Exception, OfOtherLanguagesIsNamedByItsTypeAndPlace) {
  EXPECT_EQ(UncaughtSignature("/tmp/reader.js:3\n  return data[n].size;\n                 ^\n\n"
                              "TypeError: Cannot read properties of undefined (reading 'size')\n"
                              "    at parse (/tmp/reader.js:3:18)\n"
                              "    at Module._compile (node:internal/modules:1:2)\n\n"
                              "Node.js v18.19.0\n",
                              1),
            "TypeError parse reader.js:3");
  EXPECT_EQ(UncaughtSignature("RangeError: Offset is outside the bounds of the DataView\n"
                              "    at DataView.getUint8 (<anonymous>)\n"
                              "    at parseObject (file:///a/parse-binary.js:42:29)\n\n"
                              "Node.js v20.20.2\n",
                              1),
            "RangeError parseObject parse-binary.js:42");
  EXPECT_EQ(UncaughtSignature("Exception in thread \"main\" java.lang.ArithmeticException: / by 0\n"
                              "\tat java.base/x.Y.z(Y.java:1)\n"
                              "\tat Reader.parse(Reader.java:12)\n",
                              1),
            "java.lang.ArithmeticException Reader.parse Reader.java:12");
  EXPECT_EQ(UncaughtSignature("/tmp/reader.rb:2:in `parse': undefined method `a' (NoMethodError)\n"
                              "\tfrom /tmp/reader.rb:5:in `<main>'\n",
                              1),
            "NoMethodError parse reader.rb:2");
  EXPECT_EQ(UncaughtSignature("Unhandled exception. System.IndexOutOfRangeException: Index\n"
                              "   at Reader.Parse(Byte[] d) in /src/Reader.cs:line 12\n",
                              134),
            "System.IndexOutOfRangeException Reader.Parse Reader.cs:12");
  EXPECT_EQ(UncaughtSignature("terminate called after throwing an instance of 'std::bad_alloc'\n"
                              "  what():  std::bad_alloc\n",
                              134),
            "uncaught std::bad_alloc");
  EXPECT_EQ(UncaughtSignature(
                "reader: /src/reader.c:12: int parse(int): Assertion `n < 4' failed.\n", 134),
            "assertion parse reader.c:12");
}

}  // namespace
}  // namespace anecheck::parserfuzz
