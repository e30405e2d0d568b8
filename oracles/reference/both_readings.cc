#include "oracles/reference/both_readings.h"

#include <algorithm>
#include <cmath>

#include "oracles/reference/rounding.h"

namespace anecheck::reference {
namespace {

// The values that an element admits. `beyond` holds infinities. [low, high] is empty if low > high.
struct Reading {
  double low, high;
  uint8_t beyond;
  bool nan;
};
Reading ReadingOf(const BoundedTensor& tensor, size_t i) {
  constexpr double kInfinite = kInfinity;
  const double low = tensor.low[i];
  const double high = tensor.high[i];
  if (low != low) return {kInfinite, -kInfinite, 0, true};
  if (tensor.beyond != nullptr) {
    return {tensor.finite_low[i], tensor.finite_high[i], tensor.beyond[i], tensor.NanAt(i)};
  }
  if (low != high || std::fabs(low) < kInfinite) return {low, high, 0, tensor.NanAt(i)};
  const uint8_t side = low > 0 ? kUpward : kDownward;
  return {kInfinite, -kInfinite, side, tensor.NanAt(i)};
}

}  // namespace

void AdmitBoth(Arena& arena, const BoundedTensor& exact, BoundedTensor& result) {
  const BoundedTensor rounded = result;
  result = exact;
  result.finite_low = arena.Allocate<double>(exact.size);
  result.finite_high = arena.Allocate<double>(exact.size);
  result.low = arena.Allocate<double>(exact.size);
  result.high = arena.Allocate<double>(exact.size);
  result.nan = arena.Allocate<uint8_t>(exact.size);
  result.beyond = arena.Allocate<uint8_t>(exact.size);
  result.members = nullptr;
  result.special |= rounded.special;
  result.whole &= rounded.whole;
  result.loose |= rounded.loose;
  bool apart = false;
  for (size_t i = 0; i < exact.size; ++i) {
    const Reading a = ReadingOf(exact, i);
    const Reading b = ReadingOf(rounded, i);
    const double low = std::min(a.low, b.low);
    const double high = std::max(a.high, b.high);
    const auto beyond = static_cast<uint8_t>(a.beyond | b.beyond);
    const bool nothing = low > high && beyond == 0;
    result.finite_low[i] = low;
    result.finite_high[i] = high;
    result.beyond[i] = beyond;
    result.nan[i] = a.nan || b.nan ? 1 : 0;
    const double least = (beyond & kDownward) != 0 ? -kInfinity : low;
    const double most = (beyond & kUpward) != 0 ? kInfinity : high;
    result.low[i] = nothing ? kNan : std::min(least, most);
    result.high[i] = nothing ? kNan : std::max(least, most);
    apart |= beyond != 0;
  }
  if (!apart) result.beyond = nullptr;
}

}  // namespace anecheck::reference
