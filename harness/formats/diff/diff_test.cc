// Each change is listed once, at its path, even if elements before it were added or removed.
#include "harness/formats/diff/diff.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <utility>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/formats/netlist/netlist_format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck {
namespace {

std::string Text(std::string_view before, std::string_view after, bool layout = false,
                 size_t limit = 100) {
  const auto ignored = layout ? std::span<const std::string_view>() : LayoutMembers("e5");
  return DifferencesText(
      DiffJson(ParseJson(before).value(), ParseJson(after).value(), ignored, limit));
}

TEST(DiffTest, NamesTheValueThatChanged) {
  EXPECT_EQ(Text(R"({"a": {"b": [1, 2, 3]}})", R"({"a": {"b": [1, 5, 3]}})"), "~ a.b[1]: 2 -> 5\n");
  EXPECT_EQ(Text("1", R"("1")"), "~ .: 1 -> \"1\"\n");
}

TEST(DiffTest, NamesAddedAndRemovedMembers) {
  EXPECT_EQ(Text(R"({"a": 1, "b": 2})", R"({"b": 2, "c": [3]})"), "- a: 1\n+ c: [3]\n");
}

TEST(DiffTest, AnAddedOrRemovedElementIsOneDifference) {
  EXPECT_EQ(Text("[1, 2, 3, 4]", "[1, 9, 2, 3, 4]"), "+ [1]: 9\n");
  EXPECT_EQ(Text("[1, 2, 3, 4]", "[2, 3, 4]"), "- [0]: 1\n");
  EXPECT_EQ(Text("[1, 2, 3, 4, 5]", "[7, 2, 3, 5]"), "~ [0]: 1 -> 7\n- [3]: 4\n");
  EXPECT_EQ(Text("[]", "[1]"), "+ [0]: 1\n");
}

TEST(DiffTest, LayoutIsLeftOutUnlessAskedFor) {
  constexpr std::string_view kBefore = R"({"@": 12, "name": "x", "vtables": [1]})";
  constexpr std::string_view kAfter = R"({"@": 16, "name": "x", "vtables": [2]})";
  EXPECT_EQ(Text(kBefore, kAfter),
            "the files have the same structure and values; their layout differs\n");
  EXPECT_EQ(Text(kBefore, kAfter, true), "~ @: 12 -> 16\n~ vtables[0]: 1 -> 2\n");
  EXPECT_EQ(
      Text(R"([{"@": 1, "n": 1}, {"n": 2}])", R"([{"@": 9, "n": 3}, {"@": 2, "n": 1}, {"n": 2}])"),
      "+ [0]: {\"n\":3}\n");
}

TEST(DiffTest, ListsNoMoreThanTheLimitAndCountsTheRest) {
  EXPECT_EQ(Text("[1, 2, 3]", "[4, 5, 6]", false, 1),
            "~ [0]: 1 -> 4\n... and 2 more differences\n");
}

TEST(DiffTest, CutsLongValues) {
  const std::string text = Text("0", "\"" + std::string(500, 'a') + "\"");
  EXPECT_LT(text.size(), 200u);
  EXPECT_NE(text.find("(502 characters)"), std::string::npos);
}

// Returns a description with these keys, in this order.
plist::Document Description(std::initializer_list<std::pair<std::string_view, int64_t>> keys) {
  tree::Dict dict;
  for (const auto& [key, value] : keys) dict.Set(key, tree::Value::Integer(value));
  plist::Document document;
  document.root = tree::Value(std::move(dict));
  return document;
}

Bytes Encoded(plist::Document document, plist::Encoding encoding) {
  document.encoding = encoding;
  return plist::Write(document).value();
}

std::string NetlistText(const Bytes& before, const Bytes& after) {
  return DifferencesText(DiffFiles(kFormat_netlist, before, after, false, 100).value());
}

TEST(DiffTest, EncodingsOfOneDescriptionDifferOnlyInLayout) {
  const plist::Document document = Description({{"Networks", 1}, {"Version", 1}, {"Zero", 0}});
  const Bytes xml = Encoded(document, plist::Encoding::kXml);
  const Bytes binary = Encoded(document, plist::Encoding::kBinary);
  EXPECT_EQ(NetlistText(xml, binary),
            "the files have the same structure and values; their layout differs\n");
}

// Two values of a binary file share an object, and a new object shifts the numbers of the objects
// after it. Neither counts as a difference.
TEST(DiffTest, AKeyAddedToABinaryDescriptionIsOneDifference) {
  const Bytes before = Encoded(Description({{"Networks", 1}, {"Version", 1}, {"Zero", 0}}),
                               plist::Encoding::kBinary);
  const Bytes after =
      Encoded(Description({{"Networks", 1}, {"Between", 7}, {"Version", 1}, {"Zero", 0}}),
              plist::Encoding::kBinary);
  const std::string text = NetlistText(before, after);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  EXPECT_NE(text.find("Between"), std::string::npos) << text;
}

TEST(DiffTest, PlacesInAFileAreLayout) {
  for (const auto& [format, member] : {std::pair{"milweights", "data_offset"},
                                       {"vmfb", "local_offset"},
                                       {"mil", "gaps"},
                                       {"hwx", "derived"}}) {
    const auto members = LayoutMembers(format);
    EXPECT_NE(std::ranges::find(members, member), members.end()) << format;
  }
}

TEST(DiffTest, JsonHasTheSameDifferences) {
  const FileDifferences differences =
      DiffJson(ParseJson(R"({"a": 1})").value(), ParseJson(R"({"b": 2})").value(), {}, 10);
  EXPECT_EQ(DifferencesToJson(differences), ParseJson(R"({"same_bytes": false, "differences": [
              {"kind": "removed", "path": "a", "before": "1"},
              {"kind": "added", "path": "b", "after": "2"}], "left_out": 0})")
                                                .value());
}

}  // namespace
}  // namespace anecheck
