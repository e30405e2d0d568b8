// Replaces an operation that is flat outside of two knots by linear, relu, linear.
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "harness/base/half.h"
#include "harness/ops/composed_curve.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/metamorphic/node_relations.h"

namespace anecheck {
namespace {

// The extents that every target admits on every axis (facts/limits.csv, max_tensor_wh).
constexpr int64_t kMostPoints = 16384;

using TwoKnots = std::array<CurveKnot, 2>;

// The knots of clip, relu6 and sigmoid_hard. Nothing for other operations, or without a positive
// slope.
std::optional<TwoKnots> KnotsOf(const NodeView& node) {
  using P = params::WithAlphaBeta;
  TwoKnots knots = {{{0, 0}, {6, 6}}};
  switch (KindOf(node.schema())) {
    case OpKind::kRelu6:
      return knots;
    case OpKind::kClip: {
      const double low = node.Float(P::kAlpha, 0), high = node.Float(P::kBeta, 0);
      knots = {{{low, low}, {high, high}}};
      break;
    }
    case OpKind::kSigmoidHard: {
      const double slope = node.Float(P::kAlpha, 0), middle = node.Float(P::kBeta, 0);
      if (slope <= 0) return std::nullopt;
      knots = {{{-middle / slope, 0}, {(1 - middle) / slope, 1}}};
      break;
    }
    default:
      return std::nullopt;
  }
  if (!(knots[0].x < knots[1].x)) return std::nullopt;
  return knots;
}

// The numbers as fp16 constants. kNoValue if fp16 cannot represent one of them, because the curve
// would change.
ValueId HalvesOf(Graph& graph, std::span<const double> numbers, const Shape& shape) {
  std::vector<uint8_t> bytes;
  for (const double number : numbers) {
    const Half half = DoubleToHalf(number);
    if (!std::isfinite(HalfToDouble(half)) || HalfToDouble(half) != number) return kNoValue;
    bytes.push_back(static_cast<uint8_t>(half.bits & 0xff));
    bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
  }
  return graph.AddConst({DType::kFp16, shape}, bytes);
}

ValueId Ended(Graph& graph) {
  const Result<ValueId> made = graph.FinishNode();
  return made.ok() ? *made : kNoValue;
}

ValueId Shaped(Graph& graph, ValueId x, const Shape& shape) {
  if (x == kNoValue || graph.type(x).shape == shape) return x;
  graph.BeginNode(&GetOp(OpKind::kReshape).schema);
  graph.AddArgument(params::Reshape::kX, x);
  graph.AddInts(params::Reshape::kShape, shape.dims());
  return Ended(graph);
}

ValueId LinearLayer(Graph& graph, ValueId x, ValueId weight, ValueId bias) {
  if (x == kNoValue) return kNoValue;
  graph.BeginNode(&GetOp(OpKind::kLinear).schema);
  graph.AddArgument(params::Linear::kX, x);
  graph.AddArgument(params::Linear::kWeight, weight);
  graph.AddArgument(params::Linear::kBias, bias);
  return Ended(graph);
}

}  // namespace

std::vector<ValueId> ComposeCurve(Graph& graph, const NodeView& node,
                                  std::span<const ValueId> places, uint64_t) {
  const auto knots = KnotsOf(node);
  if (!knots) return {};
  const TensorType type = node.InputType(params::Unary::kX);
  const int64_t points = type.shape.Elements();
  if (type.dtype != DType::kFp16 || type.shape.rank() < 1 || points > kMostPoints) return {};
  const CurveConstants curve = ConstantsOfCurve(*knots);
  const auto rows = static_cast<int64_t>(knots->size());
  const ValueId ones = HalvesOf(graph, std::array{1.0, 1.0}, {rows, 1});
  const ValueId distances = HalvesOf(graph, curve.distances, {rows});
  const ValueId changes = HalvesOf(graph, curve.changes, {1, rows});
  const ValueId start = HalvesOf(graph, std::array{curve.start}, {1});
  if (distances == kNoValue || changes == kNoValue || start == kNoValue) return {};
  const ValueId column = Shaped(graph, places[node.Input(params::Unary::kX)], {points, 1});
  const ValueId from_knots = LinearLayer(graph, column, ones, distances);
  if (from_knots == kNoValue) return {};
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(params::Unary::kX, from_knots);
  const ValueId y = Shaped(graph, LinearLayer(graph, Ended(graph), changes, start), type.shape);
  return y == kNoValue ? std::vector<ValueId>() : std::vector<ValueId>{y};
}

}  // namespace anecheck
