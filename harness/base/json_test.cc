// Tests the content of JSON values, the meaning of initializer lists, and the text of values, which
// must equal that of nlohmann_json.
#include "harness/base/json.h"

#include <bit>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>
#include <sstream>

#include "harness/base/json_pointer.h"
#include "harness/base/json_text.h"

namespace anecheck {
namespace {

TEST(Json, KeepsTheKindAndTheValueThatItWasGiven) {
  EXPECT_TRUE(Json().is_null());
  EXPECT_TRUE(Json(true).is_boolean());
  EXPECT_EQ(Json(int64_t{-3}).kind(), Json::Kind::kInteger);
  EXPECT_EQ(Json(3U).kind(), Json::Kind::kUnsigned);
  EXPECT_EQ(Json(0.5).kind(), Json::Kind::kReal);
  EXPECT_EQ(Json("x").text(), "x");
  EXPECT_EQ(Json(std::numeric_limits<uint64_t>::max()).get<uint64_t>(),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Json(std::vector<int>{1, 2}).dump(), "[1,2]");
}

TEST(Json, ListsOfNamesAndValuesAreObjectsAndOthersAreArrays) {
  EXPECT_EQ(Json({{"b", 1}, {"a", {1, 2}}}).dump(), R"({"b":1,"a":[1,2]})");
  EXPECT_EQ(Json({1, "x", nullptr, {{"a", true}}}).dump(), R"([1,"x",null,{"a":true}])");
  EXPECT_EQ(Json({{"a", 1}, {"b", 2}, 3}).dump(), R"([["a",1],["b",2],3])");
  EXPECT_EQ(Json::array({{"a", 1}}).dump(), R"([["a",1]])");
  EXPECT_EQ(Json::object({{"a", {}}}).dump(), R"({"a":null})");
  EXPECT_EQ(Json({{"a", 1}, {"a", 2}}).dump(), R"({"a":1})");  // the first of equal names counts
}

TEST(Json, MissingMembersAppearWhenTheyAreSet) {
  Json json;
  json["a"]["b"] = 1;
  json["c"].push_back("x");
  json["d"][2] = true;
  EXPECT_EQ(json.dump(), R"({"a":{"b":1},"c":["x"],"d":[null,null,true]})");
  json["a"] = json["c"];
  EXPECT_EQ(json["a"], json["c"]);
  EXPECT_EQ(json.erase("c"), 1U);
  EXPECT_EQ(json.erase("c"), 0U);
  json["d"].erase(0);
  EXPECT_EQ(json.dump(), R"({"a":["x"],"d":[null,true]})");
}

TEST(Json, ReadersOfAnotherKindOrOfAMissingMemberThrow) {
  const Json json = {{"text", "x"}, {"list", {1}}};
  EXPECT_THROW(json.at("none"), JsonError);
  EXPECT_THROW(json["list"].at(1), JsonError);
  EXPECT_THROW(json["text"].get<int>(), JsonError);
  EXPECT_THROW(json["list"].get<std::string>(), JsonError);
  EXPECT_THROW(json["list"].items(), JsonError);
  EXPECT_THROW(Json(1).push_back(2), JsonError);
  EXPECT_FALSE(json["list"].contains("text"));
  EXPECT_EQ(json.value("none", "other"), "other");
  EXPECT_EQ(json.value("text", "other"), "x");
}

TEST(Json, NumbersOfTwoKindsAreEqualIfTheirValuesAre) {
  EXPECT_EQ(Json(1), Json(1U));
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(1), Json(1.5));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_NE(Json(1), Json("1"));
}

TEST(Json, IterationGivesTheValuesOfArraysAndObjects) {
  Json json = {{"a", 1}, {"b", 2}};
  for (Json& value : json) value = value.get<int>() + 1;
  EXPECT_EQ(json.dump(), R"({"a":2,"b":3})");
  EXPECT_EQ(json.find("b").key(), "b");
  EXPECT_EQ(json.find("b") - json.begin(), 1);
  std::string values;
  for (const Json& value : Json::array({1, "x"})) values += value.dump();
  for (const Json& value : Json()) values += value.dump();
  EXPECT_EQ(values, "1\"x\"");
}

TEST(JsonPointer, NamesAPlaceInADocument) {
  Json json = {{"a/b", {1, {{"~", "x"}}}}};
  const JsonPointer place = JsonPointer() / "a/b" / 1 / "~";
  EXPECT_EQ(place.to_string(), "/a~1b/1/~0");
  EXPECT_EQ(json[JsonPointer("/a~1b/1/~0")], "x");
  json[place.parent()] = 2;
  EXPECT_EQ(json.dump(), R"({"a/b":[1,2]})");
  EXPECT_THROW(std::as_const(json)[JsonPointer("/a~1b/x")], JsonError);
}

// The same random value as a Json and as a value of nlohmann_json.
struct Pair {
  Json json;
  nlohmann::ordered_json other;
};

template <typename T>
Pair Scalar(T value) {
  return {Json(value), nlohmann::ordered_json(value)};
}

std::string DrawText() {
  return *rc::gen::weightedOneOf<std::string>(
      {{3, rc::gen::string<std::string>()},
       {1, rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'))}});
}

Pair DrawValue(int depth) {
  switch (*rc::gen::inRange(0, depth == 0 ? 6 : 8)) {
    case 0:
      return Scalar(nullptr);
    case 1:
      return Scalar(*rc::gen::arbitrary<bool>());
    case 2:
      return Scalar(*rc::gen::arbitrary<int64_t>());
    case 3:
      return Scalar(*rc::gen::arbitrary<uint64_t>());
    case 4:
      return Scalar(std::bit_cast<double>(*rc::gen::arbitrary<uint64_t>()));
    case 5:
      return Scalar(DrawText());
    case 6: {
      Pair list = {Json::array(), nlohmann::ordered_json::array()};
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        Pair element = DrawValue(depth - 1);
        list.json.push_back(std::move(element.json));
        list.other.push_back(std::move(element.other));
      }
      return list;
    }
    default: {
      Pair object = {Json::object(), nlohmann::ordered_json::object()};
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        const std::string name = DrawText();
        Pair member = DrawValue(depth - 1);
        object.json[name] = std::move(member.json);
        object.other[name] = std::move(member.other);
      }
      return object;
    }
  }
}

RC_GTEST_PROP(Json, TextEqualsThatOfTheLibraryAndParsesToTheSameText, ()) {
  const Pair drawn = DrawValue(3);
  for (const int indent : {-1, 0, 1, 2}) {
    RC_ASSERT(drawn.json.dump(indent) ==
              drawn.other.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  const std::string text = drawn.json.dump();
  RC_ASSERT(ParseJson(text)->dump() == text);
  RC_ASSERT(Json(drawn.json) == drawn.json || text.find("null") != std::string::npos);  // NaN
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// Draws a JSON text, perhaps with some characters changed.
std::string DrawDocument() {
  static const std::vector<std::string> kPieces = Words(
      R"({ } [ ] : , " \ \u \ud83d\ude00 \ud800 \udc00 \u0000 - -0 +1 01 1. .5 1e 1e999 -1e999 1e-999 )"
      R"(4.9e-324 18446744073709551615 18446744073709551616 -9223372036854775808 )"
      R"(-9223372036854775809 null nul true NaN "a":1, "a": /*x*/ )"
      "\x01 \x7f \xff \xc3 \xc3\xa9 \xed\xa0\x80 \xef\xbb\xbf \xf4\x90\x80\x80");
  std::string text = DrawValue(3).json.dump(*rc::gen::inRange(-1, 2));
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const auto at = *rc::gen::inRange<size_t>(0, text.size() + 1);
    const auto gone = *rc::gen::inRange<size_t>(0, 3);
    text.replace(at, gone, *rc::gen::elementOf(kPieces));
  }
  return text;
}

// Both libraries agree on whether a text is JSON, on its value, and on the offset of its error.
RC_GTEST_PROP(Json, ParsesTextsAsTheLibraryDoes, ()) {
  const std::string text = DrawDocument();
  const Result<Json> read = ParseJson(text);
  try {
    const auto expected = nlohmann::ordered_json::parse(text);
    RC_ASSERT(read.ok());
    RC_ASSERT(read->dump() ==
              expected.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } catch (const nlohmann::json::parse_error& error) {
    RC_ASSERT(!read.ok());
    RC_ASSERT(read.error().code == ErrorCode::kMalformed);
    RC_ASSERT(read.error().offset == (error.byte == 0 ? 0 : error.byte - 1));
  } catch (const nlohmann::json::out_of_range&) {
    RC_ASSERT(!read.ok());  // a number outside the range of double
  }
}

TEST(Json, TheLastOfEqualNamesCountsInThePlaceOfTheFirst) {
  std::string text = R"({"a":1,"b":2,"a":3)";
  EXPECT_EQ(ParseJson(text + "}")->dump(), R"({"a":3,"b":2})");
  for (int i = 0; i < 100; ++i) text += ",\"" + std::to_string(i) + "\":0";
  text += R"(,"b":4,"99":5})";  // so many members that the parser keeps an index of them
  const Json json = ParseJson(text).value();
  EXPECT_EQ(json.size(), 102u);
  EXPECT_EQ(json["b"], 4);
  EXPECT_EQ(json["99"], 5);
  EXPECT_EQ(json.begin().key(), "a");
}

}  // namespace
}  // namespace anecheck
