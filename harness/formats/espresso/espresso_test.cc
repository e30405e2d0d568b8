// Tests espresso files: real files, spellings, malformed text, and edits.
#include "harness/formats/espresso/espresso.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/lzfse/lzfse.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::espresso {
namespace {

using testing::RealDataPath;

Bytes ToBytes(std::string_view text) { return {text.begin(), text.end()}; }

// Returns the real files that are JSON, or those that LZFSE compresses if `compressed` is true.
std::vector<std::string> RealFiles(bool compressed) {
  std::vector<std::string> paths = testing::FilesUnder(RealDataPath("espresso"));
  std::erase_if(paths, [&](const std::string& path) {
    return ReadTextFile(path).value().starts_with("pbze") != compressed;
  });
  return paths;
}

TEST(RealEspresso, EveryFileOfJsonParsesVerifiesPrintsAndRoundTrips) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("espresso"));
  const std::vector<std::string> paths = RealFiles(false);
  EXPECT_EQ(paths.size(), 4U);
  for (const std::string& path : paths) {
    const Bytes bytes = ReadFile(path).value();
    testing::CheckValidFile(kFormat_espresso, bytes, path);
    EXPECT_TRUE(kFormat_espresso.verify(bytes)->empty()) << path;
  }
}

TEST(RealEspresso, CompressedFilesAreRefusedByNameAndReadOnceUnpacked) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("espresso"));
  const std::vector<std::string> paths = RealFiles(true);
  EXPECT_EQ(paths.size(), 2U);
  for (const std::string& path : paths) {
    const Bytes bytes = ReadFile(path).value();
    EXPECT_GT(kFormat_espresso.recognise(bytes, "file"), 0) << path;
    const auto violations = kFormat_espresso.verify(bytes);
    ASSERT_FALSE(violations.ok()) << path;
    EXPECT_EQ(violations.error().code, ErrorCode::kUnsupported) << path;
    EXPECT_NE(violations.error().message.find("LZFSE (pbze)"), std::string::npos)
        << violations.error().message;
    const auto unpacked = lzfse::Unpack(bytes, 1 << 20);
    ASSERT_TRUE(unpacked.ok()) << unpacked.error().message;
    testing::CheckValidFile(kFormat_espresso, *unpacked, path);
    EXPECT_TRUE(kFormat_espresso.verify(*unpacked)->empty()) << path;
  }
}

// The canonical form is that of the real files, so their layout has no changes.
TEST(RealEspresso, HaveTheCanonicalLayout) {
  ANECHECK_SKIP_WITHOUT(RealDataPath("espresso"));
  const std::vector<std::string> paths = RealFiles(false);
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    std::string text = ReadTextFile(path).value();
    EXPECT_TRUE(ParseJsonDocument(text)->layout.changes.empty()) << path;
    text.insert(1, " ");
    EXPECT_FALSE(ParseJsonDocument(text)->layout.changes.empty()) << path;
  }
}

TEST(RealEspresso, ReadsLayersAndShapesIntoTypedFields) {
  const std::string net_path =
      RealDataPath("espresso/Chiron-Swift-Student-Challenge____model.espresso-223fc5ec.net");
  const std::string shape_path =
      RealDataPath("espresso/Chiron-Swift-Student-Challenge____model.espresso-7d0bc9dd.shape");
  ANECHECK_SKIP_WITHOUT(net_path);
  const Net net = ParseNet(ParseJsonDocument(ReadTextFile(net_path).value())->root).value();
  EXPECT_EQ(net.format_version, 200);
  EXPECT_EQ(net.storage, "model.espresso.weights");
  EXPECT_EQ(net.layers.at(1).type, "convolution");
  EXPECT_EQ(net.layers[1].name, "sequential/conv1/BiasAdd");
  EXPECT_EQ(net.layers[1].bottoms, std::vector<std::string>{"transpose_15"});
  EXPECT_EQ(*net.layers[1].attributes.Find("Nx")->AsInteger(), 5);
  const std::vector<Shape> shapes =
      ParseShapes(ParseJsonDocument(ReadTextFile(shape_path).value())->root).value();
  ASSERT_EQ(shapes.size(), 15U);
  EXPECT_EQ(shapes[1].name, "transpose_15");
  EXPECT_EQ(shapes[1].h, 128);
  EXPECT_EQ(shapes[1].rank, 4);
}

TEST(EspressoCoverage, SpaceIsFillAndUnknownMembersAreOpaque) {
  const std::string unknown = R"("mystery": 7)";
  const std::string text =
      R"({"layers": [{"type": "a \" b", )" + unknown + R"(}], "storage": "s"})";
  const ByteCounts coverage = kFormat_espresso.count_bytes(ToBytes(text)).value();
  EXPECT_EQ(coverage.fill, 5U);
  EXPECT_EQ(coverage.Opaque(), unknown.size());
  EXPECT_EQ(coverage.typed, text.size() - 5 - unknown.size());
}

TEST(JsonDocument, KeepsSpellings) {
  for (const std::string text :
       {R"( { "layers":[ ] , "a/b" : "\u0041\/\n", "x" : [1,2.50, -0, 1E3 ,true,null]})",
        "{\r\n\t\"layer_shapes\":{}}\n", R"({"layers":[{},{ }],"big":123456789012345678901234})",
        R"({"layers":[], "huge": 1e999, "tiny": 1e-999, "pair": "\ud83d\ude00"})"}) {
    const Result<JsonDocument> document = ParseJsonDocument(text);
    ASSERT_TRUE(document.ok()) << document.error().message;
    EXPECT_EQ(WriteJsonDocument(document->root, document->layout), text);
  }
  EXPECT_EQ(*ParseJsonDocument(R"("\u0041\ud83d\ude00\/")")->root.AsString(), "A\xf0\x9f\x98\x80/");
}

TEST(JsonDocument, MalformedTextIsRefusedWithItsOffset) {
  const struct {
    std::string_view text;
    uint64_t offset;
  } kCases[] = {{"", 0},
                {"{", 1},
                {"[1,]", 3},
                {"{\"a\" 1}", 5},
                {"{\"a\":1,}", 7},
                {"[01]", 1},
                {"[1.]", 3},
                {"[1e]", 3},
                {"[-]", 2},
                {"\"a", 2},
                {"\"\\x\"", 1},
                {"\"\\ud800\"", 1},
                {"\"\\u00", 5},
                {"\"\\u0000\"", 1},
                {"nul", 0},
                {"1 2", 2},
                {"{\"a\":1,\"a\":2}", 7},
                {"\"\x01\"", 1},
                {"\"\xff\"", 1}};
  for (const auto& test : kCases) {
    const Result<JsonDocument> document = ParseJsonDocument(test.text);
    ASSERT_FALSE(document.ok()) << test.text;
    EXPECT_EQ(document.error().offset, test.offset)
        << test.text << ": " << document.error().message;
  }
  EXPECT_FALSE(ParseJsonDocument(std::string(100, '[')).ok());
}

TEST(Espresso, OtherJsonIsRefused) {
  EXPECT_FALSE(kFormat_espresso.rewrite(ToBytes("{\"a\": 1}")).ok());
  EXPECT_FALSE(kFormat_espresso.rewrite(ToBytes("[]")).ok());
  EXPECT_EQ(kFormat_espresso.recognise(ToBytes("[]"), "x.net"), 0);
}

TEST(Espresso, EditingOneFieldChangesThatFieldOnly) {
  const std::string text = "{\n  \"layer_shapes\" : {\n    \"a\" : { \"n\" : 1 }\n  }\n}";
  Json json = kFormat_espresso.to_json(ToBytes(text)).value();
  json["document"]["layer_shapes"]["a"]["n"] = 12;
  const Bytes edited = kFormat_espresso.from_json(json).value();
  std::string expected = text;
  expected.replace(expected.find("1 }"), 1, "12");
  EXPECT_EQ(std::string(edited.begin(), edited.end()), expected);
}

TEST(Espresso, EachRuleIsBrokenByItsOwnInput) {
  const auto broken = [](std::string_view text) {
    std::string ids;
    for (const Violation& v : Verify(ParseJsonDocument(text)->root)) {
      ids += std::string(v.rule->id) + "@" + std::to_string(v.offset) + " ";
    }
    return ids;
  };
  const std::string head = R"({"format_version":200,"storage":"w","layers":[)";
  const auto layer = [](std::string name, std::string bottom, std::string top,
                        std::string more = "") {
    return R"({"type":"t","name":")" + name + R"(","bottom":")" + bottom + R"(","top":")" + top +
           "\"" + more + "}";
  };
  EXPECT_EQ(broken(head + layer("a", "x", "y") + "," + layer("b", "y", "z") + "]}"), "");
  EXPECT_EQ(broken(R"({"format_version":201,"storage":"w","layers":[]})"), "format-version@18 ");
  EXPECT_EQ(broken(R"({"format_version":200,"storage":1,"layers":[]})"), "storage-named@32 ");
  EXPECT_EQ(broken(head + R"({"type":"t","top":"y"}]})"), "layer-names@46 ");
  EXPECT_EQ(broken(head + layer("a", "x", "y") + "," + layer("a", "y", "z") + "]}"),
            "layer-name-unique@112 ");
  EXPECT_EQ(broken(head + layer("a", "x", "y") + "," + layer("b", "x", "y") + "]}"),
            "top-unique@135 ");
  EXPECT_EQ(broken(head + layer("a", "z", "y") + "," + layer("b", "x", "z") + "]}"),
            "bottom-before@78 ");
  EXPECT_EQ(broken(head + layer("a", "x", "y", R"(,"blob_a":1,"blob_b":1)") + "]}"),
            "blob-unique@112 ");
  EXPECT_EQ(broken(R"({"layer_shapes":{"a":{"n":1,"k":0,"h":1,"w":1}}})"), "shape-extents@32 ");
  EXPECT_EQ(broken(R"({"layer_shapes":{"a":{"n":1,"k":1,"h":1,"w":1,"_rank":6}}})"),
            "shape-rank@54 ");
}

TEST(Espresso, PrintsTheWholeNetwork) {
  EXPECT_EQ(
      kFormat_espresso
          .print(ToBytes(R"({"format_version":200,"storage":"w","layers":[{"type":"pool",)"
                         R"("name":"p","bottom":"a,b","top":"c","size_x":2}],"properties":{}})"))
          .value(),
      "espresso network, format version 200, weights in \"w\", 1 layer\n"
      "  pool \"p\" (\"a\", \"b\") -> \"c\"\n"
      "    \"size_x\" = 2\n"
      "  \"properties\" = {}\n"
      "difference from the specification: this is JSON; specification 004 calls the .espresso.net "
      "representation a property list\n");
}

}  // namespace
}  // namespace anecheck::espresso
