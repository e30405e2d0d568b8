// Tests the grammar of MIL text (every form in real files, and the forms that only sources
// describe) and the parser's messages for wrong texts.
#include "harness/formats/mil/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/printer.h"
#include "harness/formats/mil/test_files.h"

namespace anecheck::mil {
namespace {

using test::WithBody;

Program MustParse(const std::string& text) {
  auto program = Parse(text);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text;
  return program.ok() ? std::move(program).value() : Program();
}

std::string ErrorOf(const std::string& text) {
  const auto program = Parse(text);
  return program.ok() ? "parsed" : program.error().message;
}

std::vector<std::string> Tokens(const std::string& text) {
  std::vector<std::string> tokens;
  const char* at = SkipTrivia(text.c_str());
  while (*at != '\0') {
    const char* stop = SkipToken(at);
    if (stop == at) break;
    tokens.emplace_back(at, stop);
    at = SkipTrivia(stop);
  }
  return tokens;
}

// Returns the value of the attribute `val` of the only statement.
ValueView ValOf(const Program& program) {
  return StatementView(&program, 0).attributes()[0].value();
}
std::string Const(const std::string& literal) {
  return WithBody("tensor<fp16, [2]> c = const()[val = " + literal + "];");
}

TEST(RealFiles, OfAnalyticsHaveTheStandardLayout) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("analytics"));
  const auto files = test::RealMilFiles("analytics");
  EXPECT_EQ(files.size(), 39u);
  uint32_t buffers = 0;
  for (const auto& file : files) {
    SCOPED_TRACE(file.name);
    const auto program = Parse(file.text);
    ASSERT_TRUE(program.ok()) << program.error().message;
    EXPECT_EQ(Print(*program), file.text);
    for (const Type& type : program->types) buffers += type.kind == TypeKind::kBuffer ? 1 : 0;
  }
  EXPECT_EQ(buffers, 86u);
}

TEST(Parser, BufferTypesHaveThreeListsOfOneLength) {
  const std::string text =
      "program(1.3)\n{\n    func main<ios18>(tensor_buffer<fp16, shape=[1, 4], strides=[32, 1], "
      "interleave_factors=[1, 1]> x) {\n            tensor<fp16, [1, 4]> a = "
      "tensor_buffer_to_tensor<ios17>(input = x);\n            write<ios17>(input = a);\n        } "
      "-> (a);\n}";
  const Program program = MustParse(text);
  EXPECT_EQ(Print(program), text);
  const TypeView type = BindingView(&program, 0).type();
  ASSERT_EQ(type.kind(), TypeKind::kBuffer);
  EXPECT_EQ(type.data_type(), DataType::kFp16);
  ASSERT_EQ(type.dimensions().size(), 2u);
  EXPECT_EQ(type.dimensions()[1].value, 4);
  EXPECT_EQ(type.strides()[0].value, 32);
  EXPECT_EQ(type.interleave_factors()[1].value, 1);
  EXPECT_EQ(StatementView(&program, 0).op(), "tensor_buffer_to_tensor");
  EXPECT_EQ(StatementView(&program, 0).opset(), "ios17");
  EXPECT_EQ(StatementView(&program, 1).opset(), "ios17");
  const auto with = [&](std::string_view fields) {
    return ErrorOf(fmt::format(
        "program(1.3)\n{{\nfunc main<ios18>(tensor_buffer<fp16, {}> x) {{\n}} -> (x);\n}}",
        fields));
  };
  EXPECT_NE(with("shape=[1], strides=[32, 1], interleave_factors=[1]")
                .find("as many strides and factors"),
            std::string::npos);
  EXPECT_NE(with("strides=[1], shape=[1], interleave_factors=[1]").find("'shape' first"),
            std::string::npos);
}

TEST(RealFiles, ParseAndPrintTheSameTokensAndBytes) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("mil"));
  const auto files = test::RealMilFiles();
  EXPECT_EQ(files.size(), 11u);
  for (const auto& file : files) {
    SCOPED_TRACE(file.name);
    const auto program = Parse(file.text);
    ASSERT_TRUE(program.ok()) << program.error().message;
    EXPECT_EQ(Tokens(Print(*program)), Tokens(file.text));
    EXPECT_EQ(Print(*program, LayoutOf(*program)), file.text);
    EXPECT_LE(LayoutOf(*program).gaps.size(), 1u) << "real files have the standard layout";
    EXPECT_TRUE(program->duplicates.empty());
    for (uint32_t i = 0; i < program->values.size(); ++i) {
      const ValueView value(&*program, i);
      EXPECT_TRUE(value.kind() != ValueKind::kName || value.IsResolved()) << value.text();
    }
  }
}

TEST(Parser, ReadsAProgramIntoTables) {
  const Program program =
      MustParse(WithBody("tensor<fp16, [2]> y = add(x = x, y = x)[name = string(\"sum\")];", "y"));
  EXPECT_EQ(program.View(program.version), "1.3");
  ASSERT_EQ(Functions(program).size(), 1u);
  const FunctionView function = Functions(program)[0];
  EXPECT_EQ(function.name(), "main");
  EXPECT_EQ(function.opset(), "ios18");
  const BlockView block = function.block();
  ASSERT_EQ(block.parameters().size(), 1u);
  EXPECT_EQ(block.parameters()[0].name(), "x");
  EXPECT_TRUE(block.parameters()[0].IsParameter());
  EXPECT_EQ(block.parameters()[0].type().data_type(), DataType::kFp16);
  ASSERT_EQ(block.statements().size(), 1u);
  const StatementView statement = block.statements()[0];
  EXPECT_EQ(statement.op(), "add");
  ASSERT_EQ(statement.arguments().size(), 2u);
  EXPECT_EQ(statement.arguments()[1].name(), "y");
  EXPECT_EQ(statement.arguments()[1].value().binding().name(), "x");
  EXPECT_EQ(statement.attributes()[0].value().Inner().text(), "sum");
  ASSERT_EQ(block.outputs().size(), 1u);
  EXPECT_EQ(block.outputs()[0].binding().statement(), statement.index());
}

TEST(Parser, ReadsEveryKindOfType) {
  const Program program = MustParse(WithBody(
      "? a, tuple<> b, list<tensor<int32, [2]>, ?> c, dict<string, tensor<fp16, [?, 3]>> d, "
      "state<tensor<fp16, [1]>> e, tensor<?, []> f, other g = op();"));
  const auto results = StatementView(&program, 0).results();
  ASSERT_EQ(results.size(), 7u);
  EXPECT_EQ(results[0].type().kind(), TypeKind::kUnknown);
  EXPECT_EQ(results[1].type().kind(), TypeKind::kTuple);
  EXPECT_TRUE(results[1].type().children().empty());
  EXPECT_EQ(results[2].type().kind(), TypeKind::kList);
  EXPECT_EQ(results[2].type().dimensions()[0].value, Dimension::kUnknown);
  EXPECT_EQ(results[2].type().element().dimensions()[0].value, 2);
  EXPECT_EQ(results[3].type().children().size(), 2u);
  EXPECT_EQ(PrintType(results[3].type()), "dict<string, tensor<fp16, [?, 3]>>");
  EXPECT_EQ(results[4].type().element().data_type(), DataType::kFp16);
  EXPECT_EQ(results[5].type().data_type(), DataType::kOther);
  EXPECT_EQ(results[6].type().spelling(), "other");
}

TEST(Parser, ReadsEveryKindOfValue) {
  const Program names = MustParse(WithBody("tensor<fp16, [2]> y = concat(values = (x, x), z);"));
  const auto arguments = StatementView(&names, 0).arguments();
  EXPECT_EQ(arguments[0].value().kind(), ValueKind::kTuple);
  EXPECT_EQ(arguments[0].value().children().size(), 2u);
  EXPECT_EQ(arguments[1].name(), "");
  EXPECT_FALSE(arguments[1].value().IsResolved());

  const Program list = MustParse(Const("tensor<fp16, [2, 1]>([[0x1p-1], [-inf]])"));
  EXPECT_EQ(ValOf(list).Inner().children()[1].children()[0].text(), "-inf");
  EXPECT_EQ(ValOf(list).Inner().children()[1].children()[0].kind(), ValueKind::kNumber);

  const Program dict = MustParse(Const("dict<string, int32>({{\"a\", 1}, {\"b\", 2}})"));
  EXPECT_EQ(ValOf(dict).Inner().children()[1].children()[0].text(), "b");
  EXPECT_EQ(ValOf(MustParse(Const("dict<string, int32>({})"))).Inner().kind(), ValueKind::kDict);
  EXPECT_EQ(ValOf(MustParse(Const("dict<string, int32>({{}})"))).Inner().children().size(), 1u);
  EXPECT_EQ(ValOf(MustParse(Const("?(3)"))).type().kind(), TypeKind::kUnknown);
  EXPECT_EQ(ValOf(MustParse(Const("?"))).kind(), ValueKind::kUnknown);
  EXPECT_EQ(ValOf(MustParse(Const("bool(true)"))).Inner().kind(), ValueKind::kBool);
  EXPECT_EQ(ValOf(MustParse(Const("fp16(nan)"))).Inner().kind(), ValueKind::kNumber);
  EXPECT_EQ(ValOf(MustParse(Const("string(\"a\\\"b\")"))).Inner().text(), "a\\\"b");

  const Program blob = MustParse(
      Const("tensor<fp16, [2]>(BLOBFILE(path = string(\"w.bin\"), offset = uint64(64)))"));
  const ValueView file = ValOf(blob).Inner();
  EXPECT_EQ(file.kind(), ValueKind::kBlobFile);
  EXPECT_EQ(file.path().Inner().text(), "w.bin");
  EXPECT_EQ(file.blob_offset().Inner().text(), "64");
}

TEST(Parser, ReadsEverySpellingOfANumber) {
  for (const char* number : {"0", "-1", "+7", "1.5", ".5", "5.", "1e3", "1E-3", "1.5e+2", "0x1p-1",
                             "0x1.8p+1", "-0x.8p3", "0xFfp0", "0x3c00", "inf", "-inf", "+nan"}) {
    SCOPED_TRACE(number);
    EXPECT_EQ(ValOf(MustParse(Const(std::string("fp16(") + number + ")"))).Inner().text(), number);
  }
  for (const char* bad : {"1..2", "1e", "0x", "0x1p", "0x1.8", "--1", "1x", "1.2.3", ".", "-"}) {
    SCOPED_TRACE(bad);
    EXPECT_NE(ErrorOf(Const(std::string("fp16(") + bad + ")")), "parsed");
  }
}

TEST(Parser, ReadsStatementsWithoutResultsStatesAndNestedBlocks) {
  const Program program = MustParse(
      "program(1.3) {\n  func f<ios18>(state<tensor<fp16, [2]>> s, bool p) {\n"
      "    tensor<fp16, [2]> v = read_state(input = s);\n"
      "    write_state(input = s, data = v);\n"
      "    tensor<fp16, [2]> c = cond(pred = p)[] then() {\n"
      "      tensor<fp16, [2]> inner = relu(x = v);\n    } -> (inner) (int32 i) { } -> (v);\n"
      "    tensor<fp16, [2]> after = relu(x = inner);\n"
      "  } -> (c);\n  func g() { } -> ();\n}\n");
  EXPECT_FALSE(program.has_attributes);
  ASSERT_EQ(Functions(program).size(), 2u);
  EXPECT_EQ(Functions(program)[1].opset(), "");
  const BlockView block = Functions(program)[0].block();
  EXPECT_EQ(block.parameters()[0].type().kind(), TypeKind::kState);
  ASSERT_EQ(block.statements().size(), 4u);
  EXPECT_EQ(block.statements()[1].op(), "write_state");
  EXPECT_TRUE(block.statements()[1].results().empty());
  const auto blocks = block.statements()[2].blocks();
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].label(), "then");
  EXPECT_EQ(blocks[0].statements()[0].op(), "relu");
  EXPECT_TRUE(blocks[0].outputs()[0].IsResolved());
  EXPECT_EQ(blocks[1].label(), "");
  EXPECT_EQ(blocks[1].parameters()[0].name(), "i");
  EXPECT_FALSE(block.statements()[3].arguments()[0].value().IsResolved())
      << "the names of a block are unknown after it";
}

TEST(Parser, ResolvesNamesToTheDefinitionBefore) {
  const Program program = MustParse(WithBody(
      "fp16 a = op(x = a); fp16 b = op(x = a, y = x); fp16 b = op(x = b); fp16 x = op();"));
  EXPECT_FALSE(StatementView(&program, 0).arguments()[0].value().IsResolved());
  EXPECT_EQ(StatementView(&program, 1).arguments()[0].value().binding().statement(), 0u);
  EXPECT_EQ(StatementView(&program, 2).arguments()[0].value().binding().statement(), 1u);
  ASSERT_EQ(program.duplicates.size(), 2u);
  EXPECT_EQ(BindingView(&program, program.duplicates[0]).name(), "b");
  EXPECT_EQ(BindingView(&program, program.duplicates[1]).name(), "x");
}

TEST(Parser, ResolvesThousandsOfNames) {
  std::string body;
  for (int i = 0; i < 3000; ++i) {
    body += "fp16 name_" + std::to_string(i) +
            " = op(x = " + (i == 0 ? "x" : "name_" + std::to_string(i / 2)) + "); ";
  }
  const Program program = MustParse(WithBody(body));
  EXPECT_TRUE(program.duplicates.empty());
  for (uint32_t i = 1; i < 3000; ++i) {
    ASSERT_EQ(StatementView(&program, i).arguments()[0].value().binding().statement(), i / 2);
  }
}

TEST(Parser, KeepsOtherLayoutsAndComments) {
  const std::string text =
      "  // head\nprogram (1.3)[a=string(\"b\")]{func main<ios18>(tensor<fp16,[2]>x)/* body */{\n"
      "fp16 y=op(x=x,b=tensor<int32,[2]>([ 1,2 ]));}->(y) ;} // end\n\n";
  const Program program = MustParse(text);
  const Layout layout = LayoutOf(program);
  EXPECT_EQ(Print(program, layout), text);
  EXPECT_EQ(layout.tokens, Tokens(text).size());
  EXPECT_EQ(Tokens(Print(program)), Tokens(text));
  EXPECT_TRUE(LayoutOf(MustParse(Print(program))).gaps.empty());
}

TEST(Parser, NamesTheExpectedTokenAndThePlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"",
       "1:1: expected 'program' at the start of the text, found the end of the text (offset "
       "0x0)"},
      {"program(1.3",
       "1:12: expected ')' after the version, found the end of the text (offset 0xb)"},
      {"program(x) {}", "1:9: expected a version, for example 1.3, found 'x' (offset 0x8)"},
      {"program(1.3)\n{\n  fun main", "3:3: expected 'func' or '}', found 'fun' (offset 0x11)"},
      {"program(1.3) func",
       "1:14: expected '[' or '{' after program(...), found 'func' (offset "
       "0xd)"},
      {"program(1.3) {} x", "1:17: expected nothing after the last '}', found 'x' (offset 0x10)"},
      {"program(1.3) {\n  func main<ios18>(fp16) ",
       "2:24: expected the name of a parameter, found ')' (offset 0x26)"},
      {"program(1.3) { func m(tensor<fp16, [1, x]> a) ",
       "1:40: expected a dimension (an integer or '?'), found 'x' (offset 0x27)"},
      {"program(1.3) { func m(map<fp16> a) ",
       "1:23: expected 'tensor', 'tensor_buffer', 'list', 'tuple', 'dict' or 'state' before '<', "
       "found 'map' "
       "(offset 0x16)"},
      {"program(1.3) { func m() { fp16 y relu",
       "1:34: expected ',' or '=' after a result, found 'relu' (offset 0x21)"},
      {"program(1.3) { func m() { fp16 y = relu(x = \n  ) ",
       "2:3: expected a value, found ')' (offset 0x2f)"},
      {"program(1.3) { func m() { fp16 y = relu(x = y; ",
       "1:46: expected ',' or ')' after an argument, found ';' (offset 0x2d)"},
      {"program(1.3) { func m() { fp16 y = relu(x = y) } ",
       "1:48: expected ';' or '[' after the arguments, found '}' (offset 0x2f)"},
      {"program(1.3) { func m() { fp16 y = relu()[name = string(\"abc)]\n",
       "1:57: expected a string that ends on its line, found an unterminated string (offset 0x38)"},
      {"program(1.3) { func m() { fp16 y = c()[v = fp16(1.2.3)]; ",
       "1:49: expected a value, found '1' (offset 0x30)"},
      {"program(1.3) { func m() { fp16 y = c()[v = BLOBFILE(offset = 1)]; ",
       "1:53: expected 'path' first in BLOBFILE, found 'offset' (offset 0x34)"},
      {"program(1.3) { func m() { } (y); ",
       "1:29: expected '->' and the outputs after '}', found '(' (offset 0x1c)"},
      {"program(1.3) \x80",
       "1:14: expected '[' or '{' after program(...), found the byte 0x80 "
       "(offset 0xd)"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(ErrorOf(text), message) << text;
}

TEST(Parser, MarksTruncationAndGivesTheOffset) {
  const auto cut = Parse("program(1.3) {");
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code, ErrorCode::kTruncated);
  EXPECT_EQ(cut.error().offset, 14u);
  const auto zero = Parse(std::string("program(1.3) {\0}", 16));
  ASSERT_FALSE(zero.ok());
  EXPECT_EQ(zero.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(zero.error().message, "1:15: expected 'func' or '}', found the byte 0x00 (offset 0xe)");
}

TEST(Parser, BoundsNestingOfTypesValuesAndBlocks) {
  const auto repeat = [](const std::string& piece, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += piece;
    return out;
  };
  EXPECT_EQ(ErrorOf(Const("fp16(" + repeat("[", 30) + repeat("]", 30) + ")")), "parsed");
  for (const auto& [open, what] :
       {std::pair("[", "values"), std::pair("(", "values"), std::pair("{{", "values"),
        std::pair("fp16(", "values"), std::pair("BLOBFILE(path = ", "values")}) {
    const auto deep = Parse(Const(repeat(open, 100000)));
    ASSERT_FALSE(deep.ok());
    EXPECT_EQ(deep.error().code, ErrorCode::kLimit) << open;
    EXPECT_NE(deep.error().message.find(what), std::string::npos);
  }
  const auto types = Parse(WithBody(repeat("state<", 100000)));
  ASSERT_FALSE(types.ok());
  EXPECT_EQ(types.error().code, ErrorCode::kLimit);
  const auto blocks = Parse(WithBody(repeat("op() { ", 100000)));
  ASSERT_FALSE(blocks.ok());
  EXPECT_EQ(blocks.error().code, ErrorCode::kLimit);
}

TEST(Lexer, LocatesLinesAndColumns) {
  const std::string_view text = "ab\ncd\n";
  EXPECT_EQ(Locate(text, 0).line, 1u);
  EXPECT_EQ(Locate(text, 0).column, 1u);
  EXPECT_EQ(Locate(text, 2).column, 3u);
  EXPECT_EQ(Locate(text, 4).line, 2u);
  EXPECT_EQ(Locate(text, 4).column, 2u);
  EXPECT_EQ(Locate(text, 6).line, 3u);
}

}  // namespace
}  // namespace anecheck::mil
