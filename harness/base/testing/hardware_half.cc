#include "harness/base/testing/hardware_half.h"

#include <bit>
#include <cstdlib>

#include "harness/base/half.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace anecheck::testing {

#if defined(__x86_64__)
namespace {

template <int kImmediate>
__attribute__((target("avx,f16c"))) uint16_t HardwareFloatToHalf(uint32_t bits) {
  const __m128 value = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(bits)));
  return static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(value, kImmediate)));
}

template <Rounding kMode, int kImmediate>
Disagreements Compare(uint64_t begin, uint64_t end, uint64_t stride) {
  Disagreements found;
  for (uint64_t i = begin; i < end; i += stride) {
    const auto bits = static_cast<uint32_t>(i);
    const Half ours = FloatToHalf(std::bit_cast<float>(bits), kMode);
    if (ours.bits != HardwareFloatToHalf<kImmediate>(bits) && found.count++ == 0) {
      found.first = bits;
    }
  }
  return found;
}

}  // namespace

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

Disagreements CompareFloatToHalf(Rounding mode, uint64_t begin, uint64_t end, uint64_t stride) {
  switch (mode) {
    case Rounding::kNearestEven:
      return Compare<Rounding::kNearestEven, _MM_FROUND_TO_NEAREST_INT>(begin, end, stride);
    case Rounding::kDown:
      return Compare<Rounding::kDown, _MM_FROUND_TO_NEG_INF>(begin, end, stride);
    case Rounding::kUp:
      return Compare<Rounding::kUp, _MM_FROUND_TO_POS_INF>(begin, end, stride);
    case Rounding::kTowardZero:
      return Compare<Rounding::kTowardZero, _MM_FROUND_TO_ZERO>(begin, end, stride);
    case Rounding::kNearestAway:
      break;
  }
  std::abort();
}
#else
bool HasF16c() { return false; }
uint32_t HardwareHalfToFloatBits(uint16_t) { std::abort(); }
Disagreements CompareFloatToHalf(Rounding, uint64_t, uint64_t, uint64_t) { std::abort(); }
#endif

}  // namespace anecheck::testing
