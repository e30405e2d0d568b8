// Tests the value tree: keys, JSON form, text coding, and layout changes that survive edits.
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/formats/tree/layout.h"
#include "harness/formats/tree/text.h"
#include "harness/formats/tree/value.h"

namespace anecheck::tree {
namespace {

TEST(Dict, SetReplacesOrAppendsAndEraseRemoves) {
  Dict dict;
  dict.Set("b", Value::Integer(1));
  dict.Set("a", Value::Integer(2));
  dict.Set("b", Value::Integer(3));
  ASSERT_EQ(dict.entries.size(), 2U);
  EXPECT_EQ(dict.entries[0].key, "b");
  EXPECT_EQ(*dict.Find("b")->AsInteger(), 3);
  EXPECT_TRUE(dict.Erase("b"));
  EXPECT_FALSE(dict.Erase("b"));
  EXPECT_EQ(dict.Find("b"), nullptr);
}

TEST(Dict, FindsTheFirstRepeatedKey) {
  Dict dict;
  for (const char* key : {"x", "y", "z", "y", "x"}) dict.entries.push_back(Entry{key, Value()});
  EXPECT_EQ(FindRepeatedKey(dict.entries), 3U);
  dict.entries.resize(3);
  EXPECT_EQ(FindRepeatedKey(dict.entries), 3U);
}

TEST(Dict, FindsTheFirstRepeatedKeyOfMany) {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back("key" + std::to_string(i));
  std::vector<std::string_view> keys(names.begin(), names.end());
  EXPECT_EQ(FindRepeatedKey(keys), keys.size());
  keys[50] = keys[7];
  keys[40] = keys[9];
  EXPECT_EQ(FindRepeatedKey(keys), 40U);
}

TEST(Value, EqualNumbersOfTwoKindsAreEqual) {
  EXPECT_EQ(Value::Unsigned(7), Value::Integer(7));
  EXPECT_NE(Value::Unsigned(UINT64_MAX), Value::Integer(-1));
}

TEST(Value, JsonFormIsLossless) {
  Dict dict;
  dict.Set("$data", Value(Data{{1, 2, 3}}));
  dict.Set("list", Value(Array{Value::Bool(true), Value::Integer(-5), Value::Real(1.0), Value()}));
  dict.Set("infinite", Value::Real(-std::numeric_limits<double>::infinity()));
  dict.Set("large", Value::Unsigned(UINT64_MAX));
  dict.Set("made", Value(Date{-0.5}));
  const Value value(std::move(dict));
  const std::string text = ToJson(value).dump();
  EXPECT_EQ(
      text,
      R"({"$$data":{"$data":"AQID"},"list":[true,-5,1.0,null],)"
      R"("infinite":{"$real":"-infinity"},"large":18446744073709551615,"made":{"$date":-0.5}})");
  const Result<Value> back = FromJson(ParseJson(text).value());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back.value(), value);
}

TEST(Value, BadJsonIsRefusedWithAReason) {
  EXPECT_FALSE(FromJson(ParseJson(R"({"$data": 5})").value()).ok());
  EXPECT_FALSE(FromJson(ParseJson(R"({"$data": "A"})").value()).ok());
  EXPECT_FALSE(FromJson(ParseJson(R"({"$real": "big"})").value()).ok());
  EXPECT_FALSE(FromJson(ParseJson(R"({"$date": "2020"})").value()).ok());
  EXPECT_FALSE(FromJson(ParseJson(R"({"$date": 1e12})").value()).ok());
  Json deep = 1;
  for (int i = 0; i < 70; ++i) deep = Json::array({deep});
  EXPECT_NE(FromJson(deep).error().message.find("64 levels"), std::string::npos);
}

TEST(Text, Utf8ValidityFollowsTheUnicodeStandard) {
  EXPECT_EQ(FindInvalidUtf8("a\xc3\xa9\xf0\x9f\x98\x80"), 7U);
  EXPECT_EQ(FindInvalidUtf8("ab\xc0\x80"), 2U);        // overlong
  EXPECT_EQ(FindInvalidUtf8("a\xed\xa0\x80"), 1U);     // surrogate
  EXPECT_EQ(FindInvalidUtf8("\xf4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(FindInvalidUtf8("abc\xe2\x82"), 3U);       // truncated
}

RC_GTEST_PROP(Text, TheFirstMarkIsFound, (const std::vector<uint8_t>& bytes)) {
  std::string text(bytes.begin(), bytes.end());
  // The text has only marks and bytes whose values are next to those of marks, so that marks are
  // often adjacent.
  for (char& c : text) c = "<&=%\x1f ~\x80"[static_cast<uint8_t>(c) % 8];
  constexpr uint8_t kBelow = 0x20;
  for (size_t from = 0; from <= text.size(); ++from) {
    const size_t mark = text.find_first_of("<&", from);
    const size_t control = text.find('\x1f', from);
    RC_ASSERT(FindMark(text, from, "<&") == std::min(mark, text.size()));
    RC_ASSERT(FindMark(text, from, "<&", kBelow) == std::min({mark, control, text.size()}));
  }
}

TEST(Text, AMarkIsFoundAtItsPlaceAndNotAfterIt) {
  for (size_t at = 0; at < 20; ++at) {
    std::string text(20, 'a');
    text[at] = '"';
    EXPECT_EQ(FindMark(text, 0, "\"\\"), at);
    EXPECT_EQ(FindMark(text, at + 1, "\"\\"), text.size());
  }
}

RC_GTEST_PROP(Text, Utf16RoundTrips, ()) {
  std::string text;
  for (const uint32_t code :
       *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange(1U, 0x110000U))) {
    const size_t before = text.size();
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    RC_ASSERT(AppendUtf8(code, text) == !surrogate);
    RC_ASSERT((text.size() > before) == !surrogate);
  }
  RC_ASSERT(FindInvalidUtf8(text) == text.size());
  RC_ASSERT(Utf8FromUtf16(Utf16FromUtf8(text)).value() == text);
}

TEST(Layout, AChangeAppliesOnlyWhileItsPieceIsUnedited) {
  const std::string text = "a  b c";
  const std::vector<uint32_t> cuts = {1, 3, 4, 5, 6};
  PieceComparer comparer(text, cuts);
  for (const char* piece : {"a", " ", "b", " ", "c"}) comparer.Piece(piece);
  EXPECT_TRUE(comparer.Complete());
  const std::vector<PieceChange> changes = std::move(comparer).TakeChanges();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0], (PieceChange{1, " ", "  "}));

  PieceWriter same(changes);
  for (const char* piece : {"a", " ", "b", " ", "c"}) same.Piece(piece);
  EXPECT_EQ(std::move(same).Take(), text);
  PieceWriter edited(changes);
  for (const char* piece : {"a", "-", "b", " ", "c"}) edited.Piece(piece);
  EXPECT_EQ(std::move(edited).Take(), "a-b c");

  const Result<std::vector<PieceChange>> back =
      ChangesFromJson(ParseJson(ChangesToJson(changes).dump()).value());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back.value(), changes);
  EXPECT_FALSE(ChangesFromJson(ParseJson(R"([[3,"","x"],[2,"","y"]])").value()).ok());
}

TEST(Layout, LeftOutPiecesAreComparedLaterAndKeepTheirPlace) {
  const std::vector<uint32_t> cuts = {1, 3, 4};
  PieceComparer comparer("a  b", cuts);
  comparer.Piece("a");
  const uint32_t space = comparer.LeaveOut();
  comparer.Piece("c");
  EXPECT_TRUE(comparer.Complete());
  EXPECT_EQ(comparer.Actual(space), "  ");
  EXPECT_EQ(comparer.Actual(3), std::nullopt);
  comparer.Compare(space, " ");
  const std::vector<PieceChange> changes = std::move(comparer).TakeChanges();
  EXPECT_EQ(changes, (std::vector<PieceChange>{{1, " ", "  "}, {2, "c", "b"}}));
}

}  // namespace
}  // namespace anecheck::tree
