// Tests that programs of comparisons, choices and roundings, as a compiler wrote them, compute the
// results of their networks in both arithmetics. Other register words are refused.
#include "harness/emulator/testing/boolean_program.h"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/emulator/explain.h"

namespace anecheck::emulator {
namespace {

using testing::CastProgram;
using testing::FloorProgram;
using ::testing::HasSubstr;
using testing::kBooleanChannels;
using testing::LessProgram;
using testing::NotProgram;
using testing::SelectProgram;

// Zeros, numbers on both sides of integers, and the largest numbers.
const std::vector<double> kNumbers = {0,     -0.0,   0.25,  -0.25,  0.5,    -0.5,    1,     -1,
                                      1.5,   -1.5,   2.75,  -2.75,  1023.5, -1023.5, 2047,  -2047,
                                      65504, -65504, 0.999, -0.999, 3,      -3,      7.125, -7.125};

std::vector<uint16_t> Halves(uint32_t count, const std::function<double(uint32_t)>& number) {
  std::vector<uint16_t> halves(count);
  for (uint32_t i = 0; i < count; ++i) halves[i] = DoubleToHalf(number(i)).bits;
  return halves;
}
double Number(uint32_t i) { return kNumbers[i % kNumbers.size()]; }
double Other(uint32_t i) { return kNumbers[(i * 5 + 2) % kNumbers.size()]; }
double Exactly(uint16_t bits) { return HalfToDouble(Half{bits}); }

std::vector<uint16_t> Outcome(Program& program, std::string_view output,
                              const RunOptions& options) {
  const auto report = RunProgram(program, options);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.ok() ? program.ReadPort(output).value() : std::vector<uint16_t>();
}

class BooleanPrograms : public ::testing::TestWithParam<bool> {
 protected:
  static RunOptions Options() {
    RunOptions options;
    if (GetParam()) options.arithmetic.model = &FamilyModel(7);
    return options;
  }
};

TEST_P(BooleanPrograms, LessIsOneWhereTheFirstIsSmaller) {
  Program program = LessProgram();
  const auto x = Halves(kBooleanChannels, Number), y = Halves(kBooleanChannels, Other);
  ASSERT_TRUE(program.WritePort("x", x).ok());
  ASSERT_TRUE(program.WritePort("y", y).ok());
  const auto z = Outcome(program, "z", Options());
  ASSERT_EQ(z.size(), kBooleanChannels);
  size_t ones = 0;
  for (uint32_t i = 0; i < kBooleanChannels; ++i) {
    EXPECT_EQ(z[i], Exactly(x[i]) < Exactly(y[i]) ? 1 : 0) << i;
    ones += z[i];
  }
  EXPECT_GT(ones, 10u);
  EXPECT_LT(ones, 54u);
}

TEST_P(BooleanPrograms, FloorRoundsTowardsMinusInfinity) {
  Program program = FloorProgram();
  const auto x = Halves(kBooleanChannels, Number);
  ASSERT_TRUE(program.WritePort("x", x).ok());
  const auto y = Outcome(program, "y", Options());
  ASSERT_EQ(y.size(), kBooleanChannels);
  for (uint32_t i = 0; i < kBooleanChannels; ++i) {
    EXPECT_EQ(Exactly(y[i]), std::floor(Exactly(x[i]))) << Exactly(x[i]);
  }
}

TEST_P(BooleanPrograms, FloorKeepsInfinities) {
  Program program = FloorProgram();
  auto x = Halves(kBooleanChannels, Number);
  x[0] = 0x7c00;
  x[1] = 0xfc00;
  ASSERT_TRUE(program.WritePort("x", x).ok());
  const auto y = Outcome(program, "y", Options());
  ASSERT_EQ(y.size(), kBooleanChannels);
  EXPECT_EQ(y[0], 0x7c00);
  EXPECT_EQ(y[1], 0xfc00);
}

TEST_P(BooleanPrograms, SelectTakesTheFirstWhereTheConditionHolds) {
  Program program = SelectProgram();
  const auto a = Halves(kBooleanChannels, Number), b = Halves(kBooleanChannels, Other);
  std::vector<uint16_t> cond(kBooleanChannels);
  for (uint32_t i = 0; i < kBooleanChannels; ++i) cond[i] = i % 3 == 0 ? 1 : 0;
  ASSERT_TRUE(program.WritePort("a", a).ok());
  ASSERT_TRUE(program.WritePort("b", b).ok());
  ASSERT_TRUE(program.WritePort("cond", cond).ok());
  const auto y = Outcome(program, "y", Options());
  ASSERT_EQ(y.size(), kBooleanChannels);
  for (uint32_t i = 0; i < kBooleanChannels; ++i) {
    EXPECT_EQ(Exactly(y[i]), Exactly(cond[i] != 0 ? a[i] : b[i])) << i;
  }
}

TEST_P(BooleanPrograms, ACastGivesOnesAndZeros) {
  Program program = CastProgram();
  std::vector<uint16_t> x(64);
  for (uint32_t i = 0; i < x.size(); ++i) x[i] = i * i % 5 == 1 ? 1 : 0;
  ASSERT_TRUE(program.WritePort("x", x).ok());
  const auto y = Outcome(program, "y", Options());
  ASSERT_EQ(y.size(), x.size());
  for (uint32_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], x[i] != 0 ? 0x3c00 : 0) << i;
}

TEST_P(BooleanPrograms, NotExchangesOnesAndZeros) {
  Program program = NotProgram();
  std::vector<uint16_t> x(size_t{64} * 64);
  for (uint32_t i = 0; i < x.size(); ++i) x[i] = i * i % 7 == 2 ? 1 : 0;
  ASSERT_TRUE(program.WritePort("x", x).ok());
  const auto y = Outcome(program, "y", Options());
  ASSERT_EQ(y.size(), x.size());
  for (uint32_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], x[i] != 0 ? 0 : 1) << i;
}

TEST_P(BooleanPrograms, AChainPassesItsElementsOn) {
  Program program = testing::ChainProgram();
  const auto x = Halves(kBooleanChannels, Number);
  ASSERT_TRUE(program.WritePort("x", x).ok());
  const auto y = Outcome(program, "y", Options());
  ASSERT_EQ(y.size(), kBooleanChannels);
  for (uint32_t i = 0; i < kBooleanChannels; ++i) {
    if (std::fabs(Exactly(x[i])) > 30000) continue;
    EXPECT_EQ(Exactly(y[i]), 2 * std::trunc(Exactly(x[i]))) << Exactly(x[i]);
  }
}

// A compiler's older subtraction, kernels/binary/sub.bin of the public repository eiln/ane, has a
// factor of -1 for source 2. The record of floor negates source 2 instead.
TEST_P(BooleanPrograms, AFactorOfMinusOneOfSource2Subtracts) {
  Program program = FloorProgram();
  program.tasks[3].Set(0x8800, 0x80000);
  program.tasks[3].Set(0x8808, 0xbc000000);
  const auto x = Halves(kBooleanChannels, Number);
  ASSERT_TRUE(program.WritePort("x", x).ok());
  const auto y = Outcome(program, "y", Options());
  ASSERT_EQ(y.size(), kBooleanChannels);
  for (uint32_t i = 0; i < kBooleanChannels; ++i) {
    EXPECT_EQ(Exactly(y[i]), std::floor(Exactly(x[i]))) << Exactly(x[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(BothArithmetics, BooleanPrograms, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Family" : "Exact"; });

std::string MessageWith(Program program, size_t task, uint32_t address, uint32_t value) {
  program.tasks[task].Set(address, value);
  const auto report = RunProgram(program);
  return report.ok() ? "" : report.error().message;
}

TEST(BooleanRefusal, OfFormatsThatContradictEachOther) {
  EXPECT_THAT(MessageWith(CastProgram(), 0, 0x13838, 0x01002031),
              HasSubstr("task 0: Source1Format = 0 and Source1Mode = 1 contradict each other"));
  EXPECT_THAT(MessageWith(LessProgram(), 2, 0x17818, 0x01302031),
              HasSubstr("task 2: ResultFormat = 0 and ResultMode = 1 contradict each other"));
}

TEST(BooleanRefusal, OfBytesThatNoRecordHas) {
  Program cast = CastProgram();
  cast.tasks[0].Set(0x17818, 0x01300000);
  EXPECT_THAT(MessageWith(cast, 0, 0x8, 0x0), HasSubstr("a planar result of bytes"));
  EXPECT_THAT(MessageWith(LessProgram(), 2, 0x8, 0x0), HasSubstr("neither copied nor"));
  EXPECT_THAT(MessageWith(CastProgram(), 0, 0x13838, 0x08000000), HasSubstr("interleaved bytes"));
}

TEST(BooleanRefusal, OfInt8CoefficientsOutsideUnicastTasks) {
  EXPECT_THAT(MessageWith(LessProgram(), 2, 0x24, 0x20001),
              HasSubstr("int8 coefficients are known only"));
  EXPECT_THAT(MessageWith(LessProgram(), 2, 0xc800, 0x83), HasSubstr("(CoefficientFormat) = 3"));
}

TEST(BooleanRefusal, OfASecondSourceAloneWhereTheFirstComesByDma) {
  EXPECT_THAT(MessageWith(SelectProgram(), 1, 0x4804, 0x01000146),
              HasSubstr("SourceMask = 2 and SourceType = 2 contradict each other"));
}

TEST(BooleanRefusal, OfAChainThatItsNextTaskDoesNotTake) {
  Program chain = testing::ChainProgram();
  EXPECT_THAT(MessageWith(chain, 1, 0x0, 0x00010002), HasSubstr("output is not as large"));
  EXPECT_THAT(MessageWith(chain, 1, 0x4804, 0x100),
              HasSubstr("task 0: a result for the next task that is not the next task's source"));
  EXPECT_THAT(MessageWith(chain, 1, 0x8808, 0x40000000), HasSubstr("(PreScale) = 16384"));
  chain.tasks.pop_back();
  EXPECT_THAT(MessageWith(chain, 0, 0x8, 0x22), HasSubstr("a result for the next task"));
}

// Sets a halfword of the constants, which are the first region of the programs that have constants.
std::string MessageWithHalf(Program program, size_t offset, uint16_t half) {
  auto& bytes = program.memory.regions()[0].bytes;
  bytes[offset] = static_cast<uint8_t>(half);
  bytes[offset + 1] = static_cast<uint8_t>(half >> 8);
  const auto report = RunProgram(program);
  return report.ok() ? "" : report.error().message;
}

TEST(BooleanRefusal, OfARoundingTableWithKnots) {
  EXPECT_THAT(MessageWithHalf(FloorProgram(), 2 * 10, 0x3c00),
              HasSubstr("halfword 10 of a table of mode 0x63 is 0x3c00; it is 0x0"));
  EXPECT_THAT(MessageWithHalf(FloorProgram(), 0x480 + 2 * 41, 4),
              HasSubstr("halfword 41 of a table of mode 0x64 is 0x4; it is 0x5"));
}

TEST(BooleanRefusal, OfANumberThatIsNoByte) {
  // The halfword is the result for an argument of zero.
  EXPECT_THAT(MessageWithHalf(NotProgram(), 2 * 20, 0x3800),
              HasSubstr("task 0, the result: element 0 is 0.5; only whole numbers from 0 to 255 "
                        "are known to become bytes"));
}

TEST(BooleanExplanation, NamesBytesTablesAndFactors) {
  const std::string less = ExplainProgram(LessProgram());
  EXPECT_THAT(less, HasSubstr("task 0: copy; reads y (BAR 5), 64x1x1; writes L2 at 0x10, 64x1x1"));
  EXPECT_THAT(less, HasSubstr("task 2: sum of 2 channels each by int8 factors, 128 to 64 channels,"
                              " table of x < 0; reads L2 at 0x0, 128x1x1; coefficients from"
                              " constants (BAR 1); writes z (BAR 6), 64x1x1 bytes"));
  const std::string rounds = ExplainProgram(FloorProgram());
  EXPECT_THAT(rounds, HasSubstr("task 0: activation, table of the fraction of x"));
  EXPECT_THAT(rounds, HasSubstr("task 1: activation, table of x < 0"));
  EXPECT_THAT(rounds, HasSubstr("task 2: activation, table of the whole part of x"));
  EXPECT_THAT(rounds, HasSubstr("task 3: elementwise addition, source 2 negated"));
  const std::string chooses = ExplainProgram(SelectProgram());
  EXPECT_THAT(chooses, HasSubstr("task 0: activation, table of x != 0, width and channels"
                                 " exchanged; reads cond (BAR 6), 64x1x1 bytes, kept in L2"));
  EXPECT_THAT(chooses, HasSubstr("task 2: activation, table of x = 0"));
  EXPECT_THAT(ExplainProgram(CastProgram()), HasSubstr("reads x (BAR 4), 1x64x1 bytes; writes y"));
}

TEST(BooleanExplanation, NamesTheNeighboursOfAChain) {
  const std::string chain = ExplainProgram(testing::ChainProgram());
  EXPECT_THAT(chain, HasSubstr("writes for the next task, 64x1x1"));
  EXPECT_THAT(chain, HasSubstr("reads the task before, 64x1x1; writes y (BAR 5), 64x1x1"));
}

TEST(BooleanTables, HaveTheNamesOfTheirFunctions) {
  const auto name = [](uint16_t below, uint16_t zero, uint16_t above) {
    return std::string(ParseTable(testing::StepTable(below, zero, above), "it")->Name());
  };
  constexpr uint16_t kOne = 0x3c00;
  EXPECT_EQ(name(kOne, 0, 0), "x < 0");
  EXPECT_EQ(name(kOne, kOne, 0), "x <= 0");
  EXPECT_EQ(name(0, kOne, 0), "x = 0");
  EXPECT_EQ(name(kOne, 0, kOne), "x != 0");
  EXPECT_EQ(name(0, kOne, kOne), "x >= 0");
  EXPECT_EQ(name(0, 0, kOne), "x > 0");
  EXPECT_EQ(name(0, 0, 0x4000), "");
}

}  // namespace
}  // namespace anecheck::emulator
