// A JsonTree has the same content as the Json of ParseJson, and refuses the same texts with the
// same messages.
#include "harness/base/json_tree.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace anecheck {
namespace {

// Converts a value of a tree to a Json, for comparison.
Json ToJson(JsonValue value) {
  if (value.is_object()) {
    Json json = Json::object();
    for (const JsonValue member : value) json[std::string(member.name())] = ToJson(member);
    return json;
  }
  if (value.is_array()) {
    Json json = Json::array();
    for (const JsonValue element : value) json.push_back(ToJson(element));
    return json;
  }
  if (value.is_string()) return std::string(value.text());
  if (value.is_boolean()) return value.boolean();
  if (value.is_whole() && value.whole()) return *value.whole();
  if (value.is_number()) return value.number();
  return nullptr;
}

constexpr const char* kTexts[] = {
    "null",
    "true",
    "-7",
    "18446744073709551615",
    "0.5",
    R"("")",
    R"("\u00e9\u0000 a text that is longer than fifteen bytes")",
    "[]",
    "{}",
    R"([1, [2, [], {}], "x", null, false])",
    R"({"a": {"b": [1, 2]}, "": 3, "long name that is kept elsewhere": "t"})",
    R"({"a": 1, "b": 2, "a": [3]})",
    R"({"a": {"x": 1}, "b": 2, "a": {"y": 2}, "c": 4})",
};

TEST(JsonTree, HasTheValuesOfParseJson) {
  for (const char* text : kTexts) {
    const auto tree = JsonTree::Parse(text);
    const auto json = ParseJson(text);
    ASSERT_TRUE(tree.ok() && json.ok()) << text;
    EXPECT_EQ(DumpJson(ToJson(tree->root())), DumpJson(ToJson(JsonTree::Of(*json).root()))) << text;
    if (!tree->root().is_whole()) EXPECT_EQ(DumpJson(ToJson(tree->root())), DumpJson(*json));
  }
}

TEST(JsonTree, NumbersKeepTheirKind) {
  const auto tree = JsonTree::Parse("[-1, 9223372036854775807, 9223372036854775808, 1.0]");
  ASSERT_TRUE(tree.ok());
  auto value = tree->root().begin();
  EXPECT_EQ((*value).whole(), -1);
  EXPECT_EQ((*value++).number(), -1.0);
  EXPECT_EQ((*value++).whole(), INT64_MAX);
  EXPECT_TRUE((*value).is_whole());
  EXPECT_EQ((*value).whole(), std::nullopt);
  EXPECT_EQ((*value++).number(), 9223372036854775808.0);
  EXPECT_FALSE((*value).is_whole());
  EXPECT_EQ((*value++).number(), 1.0);
  EXPECT_EQ(value, tree->root().end());
}

TEST(JsonTree, TheLastOfEqualNamesCounts) {
  const auto tree = JsonTree::Parse(R"({"a": [1, 2], "b": 0, "a": [3]})");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree->root().size(), 2U);
  const auto member = tree->root().Find("a");
  ASSERT_TRUE(member.has_value());
  EXPECT_EQ(member->size(), 1U);
  EXPECT_EQ((*member->begin()).whole(), 3);
  EXPECT_EQ((*tree->root().begin()).name(), "a");
  EXPECT_FALSE(tree->root().Find("c").has_value());
  EXPECT_FALSE(member->Find("a").has_value());
}

TEST(JsonTree, ValuesStayValidAfterAMoveOfTheTree) {
  auto tree = JsonTree::Parse(R"({"a": "b"})");
  ASSERT_TRUE(tree.ok());
  const JsonValue root = tree->root();
  const JsonTree moved = std::move(tree).value();
  EXPECT_EQ(root.Find("a")->text(), "b");
  EXPECT_EQ(moved.root().Find("a")->text(), "b");
}

TEST(JsonTree, RefusesTheTextsThatParseJsonRefuses) {
  const std::string deep = std::string(300, '[');
  const std::string deep_arrays = deep + std::string(300, ']');
  std::string deep_objects = "1";
  for (int i = 0; i < 300; ++i) deep_objects = "{\"a\": " + deep_objects + "}";
  std::string wide = "{";
  for (int i = 0; i <= kMaxJsonMembers; ++i) wide += "\"" + std::to_string(i) + "\": 1, ";
  const std::string repeated = [] {
    std::string text = "{";
    for (int i = 0; i <= kMaxJsonMembers; ++i) text += "\"a\": 1, ";
    return text + "\"a\": 1}";
  }();
  // The text has as many members as the limit allows, and the name of a further member.
  std::string unfinished = wide.substr(0, wide.rfind(','));
  unfinished = unfinished.substr(0, unfinished.rfind(':'));
  const std::string texts[] = {"",    "{",        "[1,]",   "{\"a\" 1}", "\"\xff\"",  "[1] 2",
                               "nul", "1e999",    "\"\\",   "[1, 2",     deep,        "x" + deep,
                               wide,  wide + "x", repeated, unfinished,  deep_arrays, deep_objects};
  for (const std::string& text : texts) {
    const auto tree = JsonTree::Parse(text, "name");
    const auto json = ParseJson(text, "name");
    ASSERT_FALSE(tree.ok() || json.ok()) << text.substr(0, 40);
    EXPECT_EQ(tree.error().message, json.error().message);
    EXPECT_EQ(tree.error().offset, json.error().offset);
    EXPECT_EQ(tree.error().code, json.error().code);
    EXPECT_TRUE(tree.error().message.starts_with("name: ")) << tree.error().message;
  }
}

TEST(JsonTree, LimitsHoldInTextThatIsNotJsonToo) {
  const std::string deep = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_TRUE(JsonTree::Parse(deep).ok());
  const auto deeper = JsonTree::Parse("[" + deep + "]");
  ASSERT_FALSE(deeper.ok());
  EXPECT_EQ(deeper.error().code, ErrorCode::kLimit);
  // Nesting beyond the limit is reported even if the text before it is not JSON.
  const auto broken = ParseJson("x" + std::string(300, '['));
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace anecheck
