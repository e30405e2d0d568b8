// Tests that a register word without a known meaning is refused, with its place, if it can change a
// result. It causes a warning if it affects only scheduling. Nothing outside a surface is accessed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/program.h"
#include "harness/emulator/surface.h"
#include "harness/formats/hwx/builder.h"

namespace anecheck::emulator {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kAddress = 0x10000;

// Makes a copy of `width` elements from BAR 5 to BAR 4.
Program CopyProgram(uint32_t width) {
  Program program;
  const auto bind = [&](uint32_t bar, RegionKind kind, size_t bytes) {
    program.memory.SetBar(bar, kAddress * bar);
    EXPECT_TRUE(
        program.memory.Add({"surface", kind, kAddress * bar, std::vector<uint8_t>(bytes)}).ok());
  };
  bind(5, RegionKind::kInput, 64);
  bind(4, RegionKind::kOutput, 64);
  TaskWords words;
  words.header = {0x02000000, 0, 0x422, 0, 0xfff86a, 0, 0x30009800, 0, 0x01024025, 0};
  for (const auto& [address, value] :
       std::vector<std::pair<uint32_t, uint32_t>>{{0x0, 0x10000 | width},
                                                  {0x4, 1},
                                                  {0x8, 0x22},
                                                  {0xc, 1},
                                                  {0x10, 1},
                                                  {0x14, 0x10000 | width},
                                                  {0x18, 1},
                                                  {0x1c, 0x5000a021},
                                                  {0x20, 0x2041},
                                                  {0x24, 0x14001},
                                                  {0x28, 1},
                                                  {0x34, 0x4010101},
                                                  {0x4804, 0x500172},
                                                  {0x4830, 0x50017a},
                                                  {0xc800, 0x80},
                                                  {0xc804, 0x10000c},
                                                  {0xc810, 0x3c00},
                                                  {0x13800, 0x33881},
                                                  {0x1380c, 0x40},
                                                  {0x13810, 0x40},
                                                  {0x13838, 0x01002031},
                                                  {0x13840, 0x100},
                                                  {0x17800, 0x40000c1},
                                                  {0x17808, 0x40},
                                                  {0x1780c, 0x40},
                                                  {0x17818, 0x01302031}}) {
    words.Set(address, value);
  }
  program.tasks.push_back(words);
  return program;
}

std::string MessageWith(uint32_t address, uint32_t value) {
  Program program = CopyProgram(16);
  program.tasks[0].Set(address, value);
  const auto report = RunProgram(program);
  return report.ok() ? "" : report.error().message;
}

TEST(Refusal, ACopyRuns) {
  Program program = CopyProgram(16);
  program.memory.regions()[0].bytes[2] = 0x3c;
  const auto report = RunProgram(program);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->tasks, 1u);
  EXPECT_EQ(program.memory.regions()[1].bytes[2], 0x3c);
}

TEST(Refusal, NamesTaskRegisterBitsAndValue) {
  EXPECT_THAT(MessageWith(0xc804, 0x10000d),
              HasSubstr("task 0, register 0xc804 bits 0-2 (NeuralOperation) = 5"));
  EXPECT_THAT(MessageWith(0xc804, 0x10000d), HasSubstr("known: 0 multiply and accumulate"));
  EXPECT_THAT(MessageWith(0x13838, 0x04002031), HasSubstr("(Source1Interleave) = 4"));
  EXPECT_THAT(MessageWith(0x8, 0x21), HasSubstr("int8"));
}

TEST(Refusal, OfBitsWithoutAField) {
  EXPECT_THAT(MessageWith(0x13844, 1),
              HasSubstr("register 0x13844: bits 0x1 of 0x1 have no known"));
  EXPECT_THAT(MessageWith(0x1c, 0x5800a021), HasSubstr("bits 0x8000000"));
}

TEST(Refusal, ZerosWithoutAFieldPass) { EXPECT_EQ(MessageWith(0x13844, 0), ""); }

TEST(Refusal, UnknownSchedulingWordsOnlyWarn) {
  Program program = CopyProgram(16);
  program.tasks[0].header[5] = 7;
  const auto report = RunProgram(program);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->warnings.size(), 1u);
  EXPECT_THAT(report->warnings[0], HasSubstr("header word 5"));
}

TEST(Refusal, OfWordsThatContradictEachOther) {
  EXPECT_THAT(MessageWith(0x13800, 0x33880), HasSubstr("SourceType = 2 and Source1Enable = 0"));
  EXPECT_THAT(MessageWith(0x34, 0x4110101), HasSubstr("EnginesEnabled = 1"));
}

TEST(Refusal, EscapesLineBreaksInNamesOfSections) {
  hwx::ContainerSpec spec;
  spec.const_size = 64;
  spec.tasks.generation = td::GenerationOfVersion(7).value();
  spec.tasks.header_words = td::kV7HeaderWords;
  td::Task task;
  task.header = {0x02000000, 0, 0x422, 0, 0xfff86a, 0, 0x30009800, 0, 0x01024025, 0};
  spec.tasks.tasks.push_back(task);
  spec.extra_segments.push_back(
      {.segname = "__DATA", .sectname = "a\nb", .section_flags = 0x25, .size = 1 << 20});
  const auto bytes = hwx::BuildBytes(std::move(spec));
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto program = LoadProgram(*bytes, 1 << 16);
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.error().message, HasSubstr("section a\\x0ab has"));
}

TEST(Refusal, OfAReadOutsideASurface) {
  Program program = CopyProgram(33);
  const auto report = RunProgram(program);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(report.error().message,
              HasSubstr("task 0, source 1: reaches byte 0x42 of a surface of 0x40 bytes"));
}

TEST(Refusal, OfAWriteIntoAnInput) {
  Program program = CopyProgram(16);
  program.tasks[0].header[8] = 0x01025025;
  const auto report = RunProgram(program);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("may not write"));
}

TEST(Refusal, LeavesTheOutputUntouched) {
  Program program = CopyProgram(16);
  program.memory.regions()[0].bytes.assign(64, 0x3c);
  program.tasks.push_back(program.tasks[0]);
  program.tasks[1].index = 1;
  program.tasks[1].Set(0x13844, 1);
  EXPECT_FALSE(RunProgram(program).ok());
  EXPECT_EQ(program.memory.regions()[1].bytes, std::vector<uint8_t>(64));
}

// With interleaved channels the last full set may extend farther than the last channel.
TEST(Refusal, CountsTheFullSetsOfAnInterleave) {
  const Pattern pattern{.channel = 64, .row = 64, .interleave = 8};
  EXPECT_EQ(EndOf(pattern, {.channels = 8}), 16u);
  EXPECT_EQ(EndOf(pattern, {.channels = 9}), 66u);
  EXPECT_EQ(EndOf({.channel = 0, .interleave = 8}, {.channels = 9}), 16u);
}

}  // namespace
}  // namespace anecheck::emulator
