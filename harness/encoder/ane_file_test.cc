// Models of the Linux driver have the same content as their containers.
#include "harness/encoder/ane_file.h"

#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/program.h"

namespace anecheck::encoder {
namespace {

Bytes Real(const char* name) {
  return ReadFile(anecheck::testing::RealDataPath(std::string("hwx/") + name)).value();
}

std::vector<uint16_t> Outputs(const Bytes& container, std::vector<std::string> inputs,
                              const std::string& output) {
  auto program = emulator::LoadProgram(container);
  EXPECT_TRUE(program.ok()) << program.error().message;
  for (const std::string& input : inputs) {
    std::vector<uint16_t> values(program->FindPort(input)->Count());
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(0x3c00 + 37 * i);
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

// The driver's compiler pads the header to 0x1000 bytes, its library to 0x800.
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
