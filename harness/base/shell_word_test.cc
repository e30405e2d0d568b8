// A shell reads the result of ShellWord as the original word.
#include "harness/base/shell_word.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace anecheck {
namespace {

TEST(ShellWord, QuotesOnlyWordsThatNeedIt) {
  EXPECT_EQ(ShellWord("--db"), "--db");
  EXPECT_EQ(ShellWord("/tmp/a_1.sqlite"), "/tmp/a_1.sqlite");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("exec:a b"), "'exec:a b'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
}

RC_GTEST_PROP(ShellWord, AShellReadsTheSameText, ()) {
  // Every character except NUL, which no argument can contain.
  const auto text = *rc::gen::container<std::string>(
      *rc::gen::inRange<size_t>(0, 20),
      rc::gen::map(rc::gen::inRange(1, 256), [](int c) { return static_cast<char>(c); }));
  std::FILE* shell = popen(("printf %s " + ShellWord(text)).c_str(), "r");
  RC_ASSERT(shell != nullptr);
  std::string read;
  for (int c = 0; (c = std::fgetc(shell)) != EOF;) read += static_cast<char>(c);
  RC_ASSERT(pclose(shell) == 0);
  RC_ASSERT(read == text);
}

}  // namespace
}  // namespace anecheck
