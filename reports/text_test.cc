// Tests that escaped text of engines is never markup.
#include "reports/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace anecheck::reports {
namespace {

TEST(CleanText, KeepsTextAndReplacesOtherBytes) {
  EXPECT_EQ(CleanText("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(CleanText("\u00e9\u20ac\U0001F600"), "\u00e9\u20ac\U0001F600");
  EXPECT_EQ(CleanText("a\x01z"), "a\uFFFDz");
  EXPECT_EQ(CleanText("\xC0\xAF"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(CleanText("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // surrogate
  EXPECT_EQ(CleanText("\xF4\x90\x80\x80").size(), 12u);        // above U+10FFFF
  EXPECT_EQ(CleanText("\xE2\x82"), "\uFFFD\uFFFD");            // cut short
}

RC_GTEST_PROP(CleanText, IsItsOwnFixedPoint, (const std::string& text)) {
  const std::string clean = CleanText(text);
  RC_ASSERT(CleanText(clean) == clean);
}

RC_GTEST_PROP(EscapeXml, LeavesNoMarkup, (const std::string& text)) {
  const std::string escaped = EscapeXml(text);
  RC_ASSERT(escaped.find_first_of("<>\"") == std::string::npos);
  for (size_t at = escaped.find('&'); at != std::string::npos; at = escaped.find('&', at + 1)) {
    RC_ASSERT(escaped.find(';', at) != std::string::npos);
  }
}

TEST(EscapeXml, NamesTheFiveCharacters) {
  EXPECT_EQ(EscapeXml("<a b=\"1\">&"), "&lt;a b=&quot;1&quot;&gt;&amp;");
}

TEST(EscapeMarkdown, EscapesMarkupAndJoinsLines) {
  EXPECT_EQ(EscapeMarkdown("a|b\n*c* <d> @e"), "a\\|b \\*c\\* &lt;d\\> &#64;e");
}

TEST(MarkdownCode, FencesLongerThanTheBackticksWithin) {
  EXPECT_EQ(MarkdownCode("a"), "`a`");
  EXPECT_EQ(MarkdownCode("a`b"), "``a`b``");
  EXPECT_EQ(MarkdownCode("`"), "`` ` ``");
  EXPECT_EQ(MarkdownCode("a|b"), "`a\\|b`");
  EXPECT_EQ(MarkdownCode(""), "");
}

TEST(CsvField, QuotesIfNeeded) {
  EXPECT_EQ(CsvField("plain"), "plain");
  EXPECT_EQ(CsvField("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(CsvField("a\nb"), "\"a\nb\"");
}

TEST(EscapeUri, EncodesAllButUnreserved) {
  EXPECT_EQ(EscapeUri("/a b/c:%.sqlite"), "/a%20b/c%3A%25.sqlite");
}

}  // namespace
}  // namespace anecheck::reports
