#include "oracles/reference/departures.h"

#include <algorithm>

namespace anecheck::reference {
namespace {

double Flush(double x) { return std::fabs(x) < kHalfMinNormal ? 0 : x; }

double FlushedSum(const Grid& grid, const double* x, const double* y, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; ++k) sum += Flush(grid.Round(Flush(x[k]) * Flush(y[k])));
  return Flush(sum);
}

// An infinity where |x| rounds to `limit` or more.
double PortLimited(const Grid& grid, double x, double limit) {
  const double rounded = grid.Round(x);
  return std::fabs(rounded) >= limit ? std::copysign(kInfinity, x) : x;
}

// Lets a sum whose partial sums may reach the port's limit overflow. The order in which the engine
// accumulates is fixed but unknown (facts/numerics.md), so any order is admitted: +infinity where
// the positive products alone reach the limit, -infinity where the negative ones do, NaN where both
// do.
void OverflowInside(const Lanes& x, const Lanes& y, size_t count, double limit, Accumulated& sum) {
  double positive = 0;
  double negative = 0;
  for (size_t k = 0; k < count; ++k) {
    const double product = x.value[k] * y.value[k];
    if (product > 0) positive += product;
    if (product < 0) negative += product;
  }
  const bool up = positive >= limit;
  const bool down = -negative >= limit;
  if (up) sum.high = kInfinity;
  if (down) sum.low = -kInfinity;
  if (up && down) sum.nan = true;
  if (up || down) sum.exact = true;
}

double TruncateTo(double x, double quantum) { return std::trunc(x / quantum) * quantum; }

// Moves the conforming interval to the departure's value: the other freedoms remain.
void Shift(Accumulated& sum, double least, double greatest, double value) {
  const double below = sum.value - sum.low;
  const double above = sum.high - sum.value;
  sum.value = value;
  sum.low = least - below;
  sum.high = greatest + above;
  sum.exact = true;
}

}  // namespace

double TileLatticeSum(const Grid& grid, const double* x, const double* y, size_t count, int tile,
                      int bits, bool round_products, bool pad_tiles) {
  double total = 0;
  const auto lanes = static_cast<size_t>(tile);
  for (size_t first = 0; first < count; first += lanes) {
    double sum = 0;
    const size_t end = pad_tiles ? first + lanes : std::min(count, first + lanes);
    for (size_t k = first; k < end; ++k) {
      double product = k < count ? x[k] * y[k] : 0;
      if (round_products) product = grid.Round(product);
      const double larger = std::max(std::fabs(sum), std::fabs(product));
      if (larger == 0 || !(larger < kInfinity)) {
        sum += product;
        continue;
      }
      const double quantum = std::ldexp(1.0, std::ilogb(larger) + 1 - bits);
      sum = TruncateTo(sum, quantum) + TruncateTo(product, quantum);
    }
    total += sum;
  }
  return total;
}

namespace {

// The most that the lattice can take away from a sum whose operands are known as intervals: each of
// a tile's additions truncates two operands to a quantum of at most 2^(1 - bits) of the magnitudes
// summed so far.
double LatticeSlack(const Lanes& x, const Lanes& y, size_t count, int tile, int bits) {
  double magnitude = 0;
  for (size_t k = 0; k < count; ++k) {
    magnitude += std::max(std::fabs(x.low[k]), std::fabs(x.high[k])) *
                 std::max(std::fabs(y.low[k]), std::fabs(y.high[k]));
  }
  return magnitude * 2 * tile * std::ldexp(1.0, 1 - bits);
}

// No source says whether the unused lanes of the last tile are added as zeros, nor whether products
// are rounded: every reading is admitted.
void DepartByLattice(const Departure& lattice, const Grid& grid, const Lanes& x, const Lanes& y,
                     size_t count, Accumulated& sum) {
  const auto bits = static_cast<int>(lattice.a);
  const auto tile = static_cast<int>(lattice.b);
  const double value = TileLatticeSum(grid, x.value, y.value, count, tile, bits, false, true);
  double least = value;
  double greatest = value;
  for (const bool round_products : {false, true}) {
    for (const bool pad_tiles : {false, true}) {
      const double other =
          TileLatticeSum(grid, x.value, y.value, count, tile, bits, round_products, pad_tiles);
      least = std::min(least, other);
      greatest = std::max(greatest, other);
    }
  }
  if (!x.point() || !y.point()) {
    const double slack = LatticeSlack(x, y, count, tile, bits);
    least = std::min(least, sum.value - slack);
    greatest = std::max(greatest, sum.value + slack);
  }
  Shift(sum, least, greatest, value);
}

}  // namespace

void DepartFromDot(const Contract& contract, const Grid& grid, const Lanes& x, const Lanes& y,
                   size_t count, Accumulated& sum) {
  if (const Departure* lattice = contract.Find(Effect::kTileLattice)) {
    DepartByLattice(*lattice, grid, x, y, count, sum);
  }
  if (contract.Find(Effect::kFlushInMac) != nullptr) {
    const double flushed = FlushedSum(grid, x.value, y.value, count);
    sum.value = flushed;
    sum.low = std::min(sum.low, flushed);
    sum.high = std::max(sum.high, flushed);
    sum.exact = true;
  }
  if (count < 2) return;
  if (const Departure* port = contract.Find(Effect::kPortOverflow)) {
    sum.value = PortLimited(grid, sum.value, port->a);
    sum.low = PortLimited(grid, sum.low, port->a);
    sum.high = PortLimited(grid, sum.high, port->a);
  }
  if (const Departure* interior = contract.Find(Effect::kInteriorOverflow)) {
    OverflowInside(x, y, count, interior->a, sum);
  }
}

void DepartFromInput(const Contract& contract, Arena& arena, BoundedTensor& tensor) {
  if (!tensor.special || !IsFloat(tensor.type.dtype)) return;
  if (contract.Find(Effect::kNanAsInfinity) == nullptr) return;
  auto* const value = arena.Allocate<double>(tensor.size);
  for (size_t i = 0; i < tensor.size; ++i) {
    value[i] = tensor.value[i] != tensor.value[i] ? kInfinity : tensor.value[i];
  }
  tensor.value = tensor.low = tensor.high = value;
}

namespace {

// A departure's value need be no whole number and no member.
void ForgetSets(BoundedTensor& result) {
  result.whole = false;
  result.members = nullptr;
}

void ReplaceNan(BoundedTensor& result, double by) {
  for (size_t i = 0; i < result.size; ++i) {
    if (result.value[i] != result.value[i]) result.value[i] = by;
    if (result.point()) continue;
    if (result.low[i] != result.low[i]) {
      result.low[i] = result.high[i] = by;
    } else if (result.NanAt(i)) {
      result.low[i] = std::min(result.low[i], by);
      result.high[i] = std::max(result.high[i], by);
    }
  }
  result.nan = nullptr;
}

// f(x) == value at the operand's elements that `hits` selects.
template <typename Hits>
void FixValue(KernelContext& context, BoundedTensor& result, double value, const Hits& hits) {
  const BoundedTensor& x = context.Value(context.node().Input(0));
  if (x.size != result.size) return;
  ForgetSets(result);
  for (size_t i = 0; i < result.size; ++i) {
    if (hits(x.value[i])) {
      result.value[i] = value;
      if (!result.point()) result.low[i] = result.high[i] = value;
    }
  }
}

void WidenBy(KernelContext& context, BoundedTensor& result, double error) {
  ForgetSets(result);
  auto* const low = context.arena().Allocate<double>(result.size);
  auto* const high = context.arena().Allocate<double>(result.size);
  auto* const nan = context.arena().Allocate<uint8_t>(result.size);
  for (size_t i = 0; i < result.size; ++i) {
    low[i] = result.low[i] - error;
    high[i] = result.high[i] + error;
    nan[i] = result.NanAt(i) ? 1 : 0;
  }
  result.low = low;
  result.high = high;
  result.nan = nan;
}

bool IsMovedCopy(KernelContext& context, const BoundedTensor& result) {
  const ValueId x = context.node().Input(0);
  return x != kNoValue && context.Value(x).value == result.value;
}

}  // namespace

void DepartFromResult(KernelContext& context, BoundedTensor& result) {
  if (!IsFloat(result.type.dtype) || IsMovedCopy(context, result)) return;
  const Contract& contract = context.contract();
  if (contract.Find(Effect::kNanResultAsZero) != nullptr && result.special) ReplaceNan(result, 0);
  const Grid grid(result.type.dtype);
  for (const Departure* departure : contract.active()) {
    if (departure->op.empty() || departure->op != context.node().op()) continue;
    const double value = grid.Round(departure->b);
    const double at = departure->a;
    if (departure->effect == Effect::kValueAt) {
      FixValue(context, result, value, [&](double x) { return x == at; });
    } else if (departure->effect == Effect::kValueFrom) {
      FixValue(context, result, value, [&](double x) { return x >= at; });
    } else if (departure->effect == Effect::kAbsoluteError) {
      WidenBy(context, result, at);
    }
  }
}

}  // namespace anecheck::reference
