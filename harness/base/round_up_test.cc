// Rounding up to multiples of a unit.
#include "harness/base/round_up.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace anecheck {
namespace {

static_assert(RoundUp(0, 64) == 0);
static_assert(RoundUp(1, 64) == 64);
static_assert(RoundUp(64, 64) == 64);
static_assert(RoundUp(65, 64) == 128);
static_assert(RoundUp(7, 1) == 7);
static_assert(RoundUp(UINT64_MAX - 15, 16) == UINT64_MAX - 15);
static_assert(CheckedRoundUp(uint64_t{65}, 64) == 128);
static_assert(CheckedRoundUp(UINT64_MAX - 15, 16) == UINT64_MAX - 15);
static_assert(CheckedRoundUp(UINT64_MAX - 14, 16) == std::nullopt);
static_assert(CheckedRoundUp(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
static_assert(CheckedRoundUp(uint16_t{65533}, 4) == std::nullopt);
static_assert(CheckedRoundUp(uint16_t{65532}, 4) == 65532);

RC_GTEST_PROP(RoundUp, IsTheSmallestMultipleThatIsNotBelow, ()) {
  const auto value = *rc::gen::inRange<uint64_t>(0, uint64_t{1} << 40);
  const auto unit = *rc::gen::inRange<uint64_t>(1, uint64_t{1} << 20);
  const uint64_t rounded = RoundUp(value, unit);
  RC_ASSERT(rounded % unit == 0);
  RC_ASSERT(rounded >= value && rounded - value < unit);
  RC_ASSERT(CheckedRoundUp(value, unit) == rounded);
}

}  // namespace
}  // namespace anecheck
