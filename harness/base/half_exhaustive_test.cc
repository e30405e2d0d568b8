// Compares the conversion of every float to half with the processor's own conversion. In the
// directed modes only every 61st float is tested, because half_hardware_test tests the floats
// beside every rounding border. Skips on a processor without F16C.
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/parallel_for.h"
#include "harness/base/testing/hardware_half.h"

namespace anecheck {
namespace {

Status CompareAll(Rounding mode, uint64_t stride) {
  return ParallelChunks(
      uint64_t{1} << 32, uint64_t{1} << 24, 0, [&](uint64_t begin, uint64_t end) -> Status {
        const testing::Disagreements found = testing::CompareFloatToHalf(mode, begin, end, stride);
        if (found.count == 0) return {};
        return MakeError(ErrorCode::kInvalid, fmt::format("float bits {:#010x}", found.first));
      });
}

TEST(HalfExhaustive, EveryFloatRoundsAsTheProcessorRoundsIt) {
  if (!testing::HasF16c()) GTEST_SKIP() << "this processor has no F16C";
  const Status status = CompareAll(Rounding::kNearestEven, 1);
  EXPECT_TRUE(status.ok()) << status.error().message;
}

TEST(HalfExhaustive, DirectedModesRoundAsTheProcessorDoes) {
  if (!testing::HasF16c()) GTEST_SKIP() << "this processor has no F16C";
  for (const Rounding mode : {Rounding::kDown, Rounding::kUp, Rounding::kTowardZero}) {
    const Status status = CompareAll(mode, 61);
    EXPECT_TRUE(status.ok()) << status.error().message;
  }
}

}  // namespace
}  // namespace anecheck
