// Compares fp16 conversion with the processor's own. Skips on a processor without F16C.
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>

#include "harness/base/half.h"
#include "harness/base/testing/hardware_half.h"

namespace anecheck {
namespace {

constexpr Rounding kModes[] = {Rounding::kNearestEven, Rounding::kDown, Rounding::kUp,
                               Rounding::kTowardZero};

TEST(HalfHardware, EveryHalfBecomesTheSameFloat) {
  if (!testing::HasF16c()) GTEST_SKIP() << "this processor has no F16C";
  for (int bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    // The instruction makes signalling NaNs quiet. HalfToFloat keeps the payload unchanged.
    const uint32_t quiet = half.IsNan() ? 0x00400000 : 0;
    ASSERT_EQ(std::bit_cast<uint32_t>(HalfToFloat(half)) | quiet,
              testing::HardwareHalfToFloatBits(half.bits))
        << bits;
  }
}

TEST(HalfHardware, FloatsAtEveryBorderRoundAlike) {
  if (!testing::HasF16c()) GTEST_SKIP() << "this processor has no F16C";
  for (int ordinal = 0; ordinal < 0x7c00; ++ordinal) {
    const float low = HalfToFloat(HalfFromOrdinal(ordinal));
    const float high = ordinal == 0x7bff ? 65536.0F : HalfToFloat(HalfFromOrdinal(ordinal + 1));
    for (const float center : {low, (low + high) / 2}) {
      const uint64_t bits = std::bit_cast<uint32_t>(center);
      for (const uint64_t sign : {uint64_t{0}, uint64_t{0x80000000}}) {
        const uint64_t at = sign + bits;
        for (const Rounding mode : kModes) {
          const auto found = testing::CompareFloatToHalf(mode, bits == 0 ? at : at - 1, at + 2, 1);
          ASSERT_EQ(found.count, 0U) << "at float bits 0x" << std::hex << found.first;
        }
      }
    }
  }
}

}  // namespace
}  // namespace anecheck
