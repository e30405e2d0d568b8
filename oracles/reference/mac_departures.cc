#include "oracles/reference/mac_departures.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace anecheck::reference {
namespace {

// The results of one sum by all admitted ways of adding (SumReading), separated by kind.
struct Readings {
  double value = kNan;  // result of the first way of adding
  double least = kInfinity;
  double greatest = -kInfinity;
  uint8_t beyond = 0;
  bool nan = false;
  bool first = true;

  void Add(double sum) {
    if (first) value = sum;
    first = false;
    nan |= sum != sum;
    if (sum == kInfinity) beyond |= kUpward;
    if (sum == -kInfinity) beyond |= kDownward;
    if (!(std::fabs(sum) < kInfinity)) return;
    least = std::min(least, sum);
    greatest = std::max(greatest, sum);
  }
};

// The departures of one contract that change sums.
struct SumDepartures {
  const Departure* lattice = nullptr;
  bool flush = false;
  bool invalid = false;
  const Departure* port = nullptr;
  const Departure* interior = nullptr;

  // Finds the departures that change sums without products.
  explicit SumDepartures(const Contract& contract)
      : lattice(contract.Find(Effect::kSumLattice)),
        flush(contract.Find(Effect::kFlushInMac) != nullptr) {}
  SumDepartures(const Contract& contract, size_t count)
      : lattice(contract.Find(Effect::kTileLattice)),
        flush(contract.Find(Effect::kFlushInMac) != nullptr),
        invalid(contract.Find(Effect::kNanResultAsZero) != nullptr),
        port(count < 2 ? nullptr : contract.Find(Effect::kPortOverflow)),
        interior(count < 2 ? nullptr : contract.Find(Effect::kInteriorOverflow)) {}
  // Whether products are added differently. If not, only the magnitude of the sums matters.
  bool add_otherwise() const { return lattice != nullptr || flush || invalid; }
  bool none() const { return !add_otherwise() && port == nullptr && interior == nullptr; }
};

Readings ReadPoints(const SumDepartures& active, const Grid& grid, const Lanes& x, const Lanes& y,
                    size_t count) {
  Readings readings;
  SumReading reading;
  reading.flush_operands = active.flush;
  if (active.lattice != nullptr) {
    reading.bits = static_cast<int>(active.lattice->a);
    reading.tile = static_cast<int>(active.lattice->b);
  }
  const bool short_tile = reading.tile != 0 && count % static_cast<size_t>(reading.tile) != 0;
  for (const bool pad_tiles : {false, true}) {
    if (pad_tiles && !short_tile) continue;
    for (const bool round_products : {false, true}) {
      for (const bool flush_products : {false, true}) {
        if (flush_products && !active.flush) continue;
        for (const bool invalid_products : {false, true}) {
          if (invalid_products && !active.invalid) continue;
          reading.pad_tiles = pad_tiles;
          reading.round_products = round_products;
          reading.flush_products = flush_products;
          reading.invalid_products = invalid_products;
          readings.Add(SumByReading(reading, grid, x.value, y.value, count));
        }
      }
    }
  }
  return readings;
}

struct Magnitudes {
  double all = 0;        // sum of the magnitudes of all finite products
  double subnormal = 0;  // largest change by flushing subnormal operands or products
  double positive = 0;   // sum of the products that may be above zero, infinities included
  double negative = 0;   // sum of the magnitudes of products that may be below zero
  bool up = false;       // some product is +infinity, perhaps by rounding
  bool down = false;
  bool finite = true;  // every end of every lane is finite
};

double Greatest(const Lanes& lanes, size_t k) {
  return std::max(std::fabs(lanes.low[k]), std::fabs(lanes.high[k]));
}
bool MayBeSubnormal(const Lanes& lanes, size_t k) {
  const double low = lanes.low[k];
  const double high = lanes.high[k];
  return low < kHalfMinNormal && high > -kHalfMinNormal && (low != 0 || high != 0);
}

// The least and greatest product of two intervals. If all products are invalid, least lies above
// greatest.
struct Products {
  double least = kInfinity;
  double greatest = -kInfinity;

  void Add(double product) {
    if (product != product) return;
    least = std::min(least, product);
    greatest = std::max(greatest, product);
  }
};
Products ProductsAt(const Lanes& x, const Lanes& y, size_t k) {
  Products products;
  products.Add(x.low[k] * y.low[k]);
  if (x.point() && y.point()) return products;
  products.Add(x.low[k] * y.high[k]);
  products.Add(x.high[k] * y.low[k]);
  products.Add(x.high[k] * y.high[k]);
  return products;
}

Magnitudes Measure(const Grid& grid, const Lanes& x, const Lanes& y, size_t count) {
  Magnitudes sums;
  const double limit = grid.half() ? kHalfMaxValue : 0;  // smaller numbers stay finite
  for (size_t k = 0; k < count; ++k) {
    const auto [least, greatest] = ProductsAt(x, y, k);
    for (const double end : {x.low[k], x.high[k], y.low[k], y.high[k]}) {
      sums.finite &= std::fabs(end) < kInfinity;
    }
    if (greatest > 0) sums.positive += greatest;
    if (least < 0) sums.negative -= least;
    if (greatest > limit) sums.up |= grid.Round(greatest) == kInfinity;
    if (least < -limit) sums.down |= grid.Round(least) == -kInfinity;
    const double largest = Greatest(x, k) * Greatest(y, k);
    if (!(largest < kInfinity)) continue;
    sums.all += largest;
    double lost = largest < kHalfMinNormal ? largest : 0;
    if (MayBeSubnormal(x, k)) lost += std::min(Greatest(x, k), kHalfMinNormal) * Greatest(y, k);
    if (MayBeSubnormal(y, k)) lost += std::min(Greatest(y, k), kHalfMinNormal) * Greatest(x, k);
    sums.subnormal += lost;
  }
  return sums;
}

// Measures only the magnitudes that departures of points need. Measures `all` only if some number
// is not finite, and does not measure `subnormal`.
Magnitudes MeasurePoints(const SumDepartures& active, const Grid& grid, const Lanes& x,
                         const Lanes& y, size_t count, bool finite) {
  if (active.interior == nullptr && (finite || !active.add_otherwise())) return {};
  const ProductSizes sizes = SizesOfProducts(x.value, y.value, count);
  if (!sizes.finite || sizes.largest > kHalfMaxValue) return Measure(grid, x, y, count);
  return {.positive = sizes.positive, .negative = sizes.negative};
}

// A sum of points admits only the results of the ways of adding, each within the accumulator's
// error.
void DepartPoints(const SumDepartures& active, double unit, const Grid& grid, const Lanes& x,
                  const Lanes& y, size_t count, const Magnitudes& sums, Accumulated& sum) {
  const Readings readings = ReadPoints(active, grid, x, y, count);
  const double error =
      sums.finite ? sum.error : static_cast<double>(count) * (unit + 0x1p-52) * sums.all;
  sum.value = readings.value;
  sum.low = readings.least - error;
  sum.high = readings.greatest + error;
  sum.beyond = readings.beyond;
  sum.nan |= readings.nan;
  sum.exact = true;
}

// A sum of intervals admits a conforming engine's interval, widened by the largest change that the
// departures can cause. Each of a tile's additions on the lattice truncates two operands to a
// quantum of at most 2^(1 - bits) of the magnitudes summed so far.
void DepartIntervals(const SumDepartures& active, const Grid& grid, const Lanes& x, const Lanes& y,
                     size_t count, const Magnitudes& sums, Accumulated& sum) {
  sum.value = ReadPoints(active, grid, x, y, count).value;
  sum.exact = true;
  double slack = active.flush ? sums.subnormal : 0;
  if (active.lattice != nullptr) {
    const auto bits = static_cast<int>(active.lattice->a);
    slack += sums.all * 2 * active.lattice->b * std::ldexp(1.0, 1 - bits);
  }
  sum.low -= slack;
  sum.high += slack;
  sum.loose = slack > 0;
}

// A sum that rounds to `limit` or more becomes an infinity. A number that rounds below it is kept.
void LimitAtPort(const Grid& grid, double limit, Accumulated& sum) {
  const auto overflows = [&](double x) { return std::fabs(grid.Round(x)) >= limit; };
  if (overflows(sum.value)) sum.value = std::copysign(kInfinity, sum.value);
  if (sum.low != sum.low || sum.empty()) return;
  // The last fp32 number that rounds below the limit. A sum between both may become the tie.
  const auto tie = static_cast<float>((limit + grid.RoundAndStep(limit, -1)) / 2);
  const double last = static_cast<double>(std::nextafter(tie, 0.0F));
  if (sum.high > last) sum.beyond |= kUpward;
  if (sum.low < -last) sum.beyond |= kDownward;
  sum.low = std::max(sum.low, -last);
  sum.high = std::min(sum.high, last);
}

// A partial sum that reaches the limit becomes an infinity, which no later finite term changes. The
// order in which the engine accumulates is fixed but unknown (facts/numerics.md), so any order is
// admitted: +infinity if the positive products reach the limit, -infinity if the negative products
// do. A later infinite product of the other sign makes the sum NaN. If `may_vanish` is true, such a
// product may instead be 0, because its other factor is flushed and an invalid product gives 0.
void OverflowInside(const Magnitudes& sums, double limit, bool may_vanish, Accumulated& sum) {
  constexpr double kRoundingSlack = 1 + 0x1p-20;
  const bool up = sums.positive * kRoundingSlack >= limit;
  const bool down = sums.negative * kRoundingSlack >= limit;
  if (up && (may_vanish || sums.negative < kInfinity)) sum.beyond |= kUpward;
  if (down && (may_vanish || sums.positive < kInfinity)) sum.beyond |= kDownward;
  sum.nan |= (up && sums.down) || (down && sums.up);
}

// Replaces NaN by +0, as the port does (D07) before a bias is added.
void ZeroForNan(Accumulated& sum) {
  if (sum.value != sum.value) sum.value = 0;
  const bool only_nan = sum.low != sum.low || (sum.empty() && sum.beyond == 0);
  if (!sum.nan && !only_nan) return;
  sum.nan = false;
  sum.low = only_nan ? 0 : std::min(sum.low, 0.0);
  sum.high = only_nan ? 0 : std::max(sum.high, 0.0);
}

// Sets both ends to NaN if nothing else is admitted.
void SettleNan(Accumulated& sum) {
  if (sum.empty() && sum.beyond == 0) sum.low = sum.high = kNan;
}

}  // namespace

bool AddOtherwise(const Contract& contract) {
  return contract.departure_count != 0 && SumDepartures(contract, 1).add_otherwise();
}

void DepartFromDot(const Contract& contract, const Grid& grid, const Lanes& x, const Lanes& y,
                   size_t count, bool finite, Accumulated& sum) {
  const SumDepartures active(contract, count);
  if (active.none()) return;
  const bool points = x.point() && y.point();
  const Magnitudes sums =
      points ? MeasurePoints(active, grid, x, y, count, finite) : Measure(grid, x, y, count);
  if (points && active.add_otherwise()) {
    DepartPoints(active, contract[Term::kAccumulatorUnit], grid, x, y, count, sums, sum);
  } else if (!points && sums.finite && (active.lattice != nullptr || active.flush)) {
    DepartIntervals(active, grid, x, y, count, sums, sum);
  }
  if (active.port != nullptr) LimitAtPort(grid, active.port->a, sum);
  if (active.interior != nullptr) {
    OverflowInside(sums, active.interior->a, active.flush && active.invalid, sum);
  }
  if (active.invalid) ZeroForNan(sum);
  SettleNan(sum);
}

void DepartFromSum(const Contract& contract, const Grid& grid, const Lanes& x, size_t count,
                   bool finite, Accumulated& sum) {
  const SumDepartures active(contract);
  if (active.none()) return;
  const std::vector<double> ones(count, 1.0);
  const Lanes y{ones.data(), ones.data(), ones.data(), nullptr};
  const Magnitudes sums =
      x.point() ? MeasurePoints(active, grid, x, y, count, finite) : Measure(grid, x, y, count);
  if (!sums.finite) return;
  if (x.point()) {
    DepartPoints(active, contract[Term::kReduceUnit], grid, x, y, count, sums, sum);
  } else {
    DepartIntervals(active, grid, x, y, count, sums, sum);
  }
}

}  // namespace anecheck::reference
