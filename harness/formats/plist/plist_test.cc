// Tests that property lists keep their spellings, that errors for malformed input have an offset,
// and that both encodings agree with libplist.
#include "harness/formats/plist/plist.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <plist/plist.h>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"
#include "harness/base/json_text.h"

namespace anecheck::plist {
namespace {

using tree::Array;
using tree::Data;
using tree::Date;
using tree::Dict;
using tree::Uid;
using tree::Value;

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

std::string Wrap(std::string_view body) {
  return "<plist version=\"1.0\">" + std::string(body) + "</plist>";
}

// Returns a small tree with values of every kind except references.
Value Sample() {
  Dict dict;
  dict.Set("Name", Value::String("a<b>&\"c\" \xc3\xa9"));
  dict.Set("Step", Value(Array{Value::Integer(1), Value::Integer(-70000), Value::Integer(1)}));
  dict.Set("Empty", Value(Dict{}));
  dict.Set("Flag", Value::Bool(true));
  dict.Set("Scale", Value::Real(0.1));
  dict.Set("Half", Value::Real(0.5));
  dict.Set("Blob", Value(Data{{0, 1, 2, 250}}));
  dict.Set("Wide", Value::Unsigned(UINT64_MAX));
  dict.Set("Made", Value(Date{599529600}));
  Array many;
  for (int i = 0; i < 20; ++i) many.push_back(Value::Integer(i));
  dict.Set("Many", Value(std::move(many)));
  return Value(std::move(dict));
}

rc::Gen<Value> AnyValue(int depth) {
  return rc::gen::exec([depth]() -> Value {
    switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
      case 0:
        return Value::Integer(*rc::gen::arbitrary<int64_t>());
      case 1: {
        std::string text;
        for (const char c : *rc::gen::string<std::string>()) text.push_back(c > 0x1f ? c : 'x');
        return Value::String(text);
      }
      case 2:
        return Value::Bool(*rc::gen::arbitrary<bool>());
      case 3:
        return Value::Real(static_cast<double>(*rc::gen::arbitrary<int32_t>()) / 256);
      case 4:
        return Value(Data{*rc::gen::arbitrary<std::vector<uint8_t>>()});
      case 5:
        return Value(Date{static_cast<double>(*rc::gen::arbitrary<int32_t>())});
      case 6: {
        Array array;
        const int count = *rc::gen::inRange(0, 4);
        for (int i = 0; i < count; ++i) array.push_back(*AnyValue(depth - 1));
        return Value(std::move(array));
      }
      default: {
        Dict dict;
        const int count = *rc::gen::inRange(0, 4);
        for (int i = 0; i < count; ++i) {
          dict.Set("k" + std::to_string(*rc::gen::inRange(0, 50)), *AnyValue(depth - 1));
        }
        return Value(std::move(dict));
      }
    }
  });
}

// Returns the result of ParseBinary. Expects the same table or error from ParseBinaryTable.
Result<BinaryDocument> ParseBothWays(std::span<const uint8_t> bytes) {
  Result<BinaryDocument> document = ParseBinary(bytes);
  const Result<BinaryTable> table = ParseBinaryTable(bytes);
  EXPECT_EQ(document.ok(), table.ok());
  if (document.ok() && table.ok()) {
    EXPECT_EQ(document->table, *table);
  }
  if (!document.ok() && !table.ok()) {
    EXPECT_EQ(document.error().message, table.error().message);
    EXPECT_EQ(document.error().offset, table.error().offset);
  }
  return document;
}

TEST(Xml, CanonicalTextIsAppleStyle) {
  Dict dict;
  dict.Set("Units", Value::Strings({"a"}));
  dict.Set("Params", Value(Dict{}));
  EXPECT_EQ(WriteXml(Value(std::move(dict)), {}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
            "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
            "<plist version=\"1.0\">\n<dict>\n\t<key>Units</key>\n\t<array>\n"
            "\t\t<string>a</string>\n\t</array>\n\t<key>Params</key>\n\t<dict/>\n</dict>\n"
            "</plist>\n");
}

TEST(Xml, KeepsSpellings) {
  for (const std::string body :
       {"<dict></dict>", "<dict ><key>a</key ><true></true></dict>",
        "<array><integer> 0x10 </integer><integer>+7</integer></array>",
        "<string>&#65;&#x42;&apos;<![CDATA[<raw>&]]></string>", "<string/>",
        "<array>\r\n  <real>1e3</real>\r\n  <real>nan</real>\r\n</array>",
        "<!-- head --><array><!-- in --><false/><?pi x?></array><!-- tail -->",
        "<data>\n\tAQID\n\t</data>", "<date> 2020-01-01T00:00:00Z\n</date>",
        "<array><date>0001Z</date><date>9999-12-31T23:59:59Z</date></array>"}) {
    const std::string text = Wrap(body);
    const Result<XmlDocument> document = ParseXml(text);
    ASSERT_TRUE(document.ok()) << body << ": " << document.error().message;
    EXPECT_EQ(WriteXml(document->root, document->layout), text);
  }
  EXPECT_EQ(*ParseXml(Wrap("<string>&#65;&lt;<![CDATA[<&]]></string>"))->root.AsString(), "A<<&");
  EXPECT_EQ(*ParseXml(Wrap("<integer>0x10</integer>"))->root.AsInteger(), 16);
  EXPECT_EQ(*ParseXml(Wrap("<integer>-9223372036854775808</integer>"))->root.AsInteger(),
            INT64_MIN);
}

TEST(Xml, DatesAreSecondsSince2001) {
  const struct {
    std::string_view text;
    double seconds;
  } kDates[] = {{"2001-01-01T00:00:00Z", 0},
                {"2020-02-29T12:34:56Z", 604672496},
                {"2000-12-31T23:59:59Z", -1},
                {"2020-01Z", 599529600},
                {"0001Z", -63113904000}};
  for (const auto& [text, seconds] : kDates) {
    const auto document = ParseXml(Wrap("<date>" + std::string(text) + "</date>"));
    ASSERT_TRUE(document.ok()) << document.error().message;
    EXPECT_EQ(document->root, Value(Date{seconds})) << text;
    if (text.size() == 20) EXPECT_EQ(tree::TextOf(Date{seconds}), text);
  }
}

TEST(Xml, EditingOneValueKeepsEveryOtherByte) {
  const std::string text = Wrap(
      "\n  <dict>\n    <!-- one --><key>a</key><integer>1</integer>\n\n"
      "    <key>b</key>  <string>&#66;</string>\n  </dict>");
  Result<XmlDocument> document = ParseXml(text);
  ASSERT_TRUE(document.ok());
  document->root.AsDict()->Set("a", Value::Integer(25));
  std::string expected = text;
  expected.replace(expected.find("<integer>1<"), 11, "<integer>25<");
  EXPECT_EQ(WriteXml(document->root, document->layout), expected);
}

TEST(Xml, ValuesHaveTheirOffsets) {
  const std::string text = Wrap("<dict><key>a</key><integer>1</integer></dict>");
  const Result<XmlDocument> document = ParseXml(text);
  const Dict& dict = *document->root.AsDict();
  EXPECT_EQ(text.substr(dict.entries[0].key_offset, 5), "<key>");
  EXPECT_EQ(text.substr(dict.entries[0].value.offset, dict.entries[0].value.size),
            "<integer>1</integer>");
}

TEST(Xml, MalformedTextIsRefusedWithItsOffset) {
  const struct {
    std::string text;
    std::string_view says;
    uint64_t offset;
  } kCases[] = {
      {"", "expected <plist", 0},
      {"<plist version=\"1.0\"><dict>", "expected an element", 27},
      {Wrap("<dict><key>a</key></dict>"), "expected an element", 39},
      {Wrap("<dict><key>a</key><true/><key>a</key><true/></dict>"), "twice", 46},
      {Wrap("<integer>1x</integer>"), "not a number", 21},
      {Wrap("<integer>18446744073709551616</integer>"), "not a number", 21},
      {Wrap("<string>&bogus;</string>"), "unknown entity", 29},
      {Wrap("<string>&#0;</string>"), "unknown entity", 29},
      {Wrap("<uid>1</uid>"), "unknown element <uid>", 21},
      {Wrap("<date>2021-02-29T00:00:00Z</date>"), "not a moment in UTC", 21},
      {Wrap("<date>2020-01-01T00:00:00</date>"), "not a moment in UTC", 21},
      {Wrap("<date>-020-01Z</date>"), "not a moment in UTC", 21},
      {Wrap("<date/>"), "not a moment in UTC", 21},
      {Wrap("<true>x</true>"), "text in <true>", 21},
      {Wrap("<data>A</data>"), "not base64", 21},
      {Wrap("<string>\xff</string>"), "not UTF-8", 29},
      {Wrap("<true/>") + "x", "text after </plist>", 36},
      {"<!DOCTYPE plist [<!ENTITY a \"b\">]>" + Wrap("<true/>"), "DTD subset", 0},
      {"<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + Wrap("<true/>"), "only UTF-8", 0},
      {Wrap("<string a=\"b\">x</string>"), "attributes", 29},
  };
  for (const auto& test : kCases) {
    const Result<XmlDocument> document = ParseXml(test.text);
    ASSERT_FALSE(document.ok()) << test.text;
    EXPECT_NE(document.error().message.find(test.says), std::string::npos)
        << document.error().message;
    EXPECT_EQ(document.error().offset, test.offset) << document.error().message;
  }
}

TEST(Xml, DeepNestingIsRefused) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "<array>";
  EXPECT_NE(ParseXml(Wrap(body)).error().message.find("64 levels"), std::string::npos);
}

TEST(Binary, CanonicalTableReadsBack) {
  const Value value = Sample();
  const Result<std::vector<uint8_t>> bytes = WriteBinary(TableFromValue(value));
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const Result<BinaryDocument> document = ParseBothWays(bytes.value());
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_EQ(document->root, value);
  EXPECT_EQ(document->table, TableFromValue(value));
}

// Tests {"a": [1, "b"], "c": 1} in the canonical layout, and changes to this layout.
TEST(Binary, ATableIsCanonicalIfItsTreeReproducesIt) {
  const auto edited = [](auto edit) {
    BinaryTable table;
    table.objects = {BinaryObject{BinaryContainer{true, {1, 5}, {2, 3}}, 0, 0},
                     BinaryObject{std::string("a"), 1, 0},
                     BinaryObject{BinaryContainer{false, {}, {3, 4}}, 0, 0},
                     BinaryObject{int64_t{1}, 1, 0},
                     BinaryObject{std::string("b"), 1, 0},
                     BinaryObject{std::string("c"), 1, 0}};
    edit(table);
    return table;
  };
  const auto container = [](BinaryTable& table, size_t index) -> BinaryContainer& {
    return std::get<BinaryContainer>(table.objects[index].payload);
  };
  const BinaryTable tables[] = {
      edited([](BinaryTable&) {}),
      edited([](BinaryTable& table) { table.offset_size = 2; }),
      edited([](BinaryTable& table) { table.reference_size = 2; }),
      edited([](BinaryTable& table) { table.sort_version = 1; }),
      edited([](BinaryTable& table) { table.unused[4] = 1; }),
      edited([](BinaryTable& table) { table.objects[0].count_width = 1; }),
      edited([](BinaryTable& table) { table.objects[1].count_width = 1; }),
      edited([](BinaryTable& table) { table.objects[1].width = 2; }),
      edited([](BinaryTable& table) { table.objects[3].width = 2; }),
      // A repeated scalar, an unused scalar, and two scalars in another order.
      edited([&](BinaryTable& table) {
        table.objects.push_back(table.objects[3]);
        container(table, 0).items[1] = 6;
      }),
      edited([](BinaryTable& table) { table.objects.push_back(BinaryObject{true}); }),
      edited([&](BinaryTable& table) {
        std::swap(table.objects[3], table.objects[4]);
        container(table, 0).items[1] = 4;
        container(table, 2).items = {4, 3};
      }),
      // In a canonical table, data objects are not shared.
      edited([&](BinaryTable& table) {
        table.objects[3] = BinaryObject{tree::Data{{1}}};
        container(table, 0).items[1] = 3;
      }),
  };
  for (size_t i = 0; i < std::size(tables); ++i) {
    const Result<BinaryDocument> document = ParseBothWays(WriteBinary(tables[i]).value());
    ASSERT_TRUE(document.ok()) << i << document.error().message;
    EXPECT_EQ(IsCanonical(document->table), i == 0) << i;
    EXPECT_EQ(TableFromValue(document->root) == document->table, i == 0) << i;
  }
}

// The table has wide offsets, wide integers and long counts, so it is not canonical.
TEST(Binary, OtherLayoutsAreKeptAsATable) {
  BinaryTable table;
  table.offset_size = 4;
  table.reference_size = 2;
  table.sort_version = 1;
  table.unused = {1, 2, 3, 4, 5};
  table.objects.push_back(BinaryObject{BinaryContainer{true, {2, 1}, {3, 4}}, 0, 2});
  table.objects.push_back(BinaryObject{std::string("b"), 2, 0});
  table.objects.push_back(BinaryObject{std::string("a"), 1, 1});
  table.objects.push_back(BinaryObject{int64_t{5}, 8, 0});
  table.objects.push_back(BinaryObject{int64_t{5}, 16, 0});
  const Result<std::vector<uint8_t>> bytes = WriteBinary(table);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const Result<Document> document = Parse(bytes.value());
  ASSERT_TRUE(document.ok()) << document.error().message;
  ASSERT_TRUE(document->table.has_value());
  EXPECT_EQ(*document->table, table);
  EXPECT_EQ(Write(document.value()).value(), bytes.value());
  const std::string json = ToJson(document.value()).dump();
  const Result<Document> back = FromJson(ParseJson(json).value());
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(Write(back.value()).value(), bytes.value());
}

// Returns {"a": "x", "b": "x", "c": 5} as a table in which both strings "x" are one object.
BinaryTable SharingTable() {
  BinaryTable table;
  table.offset_size = 4;
  table.objects = {BinaryObject{BinaryContainer{true, {1, 2, 3}, {4, 4, 5}}, 0, 0},
                   BinaryObject{std::string("a"), 1, 0},
                   BinaryObject{std::string("b"), 1, 0},
                   BinaryObject{std::string("c"), 1, 0},
                   BinaryObject{std::string("x"), 1, 0},
                   BinaryObject{int64_t{5}, 1, 0}};
  return table;
}

// Returns the table that results from an edit of the document in the JSON form of SharingTable.
BinaryTable Edited(void (*edit)(Json& document)) {
  const Result<Document> document = Parse(WriteBinary(SharingTable()).value());
  Json json = ToJson(document.value());
  edit(json["document"]);
  const Document back = FromJson(json).value();
  const Document parsed = Parse(Write(back).value()).value();
  EXPECT_EQ(tree::ToJson(parsed.root), json["document"]);
  return *parsed.table;
}

TEST(Binary, AnEditedSharedValueGetsANewObject) {
  BinaryTable expected = SharingTable();
  expected.objects[0].payload = BinaryContainer{true, {1, 2, 3}, {4, 6, 5}};
  expected.objects.push_back(BinaryObject{std::string("yy"), 1, 0});
  EXPECT_EQ(Edited([](auto& document) { document["b"] = "yy"; }), expected);
}

TEST(Binary, AnEditedUnsharedValueKeepsItsObjectAndGetsTheWidthItNeeds) {
  BinaryTable expected = SharingTable();
  expected.objects[5] = BinaryObject{int64_t{300}, 2, 0};
  EXPECT_EQ(Edited([](auto& document) { document["c"] = 300; }), expected);
}

TEST(Binary, AnObjectTakesTheNewValueOfMostOfItsReaders) {
  BinaryTable expected = SharingTable();
  expected.objects[0].payload = BinaryContainer{true, {1, 2, 3}, {4, 4, 5}};
  expected.objects[4].payload = std::string("z");
  EXPECT_EQ(Edited([](auto& document) { document["a"] = document["b"] = "z"; }), expected);
}

TEST(Binary, AnEditedSharedKeyGetsANewObject) {
  BinaryTable table;
  table.offset_size = 4;
  table.objects = {BinaryObject{BinaryContainer{true, {1}, {2}}, 0, 0},
                   BinaryObject{std::string("a"), 1, 0},
                   BinaryObject{BinaryContainer{true, {1}, {1}}, 0, 0}};
  Json json = ToJson(Parse(WriteBinary(table).value()).value());
  ASSERT_EQ(json["document"].dump(), R"({"a":{"a":"a"}})");
  json["document"] = {{"a", {{"z", "a"}}}};
  table.objects[2].payload = BinaryContainer{true, {3}, {1}};
  table.objects.push_back(BinaryObject{std::string("z"), 1, 0});
  EXPECT_EQ(Write(FromJson(json).value()).value(), WriteBinary(table).value());
}

TEST(Binary, ObjectsAreRemovedAndAddedWithTheirEntries) {
  EXPECT_EQ(Edited([](auto& document) { document.erase("c"); }).objects.size(), 4U);
  EXPECT_EQ(Edited([](auto& document) { document["d"] = {{"e", {1, 2.5}}}; }).objects.size(), 12U);
  EXPECT_EQ(Edited([](auto& document) { document["a"] = {1, 2}; }).objects.size(), 9U);
}

TEST(Binary, AnInvalidLayoutIsRefusedWithTheReason) {
  const auto error = [](void (*edit)(Json& layout)) {
    Json json = ToJson(Parse(WriteBinary(SharingTable()).value()).value());
    edit(json["layout"]);
    return FromJson(json).error().message;
  };
  const std::string root = error([](auto& layout) { layout["root"] = 6U; });
  EXPECT_EQ(root, "property list JSON: layout.root is no index of objects");
  const std::string item = error([](auto& layout) { layout["objects"][0]["items"][1] = 6U; });
  EXPECT_EQ(item, "property list JSON: layout.unused, keys and items take numbers below 6");
  const std::string width = error([](auto& layout) { layout["objects"][1]["width"] = 3U; });
  EXPECT_NE(width.find("width takes 1, 2, 4 or 8 bytes"), std::string::npos) << width;
  const std::string objects = error([](auto& layout) { layout.erase("objects"); });
  EXPECT_NE(objects.find("objects is missing"), std::string::npos) << objects;
}

// Returns [[1], [1]] with a single inner array, which has two references, as in plistlib's files.
BinaryTable SharedContainer() {
  BinaryTable table;
  table.objects = {BinaryObject{BinaryContainer{false, {}, {1, 1}}, 0, 0},
                   BinaryObject{BinaryContainer{false, {}, {2}}, 0, 0},
                   BinaryObject{int64_t{1}, 1, 0}};
  return table;
}

TEST(Binary, SharedContainersAreReadAndWrittenBack) {
  const std::vector<uint8_t> bytes = WriteBinary(SharedContainer()).value();
  const Result<Document> document = Parse(bytes);
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_EQ(ToJson(*document)["document"].dump(), "[[1],[1]]");
  EXPECT_EQ(Write(*document).value(), bytes);
  EXPECT_EQ(Write(FromJson(ToJson(*document)).value()).value(), bytes);
}

TEST(Binary, AnEditedSharedContainerGetsANewObject) {
  Json json = ToJson(Parse(WriteBinary(SharedContainer()).value()).value());
  json["document"][1].push_back(2);
  const Document back = FromJson(json).value();
  const Document parsed = Parse(Write(back).value()).value();
  EXPECT_EQ(ToJson(parsed)["document"].dump(), "[[1],[1,2]]");
}

TEST(Binary, ContainersInsideThemselvesAreRefused) {
  BinaryTable table = SharedContainer();
  table.objects[1] = BinaryObject{BinaryContainer{false, {}, {0}}, 0, 0};
  const auto read = ParseBothWays(WriteBinary(table).value());
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("inside itself"), std::string::npos) << read.error().message;
}

// Twenty levels with two references each expand to a million arrays.
TEST(Binary, SharedContainersThatUnfoldToTooMuchAreRefused) {
  BinaryTable table;
  for (uint32_t i = 0; i < 20; ++i) {
    table.objects.push_back(BinaryObject{BinaryContainer{false, {}, {i + 1, i + 1}}, 0, 0});
  }
  table.objects.push_back(BinaryObject{BinaryContainer{}, 0, 0});
  const auto read = ParseBothWays(WriteBinary(table).value());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kLimit);
}

TEST(Binary, ALongStringReferredToOftenIsRefused) {
  BinaryTable table;
  BinaryContainer container;
  container.items.assign(60000, 1);
  table.objects.push_back(BinaryObject{container, 0, 2});
  table.objects.push_back(BinaryObject{std::string(60000, 'x'), 1, 2});
  table.offset_size = 4;
  const Result<BinaryDocument> document = ParseBothWays(WriteBinary(table).value());
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::kLimit);
}

TEST(Binary, WidthsThatDoNotHoldTheValueAreRefused) {
  BinaryTable table;
  for (BinaryObject bad :
       {BinaryObject{int64_t{300}, 1, 0}, BinaryObject{int64_t{-1}, 4, 0},
        BinaryObject{int64_t{1}, 3, 0}, BinaryObject{0.1, 4, 0}, BinaryObject{Date{1}, 4, 0},
        BinaryObject{std::string("\xc3\xa9"), 1, 0}, BinaryObject{std::string(20, 'x'), 1, 0}}) {
    table.objects = {bad};
    EXPECT_FALSE(WriteBinary(table).ok());
  }
}

TEST(Binary, ReferencesOfKeyedArchivesKeepTheirWidth) {
  BinaryTable table;
  for (uint8_t width = 1; width <= 8; ++width) {
    table.objects = {BinaryObject{Uid{width == 8 ? UINT64_MAX : 0x5a}, width, 0}};
    const std::vector<uint8_t> bytes = WriteBinary(table).value();
    EXPECT_EQ(bytes[8], 0x80 | (width - 1));
    const auto read = ParseBothWays(bytes);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->root, Value(Uid{width == 8 ? UINT64_MAX : 0x5a}));
    EXPECT_EQ(WriteBinary(read->table).value(), bytes);
    EXPECT_EQ(tree::FromJson(tree::ToJson(read->root)).value(), read->root);
  }
  table.objects = {BinaryObject{Uid{256}, 1, 0}};
  EXPECT_FALSE(WriteBinary(table).ok());
  std::vector<uint8_t> wide = WriteBinary({{BinaryObject{Uid{1}, 8, 0}}}).value();
  wide[8] = 0x88;
  EXPECT_FALSE(ParseBothWays(wide).ok());
  EXPECT_FALSE(tree::FromJson(Json{{"$uid", -1}}).ok());
}

TEST(Binary, DatesBeyondFourDigitYearsAreRefused) {
  BinaryTable table;
  for (const double seconds : {252423993600.0, -63113904001.0, double{NAN}, double{INFINITY}}) {
    table.objects = {BinaryObject{Date{seconds}, 8, 0}};
    const auto read = ParseBothWays(WriteBinary(table).value());
    ASSERT_FALSE(read.ok()) << seconds;
    EXPECT_NE(read.error().message.find("years 1 to 9999"), std::string::npos);
  }
}

TEST(Binary, EveryTruncationIsRefused) {
  const std::vector<uint8_t> bytes = WriteBinary(TableFromValue(Sample())).value();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseBothWays(std::span(bytes).first(size)).ok()) << size;
  }
}

// Returns the XML text that libplist makes from a text or binary list.
std::string LibplistXml(std::span<const uint8_t> bytes) {
  plist_t node = nullptr;
  plist_from_memory(reinterpret_cast<const char*>(bytes.data()),
                    static_cast<uint32_t>(bytes.size()), &node);
  if (node == nullptr) return "not read";
  char* xml = nullptr;
  uint32_t size = 0;
  plist_to_xml(node, &xml, &size);
  std::string text(xml, size);
  free(xml);
  plist_free(node);
  return text;
}

// Returns the binary list that libplist writes for the node. Frees the node.
std::vector<uint8_t> LibplistBinary(plist_t node) {
  char* binary = nullptr;
  uint32_t size = 0;
  plist_to_bin(node, &binary, &size);
  const std::vector<uint8_t> bytes(binary, binary + size);
  free(binary);
  plist_free(node);
  return bytes;
}

TEST(CrossCheck, LibplistReadsBothEncodingsAlike) {
  const Value value = Sample();
  const std::string from_xml = LibplistXml(Bytes(WriteXml(value, {})));
  const std::string from_binary = LibplistXml(WriteBinary(TableFromValue(value)).value());
  EXPECT_EQ(from_xml, from_binary);
  const Result<XmlDocument> back = ParseXml(from_xml);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->root, value);
}

TEST(CrossCheck, LibplistAgreesOnReferences) {
  plist_t node = plist_new_dict();
  plist_dict_set_item(node, "root", plist_new_uid(300));
  const std::vector<uint8_t> bytes = LibplistBinary(node);
  const Result<Document> document = Parse(bytes);
  ASSERT_TRUE(document.ok()) << document.error().message;
  Dict dict;
  dict.Set("root", Value(Uid{300}));
  EXPECT_EQ(document->root, Value(dict));
  EXPECT_EQ(Write(document.value()).value(), bytes);
  const std::string from_xml = LibplistXml(Bytes(WriteXml(Value(dict), {})));
  EXPECT_EQ(from_xml, LibplistXml(WriteBinary(TableFromValue(Value(dict))).value()));
  EXPECT_NE(from_xml.find("CF$UID"), std::string::npos);
}

TEST(CrossCheck, LibplistsBinaryIsRead) {
  const std::string xml = WriteXml(Sample(), {});
  plist_t node = nullptr;
  plist_from_xml(xml.data(), static_cast<uint32_t>(xml.size()), &node);
  const std::vector<uint8_t> bytes = LibplistBinary(node);
  const Result<Document> document = Parse(bytes);
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_EQ(document->root, Sample());
  EXPECT_EQ(Write(document.value()).value(), bytes);
}

RC_GTEST_PROP(Plist, BothEncodingsRoundTripThroughBytesAndJson, ()) {
  const Value value = *AnyValue(3);
  for (const Encoding encoding : {Encoding::kXml, Encoding::kBinary}) {
    Document document;
    document.root = value;
    document.encoding = encoding;
    const std::vector<uint8_t> bytes = Write(document).value();
    const Result<Document> parsed = Parse(bytes);
    RC_ASSERT(parsed.ok());
    RC_ASSERT(parsed->root == value);
    RC_ASSERT(!parsed->table.has_value());
    RC_ASSERT(parsed->xml.changes.empty());
    RC_ASSERT(Write(parsed.value()).value() == bytes);
    const Result<Document> from_json = FromJson(ParseJson(ToJson(parsed.value()).dump()).value());
    RC_ASSERT(from_json.ok());
    RC_ASSERT(Write(from_json.value()).value() == bytes);
  }
}

TEST(Plist, RecognisesBothEncodings) {
  EXPECT_TRUE(LooksLikePropertyList(Bytes(Wrap("<true/>"))));
  EXPECT_TRUE(LooksLikePropertyList(Bytes("bplist00")));
  EXPECT_FALSE(LooksLikePropertyList(Bytes("{\"plist\": 1}")));
}

}  // namespace
}  // namespace anecheck::plist
