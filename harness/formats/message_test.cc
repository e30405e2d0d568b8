// Messages stay on one line, have a bounded length, and contain no control character of a file.
#include "harness/formats/message.h"

#include <gtest/gtest.h>
#include <string>

namespace anecheck {
namespace {

using namespace std::string_literals;

TEST(Message, QuotedEscapesControlCharacters) {
  EXPECT_EQ(Quoted("a\nb"), "\"a\\x0ab\"");
  EXPECT_EQ(Quoted("\x1b[2J\x7f"), "\"\\x1b[2J\\x7f\"");
  EXPECT_EQ(Quoted("nul\0"s), "\"nul\\x00\"");
  EXPECT_EQ(Quoted("\xc2\x9b!"), "\"\\xc2\\x9b!\"") << "the control sequence introducer of C1";
}

TEST(Message, QuotedKeepsUtf8AndEscapesOtherBytes) {
  EXPECT_EQ(Quoted("h\xc3\xb6he"), "\"h\xc3\xb6he\"");
  EXPECT_EQ(Quoted("a\xff\xc3"), "\"a\\xff\\xc3\"");
  EXPECT_EQ(Quoted("\xe2\x82\xac \xe2\x82"), "\"\xe2\x82\xac \\xe2\\x82\"");
}

TEST(Message, QuotedCutsAfterSixtyBytesBetweenCharacters) {
  const std::string sixty(60, 'x');
  EXPECT_EQ(Quoted(sixty), "\"" + sixty + "\"");
  EXPECT_EQ(Quoted(sixty + "y"), "\"" + sixty + "...\"");
  const std::string less(59, 'x');
  EXPECT_EQ(Quoted(less + "\xc3\xa9y"), "\"" + less + "...\"");
}

// A text of continuation bytes only is cut exactly at the limit.
TEST(Message, QuotedBoundsTheLengthOfAnyBytes) {
  const std::string stray(1000, '\x80');
  EXPECT_EQ(Quoted(stray).size(), 4 * kMostQuoted + 5);
}

TEST(Message, ClippedBoundsTheLengthOfAMessage) {
  EXPECT_EQ(Clipped("rule: \"a\"\n"), "rule: \"a\"\\x0a");
  EXPECT_EQ(Clipped(std::string(400, 'a')), std::string(400, 'a'));
  EXPECT_EQ(Clipped(std::string(401, 'a')), std::string(400, 'a') + "...");
  EXPECT_EQ(Clipped(std::string(5000, '\x01')).size(), 4 * kMostClipped + 3);
}

}  // namespace
}  // namespace anecheck
