// Tests that the parser reads the text of the writer, that its layout is the standard layout, and
// that the reader returns the values that were written.
#include "harness/formats/mil/text_writer.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/printer.h"
#include "harness/formats/mil/reader.h"

namespace anecheck::mil {
namespace {

using D = std::vector<int64_t>;

std::string Sample(Dialect dialect) {
  TextWriter writer(dialect);
  writer.BeginProgram();
  writer.BeginFunction("main");
  writer.Parameter(DataType::kFp16, D{1, 4}, "x");
  writer.StateParameter(DataType::kFp16, D{1, -1}, "cache");
  writer.BeginBody();
  writer.ConstInteger("axis", -1);
  writer.ConstIntegers("perm", std::array<int32_t, 2>{1, 0});
  writer.ConstBool("flag", true);
  writer.ConstBools("flags", std::array<bool, 2>{true, false});
  writer.ConstString("mode", "EX\"ACT");
  writer.ConstFloat16("half", Half{0x3800});
  writer.ConstFloat32("single", 1.5f);
  writer.ConstTensor("w", DataType::kFp16, D{2, 1}, std::array<uint8_t, 4>{0, 0x3c, 0, 0xc0});
  writer.ConstBlob("big", DataType::kInt8, D{3}, "@model_path/weights/weight.bin", 64);
  writer.Result(DataType::kFp16, D{1, 4}, "a");
  writer.Result(DataType::kFp16, {}, "b");
  writer.Op("split");
  writer.Integer("n", 2);
  writer.Name("x", "x");
  writer.Names("values", std::array<std::string_view, 2>{"x", "w"});
  writer.Float16("epsilon", Half{0x0001});
  writer.Bool("on", false);
  writer.String("pad_type", "valid");
  writer.BeginAttributes();
  writer.Float32("beta", -2.0f);
  writer.EndStatement("a_b");
  writer.Op("write_state");
  writer.Name("data", "a");
  writer.Name("input", "cache");
  writer.EndStatement("");
  writer.EndFunction({"a", "b"});
  writer.EndProgram();
  return writer.text();
}

TEST(TextWriter, WritesTheStandardSpelling) {
  EXPECT_EQ(Sample(Dialect::kIos18),
            R"(program(1.3)
[buildInfo = dict<string, string>({{"coremlc-component-MIL", "3520.4.1"}, {"coremlc-version", "3520.5.1"}})]
{
    func main<ios18>(tensor<fp16, [1, 4]> x, state<tensor<fp16, [1, ?]>> cache) {
            int32 axis = const()[name = string("axis"), val = int32(-1)];
            tensor<int32, [2]> perm = const()[name = string("perm"), val = tensor<int32, [2]>([1, 0])];
            bool flag = const()[name = string("flag"), val = bool(true)];
            tensor<bool, [2]> flags = const()[name = string("flags"), val = tensor<bool, [2]>([true, false])];
            string mode = const()[name = string("mode"), val = string("EX\"ACT")];
            fp16 half = const()[name = string("half"), val = fp16(0x1p-1)];
            fp32 single = const()[name = string("single"), val = fp32(0x1.8p+0)];
            tensor<fp16, [2, 1]> w = const()[name = string("w"), val = tensor<fp16, [2, 1]>([[0x1p+0], [-0x1p+1]])];
            tensor<int8, [3]> big = const()[name = string("big"), val = tensor<int8, [3]>(BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(64)))];
            tensor<fp16, [1, 4]> a, fp16 b = split(n = int32(2), x = x, values = (x, w), epsilon = fp16(0x1p-24), on = bool(false), pad_type = string("valid"))[beta = fp32(-0x1p+1), name = string("a_b")];
            write_state(data = a, input = cache);
        } -> (a, b);
})");
}

TEST(TextWriter, TextOfBothDialectsHasTheStandardLayout) {
  for (const Dialect dialect : {Dialect::kIos18, Dialect::kIos16}) {
    const std::string text = Sample(dialect);
    const auto program = Parse(text);
    ASSERT_TRUE(program.ok()) << program.error().message;
    EXPECT_TRUE(LayoutOf(*program).gaps.empty());
    EXPECT_EQ(Print(*program), text);
  }
  EXPECT_NE(Sample(Dialect::kIos16)
                .find("tensor<int32, []> axis = const()[name = tensor<string, "
                      "[]>(\"axis\"), val = tensor<int32, []>(-1)];"),
            std::string::npos);
}

TEST(Reader, GivesBackTheWrittenValues) {
  for (const Dialect dialect : {Dialect::kIos18, Dialect::kIos16}) {
    const auto program = Parse(Sample(dialect));
    ASSERT_TRUE(program.ok());
    const auto statements = Functions(*program)[0].block().statements();
    const auto value = [&](uint32_t i) { return *ConstantValue(statements[i]); };
    EXPECT_EQ(*ReadInteger(value(0)), -1);
    EXPECT_EQ(*ReadIntegers(value(1)), (std::vector<int64_t>{1, 0}));
    EXPECT_TRUE(*ReadBool(value(2)));
    EXPECT_EQ(*ReadBools(value(3)), (std::vector<bool>{true, false}));
    EXPECT_EQ(*ReadString(value(4)), "EX\"ACT");
    EXPECT_EQ(*ReadFloat(value(5)), 0.5);
    EXPECT_EQ(*ReadFloat(value(6)), 1.5);
    EXPECT_EQ(*ReadElements(value(7)), (std::vector<uint8_t>{0, 0x3c, 0, 0xc0}));
    const auto blob = ReadBlobReference(value(8));
    ASSERT_TRUE(blob.ok() && blob->has_value());
    EXPECT_EQ((*blob)->path, "@model_path/weights/weight.bin");
    EXPECT_EQ((*blob)->offset, 64u);
    EXPECT_FALSE(ReadBlobReference(value(7))->has_value());
    EXPECT_EQ(ElementCount(value(7).type()), 2u);
  }
}

TEST(Reader, FollowsNamesToConstants) {
  const auto program = Parse(Sample(Dialect::kIos18));
  ASSERT_TRUE(program.ok());
  const StatementView split = Functions(*program)[0].block().statements()[9];
  const auto values = TupleOrOne(*FindValue(split.arguments(), "values"));
  ASSERT_EQ(values.size(), 2u);
  EXPECT_FALSE(FollowConstant(values[0]).has_value()) << "x is a parameter";
  ASSERT_TRUE(FollowConstant(values[1]).has_value());
  EXPECT_EQ(FollowConstant(values[1])->type().dimensions()[0].value, 2);
  EXPECT_EQ(*ReadInteger(*FollowConstant(*FindValue(split.arguments(), "n"))), 2);
  EXPECT_FALSE(FindValue(split.arguments(), "none").has_value());
  EXPECT_EQ(TupleOrOne(*FindValue(split.arguments(), "x")).size(), 1u);
}

TEST(Reader, RefusesValuesThatDoNotFitTheirType) {
  const auto value = [](const std::string& literal) {
    static std::vector<std::unique_ptr<Program>> kept;
    auto program = Parse("program(1.3) { func f() { fp16 c = const(" + literal + "); } -> (c); }");
    EXPECT_TRUE(program.ok()) << program.error().message;
    kept.push_back(std::make_unique<Program>(std::move(program).value()));
    return *ConstantValue(StatementView(kept.back().get(), 0));
  };
  EXPECT_EQ(ReadInteger(value("int8(128)")).error().message,
            "expected a value of int8, found 128 (offset 0x2e)");
  EXPECT_TRUE(ReadInteger(value("int8(-128)")).ok());
  EXPECT_FALSE(ReadInteger(value("uint8(-1)")).ok());
  EXPECT_FALSE(ReadInteger(value("fp16(1)")).ok());
  EXPECT_FALSE(ReadInteger(value("int32(1.5)")).ok());
  EXPECT_FALSE(ReadInteger(value("tensor<int32, [2]>([1, 2])")).ok());
  EXPECT_FALSE(ReadBool(value("int32(1)")).ok());
  EXPECT_FALSE(ReadBool(value("bool(1)")).ok());
  EXPECT_FALSE(ReadString(value("string(1)")).ok());
  EXPECT_FALSE(ReadElements(value("string(\"a\")")).ok());
  EXPECT_FALSE(ReadElements(value("fp16(\"a\")")).ok());
  EXPECT_FALSE(ReadFloat(value("int32(1)")).ok());
  const std::string found = ", found f (offset 0x29)";
  EXPECT_EQ(ReadIntegers(value("f")).error().message, "expected an integer literal" + found);
  EXPECT_EQ(ReadBools(value("f")).error().message, "expected a bool literal" + found);
  EXPECT_EQ(ReadFloat(value("f")).error().message, "expected a float literal" + found);
  EXPECT_EQ(ReadElements(value("f")).error().message, "expected a literal" + found);
  EXPECT_FALSE(ReadIntegers(value("[[1]]")).ok());
  EXPECT_FALSE(ReadInteger(value("2147483648")).ok());
  EXPECT_FALSE(ReadBool(value("1")).ok());
  EXPECT_EQ(
      ReadFloat(value("0.1")).error().message,
      "0.1 differs between fp16 and fp32: write it with its type, as fp16(0.1) (offset 0x29)");
  EXPECT_EQ(*ReadElements(value("uint64(18446744073709551615)")), std::vector<uint8_t>(8, 0xff));
  EXPECT_EQ(*ReadElements(value("bf16(0x3f80)")), (std::vector<uint8_t>{0x80, 0x3f}));
  EXPECT_FALSE(ReadElements(value("bf16(1.0)")).ok());
}

RC_GTEST_PROP(TextWriter, TensorsOfAnyTypeReadBack, ()) {
  static constexpr std::array kTypes = {DataType::kFp16,   DataType::kFp32,  DataType::kFp64,
                                        DataType::kInt8,   DataType::kUint8, DataType::kInt16,
                                        DataType::kUint16, DataType::kInt32, DataType::kUint32,
                                        DataType::kInt64,  DataType::kUint64};
  const DataType type = kTypes[*rc::gen::inRange<size_t>(0, kTypes.size())];
  const D dimensions =
      *rc::gen::container<D>(*rc::gen::inRange<size_t>(0, 4), rc::gen::inRange<int64_t>(0, 4));
  size_t count = 1;
  for (const int64_t size : dimensions) count *= static_cast<size_t>(size);
  const auto width = static_cast<size_t>(DataTypeBits(type) / 8);
  auto bytes =
      *rc::gen::container<std::vector<uint8_t>>(count * width, rc::gen::arbitrary<uint8_t>());
  // The text of an fp32 or fp64 NaN does not have its payload, so no element may be a NaN.
  if (type == DataType::kFp32 || type == DataType::kFp64) {
    for (size_t i = width - 1; i < bytes.size(); i += width) bytes[i] &= 0xbf;
  }
  TextWriter writer(*rc::gen::element(Dialect::kIos18, Dialect::kIos16));
  writer.BeginProgram();
  writer.BeginFunction("f");
  writer.BeginBody();
  writer.ConstTensor("c", type, dimensions, bytes);
  writer.EndFunction({"c"});
  writer.EndProgram();
  const auto program = Parse(writer.text());
  RC_ASSERT(program.ok());
  RC_ASSERT(*ReadElements(*ConstantValue(StatementView(&*program, 0))) == bytes);
}

}  // namespace
}  // namespace anecheck::mil
