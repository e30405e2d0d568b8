// What programs in other languages say when they end by an error of their own.
#include "harness/parserfuzz/panic.h"

#include <gtest/gtest.h>

namespace anecheck::parserfuzz {
namespace {

TEST(Panic, OfRustIsOfItsPlace) {
  constexpr const char* kNew =
      "thread 'main' panicked at src/main.rs:5:3:\nindex out of bounds: the len is 3\n"
      "note: run with `RUST_BACKTRACE=1`\n";
  constexpr const char* kOld =
      "thread 'main' panicked at 'index out of bounds: the len is 3', src/main.rs:5:3\n";
  EXPECT_EQ(PanicSignature(kNew, 101), "panic main.rs:5");
  EXPECT_EQ(PanicSignature(kOld, 101), "panic main.rs:5");
  EXPECT_EQ(PanicSignature("thread 'x' panicked at somewhere 7\n", 101), "panic somewhere N");
  EXPECT_FALSE(PanicSignature(kNew, 1));
  EXPECT_FALSE(PanicSignature("no such file\n", 101));
}

TEST(Panic, OfGoIsOfItsWordsAndItsFunction) {
  constexpr const char* kPanic =
      "panic: runtime error: index out of range [5] with length 3\n\n"
      "goroutine 1 [running]:\n"
      "panic({0x45d5c0?, 0xc000012030?})\n\t/usr/lib/go/src/runtime/panic.go:884 +0x213\n"
      "runtime.goPanicIndex(0x5, 0x3)\n\t/usr/lib/go/src/runtime/panic.go:113 +0x1f\n"
      "main.parse({0xc000, 0x3, 0x3})\n\t/home/me/main.go:12 +0x1d\n"
      "main.main()\n\t/home/me/main.go:20 +0x2a\nexit status 2\n";
  EXPECT_EQ(PanicSignature(kPanic, 2),
            "panic: runtime error: index out of range [N] with length N main.parse main.go:12");
  EXPECT_EQ(PanicSignature("panic: bad 7\n\ngoroutine 1 [running]:\n", 2), "panic: bad N");
  EXPECT_FALSE(PanicSignature("no panic: all is well\n", 2));
  EXPECT_FALSE(PanicSignature(kPanic, 1));
}

TEST(Exception, OfPythonIsOfItsTypeAndPlace) {
  EXPECT_EQ(ExceptionSignature("reading\nTraceback (most recent call last):\n"
                               "  File \"/home/me/main.py\", line 30, in <module>\n    main()\n"
                               "  File \"/home/me/reader.py\", line 12, in parse\n    return a[n]\n"
                               "IndexError: list index out of range\n"),
            "IndexError parse reader.py:12");
  EXPECT_FALSE(ExceptionSignature("IndexError: list index out of range\n"));
  EXPECT_FALSE(ExceptionSignature("Traceback (most recent call last):\n"));
}

}  // namespace
}  // namespace anecheck::parserfuzz
