// Native layers, computed from coordinates in MPFR.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow_classes.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

SlowElements Sdpa(const NodeView& node, Operands operands) {
  using P = params::NativeSdpa;
  const Shape& query = node.InputShape(P::kQuery);
  const Shape& key = node.InputShape(P::kKey);
  SlowElements result;
  for (size_t i = 0; i < static_cast<size_t>(query.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(query, i);
    std::vector<Real> scores;
    for (int64_t k = 0; k < key[1]; ++k) {
      Real score;
      for (int64_t e = 0; e < query[3]; ++e) {
        score = score + Real(operands[0][IndexOf(query, {at[0], at[1], at[2], e})]) *
                            operands[1][IndexOf(key, {at[0], k, at[2], e})];
      }
      score = score * operands[3][0];
      if (operands.size() > 4) {
        score = score + operands[4][static_cast<size_t>(at[1] * key[1] + k)];
      }
      scores.push_back(score);
    }
    // The largest exponential is 1, so that no exponential overflows.
    const Real largest =
        *std::ranges::max_element(scores, [](const Real& a, const Real& b) { return a < b; });
    Real sum;
    Real total;
    bool finite = true;
    for (int64_t k = 0; k < key[1]; ++k) {
      const double v = operands[2][IndexOf(key, {at[0], k, at[2], at[3]})];
      finite = finite && std::isfinite(v);
      if (!finite) continue;
      const Real weight = Exp(scores[static_cast<size_t>(k)] - largest);
      sum = sum + weight * v;
      total = total + weight;
    }
    result.emplace_back();
    if (finite) result.back() = (sum / total).RoundedTo(DType::kFp16);
  }
  return result;
}

// Repeatedly selects the best of the remaining columns by the key lane, the first of equal columns.
SlowElements Ranked(const NodeView& node, Operands operands) {
  const bool sort = KindOf(node.schema()) == OpKind::kNativeSort;
  const bool largest = node.String(1, "") == (sort ? "Descending" : "Max");
  const int lane_at = node.schema().FindParameter("SortIndices");
  const bool indices = node.Bool(node.schema().FindParameter("Indices"), false);
  const Shape& shape = node.InputShape(0);
  const Shape& out = node.ResultType().shape;
  SlowElements result(static_cast<size_t>(out.Elements()));
  for (int64_t n = 0; n < shape[0]; ++n) {
    std::vector<int64_t> left;
    bool nan = false;
    const auto key = [&](int64_t column) {
      return operands[0][IndexOf(shape, {n, node.Int(lane_at, 0), 0, column})];
    };
    for (int64_t column = 0; column < shape[3]; ++column) {
      left.push_back(column);
      nan = nan || std::isnan(key(column));
    }
    for (int64_t rank = 0; !nan && rank < out[3]; ++rank) {
      auto best = left.begin();
      for (auto at = left.begin(); at != left.end(); ++at) {
        if (largest ? key(*at) > key(*best) : key(*at) < key(*best)) best = at;
      }
      for (int64_t c = 0; c < out[1]; ++c) {
        result[IndexOf(out, {n, c, 0, rank})] =
            indices ? static_cast<double>(*best) : operands[0][IndexOf(shape, {n, c, 0, *best})];
      }
      left.erase(best);
    }
  }
  return result;
}

SlowElements Positions(const NodeView& node, Operands operands) {
  const bool global = KindOf(node.schema()) == OpKind::kNativeGlobalArgMinMax;
  const std::string_view mode = node.String(1, "");
  const Shape& shape = node.InputShape(0);
  const Shape& out = node.ResultType().shape;
  SlowElements result(static_cast<size_t>(out.Elements()));
  std::vector<int64_t> seen(result.size(), 0);
  std::vector<double> best(result.size(), 0);
  std::vector<bool> nan(result.size(), false);
  for (size_t i = 0; i < operands[0].size(); ++i) {
    Coordinates to = CoordinatesOf(shape, i);
    for (size_t axis = 0; axis < 4; ++axis) {
      if (out[static_cast<int>(axis)] == 1) to[axis] = 0;
    }
    const size_t at = IndexOf(out, to);
    const double x = operands[0][i];
    nan[at] = nan[at] || std::isnan(x);
    const bool largest = global ? mode == "Max" : mode.ends_with("Max");
    if (seen[at] == 0 || (largest ? x > best[at] : x < best[at])) {
      best[at] = x;
      result[at] = static_cast<double>(seen[at]);
    }
    ++seen[at];
  }
  for (size_t at = 0; at < result.size(); ++at) {
    if (nan[at]) result[at] = std::nullopt;
  }
  return result;
}

SlowElements MinMaxNorm(const NodeView& node, Operands operands) {
  using P = params::NativeMinMaxNorm;
  const bool rows = node.String(P::kDimension, "") == "Height";
  const size_t axis = node.String(P::kDimension, "") == "Channel" ? 1 : rows ? 2 : 3;
  const Shape& shape = node.InputShape(0);
  const double epsilon = Real(node.Float(P::kEpsilon, 0)).RoundedTo(DType::kFp32);
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    Coordinates at = CoordinatesOf(shape, i);
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    bool finite = true;
    for (at[axis] = 0; at[axis] < shape[static_cast<int>(axis)]; ++at[axis]) {
      const double x = operands[0][IndexOf(shape, at)];
      finite = finite && std::isfinite(x);
      least = std::min(least, x);
      most = std::max(most, x);
    }
    result.emplace_back();
    if (!finite) continue;
    const Real under = Real(most) - least + epsilon;
    if (under.Odd() == 0) continue;
    result.back() = ((Real(operands[0][i]) - least) / under).RoundedTo(DType::kFp16);
  }
  return result;
}

SlowElements Scaled(const NodeView& node, Operands operands) {
  using P = params::NativeScaledElementWise;
  const std::string_view type = node.String(P::kType, "");
  const double scale = Real(node.Float(P::kScale, 1)).RoundedTo(DType::kFp32);
  SlowElements result;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    const double a = operands[0][i];
    const double b = operands[1][i];
    result.emplace_back();
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const Real pair = type == "Add"    ? Real(a) + b
                      : type == "Mult" ? Real(a) * b
                                       : Real(type == "Max" ? std::max(a, b) : std::min(a, b));
    result.back() = (pair * scale).RoundedTo(DType::kFp16);
  }
  return result;
}

SlowElements Correlation(const NodeView& node, Operands operands) {
  const Shape& x = node.InputShape(0);
  const Shape window = {1, 1, node.Int(node.schema().FindParameter("TemplateHeight"), 1),
                        node.Int(node.schema().FindParameter("TemplateWidth"), 1)};
  const Shape& out = node.ResultType().shape;
  SlowElements result;
  for (size_t i = 0; i < static_cast<size_t>(out.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(out, i);
    Real sum;
    bool finite = true;
    for (size_t k = 0; k < operands[1].size(); ++k) {
      const Coordinates tap = CoordinatesOf(window, k);
      const double a = operands[0][IndexOf(x, {0, 0, at[2] + tap[2], at[3] + tap[3]})];
      finite = finite && std::isfinite(a) && std::isfinite(operands[1][k]);
      if (finite) sum = sum + Real(a) * operands[1][k];
    }
    result.emplace_back();
    if (finite) result.back() = sum.RoundedTo(DType::kFp16);
  }
  return result;
}

SlowElements Cost(const NodeView& node, Operands operands) {
  const Shape& out = node.ResultType().shape;
  SlowElements result;
  for (size_t i = 0; i < static_cast<size_t>(out.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(out, i);
    const double a = operands[0][static_cast<size_t>(at[3])];
    const double b = operands[1][static_cast<size_t>(at[3] + at[1])];
    result.emplace_back();
    if (std::isfinite(a) && std::isfinite(b)) {
      result.back() = Abs(Real(a) - b).RoundedTo(DType::kFp16);
    }
  }
  return result;
}

// Chooses points up to the first choice between points that double arithmetic cannot distinguish.
SlowElements Furthest(const NodeView& node, Operands operands) {
  const auto count = static_cast<size_t>(node.InputShape(0)[3]);
  const auto picked = static_cast<size_t>(node.ResultType().shape[3]);
  SlowElements result(3 * picked);
  std::vector<size_t> chosen = {0};
  bool sure = std::ranges::all_of(operands[0], [](double x) { return std::isfinite(x); });
  while (sure && chosen.size() < picked) {
    size_t best = 0;
    Real most = -1.0;
    std::vector<Real> squares;
    for (size_t i = 0; i < count; ++i) {
      Real nearest = std::numeric_limits<double>::infinity();
      for (const size_t from : chosen) {
        Real square;
        for (size_t c = 0; c < 3; ++c) {
          const Real d = Real(operands[0][c * count + i]) - operands[0][c * count + from];
          square = square + d * d;
        }
        if (square < nearest) nearest = square;
      }
      squares.push_back(nearest);
      if (most < nearest) {
        most = nearest;
        best = i;
      }
    }
    for (size_t i = 0; i < count; ++i) {
      const Real gap = most - squares[i];
      sure = sure && (gap.Odd() == 0 || most * 0x1p-40 < gap);
    }
    chosen.push_back(best);
  }
  for (size_t k = 0; k < (sure ? picked : 1); ++k) {
    for (size_t c = 0; c < 3; ++c) {
      const double x = operands[0][c * count + chosen[k]];
      if (!std::isnan(x)) result[c * picked + k] = x;
    }
  }
  return result;
}

// Writes the flag of each pair into the low byte of its own cell, which is read as fp16.
SlowElements Within(const NodeView& node, Operands operands) {
  using P = params::NativeRadiusSearch;
  const Shape& out = node.ResultType().shape;
  const auto centroids = static_cast<size_t>(node.InputShape(P::kCentroids)[3]);
  const auto points = static_cast<size_t>(node.InputShape(P::kPoints)[3]);
  const Real radius = Real(node.Float(P::kRadius, 0)).RoundedTo(DType::kFp16);
  SlowElements result;
  for (size_t i = 0; i < static_cast<size_t>(out.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(out, i);
    Real square;
    bool finite = true;
    for (size_t c = 0; c < 3; ++c) {
      const double a = operands[P::kCentroids][c * centroids + static_cast<size_t>(at[3])];
      const double b = operands[P::kPoints][c * points + static_cast<size_t>(at[2])];
      finite = finite && std::isfinite(a) && std::isfinite(b);
      if (!finite) continue;
      const Real d = Real(a) - b;
      square = square + d * d;
    }
    result.emplace_back();
    if (finite) result.back() = radius * radius < square ? 0 : 0x1p-24;
  }
  return result;
}

SlowElements Copied(Operands operands, size_t first, size_t count) {
  SlowElements result;
  for (size_t i = 0; i < count; ++i) result.emplace_back(operands[0][first + i]);
  return result;
}

}  // namespace

std::optional<std::vector<SlowElements>> SlowNative(const NodeView& node, Operands operands) {
  using Results = std::vector<SlowElements>;
  switch (KindOf(node.schema())) {
    case OpKind::kNativeSdpa:
      return Results{Sdpa(node, operands)};
    case OpKind::kNativeSort:
    case OpKind::kNativeTopK:
      return Results{Ranked(node, operands)};
    case OpKind::kNativeArgMinMax:
    case OpKind::kNativeGlobalArgMinMax:
      return Results{Positions(node, operands)};
    case OpKind::kNativeMinMaxNorm:
      return Results{MinMaxNorm(node, operands)};
    case OpKind::kNativeScaledElementWise:
      return Results{Scaled(node, operands)};
    case OpKind::kNativeCrossCorrelation:
      return Results{Correlation(node, operands)};
    case OpKind::kNativeFurthestPointSampling:
      return Results{Furthest(node, operands)};
    case OpKind::kCostVolume:
      return Results{Cost(node, operands)};
    case OpKind::kNativeRadiusSearch:
      return Results{Within(node, operands)};
    case OpKind::kNativeDynamicSlice: {
      const int64_t start = node.Int(params::NativeDynamicSlice::kStart, 0);
      return Results{Copied(operands, static_cast<size_t>(start), 2)};
    }
    case OpKind::kNativeDropout:
      return Results{Copied(operands, 0, operands[0].size())};
    default:
      return std::nullopt;
  }
}

}  // namespace anecheck::testing
