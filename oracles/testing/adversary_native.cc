// The adversarial engine's native layers, step by step, with all choices that the contract permits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/adversary.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

constexpr DType kHalf = DType::kFp16;

}  // namespace

bool Adversary::RunNative(const NodeView& node) {
  if (node.node().result_count == 0) return false;
  Elements& result = values_[node.Result()];
  switch (KindOf(node.schema())) {
    case OpKind::kNativeSdpa:
      result = NativeSdpa(node);
      return true;
    case OpKind::kNativeSort:
    case OpKind::kNativeTopK:
      result = NativeRanked(node);
      return true;
    case OpKind::kNativeArgMinMax:
    case OpKind::kNativeGlobalArgMinMax:
      result = NativePositions(node);
      return true;
    case OpKind::kNativeMinMaxNorm:
      result = NativeMinMaxNorm(node);
      return true;
    case OpKind::kNativeScaledElementWise:
    case OpKind::kCostVolume:
      result = NativeScaled(node);
      return true;
    case OpKind::kNativeCrossCorrelation:
      result = NativeCorrelation(node);
      return true;
    case OpKind::kNativeFurthestPointSampling:
      result = NativeFurthest(node);
      return true;
    case OpKind::kNativeRadiusSearch:
      result = NativeWithin(node);
      return true;
    case OpKind::kNativeDynamicSlice: {
      const auto from = In(node, 0).begin() + node.Int(params::NativeDynamicSlice::kStart, 0);
      result = Elements(from, from + 2);
      return true;
    }
    case OpKind::kNativeDropout:
      result = In(node, 0);
      return true;
    default:
      return false;
  }
}

Adversary::Elements Adversary::NativeSdpa(const NodeView& node) {
  using P = params::NativeSdpa;
  const Shape& query = node.InputShape(P::kQuery);
  const Shape& key = node.InputShape(P::kKey);
  const double scale = In(node, P::kScale)[0];
  Elements result;
  for (size_t i = 0; i < static_cast<size_t>(query.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(query, i);
    const bool round_products = Flip();
    const bool round_scores = Flip();
    const auto held = [&](double s) { return round_scores ? ToType(kHalf, s) : s; };
    std::vector<double> score;
    std::vector<double> v;
    for (int64_t k = 0; k < key[1]; ++k) {
      std::vector<double> products;
      for (int64_t e = 0; e < query[3]; ++e) {
        const double product = In(node, P::kQuery)[IndexOf(query, {at[0], at[1], at[2], e})] *
                               In(node, P::kKey)[IndexOf(key, {at[0], k, at[2], e})];
        products.push_back(round_products ? ToType(kHalf, product) : product);
      }
      double s = held(held(Accumulate(std::move(products))) * scale);
      if (node.HasInput(P::kMask)) {
        s = held(s + In(node, P::kMask)[static_cast<size_t>(at[1] * key[1] + k)]);
      }
      score.push_back(s);
      v.push_back(In(node, P::kValue)[IndexOf(key, {at[0], k, at[2], at[3]})]);
    }
    double top = -std::numeric_limits<double>::infinity();
    for (const double s : score) top = std::isnan(s) || s > top ? s : top;
    const double middle = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    std::vector<double> weights;
    for (size_t k = 0; k < v.size(); ++k) {
      const double exponential = std::exp(held(score[k] - top));
      weights.push_back(Hold(kHalf, NeighbourToward(kHalf, exponential, v[k] < middle ? -1 : 1)));
    }
    const double total = Accumulate(weights);
    std::vector<double> products;
    for (size_t k = 0; k < v.size(); ++k) {
      const double share = NeighbourToward(kHalf, weights[k] / total, v[k] < 0 ? -1 : 1);
      const double product = Hold(kHalf, share) * v[k];
      products.push_back(round_products ? ToType(kHalf, product) : product);
    }
    result.push_back(Hold(kHalf, Accumulate(std::move(products))));
  }
  return result;
}

// Equal columns may have any order. With a NaN, all columns may have any order.
Adversary::Elements Adversary::NativeRanked(const NodeView& node) {
  const bool sort = KindOf(node.schema()) == OpKind::kNativeSort;
  const bool largest = node.String(1, "") == (sort ? "Descending" : "Max");
  const int64_t lane = node.Int(node.schema().FindParameter("SortIndices"), 0);
  const bool indices = node.Bool(node.schema().FindParameter("Indices"), false);
  const Shape& shape = node.InputShape(0);
  const Shape& out = node.ResultType().shape;
  const Elements& x = In(node, 0);
  Elements result(static_cast<size_t>(out.Elements()));
  for (int64_t n = 0; n < shape[0]; ++n) {
    std::vector<int64_t> order(static_cast<size_t>(shape[3]));
    std::iota(order.begin(), order.end(), int64_t{0});
    const auto key = [&](int64_t column) {
      const double value = x[IndexOf(shape, {n, lane, 0, column})];
      return std::isnan(value) ? HUGE_VAL : value;
    };
    const bool late = Flip();
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      if (key(a) != key(b)) return largest ? key(a) > key(b) : key(a) < key(b);
      return late ? a > b : a < b;
    });
    for (int64_t rank = 0; rank < out[3]; ++rank) {
      const int64_t from = order[static_cast<size_t>(rank)];
      for (int64_t c = 0; c < out[1]; ++c) {
        result[IndexOf(out, {n, c, 0, rank})] =
            indices ? static_cast<double>(from) : x[IndexOf(shape, {n, c, 0, from})];
      }
    }
  }
  return result;
}

Adversary::Elements Adversary::NativePositions(const NodeView& node) {
  const std::string_view mode = node.String(1, "");
  const Shape& shape = node.InputShape(0);
  const Shape& out = node.ResultType().shape;
  std::vector<std::vector<double>> groups(static_cast<size_t>(out.Elements()));
  for (size_t i = 0; i < In(node, 0).size(); ++i) {
    Coordinates to = CoordinatesOf(shape, i);
    for (size_t axis = 0; axis < 4; ++axis) {
      if (out[static_cast<int>(axis)] == 1) to[axis] = 0;
    }
    groups[IndexOf(out, to)].push_back(In(node, 0)[i]);
  }
  Elements result;
  for (const std::vector<double>& group : groups) {
    result.push_back(Position(group, mode.ends_with("Max")));
  }
  return result;
}

Adversary::Elements Adversary::NativeMinMaxNorm(const NodeView& node) {
  using P = params::NativeMinMaxNorm;
  const std::string_view dimension = node.String(P::kDimension, "");
  const size_t axis = dimension == "Channel" ? 1 : dimension == "Height" ? 2 : 3;
  const Shape& shape = node.InputShape(0);
  const double epsilon = ToType(kHalf, node.Float(P::kEpsilon, 0));
  const Elements& x = In(node, 0);
  Elements result;
  for (size_t i = 0; i < x.size(); ++i) {
    Coordinates at = CoordinatesOf(shape, i);
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (at[axis] = 0; at[axis] < shape[static_cast<int>(axis)]; ++at[axis]) {
      const double other = x[IndexOf(shape, at)];
      least = std::isnan(other) ? other : std::min(other, least);
      most = std::isnan(other) ? other : std::max(other, most);
    }
    const double under = Hold(kHalf, Hold(kHalf, most - least) + epsilon);
    const double above = Hold(kHalf, x[i] - least);
    const double y =
        Flip() ? Neighbour(kHalf, above / under) : above * Hold(kHalf, Neighbour(kHalf, 1 / under));
    result.push_back(Hold(kHalf, y));
  }
  return result;
}

Adversary::Elements Adversary::NativeScaled(const NodeView& node) {
  using P = params::NativeScaledElementWise;
  const Shape& out = node.ResultType().shape;
  const bool cost = KindOf(node.schema()) == OpKind::kCostVolume;
  const std::string_view type = cost ? "" : node.String(P::kType, "");
  Elements result;
  for (size_t i = 0; i < static_cast<size_t>(out.Elements()); ++i) {
    if (cost) {
      const Coordinates at = CoordinatesOf(out, i);
      result.push_back(Hold(kHalf, std::fabs(In(node, 0)[static_cast<size_t>(at[3])] -
                                             In(node, 1)[static_cast<size_t>(at[1] + at[3])])));
      continue;
    }
    const double a = In(node, 0)[i];
    const double b = In(node, 1)[i];
    double pair = a + b;
    if (type == "Mult") {
      pair = a * b;
    } else if (type != "Add" && !std::isnan(a) && !std::isnan(b)) {
      pair = type == "Max" ? std::max(a, b) : std::min(a, b);
    }
    result.push_back(Hold(kHalf, Hold(kHalf, pair) * ToType(kHalf, node.Float(P::kScale, 1))));
  }
  return result;
}

Adversary::Elements Adversary::NativeCorrelation(const NodeView& node) {
  const Shape& x = node.InputShape(0);
  const Shape window = {1, 1, node.Int(node.schema().FindParameter("TemplateHeight"), 1),
                        node.Int(node.schema().FindParameter("TemplateWidth"), 1)};
  const Shape& out = node.ResultType().shape;
  const bool round_products = Flip();
  Elements result;
  for (size_t i = 0; i < static_cast<size_t>(out.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(out, i);
    std::vector<double> products;
    for (size_t k = 0; k < In(node, 1).size(); ++k) {
      const Coordinates tap = CoordinatesOf(window, k);
      const double product =
          In(node, 0)[IndexOf(x, {0, 0, at[2] + tap[2], at[3] + tap[3]})] * In(node, 1)[k];
      products.push_back(round_products ? ToType(kHalf, product) : product);
    }
    result.push_back(Hold(kHalf, Accumulate(std::move(products))));
  }
  return result;
}

// The next point is one of those with the largest squared distance. Squares that round to infinity
// in fp16 are equal, so any of these points may be next.
Adversary::Elements Adversary::NativeFurthest(const NodeView& node) {
  const auto count = static_cast<size_t>(node.InputShape(0)[3]);
  const auto picked = static_cast<size_t>(node.ResultType().shape[3]);
  const Elements& points = In(node, 0);
  std::vector<double> nearest(count, std::numeric_limits<double>::infinity());
  Elements result(3 * picked);
  size_t last = 0;
  for (size_t k = 0; k < picked; ++k) {
    for (size_t c = 0; c < 3; ++c) result[c * picked + k] = points[c * count + last];
    double most = 0;
    for (size_t i = 0; i < count; ++i) {
      std::array<double, 3> a{}, b{};
      for (size_t c = 0; c < 3; ++c) {
        a[c] = points[c * count + i];
        b[c] = points[c * count + last];
      }
      nearest[i] = std::min(nearest[i], SquaredDistance(a, b));
      most = std::max(most, nearest[i]);
    }
    std::vector<size_t> candidates;
    for (size_t i = 0; i < count; ++i) {
      if (nearest[i] >= most) candidates.push_back(i);
    }
    last = candidates[choices_.Below(candidates.size())];
  }
  return result;
}

// Rounds every step to fp16 or keeps it wide.
double Adversary::SquaredDistance(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  const auto step = [&](double x) { return Flip() ? ToType(kHalf, x) : x; };
  double square = 0;
  for (size_t c = 0; c < 3; ++c) {
    const double difference = step(a[c] - b[c]);
    square = step(square + step(difference * difference));
  }
  return square;
}

// Each flag has its own cell, or the flags are packed at the front of the row. The strategy
// compares squares or distances.
Adversary::Elements Adversary::NativeWithin(const NodeView& node) {
  using P = params::NativeRadiusSearch;
  const Elements& centroids = In(node, P::kCentroids);
  const Elements& points = In(node, P::kPoints);
  const size_t columns = centroids.size() / 3;
  const size_t rows = points.size() / 3;
  const double radius = ToType(kHalf, node.Float(P::kRadius, 0));
  const bool roots = Flip();
  const bool packed = Flip();
  Elements result(rows * columns, 0);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      std::array<double, 3> a{}, b{};
      for (size_t c = 0; c < 3; ++c) {
        a[c] = points[c * rows + i];
        b[c] = centroids[c * columns + j];
      }
      const double square = SquaredDistance(a, b);
      const double limit = Flip() ? ToType(kHalf, radius * radius) : radius * radius;
      const bool within =
          roots ? Hold(kHalf, Neighbour(kHalf, std::sqrt(square))) <= radius : square <= limit;
      if (!within) continue;
      const size_t byte = packed ? j : 2 * j;
      result[i * columns + byte / 2] += (byte % 2 == 0 ? 1 : 256) * 0x1p-24;
    }
  }
  return result;
}

}  // namespace anecheck::testing
