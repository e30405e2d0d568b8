// The adversarial engine's image, sorting and suppression operations. It may round every weight,
// product and sum, positions may err, and equal numbers have any order.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/adversary.h"
#include "oracles/testing/sampling_structure.h"

namespace anecheck::testing {

// Returns the weighted mean of two numbers, in one of the two usual orders of operations.
double Adversary::Blend(DType dtype, double a, double b, double weight) {
  if (weight == 0) return a;
  const auto held = [&](double x) { return Flip() ? Rounded(dtype, x) : x; };
  if (Flip()) return held(held(1 - weight) * a) + held(held(weight) * b);
  return a + held(held(weight) * held(b - a));
}

// Returns the pixel for a position. If sampling.lower, it is the lower pixel. Then a centre on a
// border may fall to either side, and operations may count from corners or centres, or from centres
// or MIL's grid. Otherwise it is the nearest pixel, or either pixel at a tie.
double Adversary::Nearest(const Sampling& sampling, const Fraction& p, int64_t in, int64_t out) {
  const auto last = static_cast<double>(in - 1);
  if (sampling.either) {
    const double centre = static_cast<double>(in) / (2 * static_cast<double>(out));
    return std::min(last, std::floor(p.value() + (Flip() ? centre : 0)));
  }
  if (sampling.lower) {
    const double pixel = std::floor(p.value());
    const bool centre = p.denominator == 2 * static_cast<double>(out);
    // The pixel nearest to the point of MIL's grid, which is half a step before the centre.
    if (centre && Flip()) {
      const double point = (p.numerator - static_cast<double>(in)) / p.denominator;
      const double near = std::floor(point + 0.5);
      return near - point == 0.5 && near > 0 && Flip() ? near - 1 : std::min(last, near);
    }
    const bool border = centre && in % out != 0 && pixel == p.value() && pixel > 0;
    return border && Flip() ? pixel - 1 : pixel;
  }
  const double up = std::floor(p.value() + 0.5);
  return up - p.value() == 0.5 && Flip() ? up - 1 : up;
}

bool Adversary::RunImage(const NodeView& node) {
  const Sampling sampling = SamplingOf(node, Operands(node));
  const DType dtype = node.ResultType().dtype;
  const Elements& x = In(node, 0);
  const Shape& shape = node.ResultType().shape;
  const int64_t height = shape[shape.rank() - 2];
  const int64_t width = shape[shape.rank() - 1];
  Elements& result = values_[node.Result()];
  const auto position = [&](const Fraction& p, int64_t extent) {
    if (p.value() == std::floor(p.value())) return p.value();
    const double error = sampling.relative * (std::fabs(p.value()) + static_cast<double>(extent));
    return p.value() + 0.9 * Sign() * error;
  };
  for (const SamplePoint& point : sampling.points) {
    const double constant = Rounded(dtype, sampling.constant);
    if (point.padding) {
      result.push_back(constant);
      continue;
    }
    const auto pixel = [&](double row, double column) {
      const auto from =
          PixelAt(sampling, point.plane, static_cast<int64_t>(row), static_cast<int64_t>(column));
      return from ? x[*from] : constant;
    };
    if (sampling.nearest) {
      result.push_back(pixel(Nearest(sampling, point.y, sampling.height, height),
                             Nearest(sampling, point.x, sampling.width, width)));
      continue;
    }
    const double y = position(point.y, sampling.height);
    const double z = position(point.x, sampling.width);
    const double row = std::floor(y);
    const double column = std::floor(z);
    const auto along = [&](double r) {
      if (z == column) return pixel(r, column);
      const double mean = Blend(dtype, pixel(r, column), pixel(r, column + 1), z - column);
      if (!IsFloat(dtype)) return mean;
      return y != row && Flip() ? Rounded(dtype, mean) : mean;
    };
    const double upper = along(row);
    if (!IsFloat(dtype)) {
      const double blend = y == row ? upper : upper + (along(row + 1) - upper) * (y - row);
      result.push_back(Flip() ? std::floor(blend) : std::ceil(blend));
      continue;
    }
    result.push_back(Hold(dtype, y == row ? upper : Blend(dtype, upper, along(row + 1), y - row)));
  }
  return true;
}

bool Adversary::RunSort(const NodeView& node) {
  using P = params::Topk;
  const bool topk = KindOf(node.schema()) == OpKind::kTopk;
  const bool ascending = node.Bool(node.schema().FindParameter("ascending"), false);
  const Elements& x = In(node, 0);
  for (uint32_t i = 0; i < node.node().result_count; ++i) {
    values_[node.Result(i)].resize(static_cast<size_t>(node.ResultType(i).shape.Elements()));
  }
  const auto lines = SortedLines(node);
  const auto count = static_cast<size_t>(node.ResultType().shape.Elements()) / lines.size();
  const bool any_order = topk && !node.Bool(P::kSort, true);
  for (size_t l = 0; l < lines.size(); ++l) {
    std::vector<size_t> order(lines[l].size());
    std::iota(order.begin(), order.end(), size_t{0});
    const bool late = Flip();
    // With a NaN any order is permitted; this comparison defines one.
    const auto key = [&](size_t i) {
      const double value = x[lines[l][i]];
      return std::isnan(value) ? HUGE_VAL : value;
    };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      if (key(a) != key(b)) return ascending ? key(a) < key(b) : key(a) > key(b);
      return late ? a > b : a < b;
    });
    order.resize(count);
    if (any_order && Flip()) std::reverse(order.begin(), order.end());
    for (size_t rank = 0; rank < count; ++rank) {
      const size_t to = RankedElement(node, l, rank);
      uint32_t next = 0;
      if (topk) values_[node.Result(next++)][to] = x[lines[l][order[rank]]];
      if (next < node.node().result_count) {
        values_[node.Result(next)][to] = static_cast<double>(order[rank]);
      }
    }
  }
  return true;
}

}  // namespace anecheck::testing
