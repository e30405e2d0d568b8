// fp16 conversion against the processor's own: the F16C instructions, which know four of the five
// rounding modes. Skips on a processor without them.
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

#include "harness/base/half.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

namespace anecheck {
namespace {

bool HasF16c() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 &&
         (ecx & bit_F16C) != 0;
}

__attribute__((target("avx,f16c"))) uint32_t HardwareHalfToFloatBits(uint16_t bits) {
  const __m128i packed = _mm_cvtsi32_si128(bits);
  return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_castps_si128(_mm_cvtph_ps(packed))));
}

template <int kImmediate>
__attribute__((target("avx,f16c"))) uint16_t HardwareFloatToHalf(uint32_t bits) {
  const __m128 value = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(bits)));
  return static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(value, kImmediate)));
}

struct HardwareMode {
  Rounding mode;
  uint16_t (*convert)(uint32_t bits);
};

constexpr HardwareMode kHardwareModes[] = {
    {Rounding::kNearestEven, HardwareFloatToHalf<_MM_FROUND_TO_NEAREST_INT>},
    {Rounding::kDown, HardwareFloatToHalf<_MM_FROUND_TO_NEG_INF>},
    {Rounding::kUp, HardwareFloatToHalf<_MM_FROUND_TO_POS_INF>},
    {Rounding::kTowardZero, HardwareFloatToHalf<_MM_FROUND_TO_ZERO>},
};

// Counts disagreements rather than asserting on each: these loops run tens of millions of times.
struct Disagreements {
  uint64_t count = 0;
  uint32_t first = 0;

  void Check(uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    for (const HardwareMode& hardware : kHardwareModes) {
      if (FloatToHalf(value, hardware.mode).bits != hardware.convert(bits) && count++ == 0) {
        first = bits;
      }
    }
  }
};

TEST(HalfHardware, EveryHalfBecomesTheSameFloat) {
  if (!HasF16c()) GTEST_SKIP() << "this processor has no F16C";
  for (int bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    // The instruction makes signalling NaNs quiet; HalfToFloat keeps the payload as it is.
    const uint32_t quiet = half.IsNan() ? 0x00400000 : 0;
    ASSERT_EQ(std::bit_cast<uint32_t>(HalfToFloat(half)) | quiet,
              HardwareHalfToFloatBits(half.bits))
        << bits;
  }
}

TEST(HalfHardware, FloatsOverTheWholeRangeRoundAlike) {
  if (!HasF16c()) GTEST_SKIP() << "this processor has no F16C";
  constexpr uint64_t kStride = 251;  // prime, so that every low bit pattern comes up
  Disagreements found;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += kStride) {
    found.Check(static_cast<uint32_t>(bits));
  }
  EXPECT_EQ(found.count, 0U) << "first at float bits 0x" << std::hex << found.first;
}

TEST(HalfHardware, FloatsAtEveryBorderRoundAlike) {
  if (!HasF16c()) GTEST_SKIP() << "this processor has no F16C";
  Disagreements found;
  for (int ordinal = 0; ordinal < 0x7c00; ++ordinal) {
    const float low = HalfToFloat(HalfFromOrdinal(ordinal));
    const float high = ordinal == 0x7bff ? 65536.0F : HalfToFloat(HalfFromOrdinal(ordinal + 1));
    for (const float center : {low, (low + high) / 2}) {
      const auto bits = std::bit_cast<uint32_t>(center);
      for (const uint32_t near : {bits == 0 ? 0 : bits - 1, bits, bits + 1}) {
        found.Check(near);
        found.Check(near | 0x80000000);
      }
    }
  }
  EXPECT_EQ(found.count, 0U) << "first at float bits 0x" << std::hex << found.first;
}

}  // namespace
}  // namespace anecheck
#endif
