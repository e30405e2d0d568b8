#include "oracles/reference/fixed_point.h"

namespace anecheck::reference {
namespace {

// Each sum has four lanes, so that the loop becomes vector code. Whole numbers below 2^53 have an
// exact sum in any order.
struct Lanes4 {
  double lane[4] = {0, 0, 0, 0};
  double Total() const { return (lane[0] + lane[1]) + (lane[2] + lane[3]); }
};

// The largest power of two at or below |x|, but at least 2^-14.
double PowerPart(double x) {
  constexpr uint64_t kExponent = 0x7ff0000000000000;
  const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(x) & kExponent);
  return power > 0x1p-14 ? power : 0x1p-14;
}

// FixedProduct of numbers whose product is below 2^31 units.
double SmallFixedProduct(double x, double w) {
  const double units = x * w / kFixedUnit;
  const double moved = std::fabs(units) + 0.5;
  const auto size = static_cast<double>(static_cast<int32_t>(moved));
  return PowerPart(x) * PowerPart(w) < 0x1p-16 ? 0.0 : std::copysign(size, units);
}

bool HasLargeProduct(const double* x, const double* w, size_t count) {
  double largest = 0;
  for (size_t k = 0; k < count; ++k) largest = std::max(largest, std::fabs(x[k] * w[k]));
  return !(largest < kFixedLimit * kFixedUnit - 1);
}

FixedSum SumOfPasses(const double* x, const double* w, size_t count) {
  FixedSum sum;
  for (size_t k = 0; k < count; ++k) {
    const double product = FixedProduct(x[k], w[k]);
    sum.total += product;
    sum.size += std::fabs(product);
    sum.reach = std::max(sum.reach, std::fabs(sum.total));
  }
  return sum;
}

}  // namespace

FixedSum SumFixed(const double* x, const double* w, size_t count) {
  if (count > kFixedPass) return SumOfPasses(x, w, count);
  Lanes4 totals;
  Lanes4 sizes;
  const auto add = [&](size_t lane, double product) {
    totals.lane[lane] += product;
    sizes.lane[lane] += std::fabs(product);
  };
  size_t k = 0;
  if (!HasLargeProduct(x, w, count)) {
    for (; k + 4 <= count; k += 4) {
      for (size_t lane = 0; lane < 4; ++lane) {
        add(lane, SmallFixedProduct(x[k + lane], w[k + lane]));
      }
    }
  }
  for (; k < count; ++k) add(0, FixedProduct(x[k], w[k]));
  return {totals.Total(), sizes.Total(), 0};
}

double SumFixedInOrder(const double* x, const double* w, size_t count, double start) {
  double sum = start;
  for (size_t k = 0; k < count && std::fabs(sum) < kFixedLimit; ++k) {
    sum += FixedProduct(x[k], w[k]);
  }
  return std::fabs(sum) < kFixedLimit ? sum : std::copysign(kInfinity, sum);
}

double ScaleFixed(int64_t sum, double scale) {
  const auto value = static_cast<double>(sum);
  if (std::fabs(value) >= kFixedLimit) return std::copysign(kInfinity, value);
  return value * scale;
}

}  // namespace anecheck::reference
