#include "oracles/reference/sum_readings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/reference/sum_readings.cc"
#include <hwy/foreach_target.h>  // compiles this file once more for every target
// Highway requires this include after foreach_target.h.
#include <hwy/highway.h>

#ifndef ANECHECK_SUM_READINGS_ONCE
#define ANECHECK_SUM_READINGS_ONCE
namespace anecheck::reference {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;
constexpr int64_t kTopField = 0x7ff;  // exponent field of terms that are not finite

inline double Flush(double x) { return std::fabs(x) < kHalfMinNormal ? 0 : x; }
inline double ZeroForInvalid(double product, double x, double y) {
  return product != product && x == x && y == y ? 0 : product;
}

double Product(const SumReading& reading, const Grid& grid, double x, double y) {
  if (reading.flush_operands) {
    x = Flush(x);
    y = Flush(y);
  }
  double product = x * y;
  if (reading.invalid_products) product = ZeroForInvalid(product, x, y);
  if (reading.round_products) product = grid.Round(product);
  return reading.flush_products ? Flush(product) : product;
}

inline int64_t ExponentField(uint64_t bits) { return static_cast<int64_t>(bits >> 52 & 0x7ff); }

// Truncates a number toward zero to a multiple of the power of two with exponent field `field`.
// `field` is at most 52 below the exponent field of the number.
inline double TruncateTo(uint64_t bits, int64_t field) {
  const int64_t above = ExponentField(bits) - field;
  const int64_t cut = above < 0 ? 63 : 52 - above;
  return std::bit_cast<double>(bits & ~uint64_t{0} << cut);
}

double AddOnLattice(double a, double b, int bits) {
  const double larger = std::max(std::fabs(a), std::fabs(b));
  if (larger == 0 || !(std::fabs(a) < kInfinity) || !(std::fabs(b) < kInfinity)) return a + b;
  const int64_t field = ExponentField(std::bit_cast<uint64_t>(larger)) + 1 - bits;
  if (field > 0) {
    return TruncateTo(std::bit_cast<uint64_t>(a), field) +
           TruncateTo(std::bit_cast<uint64_t>(b), field);
  }
  const double quantum = std::ldexp(1.0, std::ilogb(larger) + 1 - bits);
  return std::trunc(a / quantum) * quantum + std::trunc(b / quantum) * quantum;
}

double AddTile(const SumReading& reading, const double* products, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; ++k) sum = AddOnLattice(sum, products[k], reading.bits);
  const bool short_tile = count < static_cast<size_t>(reading.tile);
  return reading.pad_tiles && short_tile ? AddOnLattice(sum, 0, reading.bits) : sum;
}

// The sizes of the vector loops: the lanes of the documented tile, the tiles that are added at a
// time, and the products in these tiles.
constexpr size_t kDocumentedTile = 4;
constexpr size_t kTiles = 8;
constexpr size_t kProducts = kTiles * kDocumentedTile;

}  // namespace
}  // namespace anecheck::reference
#endif

// Plain loops without branches, of which the compiler makes vector code for each target.
HWY_BEFORE_NAMESPACE();
namespace anecheck::reference::HWY_NAMESPACE {

// Computes the product of each lane. `count` is at most kProducts.
void Multiply(const SumReading& reading, bool half, const double* HWY_RESTRICT x,
              const double* HWY_RESTRICT y, size_t count, double* HWY_RESTRICT products) {
  double flushed_x[kProducts];
  double flushed_y[kProducts];
  if (reading.flush_operands) {
    for (size_t i = 0; i < count; ++i) flushed_x[i] = Flush(x[i]);
    for (size_t i = 0; i < count; ++i) flushed_y[i] = Flush(y[i]);
    x = flushed_x;
    y = flushed_y;
  }
  for (size_t i = 0; i < count; ++i) products[i] = x[i] * y[i];
  if (reading.invalid_products) {
    for (size_t i = 0; i < count; ++i) products[i] = ZeroForInvalid(products[i], x[i], y[i]);
  }
  if (reading.round_products && half) {
    for (size_t i = 0; i < count; ++i) products[i] = RoundToHalf(products[i]);
  } else if (reading.round_products) {
    for (size_t i = 0; i < count; ++i) products[i] = RoundToFloat(products[i]);
  }
  if (reading.flush_products) {
    for (size_t i = 0; i < count; ++i) products[i] = Flush(products[i]);
  }
}

// Computes AddTile for kTiles whole tiles. Returns false if some number is too large or too small
// for the vector loop.
bool AddTiles(const double* HWY_RESTRICT products, int bits, double* HWY_RESTRICT sums) {
  uint64_t unusual = 0;
  for (size_t t = 0; t < kTiles; ++t) sums[t] = 0;
  for (size_t lane = 0; lane < kDocumentedTile; ++lane) {
    for (size_t t = 0; t < kTiles; ++t) {
      const auto a = std::bit_cast<uint64_t>(sums[t]);
      const auto b = std::bit_cast<uint64_t>(products[t * kDocumentedTile + lane]);
      const int64_t larger = std::max(ExponentField(a), ExponentField(b));
      unusual |= larger == kTopField ? 1 : 0;
      unusual |= larger < bits && ((a | b) & ~kSign) != 0 ? 1 : 0;
      sums[t] = TruncateTo(a, larger + 1 - bits) + TruncateTo(b, larger + 1 - bits);
    }
  }
  return unusual == 0;
}

double SumWithoutTiles(const SumReading& reading, bool half, const double* x, const double* y,
                       size_t count) {
  double products[kProducts];
  double sum = 0;
  for (size_t first = 0; first < count; first += kProducts) {
    const size_t some = std::min(count - first, kProducts);
    Multiply(reading, half, x + first, y + first, some, products);
    for (size_t i = 0; i < some; ++i) sum += products[i];
  }
  return sum;
}

double SumTiles(const SumReading& reading, bool half, const double* x, const double* y,
                size_t count) {
  double products[kProducts];
  double sums[kTiles];
  double total = 0;
  for (size_t first = 0; first < count; first += kProducts) {
    const size_t some = std::min(count - first, kProducts);
    Multiply(reading, half, x + first, y + first, some, products);
    // A tile of zeros adds nothing.
    std::fill(products + some, products + kProducts, 0.0);
    const size_t whole = some / kDocumentedTile;
    const size_t rest = some % kDocumentedTile;
    const bool usual = AddTiles(products, reading.bits, sums);
    for (size_t t = 0; t < whole; ++t) {
      total += usual ? sums[t] : AddTile(reading, products + t * kDocumentedTile, kDocumentedTile);
    }
    if (rest != 0) total += AddTile(reading, products + whole * kDocumentedTile, rest);
  }
  return total;
}

ProductSizes Sizes(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, size_t count) {
  constexpr size_t kSums = 8;
  double positive[kSums] = {};
  double negative[kSums] = {};
  double largest[kSums] = {};
  uint64_t open = 0;
  const auto add = [&](size_t i, size_t at) {
    const double product = x[i] * y[i];
    open |= std::fabs(x[i]) < kInfinity && std::fabs(y[i]) < kInfinity ? 0 : 1;
    positive[at] += product > 0 ? product : 0;
    negative[at] += product < 0 ? -product : 0;
    const double size = std::fabs(product);
    largest[at] = size > largest[at] ? size : largest[at];
  };
  const size_t whole = count / kSums * kSums;
  for (size_t first = 0; first < whole; first += kSums) {
    for (size_t at = 0; at < kSums; ++at) add(first + at, at);
  }
  for (size_t i = whole; i < count; ++i) add(i, i - whole);
  ProductSizes sizes;
  for (size_t at = 0; at < kSums; ++at) {
    sizes.positive += positive[at];
    sizes.negative += negative[at];
    sizes.largest = std::max(sizes.largest, largest[at]);
  }
  sizes.finite = open == 0;
  return sizes;
}

}  // namespace anecheck::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anecheck::reference {

HWY_EXPORT(SumWithoutTiles);
HWY_EXPORT(SumTiles);
HWY_EXPORT(Sizes);

namespace {

double SumOtherTiles(const SumReading& reading, const Grid& grid, const double* x, const double* y,
                     size_t count) {
  const auto lanes = static_cast<size_t>(reading.tile);
  std::vector<double> products(lanes);
  double total = 0;
  for (size_t first = 0; first < count; first += lanes) {
    const size_t some = std::min(count - first, lanes);
    for (size_t k = 0; k < some; ++k) {
      products[k] = Product(reading, grid, x[first + k], y[first + k]);
    }
    total += AddTile(reading, products.data(), some);
  }
  return total;
}

}  // namespace

double SumByReading(const SumReading& reading, const Grid& grid, const double* x, const double* y,
                    size_t count) {
  if (reading.tile == 0) {
    return HWY_DYNAMIC_DISPATCH(SumWithoutTiles)(reading, grid.half(), x, y, count);
  }
  if (reading.tile == static_cast<int>(kDocumentedTile)) {
    return HWY_DYNAMIC_DISPATCH(SumTiles)(reading, grid.half(), x, y, count);
  }
  return SumOtherTiles(reading, grid, x, y, count);
}

ProductSizes SizesOfProducts(const double* x, const double* y, size_t count) {
  return HWY_DYNAMIC_DISPATCH(Sizes)(x, y, count);
}

}  // namespace anecheck::reference
#endif
