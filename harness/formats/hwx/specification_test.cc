// Builds containers of specification 000 with this project's encoder, and compares them byte for
// byte with the tables of the specification. They are the identity linear layer (tables 23.6, 23.7,
// 23.9 and its weight bank) and the second sample's task chain and tiles (from table 23.11 on).
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>

#include "harness/base/json.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/print.h"
#include "harness/formats/hwx/rules.h"
#include "harness/formats/hwx/thread_words.h"

namespace anecheck::hwx {
namespace {

struct Run {
  uint32_t byte_address;
  std::vector<uint32_t> values;
};

std::vector<uint32_t> With(size_t count, std::initializer_list<std::pair<size_t, uint32_t>> set) {
  std::vector<uint32_t> values(count);
  for (const auto& [index, value] : set) values[index] = value;
  return values;
}

std::vector<uint32_t> Kernels(size_t count) {
  std::vector<uint32_t> values(count);
  for (size_t i = 2; i < 18; ++i) values[i] = 0x80;
  return values;
}

td::Task MakeTask(const std::vector<Run>& runs) {
  td::Task task;
  for (const Run& run : runs) task.Write(run.byte_address, run.values);
  return task;
}

// Returns a task without a kernel. Its first block is split in two as in files of compiler 9.509,
// so the task has 0x1f8 bytes.
td::Task ShortTask() {
  return MakeTask({{0x1f800, Kernels(18)},
                   {0x1f8c8, With(12, {})},
                   {0x0, With(16, {{7, 0x5000a021}, {8, 0x2041}})},
                   {0x13800, With(28, {{14, 0x01002031}})},
                   {0x4800, With(18, {})},
                   {0x8800, With(4, {})},
                   {0xc800, With(5, {})},
                   {0x17800, With(7, {})}});
}

td::Task KernelTask(uint32_t opcode) {
  return MakeTask({{0x1f800, Kernels(62)},
                   {0x0, With(16, {{7, opcode}, {8, 0x2041}})},
                   {0x13800, With(28, {{14, 0x01002031}})},
                   {0x4800, With(18, {})},
                   {0x8800, With(4, {})},
                   {0xc800, With(5, {})},
                   {0x17800, With(7, {{6, 0x01302031}})}});
}

// Returns a 64-by-64 identity matrix as 16 sub-kernels of 512 bytes, with one 1.0 per output
// channel.
std::vector<Bytes> IdentityBank() {
  std::vector<Bytes> tiles(16, Bytes(512));
  for (size_t channel = 0; channel < 64; ++channel) {
    Bytes& tile = tiles[channel / 4];
    tile[(channel % 4 * 64 + channel) * 2 + 1] = 0x3c;  // 0x3c00
  }
  return tiles;
}

ContainerSpec IdentityLayer() {
  ContainerSpec spec;
  spec.compiler = "9.509.0";
  spec.options = SpecificationOptions();
  spec.procedure = "main_ane";
  spec.tensors = {
      {.name = "t0", .shape = {1, 1, 1, 64}, .strides = {128, 128, 128, 2}},
      {.name = "t2", .output = true, .shape = {1, 1, 1, 64}, .strides = {128, 128, 128, 2}}};
  spec.tasks.generation = *td::GenerationOfVersion(7);
  spec.tasks.header_words = td::kV7HeaderWords;
  spec.tasks.tasks = {ShortTask(), KernelTask(0x5000b021)};
  spec.tasks.tasks[0].header[2] = 0x408;
  spec.tasks.tasks[0].header[4] = 0x28;
  spec.tasks.tasks[1].header[0] = 1;
  spec.kernels = {{.name = "K" + std::string(64, 'A'), .tiles = IdentityBank(), .task = 1}};
  spec.const_size = 0x4000;
  spec.kernel_segment = true;
  // The specification says that there are seven segments but lists five. These two segments fill
  // the gap from 0x30000000 to 0x30008000.
  spec.extra_segments = {{.segname = "__DEBUG",
                          .sectname = "__debug",
                          .section_flags = 0x32,
                          .data = Bytes(0x100, 0x2a)},
                         {.segname = "__DATA", .sectname = "__bss", .size = 0x4000}};
  spec.windows_first = true;
  spec.wide_ports = true;
  spec.long_tensors = true;
  spec.catalog = 24;
  spec.source_note = "/tmp/model.mil";
  return spec;
}

class Identity : public ::testing::Test {
 protected:
  Bytes file_ = BuildBytes(IdentityLayer()).value();
  Container container_ = Parse(file_).value();

  uint32_t WordAt(size_t offset) const {
    uint32_t word = 0;
    for (size_t i = 4; i-- > 0;) word = word << 8 | file_.at(offset + i);
    return word;
  }
  ByteSpan Text(size_t offset, size_t size) const {
    return container_.FindSection("__text")->data.subspan(offset, size);
  }
};

TEST_F(Identity, HeaderEqualsTable239ExceptTheSizeOfTheCommands) {
  const std::array<uint32_t, 8> expected = {0xbeefface, 0x80, 4, 2, 15, 0x32d8, 0x200000, 0};
  for (size_t i = 0; i < expected.size(); ++i) {
    if (i != 5) EXPECT_EQ(WordAt(4 * i), expected[i]) << i;
  }
  // Finds a command in the file without the parser.
  size_t at = 0x20;
  for (uint32_t i = 0; i < 15; ++i) at += WordAt(at + 4);
  EXPECT_EQ(WordAt(0x14), at - 0x20);
  // Listing 23.4 leaves out every path and most options of the banner. The banner of a real file of
  // the same compiler has 2001 bytes, and the banner of the listing has 356.
  EXPECT_EQ(0x32d8 - WordAt(0x14), 2472u) << "bytes that the listing leaves out";
}

TEST_F(Identity, LoadCommandsEqualTheCensus) {
  std::map<uint32_t, int> census;
  for (const Command& command : container_.commands) ++census[command.cmd];
  EXPECT_EQ(census, (std::map<uint32_t, int>{{kSegmentCommand, 7},
                                             {kPortCommand, 2},
                                             {kThreadCommand, 3},
                                             {kBuildInfoCommand, 1},
                                             {kNoteCommand, 1},
                                             {kSymtabCommand, 1}}));
}

TEST_F(Identity, SegmentMapEqualsTable236) {
  struct Row {
    std::string_view segment;
    std::string_view section;
    uint64_t address;
    uint64_t size;
    uint32_t protection;
  };
  constexpr Row kRows[] = {{"__FVMLIB", "__const", 0x30008000, 0x80, 1},
                           {"__FVMLIB", "__data", 0x3000c000, 0x80, 2},
                           {"__TEXT", "__text", 0x30010000, 0x474, 5},
                           {"__KERN_0", "__kern_0", 0x30018000, 0x2000, 1}};
  EXPECT_EQ(container_.segments[0].vmaddr, 0u);
  EXPECT_EQ(container_.segments[0].vmsize, 0x4000u);
  EXPECT_EQ(container_.segments[0].initprot, 0u);
  for (const Row& row : kRows) {
    bool found = false;
    for (const Segment& segment : container_.segments) {
      for (const Section& section : container_.SectionsOf(segment)) {
        if (section.addr != row.address) continue;
        found = true;
        EXPECT_EQ(TextOf(segment.segname), row.segment);
        EXPECT_EQ(TextOf(section.sectname), row.section);
        EXPECT_EQ(section.size, row.size);
        EXPECT_EQ(segment.initprot, row.protection);
      }
    }
    EXPECT_TRUE(found) << row.section;
  }
}

TEST_F(Identity, RegisterWritesEqualTable237) {
  const auto expect = [&](size_t offset, const std::vector<uint8_t>& bytes) {
    const ByteSpan actual = Text(offset, bytes.size());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), actual.begin())) << "at " << offset;
  };
  EXPECT_EQ(container_.FindSection("__text")->size, 0x474u);
  EXPECT_EQ(container_.Text()->tasks->tasks.size(), 2u);
  expect(0x000, {0, 0, 0, 0, 0, 0, 0x9c, 0, 0x08, 0x04});
  expect(0x010, {0x28, 0, 0, 0});
  for (size_t i = 0; i < 16; ++i) expect(0x034 + 4 * i, {0x80, 0, 0, 0});
  expect(0x0c8, {0x21, 0xa0, 0x00, 0x50, 0x41, 0x20, 0x00, 0x00});
  expect(0x128, {0x31, 0x20, 0x00, 0x01});
  for (size_t i = 0; i < 16; ++i) expect(0x234 + 4 * i, {0x81, 0, 0, 0});
  for (size_t i = 0; i < 16; ++i) {
    expect(0x274 + 4 * i, {0, static_cast<uint8_t>(2 * i), 0, 0});
  }
  expect(0x470, {0x31, 0x20, 0x30, 0x01});
}

TEST_F(Identity, WeightBankIsADiagonalOfOnes) {
  const Section& bank = *container_.FindSection("__kern_0");
  EXPECT_EQ(bank.data.size(), 8192u);
  EXPECT_EQ(std::ranges::count_if(bank.data, [](uint8_t byte) { return byte != 0; }), 64);
  const std::vector<Tile> tiles = TilesOf(container_, KernelSectionNumber(container_));
  ASSERT_EQ(tiles.size(), 16u);
  for (size_t i = 0; i < tiles.size(); ++i) {
    EXPECT_EQ(tiles[i].offset, 512 * i);
    EXPECT_EQ(tiles[i].data.size(), 512u);
    EXPECT_EQ(tiles[i].lane, static_cast<int32_t>(i));
    EXPECT_EQ(std::ranges::count(tiles[i].data, 0x3c), 4);
  }
}

TEST_F(Identity, VerifiesAndRoundTrips) {
  EXPECT_TRUE(Verify(container_).empty()) << Verify(container_).front().message;
  EXPECT_EQ(Write(container_).value(), file_);
  EXPECT_EQ(kFormat_hwx.from_json(*kFormat_hwx.to_json(file_)).value(), file_);
  const std::string text = PrintContainer(container_);
  EXPECT_NE(text.find("Matrix multiply"), std::string::npos);
  EXPECT_EQ(text.find("element-type catalog does not have"), std::string::npos);
}

// An edit can replace weights in place, because the program does not depend on their values.
TEST_F(Identity, WeightEditLeavesTheProgramUnchanged) {
  const Section& bank = *container_.FindSection("__kern_0");
  Bytes patched = file_;
  patched[bank.offset + 1] ^= 0x40;
  const Container again = Parse(patched).value();
  EXPECT_TRUE(std::ranges::equal(again.FindSection("__text")->data, Text(0, 0x474)));
  EXPECT_TRUE(Verify(again).empty());
}

// ---- the second sample --------------------------------------------------------------------------

ContainerSpec SecondSample() {
  ContainerSpec spec;
  spec.compiler = "9.509.0";
  spec.options = SpecificationOptions();
  spec.tensors = {
      {.name = "t0_ane", .shape = {1, 8, 16, 32}, .strides = PackedStrides({1, 8, 16, 32}, 2)},
      {.name = "t5_ane",
       .output = true,
       .shape = {1, 1, 1, 32},
       .strides = PackedStrides({1, 1, 1, 32}, 2)}};
  spec.tasks.generation = *td::GenerationOfVersion(7);
  spec.tasks.header_words = td::kV7HeaderWords;
  spec.tasks.tasks = {KernelTask(0x5042a063), ShortTask(), KernelTask(0x5000b021)};
  for (uint32_t i = 0; i < 3; ++i) spec.tasks.tasks[i].header[0] = i;
  spec.kernels = {{.name = "K596A4B73" + std::string(56, '0'),
                   .tiles = std::vector<Bytes>(8, Bytes(3 * 64, 1)),
                   .task = 0},
                  {.name = "KE125552B" + std::string(56, '0'),
                   .tiles = std::vector<Bytes>(4, Bytes(18, 2)),
                   .lanes = 16,
                   .task = 2}};
  spec.kernel_segment = true;
  spec.wide_ports = true;
  spec.windows_first = true;
  spec.catalog = 24;
  return spec;
}

TEST(SecondSample, TasksChainFrom000To300To500) {
  const Bytes file = BuildBytes(SecondSample()).value();
  const Container container = Parse(file).value();
  EXPECT_TRUE(Verify(container).empty());
  const auto& tasks = container.Text()->tasks->tasks;
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].offset, 0x000u);
  EXPECT_EQ(tasks[1].offset, 0x300u);
  EXPECT_EQ(tasks[2].offset, 0x500u);
  EXPECT_EQ(tasks[0].header[td::kV7NextPointerWord], 0x300u);
  EXPECT_EQ(tasks[2].header[td::kV7NextPointerWord], 0u);
  EXPECT_EQ(td::V7PositionOf(tasks[2]), 3);  // table 23.11: 0x03 marks the last record
}

TEST(SecondSample, TilesAndSentinelsEqualTheDescribedOnes) {
  const Bytes file = BuildBytes(SecondSample()).value();
  const Container container = Parse(file).value();
  const size_t number = KernelSectionNumber(container);
  const Section& section = container.sections[number - 1];
  const std::vector<Tile> tiles = TilesOf(container, number);
  ASSERT_EQ(tiles.size(), 24u);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(tiles[i].offset, 0xc0 * i);
  for (size_t i = 8; i < 12; ++i) {
    EXPECT_EQ(tiles[i].offset, 8 * 0xc0 + 0x40 * (i - 8));
    EXPECT_EQ(tiles[i].symbol->desc, 2);
    EXPECT_EQ(tiles[i].data.size(), 64u);
  }
  for (size_t i = 12; i < 24; ++i) {
    EXPECT_TRUE(tiles[i].sentinel);
    EXPECT_EQ(tiles[i].symbol->value, section.addr + section.size);
    EXPECT_EQ(tiles[i].symbol->desc, 0);
    EXPECT_TRUE(tiles[i].data.empty());
  }
}

TEST(SecondSample, RelocatesEightAddressesOfTheFirstTaskAndFourOfTheThird) {
  const Bytes file = BuildBytes(SecondSample()).value();
  const Container container = Parse(file).value();
  const auto& relocations = container.Text()->relocations;
  ASSERT_EQ(relocations.size(), 12u);
  for (int32_t i = 0; i < 8; ++i) EXPECT_EQ(relocations[i].address, 0x74 + 4 * i);
  for (int32_t i = 0; i < 4; ++i) EXPECT_EQ(relocations[8 + i].address, 0x574 + 4 * i);
  EXPECT_EQ(RelocationInfo(relocations[0]) >> 24, 5u);
}

// Source: listing 23.6.
TEST(SecondSample, StridesEqualTheListing) {
  const Bytes file = BuildBytes(SecondSample()).value();
  const std::string text = kFormat_hwx.print(file).value();
  EXPECT_NE(text.find("input t0_ane: float16 [1, 8, 16, 32] strides s8192n/s1024c/s64h/s2w"),
            std::string::npos);
  EXPECT_NE(text.find("output t5_ane: float16 [1, 1, 1, 32] strides s64n/s64c/s64h/s2w"),
            std::string::npos);
}

// Source: listing 23.4.
TEST(Banner, HoldsEveryOptionOfTheListing) {
  const std::string text = MakeBanner("zin_ane_compiler", "9.509.0", SpecificationOptions());
  const Banner banner = ParseBanner(text);
  EXPECT_EQ(banner.format, "ANEC v1");
  EXPECT_EQ(banner.compiler, "zin_ane_compiler");
  EXPECT_EQ(banner.version, "9.509.0");
  EXPECT_EQ(banner.target, "h13g");
  EXPECT_EQ(banner.input, ".../model.mil");
  EXPECT_EQ(banner.output, ".../model.hwx.tmp");
  const std::pair<const char*, const char*> expected[] = {
      {"--fl2-cache-mode", "resident"},
      {"--fkernel-rewind", "enabled"},
      {"--split-kernel-section", "true"},
      {"--max-kernel-section-size", "134217728"},
      {"--e4m3-overflow-setting", "Saturate"},
      {"--memcache-size", "4194304"},
      {"--bss-limit", "3221225472"},
      {"--foptimize-ne-utilization", "true"},
      {"--enable-global-cw-optimization", "true"}};
  EXPECT_EQ(banner.flags.size(), std::size(expected) + 3);
  for (const auto& [name, value] : expected) {
    ASSERT_NE(banner.Find(name), nullptr) << name;
    EXPECT_EQ(banner.Find(name)->value, value);
    EXPECT_NE(FindKnownFlag(name), nullptr) << name;
  }
}

// In the listing, a line may have several options.
TEST(Banner, ReadsSeveralOptionsOnOneLine) {
  const Banner banner = ParseBanner(
      "ANEC v1\nzin_ane_compiler v1.2\n\t-t h14 --memcache-size=7 --bss-limit=\n\t-i a b.mil -o c");
  EXPECT_EQ(banner.target, "h14");
  EXPECT_EQ(banner.Find("--memcache-size")->value, "7");
  EXPECT_TRUE(banner.Find("--bss-limit")->has_value);
  EXPECT_EQ(banner.Find("--bss-limit")->value, "");
  EXPECT_EQ(banner.input, "a b.mil");
  EXPECT_EQ(banner.output, "c");
  EXPECT_EQ(banner.Find("--missing"), nullptr);
}

TEST(Banner, ReadsAnyTextWithoutFailing) {
  for (const char* text : {"", "\n", "ANEC", "ANEC v1\nzin", "\n\n-t", "\n\n\t-i"}) {
    EXPECT_EQ(ParseBanner(text).target, "") << text;
  }
}

}  // namespace
}  // namespace anecheck::hwx
