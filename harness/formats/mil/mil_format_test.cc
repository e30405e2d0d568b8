// Tests the MIL format: round trips of real files and other layouts, print, JSON and rules.
#include "harness/formats/mil/mil_format.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/json_pointer.h"
#include "harness/base/json_text.h"
#include "harness/formats/format.h"
#include "harness/formats/mil/test_files.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::mil {
namespace {

using test::ToBytes;
using test::ToText;
using test::WithBody;

std::vector<std::string> Broken(const std::string& text) {
  const auto violations = kFormat_mil.verify(ToBytes(text));
  EXPECT_TRUE(violations.ok()) << violations.error().message << "\n" << text;
  std::vector<std::string> broken;
  for (const Violation& violation : *violations) {
    broken.push_back(violation.message + " at '" + text.substr(violation.offset, 6) + "'");
  }
  return broken;
}

std::string JsonError(const Json& json) {
  const auto bytes = kFormat_mil.from_json(json);
  return bytes.ok() ? "written" : bytes.error().message;
}

TEST(MilFormat, RealFilesRoundTripAndBreakNoRule) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("mil"));
  std::vector<test::File> files = test::RealMilFiles();
  std::ranges::move(test::RealMilFiles("analytics"), std::back_inserter(files));
  for (const auto& file : files) {
    SCOPED_TRACE(file.name);
    const Bytes bytes = ToBytes(file.text);
    testing::CheckValidFile(kFormat_mil, bytes, file.name);
    EXPECT_EQ(kFormat_mil.recognise(bytes, ""), 100);
    EXPECT_EQ(Broken(file.text), std::vector<std::string>());
    const auto coverage = kFormat_mil.count_bytes(bytes);
    EXPECT_EQ(coverage->typed + coverage->fill, coverage->total);
    EXPECT_GT(coverage->typed, coverage->fill);
  }
}

TEST(MilFormat, JsonHasEveryPartOfTheText) {
  const std::string text =
      "program(1.0)\n{\n    func f<ios15>(bool p) [k = {{\"a\", ?}}] {\n"
      "            int32 a, fp16 b = op((p, q), z = tensor<fp16, [1]>([0x1p+0]))[v = "
      "BLOBFILE(path = string(\"w\\\"\"), offset = uint64(64))] then(int32 i) {\n"
      "                } -> (i);\n        } -> (a);\n} // end\n";
  const Json json = kFormat_mil.to_json(ToBytes(text)).value();
  EXPECT_EQ(DumpJson(json),
            R"({"format":"mil","version":"1.0","functions":[{"name":"f","opset":"ios15",)"
            R"("parameters":[{"type":"bool","name":"p"}],)"
            R"("attributes":[{"name":"k","value":{"dict":[[{"string":"a"},"?"]]}}],)"
            R"("statements":[{"results":[{"type":"int32","name":"a"},{"type":"fp16","name":"b"}],)"
            R"("op":"op","arguments":[{"value":{"tuple":[{"name":"p"},{"name":"q"}]}},)"
            R"({"name":"z","value":{"type":"tensor<fp16, [1]>","value":["0x1p+0"]}}],)"
            R"("attributes":[{"name":"v","value":{"blobfile":{"path":{"type":"string","value":)"
            R"({"string":"w\\\""}},"offset":{"type":"uint64","value":64}}}}],)"
            R"("blocks":[{"label":"then","parameters":[{"type":"int32","name":"i"}],)"
            R"("statements":[],"outputs":["i"]}]}],"outputs":["a"]}],)"
            R"("gaps":[{"before":95,"text":" // end\n"}]})");
  EXPECT_EQ(ToText(*kFormat_mil.from_json(json)), text);
}

TEST(MilFormat, JsonKeepsTextThatIsNotUtf8) {
  for (const char* raw : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xc3",
                          "\xc3\xa9", "\xf0\x9f\x98\x80"}) {
    const std::string text = WithBody(std::string("string c = const()[val = string(\"") + raw +
                                      "\")]; // " + raw + "\n");
    const Json json = kFormat_mil.to_json(ToBytes(text)).value();
    const auto again = ParseJson(DumpJson(json));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(ToText(*kFormat_mil.from_json(*again)), text);
  }
}

TEST(MilFormat, JsonErrorsNameTheMember) {
  const Json good =
      kFormat_mil.to_json(ToBytes(WithBody("fp16 y = relu(x = x)[name = string(\"y\")];"))).value();
  const auto edited = [&](std::string_view pointer, const Json& value) {
    Json json = good;
    json[JsonPointer(std::string(pointer))] = value;
    return JsonError(json);
  };
  const std::string statement = "/functions/0/statements/0";
  EXPECT_EQ(JsonError(good), "written");
  EXPECT_EQ(JsonError(Json::array()), "mil json: file: must be an object");
  EXPECT_EQ(edited("/version", 1), "mil json: file: version must be text");
  EXPECT_EQ(edited("/version", "1.3) {"),
            "mil json: file: version must be a number, for example \"1.3\"");
  EXPECT_EQ(edited("/functions", 1), "mil json: functions: must be an array");
  EXPECT_EQ(edited("/functions/0/name", "a b"),
            "mil json: functions[0].name: must be a name: letters, digits and _, no digit first");
  EXPECT_EQ(edited("/functions/0/parameters/0/type", "tensor<fp16"),
            "mil json: functions[0].parameters[0].type: tensor<fp16 is no type");
  EXPECT_EQ(edited("/functions/0/outputs/0", 7),
            "mil json: functions[0].outputs[0]: must be a name");
  EXPECT_EQ(edited(statement + "/op", ""),
            "mil json: functions[0].statements[0].op: must be a name: letters, digits and _, no "
            "digit first");
  EXPECT_EQ(edited(statement + "/arguments/0/value", nullptr),
            "mil json: functions[0].statements[0].arguments[0].value: must be a value");
  EXPECT_EQ(edited(statement + "/arguments/0/value", "1x"),
            "mil json: functions[0].statements[0].arguments[0].value: must be a number's spelling "
            "or ?");
  EXPECT_EQ(edited(statement + "/attributes/0/value/value/string", "a\"b"),
            "mil json: functions[0].statements[0].attributes[0].value.value: the string must have "
            "its quotes, line ends and \\ escaped");
  EXPECT_EQ(edited("/gaps", Json::array({{{"before", 1}, {"text", "x"}}})),
            "mil json: gaps[0]: text must be white space and comments");
  EXPECT_EQ(edited("/gaps", Json::array({{{"before", 100000}, {"text", " "}}})),
            "mil json: gaps: they join tokens or lie behind the last; leave a space");
  Json deep = 1;
  for (int i = 0; i < 60; ++i) deep = Json::array({deep});
  EXPECT_NE(edited(statement + "/arguments/0/value", deep).find("nested deeper than 32"),
            std::string::npos);
}

TEST(MilFormat, GapsThatJoinTokensAreRefused) {
  Json json = kFormat_mil.to_json(ToBytes(WithBody("fp16 y = relu(x = x);"))).value();
  const std::string text = ToText(*kFormat_mil.from_json(json));
  int refused = 0;
  for (uint32_t token = 1; token < 60; ++token) {
    json["gaps"] = Json::array({{{"before", token}, {"text", ""}}});
    const auto bytes = kFormat_mil.from_json(json);
    if (!bytes.ok()) {
      ++refused;
    } else {
      EXPECT_EQ(kFormat_mil.to_json(*bytes)->at("functions"), json["functions"]);
    }
  }
  EXPECT_GT(refused, 3) << "the space in `func main`, `fp16 y` and others separates tokens";
}

TEST(MilFormat, PrintsASummary) {
  const std::string text =
      "program(1.3)\n[buildInfo = dict<string, string>({{\"a\", \"b\"}})]\n{\n"
      "    func main<ios18>(tensor<fp16, [1, ?]> x, state<tensor<fp16, [2]>> s) {\n"
      "            tensor<fp16, [4]> w = const()[val = tensor<fp16, [4]>(BLOBFILE(path = "
      "string(\"w.bin\"), offset = uint64(64)))];\n"
      "            tensor<fp16, []> a = relu(x = x);\n"
      "            tensor<fp16, [4]> b = relu(x = w);\n        } -> (b, c);\n}";
  EXPECT_EQ(*kFormat_mil.print(ToBytes(text)),
            "MIL program, version 1.3\n"
            "buildInfo = dict<string, string>({{\"a\", \"b\"}})\n"
            "function main, opset ios18\n"
            "  input   x: tensor<fp16, [1, ?]>\n"
            "  input   s: state<tensor<fp16, [2]>>\n"
            "  output  b: tensor<fp16, [4]>\n"
            "  output  c: undefined\n"
            "  3 statements: 1 const, 2 relu\n"
            "1 blob in w.bin, the last at 64\n"
            "1 scalar spelled tensor<T, []>, where the notes spell T\n");
}

TEST(MilFormat, RecognisesByTheFirstTokens) {
  const auto sure = [](const std::string& text, std::string_view path) {
    return kFormat_mil.recognise(ToBytes(text), path);
  };
  EXPECT_EQ(sure("program(1.3)", ""), 100);
  EXPECT_EQ(sure("// x\n program /* */ (", "a.bin"), 100);
  EXPECT_EQ(sure("programme(1.3)", ""), 0);
  EXPECT_EQ(sure("programme(1.3)", "model.mil"), 30);
  EXPECT_EQ(sure("", ""), 0);
}

TEST(MilFormat, TextBetweenTokensIsFill) {
  const std::string text =
      "program(1.3){func m<ios18>(fp16 x){fp16 y=f(s=string(\"a b\"));}->(y);}";
  const auto coverage = kFormat_mil.count_bytes(ToBytes(text));
  EXPECT_EQ(coverage->fill, 3u)
      << "the spaces in `func m`, `fp16 x` and `fp16 y`; a string is one token";
  EXPECT_EQ(coverage->typed, text.size() - 3);
  const auto commented = kFormat_mil.count_bytes(ToBytes(text + "/*abc*/"));
  EXPECT_EQ(commented->typed, coverage->typed);
  EXPECT_EQ(commented->fill, 3u + 7);
}

// Each text breaks exactly the rule in its row.
TEST(MilRules, EachIsBrokenAlone) {
  const std::string head = "program(1.3)\n{\n    func main<ios18>(tensor<fp16, [2]> x) {\n";
  const auto program = [&](const std::string& before, const std::string& body) {
    return before + "{ func main<ios18>(tensor<fp16, [2]> x) { " + body + " } -> (x); }";
  };
  const auto constant = [&](const std::string& type, const std::string& value) {
    return WithBody(type + " c = const()[val = " + type + "(" + value + ")];");
  };
  const std::pair<std::string, std::string> cases[] = {
      {"version-known", program("program(2.0)", "")},
      {"build-info-strings", program("program(1.3)[buildInfo = string(\"a\")]", "")},
      {"build-info-strings",
       program("program(1.3)[buildInfo = dict<string, int32>({{\"a\", 1}})]", "")},
      {"opset-known", "program(1.3) { func main<ios99>() { } -> (); }"},
      {"opset-known", "program(1.3) { func main() { } -> (); }"},
      {"unique-functions",
       "program(1.3) { func f<ios18>() { } -> (); func f<ios18>() { } -> (); }"},
      {"unique-definitions", WithBody("fp16 y = op(x = x); fp16 y = op(x = x);")},
      {"defined-before-use", WithBody("fp16 y = op(x = z);")},
      {"defined-before-use", WithBody("fp16 y = op(x = y);")},
      {"outputs-defined", WithBody("", "z")},
      {"type-known", WithBody("tensor<half, [2]> y = op(x = x);")},
      {"dimension-range", WithBody("tensor<fp16, [-2]> y = op(x = x);")},
      {"dimension-range", WithBody("tensor<fp16, [99999999999999999999]> y = op(x = x);")},
      {"literal-shape", constant("tensor<fp16, [2]>", "[0x1p+0]")},
      {"literal-shape", constant("tensor<fp16, [1]>", "1")},
      {"literal-shape", constant("fp16", "[1]")},
      {"literal-shape", constant("tuple<int32, int32>", "(1)")},
      {"literal-shape", constant("dict<string, int32>", "[1]")},
      {"literal-shape", constant("list<int32, 2>", "[1]")},
      {"literal-element", constant("int8", "128")},
      {"literal-element", constant("uint8", "-1")},
      {"literal-element", constant("bool", "1")},
      {"literal-element", constant("string", "1")},
      {"literal-element", constant("fp16", "\"a\"")},
      {"literal-element", constant("fp16", "0x10000")},
      {"literal-element", constant("dict<string, int32>", "{{1, 1}}")},
      {"const-has-value", WithBody("fp16 c = const()[name = string(\"c\")];")},
      {"const-type", WithBody("fp16 c = const()[val = fp32(1)];")},
      {"const-type", WithBody("tensor<fp16, [1]> c = const()[val = tensor<fp16, [2]>([1, 2])];")},
      {"blob-place", constant("tensor<fp16, [2]>", "BLOBFILE(path = \"w\", offset = uint64(64))")},
      {"blob-place",
       constant("tensor<fp16, [2]>", "BLOBFILE(path = string(\"w\"), offset = int32(64))")},
      {"blob-aligned",
       constant("tensor<fp16, [2]>", "BLOBFILE(path = string(\"w\"), offset = uint64(65))")},
      {"blob-aligned",
       constant("tensor<fp16, [2]>", "BLOBFILE(path = string(\"w\"), offset = uint64(0))")},
      {"keyword-arguments", WithBody("fp16 y = relu(x);")},
      {"unique-arguments", WithBody("fp16 y = add(x = x, x = x);")},
      {"unique-arguments", WithBody("fp16 y = op()[a = 1, a = 2];")},
      {"name-is-string", WithBody("fp16 y = relu(x = x)[name = int32(1)];")},
      {"state-parameters", WithBody("state<tensor<fp16, [2]>> y = op(x = x);")},
      {"state-parameters", "program(1.3) { func main<ios18>(state<fp16> s) { } -> (); }"},
      {"state-operand", WithBody("tensor<fp16, [2]> y = read_state(input = x);")},
      {"state-operand", WithBody("write_state(data = x);")},
      {"flexible-shape-names",
       "program(1.3) { func main<ios18>(tensor<fp16, [?]> x) [FlexibleShapeInformation = "
       "tuple<tuple<string, dict<string, tensor<int32, [?]>>>>(((\"DefaultShapes\", {{\"y\", "
       "[1]}})))] { } -> (x); }"},
      {"nested-blocks", WithBody("fp16 y = relu(x = x) { } -> ();")},
      {"nested-blocks", WithBody("fp16 y = cond(pred = x) { } -> ();")},
  };
  for (const auto& [rule, text] : cases) {
    const auto broken = Broken(text);
    ASSERT_EQ(broken.size(), 1u) << text << "\n" << ::testing::PrintToString(broken);
    EXPECT_EQ(broken[0].substr(0, broken[0].find(':')), rule) << text;
  }
  for (const Rule& rule : kFormat_mil.rules) {
    const bool covered = std::any_of(std::begin(cases), std::end(cases),
                                     [&](const auto& item) { return item.first == rule.id; });
    EXPECT_TRUE(covered) << rule.id;
  }
}

TEST(MilRules, NameThePlaceAndTheFault) {
  EXPECT_EQ(Broken(WithBody("int8 c = const()[val = int8(128)]; fp16 y = relu(x = zero);")),
            (std::vector<std::string>{"literal-element: 128 is no int8 at '128)];'",
                                      "defined-before-use: zero is not defined at 'zero);'"}));
}

TEST(MilRules, AcceptSetsOfShapes) {
  const auto text = [](const std::string& name) {
    return "program(1.3) { func main<ios18>(tensor<fp16, [?]> x) [FlexibleShapeInformation = "
           "tuple<tuple<string, dict<string, dict<string, tensor<int32, [?]>>>>>"
           "(((\"EnumeratedShapes\", {{\"set_1\", {{\"" +
           name + "\", [1]}}}})))] { } -> (x); }";
  };
  EXPECT_EQ(Broken(text("x")), std::vector<std::string>());
  EXPECT_EQ(Broken(text("y")).size(), 1u);
}

TEST(MilRules, AcceptValidForms) {
  for (const char* body : {
           "fp16 c = const()[val = fp16(0x3c00)];",
           "bf16 c = const()[val = bf16(1.5)];",
           "int32 c = const(int32(1));",
           "tensor<fp16, []> c = const()[val = tensor<fp16, []>(-inf)];",
           "tensor<uint4, [2, 0]> c = const()[val = tensor<uint4, [2, 0]>([[], []])];",
           "tensor<int32, [?]> c = const()[val = tensor<int32, [?]>([1, 2, 3])];",
           "tensor<int32, [2, 3]> c = const()[val = tensor<int32, [2, 3]>([1, 2, 3, 4, 5, 6])];",
           "tensor<int32, [?, 3]> c = const()[val = tensor<int32, [?, 3]>([1, 2, 3])];",
           "uint64 c = const()[val = uint64(18446744073709551615)];",
           "? c = const()[val = ?(3)];",
           "bool c = const()[val = tensor<bool, []>(true)];",
           "dict<string, int32> c = const()[val = dict<string, int32>({{}})];",
           "fp16 c = cond(pred = x) { fp16 t = relu(x = x); } -> (t) { fp16 t = relu(x = x); } -> "
           "(t);",
       }) {
    EXPECT_EQ(Broken(WithBody(body)), std::vector<std::string>()) << body;
  }
}

}  // namespace
}  // namespace anecheck::mil
