#include "harness/base/terminal_text.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

TEST(TerminalText, WithoutATerminalNothingChanges) {
  const std::string text = std::string(300, 'a') + " b  c\n\n" + std::string(300, ' ') + "d";
  EXPECT_EQ(Folded(text, 0), text);
}

TEST(TerminalText, LinesThatFitStayUnchanged) {
  EXPECT_EQ(Folded("", 30), "");
  EXPECT_EQ(Folded("one\n\n  two  three\n", 30), "one\n\n  two  three\n");
  EXPECT_EQ(Folded("no line break at the end", 24), "no line break at the end");
}

TEST(TerminalText, FurtherLinesOfASentenceAreIndentedMore) {
  EXPECT_EQ(Folded("  the first words of a line\nnext", 20),
            "  the first words of\n      a line\nnext");
}

TEST(TerminalText, CellsOfTheLeftPartContinueInTheirColumn) {
  EXPECT_EQ(Folded("  source  a cell of several words  the next cell", 24),
            "  source  a cell of\n          several words\n          the next cell");
}

TEST(TerminalText, CellsOfTheRightPartMoveToFurtherLines) {
  EXPECT_EQ(Folded("a name of many letters  its state by rules   17", 30),
            "a name of many letters\n    its state by rules  17");
}

TEST(TerminalText, WordsTooLongForTheirColumnMoveToTheMargin) {
  EXPECT_EQ(Folded("  source  [a/long/name/of_a_file.csv below it]", 30),
            "  source\n      [a/long/name/of_a_file.csv\n      below it]");
}

TEST(TerminalText, WordsAndCommandsAreNotBroken) {
  const std::string word(40, 'w');
  EXPECT_EQ(Folded("a " + word + " b", 20), "a\n    " + word + "\n    b");
  const std::string command = "    anecheck replay f0123 --db a/long/folder/results.sqlite";
  EXPECT_EQ(Folded(command, 20), command);
}

TEST(TerminalText, ColoursTakeNoColumnsAndALetterOfSeveralBytesTakesOne) {
  const std::string red = "\x1b[1;31mFAILED: 2 findings\x1b[0m";
  EXPECT_EQ(Folded(red, 20), red);
  const std::string letters = "ääää öööö üüüü ßßßßß";
  EXPECT_EQ(Folded(letters, 20), letters);
}

// Text in lines of one column would be unreadable.
TEST(TerminalText, AVeryNarrowTerminalGetsLinesOfTwentyColumns) {
  EXPECT_EQ(Folded("a line of more than twenty", 1), "a line of more than\n    twenty");
}

}  // namespace
}  // namespace anecheck
