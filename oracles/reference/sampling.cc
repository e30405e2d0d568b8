#include "oracles/reference/sampling.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace anecheck::reference {
namespace {

bool IsFinite(double x) { return std::fabs(x) < kInfinity; }

// The element at a row and a column. Both may lie beyond the edge of the image.
struct Pixel {
  double value = 0;
  Interval bound;
  bool special = false;  // may be an infinity or NaN
  bool nan = false;
};

// Returns the index in [0, extent) of the element that is read for `index`, or -1 for the constant.
int64_t Inside(Edge edge, int64_t index, int64_t extent) {
  if (index >= 0 && index < extent) return index;
  switch (edge) {
    case Edge::kConstant:
      return -1;
    case Edge::kBorder:
      return std::clamp<int64_t>(index, 0, extent - 1);
    case Edge::kReflection: {  // the edge element is not repeated
      if (extent == 1) return 0;
      const int64_t period = 2 * (extent - 1);
      const int64_t place = ((index % period) + period) % period;
      return place < extent ? place : period - place;
    }
    case Edge::kSymmetric: {
      const int64_t period = 2 * extent;
      const int64_t place = ((index % period) + period) % period;
      return place < extent ? place : period - 1 - place;
    }
  }
  return -1;
}

Pixel At(const Plane& plane, int64_t row, int64_t column) {
  const int64_t y = Inside(plane.edge, row, plane.height);
  const int64_t x = Inside(plane.edge, column, plane.width);
  if (y < 0 || x < 0) return {plane.outside, {plane.outside, plane.outside}};
  const size_t i = plane.first + static_cast<size_t>(y * plane.width + x);
  const BoundedTensor& tensor = *plane.x;
  const bool special = !IsFinite(tensor.low[i]) || !IsFinite(tensor.high[i]) || tensor.NanAt(i);
  return {tensor.value[i], {tensor.low[i], tensor.high[i]}, special, tensor.NanAt(i)};
}

// A sum of two doubles that holds 106 bits.
struct Twofold {
  double high = 0;
  double low = 0;
  void AddProduct(double a, double b) {
    const double product = a * b;
    const double rest = std::fma(a, b, -product);
    const double sum = high + product;
    low += SumError(high, product, sum) + rest;
    high = sum;
  }
};

// Returns the mean of four pixels, weighted by exact fractions. Ignores pixels of weight 0.
double LinearValue(const Plane& plane, const Position& y, const Position& x) {
  const double row = std::floor(y.value());
  const double column = std::floor(x.value());
  const double down = std::fma(-row, y.denominator, y.numerator);
  const double right = std::fma(-column, x.denominator, x.numerator);
  Twofold sum;
  double plain = 0;  // the sum in plain double, for infinities and NaN
  bool finite = true;
  for (int corner = 0; corner < 4; ++corner) {
    const double wy = corner >= 2 ? down : y.denominator - down;
    const double wx = corner % 2 == 1 ? right : x.denominator - right;
    if (wy == 0 || wx == 0) continue;
    const Pixel pixel = At(plane, static_cast<int64_t>(row) + corner / 2,
                           static_cast<int64_t>(column) + corner % 2);
    finite = finite && IsFinite(pixel.value);
    plain += pixel.value * wy * wx;
    if (!finite) continue;
    const double weighted = pixel.value * wy;
    sum.AddProduct(weighted, wx);
    sum.AddProduct(std::fma(pixel.value, wy, -weighted), wx);
  }
  if (!finite) return plain;
  const double whole = y.denominator * x.denominator;
  const double quotient = sum.high / whole;
  return ToOdd(quotient, std::fma(-quotient, whole, sum.high) + sum.low);
}

// Bounds the interpolation along one axis, with every rounding that the contract permits.
class Blend {
 public:
  Blend(const KernelContext& context, DType dtype)
      : grid_(dtype), rounded_(context.contract().Allows(Term::kWeightRounding)) {}

  // Interpolates between `a` (weight 0) and `b` (weight 1) for every weight in `weight`.
  Interval operator()(const Interval& a, const Interval& b, const Interval& weight) const {
    if (weight.low == 0 && weight.high == 0) return a;
    const Interval second = Rounded(weight);
    const Interval first = Rounded({1 - weight.high, 1 - weight.low});
    const Interval products = Sum(Outer(Product(first, a)), Outer(Product(second, b)));
    const Interval difference = Outer({AddDown(b.low, -a.high), AddUp(b.high, -a.low)});
    const Interval step = Sum(a, Outer(Product(second, difference)));
    return {std::min(products.low, step.low), std::max(products.high, step.high)};
  }
  // Returns the bounds of a number that an engine may round.
  Interval Outer(const Interval& x) const {
    if (!rounded_) return x;
    return {std::min(x.low, grid_.Round(x.low)), std::max(x.high, grid_.Round(x.high))};
  }

 private:
  Interval Rounded(const Interval& weight) const {
    const Interval outer = Outer(weight);
    return {std::max(outer.low, 0.0), outer.high};
  }
  static Interval Sum(const Interval& a, const Interval& b) {
    return {AddDown(a.low, b.low), AddUp(a.high, b.high)};
  }
  // `weight` must not be negative.
  static Interval Product(const Interval& weight, const Interval& x) {
    return {WidenDown(std::min(weight.low * x.low, weight.high * x.low)),
            WidenUp(std::max(weight.low * x.high, weight.high * x.high))};
  }

  Grid grid_;
  bool rounded_;
};

// Returns the part of [low, high] inside the cell that begins at `cell`, as an interval of weights.
Interval WeightsIn(const Position& position, double cell) {
  return {std::max(position.low, cell) - cell, std::min(position.high, cell + 1) - cell};
}

// Returns the bound over one cell, or nothing if a pixel of the cell may be infinite or NaN.
std::optional<Interval> CellBound(const Blend& blend, const Plane& plane, double row, double column,
                                  const Interval& down, const Interval& right) {
  Interval rows[2];
  const int row_count = down.high > 0 ? 2 : 1;
  for (int i = 0; i < row_count; ++i) {
    const auto y = static_cast<int64_t>(row) + i;
    const auto x = static_cast<int64_t>(column);
    const Pixel left = At(plane, y, x);
    const Pixel next = right.high > 0 ? At(plane, y, x + 1) : left;
    if (left.special || next.special) return std::nullopt;
    rows[i] = blend(left.bound, next.bound, right);
    if (row_count == 2 && right.high > 0) rows[i] = blend.Outer(rows[i]);
  }
  return row_count == 1 ? rows[0] : blend(rows[0], rows[1], down);
}

// Whether an infinite or NaN pixel of the cell has a weight of 0. An engine that multiplies the
// pixel by its weight then gets NaN; an engine that skips the pixel does not.
bool MeetsSpecialAtZero(const Plane& plane, double row, double column, const Interval& down,
                        const Interval& right) {
  for (int corner = 1; corner < 4; ++corner) {
    const bool below = corner >= 2;
    const bool beside = corner % 2 == 1;
    const bool taken = (!below || down.high > 0) && (!beside || right.high > 0);
    const Pixel pixel = At(plane, static_cast<int64_t>(row) + (below ? 1 : 0),
                           static_cast<int64_t>(column) + (beside ? 1 : 0));
    if (!taken && pixel.special) return true;
  }
  return false;
}

constexpr double kMostCells = 64;

}  // namespace

Position MakePosition(double numerator, double denominator, int64_t extent, double relative) {
  Position position{numerator, denominator, numerator / denominator, numerator / denominator};
  const double value = position.value();
  if (value == std::floor(value) && value * denominator == numerator) return position;
  const double error = relative * (std::fabs(value) + static_cast<double>(extent));
  position.low = WidenDown(value) - error;
  position.high = WidenUp(value) + error;
  return position;
}

Sampled Anything(double value) { return {value, -kInfinity, kInfinity, 1}; }

Sampled Either(const Sampled& a, const Sampled& b) {
  const bool a_nan = a.low != a.low;
  const bool b_nan = b.low != b.low;
  Sampled both = a;
  both.members = {};
  both.nan = a.nan != 0 || b.nan != 0 || a_nan || b_nan ? 1 : 0;
  if (b_nan) return both;
  both.low = a_nan ? b.low : std::min(a.low, b.low);
  both.high = a_nan ? b.high : std::max(a.high, b.high);
  return both;
}

Sampled SampleLinear(const KernelContext& context, const Plane& plane, const Position& y,
                     const Position& x) {
  if (!IsFinite(y.low) || !IsFinite(y.high) || !IsFinite(x.low) || !IsFinite(x.high)) {
    return Anything(kNan);
  }
  Sampled sampled;
  sampled.value = LinearValue(plane, y, x);
  if (context.contract().ideal) return sampled;  // the ideal contract needs no bounds
  const double first_row = std::floor(y.low);
  const double first_column = std::floor(x.low);
  // A position that ends on a pixel does not include the cell after it.
  const double last_row = std::max(first_row, std::ceil(y.high) - 1);
  const double last_column = std::max(first_column, std::ceil(x.high) - 1);
  if ((last_row - first_row + 1) * (last_column - first_column + 1) > kMostCells) {
    return Anything(sampled.value);
  }
  const Blend blend(context, plane.x->type.dtype);
  sampled.low = kInfinity;
  sampled.high = -kInfinity;
  for (uint32_t i = 0; first_row + i <= last_row; ++i) {
    for (uint32_t j = 0; first_column + j <= last_column; ++j) {
      const double row = first_row + i;
      const double column = first_column + j;
      const Interval down = WeightsIn(y, row);
      const Interval right = WeightsIn(x, column);
      const auto bound = CellBound(blend, plane, row, column, down, right);
      if (!bound) return Anything(sampled.value);
      if (plane.x->special && MeetsSpecialAtZero(plane, row, column, down, right)) sampled.nan = 1;
      sampled.low = std::min(sampled.low, bound->low);
      sampled.high = std::max(sampled.high, bound->high);
    }
  }
  // If intermediate sums may overflow, the next sum may add infinities of both signs.
  if (!IsFinite(sampled.low) || !IsFinite(sampled.high)) return Anything(sampled.value);
  return sampled;
}

PixelRange EitherRange(const PixelRange& range, const PixelRange& other) {
  PixelRange either = range;
  if (other.first >= range.first && other.last <= range.last) return either;
  either.other_first = other.first;
  either.other_last = other.last;
  return either;
}

PixelRange NearestTo(const Position& position) {
  return {static_cast<int64_t>(std::floor(position.value() + 0.5)),
          static_cast<int64_t>(std::ceil(position.low - 0.5)),
          static_cast<int64_t>(std::floor(position.high + 0.5))};
}

namespace {

Sampled SampledAt(const Plane& plane, int64_t row, int64_t column) {
  const Pixel pixel = At(plane, row, column);
  return {pixel.value, pixel.bound.low, pixel.bound.high, static_cast<uint8_t>(pixel.nan ? 1 : 0)};
}

}  // namespace

void NearestSampler::AddNumbers(const Plane& plane, int64_t row, int64_t column) {
  const int64_t y = Inside(plane.edge, row, plane.height);
  const int64_t x = Inside(plane.edge, column, plane.width);
  if (y < 0 || x < 0) {
    numbers_.push_back(plane.outside);
    return;
  }
  constexpr auto kMost = static_cast<uint32_t>(kMostCells);
  const size_t i = plane.first + static_cast<size_t>(y * plane.width + x);
  if (plane.x->low[i] != plane.x->low[i]) return;  // only NaN is admitted
  countable_ &=
      ForEachMember(*plane.x, i, kMost, [&](double number) { numbers_.push_back(number); });
}

Sampled NearestSampler::operator()(const Plane& plane, const PixelRange& y, const PixelRange& x) {
  Sampled sampled = SampledAt(plane, y.chosen, x.chosen);
  const double cells = static_cast<double>(y.count()) * static_cast<double>(x.count());
  if (cells > kMostCells) return Anything(sampled.value);
  if (cells == 1) return sampled;
  numbers_.clear();
  countable_ = true;
  y.ForEach([&](int64_t row) {
    x.ForEach([&](int64_t column) {
      AddNumbers(plane, row, column);
      if (row == y.chosen && column == x.chosen) return;
      sampled = Either(sampled, SampledAt(plane, row, column));
    });
  });
  if (!countable_) return sampled;
  std::ranges::sort(numbers_);
  const auto repeated = std::ranges::unique(numbers_);
  numbers_.erase(repeated.begin(), repeated.end());
  if (numbers_.size() > 1) sampled.members = numbers_;
  return sampled;
}

}  // namespace anecheck::reference
