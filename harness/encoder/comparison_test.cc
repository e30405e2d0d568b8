// Tests containers of comparisons, choices, roundings and casts. They compute the results of their
// graphs, keep the rules of `inspect --verify`, and have the register words that determine results
// in a compiler's records (the public repository joshuaswarren/mil-hwx-compiler,
// research/oracles/h13/boolean).
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/emulator/program_rules.h"
#include "harness/encoder/encode.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/rules.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/ops/op.h"

namespace anecheck::encoder {
namespace {

using ::testing::HasSubstr;

constexpr std::array kNumbers = {0.0, -0.0,    0.5,      -0.5,    1.0,      -1.0, 2.75, -2.75,
                                 3.0, 0x1p-24, -0x1p-24, 65504.0, -65504.0, 1.5,  -1.5, 7.0};
constexpr size_t kCount = kNumbers.size();

Result<Bytes> ContainerOf(const std::string& inputs, const std::string& statements,
                          const std::string& target = "h13") {
  const std::string text =
      fmt::format("program(1.3)\n{{\n  func main<ios18>({}) {{\n    {}\n  }} -> (z);\n}}\n", inputs,
                  statements);
  const auto graph = MilTextToGraph(text, OpVocabulary());
  EXPECT_TRUE(graph.ok()) << graph.error().message << "\n" << text;
  if (!graph.ok()) return graph.error();
  return Encode(*graph, {.target = target});
}

void ExpectRules(const Bytes& bytes) {
  const auto container = hwx::Parse(bytes);
  ASSERT_TRUE(container.ok()) << container.error().message;
  for (const Violation& violation : hwx::Verify(*container)) {
    ADD_FAILURE() << violation.rule->id << ": " << violation.message;
  }
  const auto program = emulator::LoadProgram(bytes);
  ASSERT_TRUE(program.ok()) << program.error().message;
  for (const Violation& violation : emulator::VerifyProgram(*program, 0)) {
    ADD_FAILURE() << violation.message;
  }
}

constexpr const char* kHalf = "tensor<fp16, [1, 1, 16, 16]>";
constexpr const char* kBool = "tensor<bool, [1, 1, 16, 16]>";

// The elements are every pair of numbers. x changes with the row and y with the column.
uint16_t XOf(size_t i) { return DoubleToHalf(kNumbers[i / kCount]).bits; }
uint16_t YOf(size_t i) { return DoubleToHalf(kNumbers[i % kCount]).bits; }
uint16_t TruthOf(size_t i) { return i * i % 7 < 3 ? 1 : 0; }

// Returns the elements of z, in the arithmetic of the family.
std::vector<uint16_t> Outcome(const Bytes& bytes) {
  auto program = emulator::LoadProgram(bytes);
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return {};
  std::vector<std::string> names;
  for (const emulator::Port& port : program->ports) {
    if (port.output) continue;
    std::vector<uint16_t> values(port.Count());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = port.element == 1  ? TruthOf(port.name == "d" ? i + 2 : i)
                  : port.name == "x" ? XOf(i)
                                     : YOf(i);
    }
    EXPECT_TRUE(program->WritePort(port.name, values).ok());
  }
  emulator::RunOptions options;
  options.arithmetic.model = &emulator::FamilyModel(program->version);
  const auto report = emulator::RunProgram(*program, options);
  EXPECT_TRUE(report.ok()) << report.error().message;
  for (const emulator::Port& port : program->ports) {
    if (port.output) return program->ReadPort(port.name).value();
  }
  return {};
}

void ExpectBools(const std::string& inputs, const std::string& statements,
                 const std::function<bool(size_t)>& expected) {
  SCOPED_TRACE(statements);
  const auto bytes = ContainerOf(inputs, statements);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  ExpectRules(*bytes);
  const auto z = Outcome(*bytes);
  ASSERT_EQ(z.size(), kCount * kCount);
  for (size_t i = 0; i < z.size(); ++i) ASSERT_EQ(z[i], expected(i) ? 1 : 0) << i;
}

std::string Pair() { return fmt::format("{0} x, {0} y", kHalf); }

TEST(Comparisons, AreTrueForEachPairAsTheirNamesSay) {
  const std::pair<const char*, std::function<bool(double, double)>> rows[] = {
      {"less", std::less<>()},       {"less_equal", std::less_equal<>()},
      {"greater", std::greater<>()}, {"greater_equal", std::greater_equal<>()},
      {"equal", std::equal_to<>()},  {"not_equal", std::not_equal_to<>()}};
  for (const auto& [name, holds] : rows) {
    ExpectBools(Pair(), fmt::format("{} z = {}(x = x, y = y);", kBool, name), [&](size_t i) {
      return holds(HalfToDouble(Half{XOf(i)}), HalfToDouble(Half{YOf(i)}));
    });
  }
}

TEST(Comparisons, TakeAConstantAndACastOfTheirResult) {
  ExpectBools(fmt::format("{} x", kHalf),
              fmt::format("fp16 c = const()[val = fp16(0x1.8p+0)];\n"
                          "{} z = greater_equal(x = x, y = c);",
                          kBool),
              [](size_t i) { return HalfToDouble(Half{XOf(i)}) >= 1.5; });
  const auto bytes =
      ContainerOf(Pair(), fmt::format("{} b = less(x = x, y = y);\n"
                                      "string dt = const()[val = string(\"fp16\")];\n"
                                      "{} z = cast(x = b, dtype = dt);",
                                      kBool, kHalf));
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  ExpectRules(*bytes);
  const auto z = Outcome(*bytes);
  ASSERT_EQ(z.size(), kCount * kCount);
  for (size_t i = 0; i < z.size(); ++i) {
    const bool less = HalfToDouble(Half{XOf(i)}) < HalfToDouble(Half{YOf(i)});
    ASSERT_EQ(z[i], less ? 0x3c00 : 0) << i;
  }
}

TEST(Comparisons, HaveInverses) {
  ExpectBools(fmt::format("{} c", kBool), fmt::format("{} z = logical_not(x = c);", kBool),
              [](size_t i) { return TruthOf(i) == 0; });
}

void ExpectNumbers(const std::string& inputs, const std::string& statements,
                   const std::function<double(size_t)>& expected) {
  SCOPED_TRACE(statements);
  const auto bytes = ContainerOf(inputs, statements);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  ExpectRules(*bytes);
  const auto z = Outcome(*bytes);
  ASSERT_EQ(z.size(), kCount * kCount);
  for (size_t i = 0; i < z.size(); ++i) {
    ASSERT_EQ(HalfToDouble(Half{z[i]}), expected(i)) << i;
  }
}

TEST(Select, TakesOneOfTwoOperands) {
  const auto number = [](uint16_t bits) { return HalfToDouble(Half{bits}); };
  ExpectNumbers(fmt::format("{} c, {}", kBool, Pair()),
                fmt::format("{} z = select(cond = c, a = x, b = y);", kHalf),
                [&](size_t i) { return number(TruthOf(i) != 0 ? XOf(i) : YOf(i)); });
}

TEST(Select, FillsWithMinusInfinity) {
  ExpectNumbers(fmt::format("{} c, {} x", kBool, kHalf),
                fmt::format("fp16 low = const()[val = fp16(-inf)];\n"
                            "{} z = select(cond = c, a = low, b = x);",
                            kHalf),
                [](size_t i) { return TruthOf(i) != 0 ? -INFINITY : HalfToDouble(Half{XOf(i)}); });
}

TEST(Rounding, IsDownOrUp) {
  ExpectNumbers(fmt::format("{} x", kHalf), fmt::format("{} z = floor(x = x);", kHalf),
                [](size_t i) { return std::floor(HalfToDouble(Half{XOf(i)})); });
  ExpectNumbers(fmt::format("{} x", kHalf), fmt::format("{} z = ceil(x = x);", kHalf),
                [](size_t i) { return std::ceil(HalfToDouble(Half{XOf(i)})); });
}

TEST(Sign, IsOneTaskWithTheWordsOfARecord) {
  const std::string sign = fmt::format("{} z = sign(x = x);", kHalf);
  ExpectNumbers(fmt::format("{} x", kHalf), sign, [](size_t i) {
    const double x = HalfToDouble(Half{XOf(i)});
    return x == 0 ? 0.0 : std::copysign(1.0, x);
  });
  const auto bytes = ContainerOf(fmt::format("{} x", kHalf), sign);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto container = hwx::Parse(*bytes);
  ASSERT_TRUE(container.ok());
  const auto& tasks = container->Text()->tasks->tasks;
  ASSERT_EQ(tasks.size(), 1u);
  // kernels/unary/sign.bin of the public repository eiln/ane, without extents and scheduling words.
  const std::pair<uint32_t, uint32_t> words[] = {
      {0x8, 0x22},      {0x24, 0x14001},       {0x4804, 0x500172},   {0x4830, 0x50017a},
      {0xc810, 0x3c00}, {0x13838, 0x01002031}, {0x17818, 0x01302031}};
  for (const auto& [address, value] : words) {
    EXPECT_EQ(tasks[0].Find(address).value_or(0), value) << fmt::format("0x{:x}", address);
  }
}

TEST(Casts, OfAnInputsBoolsAreOneTaskAsInTheRecord) {
  const auto bytes = ContainerOf("tensor<bool, [1, 1, 64, 1]> x",
                                 "string dt = const()[val = string(\"fp16\")];\n"
                                 "tensor<fp16, [1, 1, 64, 1]> z = cast(x = x, dtype = dt);");
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  ExpectRules(*bytes);
  const auto container = hwx::Parse(*bytes);
  ASSERT_TRUE(container.ok());
  const auto& tasks = container->Text()->tasks->tasks;
  ASSERT_EQ(tasks.size(), 1u);
  // cast_b_to_f16_1x1x64x1, without scheduling words.
  const std::pair<uint32_t, uint32_t> words[] = {{0x0, 0x400001},
                                                 {0x4, 1},
                                                 {0x8, 0x20},
                                                 {0xc, 1},
                                                 {0x10, 1},
                                                 {0x14, 0x400001},
                                                 {0x24, 0x10001},
                                                 {0x28, 0x40},
                                                 {0x30, 0},
                                                 {0x34, 0x21},
                                                 {0x4804, 0x500132},
                                                 {0x480c, 0x10},
                                                 {0x4830, 0x50017a},
                                                 {0x8800, 0},
                                                 {0x8804, 0x3c000000},
                                                 {0x8808, 0x3c000000},
                                                 {0x880c, 0x3f800000},
                                                 {0x13800, 0x33881},
                                                 {0x1380c, 0x40},
                                                 {0x13838, 0x01000000},
                                                 {0x17800, 0x40000c1},
                                                 {0x17808, 0x40}};
  for (const auto& [address, value] : words) {
    EXPECT_EQ(tasks[0].Find(address).value_or(0), value) << fmt::format("0x{:x}", address);
  }
}

TEST(Casts, NotOfAnInputsBoolsIsATaskFromBytesAsInTheRecord) {
  const auto bytes = ContainerOf("tensor<bool, [1, 1, 64, 64]> x",
                                 "tensor<bool, [1, 1, 64, 64]> z = logical_not(x = x);");
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto container = hwx::Parse(*bytes);
  ASSERT_TRUE(container.ok());
  const auto& tasks = container->Text()->tasks->tasks;
  ASSERT_EQ(tasks.size(), 2u);
  // In the record logical_not_1x1x64x64, the first task reads bytes, and the last task writes them.
  EXPECT_EQ(tasks[0].Find(0x8).value_or(0), 0x20u);
  EXPECT_EQ(tasks[0].Find(0x4804).value_or(0), 0x500132u);
  EXPECT_EQ(tasks[0].Find(0x13838).value_or(0), 0x01000000u);
  EXPECT_EQ(tasks[1].Find(0x8).value_or(0), 0x02u);
  EXPECT_EQ(tasks[1].Find(0x4830).value_or(0), 0x50013au);
  EXPECT_EQ(tasks[1].Find(0x17818).value_or(0), 0x01300000u);
}

TEST(Comparisons, AreRefusedInWordsWhereNoRecordHasThem) {
  const std::string less = fmt::format("{} z = less(x = x, y = y);", kBool);
  const auto later = ContainerOf(Pair(), less, "h14");
  ASSERT_FALSE(later.ok());
  EXPECT_THAT(later.error().message, HasSubstr("z is bool: only records of h13"));
  const auto floor =
      ContainerOf(fmt::format("{} x", kHalf), fmt::format("{} z = floor(x = x);", kHalf), "h16");
  ASSERT_FALSE(floor.ok());
  EXPECT_THAT(floor.error().message, HasSubstr("its tables are known only from records of h13"));
  const auto logic = ContainerOf(fmt::format("{0} c, {0} d", kBool),
                                 fmt::format("{} z = logical_and(x = c, y = d);", kBool));
  ASSERT_FALSE(logic.ok());
  EXPECT_THAT(logic.error().message, HasSubstr("no fact describes its tasks"));
  const auto round =
      ContainerOf(fmt::format("{} x", kHalf), fmt::format("{} z = round(x = x);", kHalf));
  ASSERT_FALSE(round.ok());
  EXPECT_THAT(round.error().message, HasSubstr("no fact describes its tasks"));
}

}  // namespace
}  // namespace anecheck::encoder
