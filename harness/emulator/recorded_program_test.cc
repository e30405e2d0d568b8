// Tests that every recorded H13 program computes its network's result. The bytes of its output
// surface equal those of the study that first executed the program.
#include "harness/emulator/testing/recorded_program.h"

#include <cmath>
#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/surface.h"

namespace anecheck::emulator {
namespace {

constexpr size_t kPrograms = 20;

TEST(RecordedPrograms, GiveTheResultOfTheirNetworks) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  ASSERT_EQ(testing::RecordedProgramPaths().size(), kPrograms);
  for (const std::string& path : testing::RecordedProgramPaths()) {
    SCOPED_TRACE(path);
    auto recorded = testing::ReadRecordedProgram(path);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    const auto result = testing::ResultOf(*recorded);
    ASSERT_TRUE(result.ok()) << result.error().message;
    ASSERT_EQ(result->size(), recorded->expected.size());
    for (size_t i = 0; i < result->size(); ++i) {
      const double expected = recorded->expected[i];
      const double bound = recorded->tolerance * std::max(1.0, std::fabs(expected));
      ASSERT_NEAR(HalfToDouble(Half{(*result)[i]}), expected, bound) << "element " << i;
    }
  }
}

// The study sums in fp32 and the emulator in fp64. If terms cancel, their sums therefore differ by
// more than one rounding of the result. The study's table of exp took an fp32 argument, which
// changes the result by up to 2^-8.
TEST(RecordedPrograms, FillTheOutputSurfaceAsTheStudyDid) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  for (const std::string& path : testing::RecordedProgramPaths()) {
    SCOPED_TRACE(path);
    auto recorded = testing::ReadRecordedProgram(path).value();
    ASSERT_TRUE(testing::ResultOf(recorded).ok());
    const auto& bytes = recorded.program.memory.regions()[recorded.output_region].bytes;
    ASSERT_EQ(bytes.size(), recorded.surface.size());
    const bool exponential = recorded.name.starts_with("unary_exp");
    size_t different = 0;
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
      const Half ours{static_cast<uint16_t>(bytes[i] | bytes[i + 1] << 8)};
      const Half theirs{static_cast<uint16_t>(recorded.surface[i] | recorded.surface[i + 1] << 8)};
      const double bound =
          2e-4 + std::fabs(HalfToDouble(theirs)) * (exponential ? 0x1p-8 : 0x1p-10);
      EXPECT_NEAR(HalfToDouble(ours), HalfToDouble(theirs), bound) << "byte " << i;
      different += ours == theirs ? 0 : 1;
    }
    EXPECT_TRUE(exponential || different <= bytes.size() / 2 / 50) << different;
  }
}

// Computes (x - mean) / sqrt(variance + 1e-5) for a variance of about the size of the epsilon.
TEST(RecordedPrograms, LayerNormAddsItsEpsilon) {
  const std::string path =
      anecheck::testing::VectorPath("h13_program/layer_norm_1x64x8x8_axes_1.json");
  ANECHECK_SKIP_WITHOUT(path);
  auto recorded = testing::ReadRecordedProgram(path).value();
  testing::ScaleInputs(recorded.program, testing::kSmallScale);
  std::vector<std::string> warnings;
  const Task last = DecodeProgram(recorded.program, {}, warnings).value().back();
  const auto surface = recorded.program.memory.Bar(last.source1.bar, false, "the input").value();
  const auto x = Gather(surface, last.source1.memory, last.source1.extents, "the input").value();
  double mean = 0;
  for (const float v : x) mean += static_cast<double>(v) / static_cast<double>(x.size());
  double variance = 0;
  for (const float v : x) {
    variance += std::pow(static_cast<double>(v) - mean, 2) / static_cast<double>(x.size());
  }
  EXPECT_LT(variance, 1e-4);
  const auto result = testing::ResultOf(recorded).value();
  for (size_t i = 0; i < result.size(); ++i) {
    const double expected = (static_cast<double>(x[i]) - mean) / std::sqrt(variance + 1e-5);
    ASSERT_NEAR(HalfToDouble(Half{result[i]}), expected, 0.01) << "element " << i;
  }
}

}  // namespace
}  // namespace anecheck::emulator
