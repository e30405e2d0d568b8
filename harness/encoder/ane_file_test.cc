// Tests that models of the Linux driver have the same content as their containers.
#include "harness/encoder/ane_file.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <span>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/program.h"
#include "harness/encoder/encode.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

Bytes Real(const char* name) {
  return ReadFile(anecheck::testing::RealDataPath(std::string("hwx/") + name)).value();
}

std::vector<uint16_t> Outputs(const Bytes& container, std::vector<std::string> inputs,
                              const std::string& output) {
  auto program = emulator::LoadProgram(container);
  EXPECT_TRUE(program.ok()) << program.error().message;
  size_t first = 0x3c00;
  for (const std::string& input : inputs) {
    std::vector<uint16_t> values(program->FindPort(input)->Count());
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(first + 37 * i);
    first += 0x100;
    EXPECT_TRUE(program->WritePort(input, values).ok());
  }
  const auto report = emulator::RunProgram(*program);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return program->ReadPort(output).value();
}

TEST(AneFile, RealContainersComputeTheSameAfterConversionAndBack) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  const Bytes gemm = Real("gemm-ef7e5c24.hwx");
  const auto ane = AneOfContainer(gemm);
  ASSERT_TRUE(ane.ok()) << ane.error().message;
  EXPECT_TRUE(LooksLikeAne(*ane));
  EXPECT_FALSE(LooksLikeAne(gemm));
  const auto back = ContainerOfAne(*ane);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(Outputs(*back, {"input_0"}, "output_0"), Outputs(gemm, {"image"}, "probs@output"));
}

// The fields of struct anec in order: bytes after the header, bytes of the first task, number of
// tasks, bytes of all tasks, bytes of constants, inputs, outputs, pages and shape of each tensor.
TEST(AneFile, HeaderHasTheFieldsOfTheDriversStructure) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  const Bytes file = AneOfContainer(Real("sum-1b1855b8.hwx")).value();
  const auto word = [&](size_t at) {
    return file[at] | file[at + 1] << 8 | file[at + 2] << 16 | file[at + 3] << 24;
  };
  EXPECT_EQ(word(8), 0x274);
  EXPECT_EQ(word(12), 1);
  EXPECT_EQ(word(32), 2);
  EXPECT_EQ(word(36), 1);
  EXPECT_EQ(word(40 + 4 * 4), 1);
  EXPECT_EQ(word(168 + 4 * 48 + 8), 64);
  EXPECT_EQ(file.size(), 0x800u + static_cast<size_t>(word(0)));
}

// The driver's compiler pads the header to 0x1000 bytes. The driver's library expects 0x800 bytes.
TEST(AneFile, ReadsBothSizesOfTheHeader) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  const Bytes file = AneOfContainer(Real("gemm-ef7e5c24.hwx")).value();
  Bytes padded = file;
  padded.insert(padded.begin() + 0x800, 0x800, 0);
  EXPECT_TRUE(LooksLikeAne(padded));
  const auto container = ContainerOfAne(padded);
  ASSERT_TRUE(container.ok()) << container.error().message;
  EXPECT_EQ(*container, ContainerOfAne(file).value());
}

TEST(AneFile, RealFilesComputeTheSameAsTheirContainers) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("ane"));
  const auto container =
      AsContainer(ReadFile(anecheck::testing::RealDataPath("ane/sigmoid.ane")).value());
  ASSERT_TRUE(container.ok()) << container.error().message;
  EXPECT_EQ(Outputs(*container, {"input_0"}, "output_0"),
            Outputs(Real("sigmoid-7cc79341.hwx"), {"image"}, "probs@output"));
}

// Makes x - y as a driver's file. The containers of compilers 4 and 5 and the header have the
// output first. The base address of the output is 4, and those of x and y are 5 and 6.
Bytes Difference() {
  Graph graph;
  const TensorType type{DType::kFp16, {1, 8, 1, 4}};
  const ValueId x = graph.AddInput(type, "x"), y = graph.AddInput(type, "y");
  graph.BeginNode(&GetOp(OpKind::kSub).schema);
  graph.AddArgument(params::Binary::kX, x);
  graph.AddArgument(params::Binary::kY, y);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"z"}));
  return AneOfContainer(Encode(graph).value()).value();
}

// Changes the number n of each base address to to[n]. Word 8 of a task's header contains these
// numbers (layout.md).
void Renumber(Bytes& file, const std::map<uint32_t, uint32_t>& to) {
  const auto word = [&](size_t at) { return std::span(file).subspan(at, 4); };
  const auto load = [&](size_t at) {
    const auto b = word(at);
    return static_cast<uint32_t>(b[0] | b[1] << 8 | b[2] << 16 | b[3] << 24);
  };
  size_t task = 0;
  do {
    uint32_t bases = load(0x800 + task + 4 * 8);
    for (const uint32_t bit : {0u, 6u, 12u}) {
      const auto found = to.find(bases >> bit & 31);
      if ((bases >> (bit + 5) & 1) == 0 || found == to.end()) continue;
      bases = (bases & ~(31u << bit)) | found->second << bit;
    }
    for (size_t i = 0; i < 4; ++i) {
      word(0x800 + task + 4 * 8)[i] = static_cast<uint8_t>(bases >> (8 * i));
    }
    task = load(0x800 + task + 4 * 7);
  } while (task != 0);
}

TEST(AneFile, TheBaseAddressThatTasksWriteIsTheOutput) {
  const Bytes file = Difference();
  std::vector<std::string> warnings;
  const Bytes container = ContainerOfAne(file, &warnings).value();
  EXPECT_TRUE(warnings.empty());
  Bytes inputs_first = file;
  Renumber(inputs_first, {{5, 4}, {6, 5}, {4, 6}});
  ASSERT_NE(inputs_first, file);
  const auto turned = ContainerOfAne(inputs_first, &warnings);
  ASSERT_TRUE(turned.ok()) << turned.error().message;
  EXPECT_EQ(warnings,
            std::vector<std::string>{
                "tasks write base address 6, which the header calls an input; they only read "
                "base address 4, which the header calls an output; the tasks decide which are "
                "outputs"});
  const auto compute = [](const Bytes& bytes) {
    return Outputs(bytes, {"input_0", "input_1"}, "output_0");
  };
  const auto expected = compute(container);
  EXPECT_EQ(compute(*turned), expected);
  EXPECT_NE(Outputs(*turned, {"input_0"}, "output_0"), expected) << "both inputs count";
}

TEST(AneFile, RefusesTensorsWhosePagesDoNotFitItsHeader) {
  const Bytes file = ContainerOfAne(Difference()).value();
  for (const uint64_t plane : {UINT64_MAX, UINT64_MAX / 8 + 1, uint64_t{1} << 46}) {
    hwx::Container container = hwx::Parse(file).value();
    hwx::Thread& tensor = *std::ranges::find_if(container.threads, hwx::IsTensor);
    hwx::SetPair(tensor, hwx::kStrideWord + 2, plane);
    const auto ane = AneOfContainer(hwx::Write(container).value());
    ASSERT_FALSE(ane.ok()) << plane;
    EXPECT_EQ(ane.error().code, ErrorCode::kLimit) << ane.error().message;
  }
}

TEST(AneFile, RefusesTruncatedFiles) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  Bytes file = AneOfContainer(Real("gemm-ef7e5c24.hwx")).value();
  for (const size_t size : {size_t{0}, size_t{100}, size_t{0x800}, file.size() - 1}) {
    const auto cut = ContainerOfAne(ByteSpan(file).first(size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code, ErrorCode::kTruncated) << size;
  }
}

}  // namespace
}  // namespace anecheck::encoder
