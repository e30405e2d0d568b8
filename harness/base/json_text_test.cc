// Tests JSON text: offsets in errors, limits against hostile input, deterministic output.
#include "harness/base/json_text.h"

#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck {
namespace {

std::string Nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

std::string ObjectOf(int members) {
  std::string text = "{";
  for (int i = 0; i < members; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  return text + "}";
}

TEST(JsonText, MembersKeepTheirOrder) {
  const auto json = ParseJson(R"({"b": 1, "a": [true, null, "x"]})");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(DumpJson(*json), R"({"b":1,"a":[true,null,"x"]})");
  EXPECT_EQ(DumpJson((*json)["a"], 2), "[\n  true,\n  null,\n  \"x\"\n]");
}

TEST(JsonText, ErrorsCarryTheOffsetOfTheWrongCharacter) {
  const auto json = ParseJson(R"({"a": 1, })", "graph.json");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(json.error().offset, 9U);
  EXPECT_TRUE(json.error().message.starts_with("graph.json: at 9: syntax error"))
      << json.error().message;
  EXPECT_EQ(json.error().message.find('\n'), std::string::npos);
  EXPECT_FALSE(ParseJson("").ok());
  EXPECT_FALSE(ParseJson("1 2").ok());
  EXPECT_FALSE(ParseJson("\"\xff\"").ok()) << "not UTF-8";
}

TEST(JsonText, NumbersOutOfRangeAreErrors) {
  const auto json = ParseJson("[1e999]");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().code, ErrorCode::kMalformed);
}

TEST(JsonText, NestingIsCapped) {
  EXPECT_TRUE(ParseJson(Nested(kMaxJsonDepth)).ok());
  const auto json = ParseJson(Nested(kMaxJsonDepth + 1));
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().code, ErrorCode::kLimit);
  EXPECT_EQ(json.error().message, "json: nested deeper than 256 at 256");
  EXPECT_EQ(json.error().offset, 256U);
  EXPECT_FALSE(ParseJson(std::string(10'000'000, '[')).ok());
}

TEST(JsonText, SiblingsAndStringsDoNotCountAsNesting) {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) text += "[],{},";
  text += "\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"]";
  EXPECT_TRUE(ParseJson(text).ok());
}

TEST(JsonText, MembersAreCapped) {
  EXPECT_TRUE(ParseJson(ObjectOf(kMaxJsonMembers)).ok());
  const auto json = ParseJson(ObjectOf(kMaxJsonMembers + 1));
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().code, ErrorCode::kLimit);
  EXPECT_TRUE(json.error().message.starts_with("json: an object with more than 10000 members at "));
}

// The parser finds repeated members with an index. A search of the object for each new member would
// take quadratic time.
TEST(LargeJson, TakesAnyNumberOfMembersAndAgreesWithParseJson) {
  EXPECT_EQ(ParseLargeJson(ObjectOf(200'000))->size(), 200'000u);
  for (const std::string& text : {ObjectOf(31), ObjectOf(33), ObjectOf(1000),
                                  std::string(R"({"a":1,"b":[true,null,-1],"a":2})"),
                                  std::string(R"([1.5,"x",{"y":{}}])"), std::string("7")}) {
    EXPECT_EQ(DumpJson(*ParseLargeJson(text)), DumpJson(*ParseJson(text)));
  }
  std::string repeated = ObjectOf(100);
  const std::string again = repeated.substr(1);
  repeated.back() = ',';
  EXPECT_EQ(ParseLargeJson(repeated + again)->size(), 100u);
}

TEST(LargeJson, NamesThePlaceOfErrorsAndTheDepth) {
  for (const std::string_view text : {"", "{", "[1,]", "{\"a\" 1}", "nul", "[1] 2"}) {
    const auto large = ParseLargeJson(text, "x");
    const auto other = ParseJson(text, "x");
    ASSERT_FALSE(large.ok()) << text;
    EXPECT_EQ(large.error().message, other.error().message);
    EXPECT_EQ(large.error().offset, other.error().offset);
  }
  const auto deep = ParseLargeJson(std::string(1'000'000, '['));
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.error().code, ErrorCode::kLimit);
}

TEST(JsonText, DumpNeverFails) {
  EXPECT_EQ(DumpJson(Json("\xff")), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(DumpJson(Json(NAN)), "null");
  EXPECT_EQ(DumpJson(Json(0.1)), "0.1");
  EXPECT_EQ(DumpJson(Json(-0.0)), "-0.0");
}

RC_GTEST_PROP(JsonText, DoublesReadBackAsTheyWere, ()) {
  const double value = *testing::AnyDouble();
  RC_PRE(std::isfinite(value));
  const auto json = ParseJson(DumpJson(Json(value)));
  RC_ASSERT(json.ok());
  RC_ASSERT(std::signbit(json->get<double>()) == std::signbit(value));
  RC_ASSERT(json->get<double>() == value);
}

RC_GTEST_PROP(JsonText, AnyBytesGiveAValueOrAnErrorWithAnOffsetInside, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("{}[]\",:\\01e-. tn\xc3")));
  const auto json = ParseJson(text);
  if (json.ok()) {
    RC_ASSERT(ParseJson(DumpJson(*json)).ok());
  } else {
    RC_ASSERT(json.error().offset == Error::kNoOffset || json.error().offset <= text.size());
  }
}

}  // namespace
}  // namespace anecheck
