// The adversarial engine's convolution class beyond sums of products, and its quantization class.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/adversary.h"
#include "oracles/testing/expand.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

double ToByte(DType dtype, double x) {
  const double low = dtype == DType::kInt8 ? -128 : 0;
  return std::isnan(x) ? 0 : std::clamp(x, low, low + 255);
}

}  // namespace

bool Adversary::RunOtherClasses(const NodeView& node) {
  Elements& result = values_[node.Result()];
  switch (KindOf(node.schema())) {
    case OpKind::kLinearActivation:
    case OpKind::kPeGoc:
    case OpKind::kNativeDynamicGoc:
      result = Affine(node);
      return true;
    case OpKind::kPeElementwise:
      result = UnitElementwise(node);
      return true;
    case OpKind::kL2Pool:
      result = RootOfSquares(node);
      return true;
    case OpKind::kNeBypass:
      result = In(node, 0);
      return true;
    case OpKind::kScaledDotProductAttention:
      result = Attention(node);
      return true;
    case OpKind::kQuantize:
      result = Quantize(node);
      return true;
    case OpKind::kDequantize:
      result = Dequantize(node);
      return true;
    default:
      return Expand(node);
  }
}

// The strategy may round the product before it adds the offset.
Adversary::Elements Adversary::Affine(const NodeView& node) {
  const DType dtype = node.ResultType().dtype;
  using P = params::GainOffset;
  const bool goc = KindOf(node.schema()) != OpKind::kLinearActivation;
  Elements result;
  for (size_t i = 0; i < In(node, 0).size(); ++i) {
    const size_t channel =
        goc ? static_cast<size_t>(CoordinatesOf(node.ResultType().shape, i)[1]) : 0;
    double scale = goc ? 1 : ToType(dtype, node.Float(params::LinearActivation::kAlpha, 1));
    if (goc && node.HasInput(P::kScale)) scale = In(node, P::kScale)[channel];
    const double offset = goc ? In(node, P::kBias)[channel]
                              : ToType(dtype, node.Float(params::LinearActivation::kBeta, 0));
    double product = In(node, 0)[i] * scale;
    if (Flip()) product = ToType(dtype, product);
    result.push_back(Hold(dtype, product + offset));
  }
  return result;
}

Adversary::Elements Adversary::UnitElementwise(const NodeView& node) {
  const TensorType& type = node.ResultType();
  const std::string_view mode = node.String(params::UnitElementwise::kMode, "");
  Elements result;
  for (size_t i = 0; i < static_cast<size_t>(type.shape.Elements()); ++i) {
    const double a = In(node, 0)[BroadcastIndex(node.InputShape(0), type.shape, i)];
    const double b = In(node, 1)[BroadcastIndex(node.InputShape(1), type.shape, i)];
    const bool nan = std::isnan(a) || std::isnan(b);
    double y = nan ? NAN : mode == "Max" ? std::max(a, b) : std::min(a, b);
    if (mode == "Add") y = a + b;
    if (mode == "Sub") y = a - b;
    if (mode == "Mult") y = a * b;
    result.push_back(Hold(type.dtype, y));
  }
  return result;
}

Adversary::Elements Adversary::RootOfSquares(const NodeView& node) {
  const DType dtype = node.ResultType().dtype;
  Elements result;
  for (const Combined& combined : CombinedElements(node)) {
    const bool round_squares = Flip();
    std::vector<double> squares;
    for (const size_t i : combined.elements) {
      const double square = In(node, 0)[i] * In(node, 0)[i];
      squares.push_back(round_squares ? ToType(dtype, square) : square);
    }
    double sum = Accumulate(std::move(squares));
    if (Flip()) sum = ToType(dtype, sum);
    result.push_back(Hold(dtype, Neighbour(dtype, std::sqrt(sum))));
  }
  return result;
}

// Computes one result element. Each weight errs so that the result moves as the strategy wants.
double Adversary::AttendedValue(const NodeView& node, size_t index) {
  using P = params::Attention;
  const DType dtype = node.ResultType().dtype;
  const Shape& query = node.InputShape(P::kQuery);
  const Shape& key = node.InputShape(P::kKey);
  const Shape& value = node.InputShape(P::kValue);
  const auto rank = static_cast<size_t>(query.rank());
  const int64_t embedding = query[query.rank() - 1];
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  Shape scores = query;
  scores[query.rank() - 1] = key[query.rank() - 2];
  const double exact_scale = 1 / std::sqrt(static_cast<double>(embedding));
  const double scale = Flip() ? ToType(dtype, exact_scale) : exact_scale;
  const bool round_products = Flip();
  const bool round_scores = Flip();
  std::vector<double> score;
  std::vector<double> v;
  double top = -std::numeric_limits<double>::infinity();
  for (int64_t k = 0; k < key[query.rank() - 2]; ++k) {
    std::vector<double> products;
    Coordinates from_query = at;
    Coordinates from_key = at;
    from_key[rank - 2] = k;
    for (int64_t e = 0; e < embedding; ++e) {
      from_query[rank - 1] = from_key[rank - 1] = e;
      const double product = In(node, P::kQuery)[IndexOf(query, from_query)] *
                             In(node, P::kKey)[IndexOf(key, from_key)];
      products.push_back(round_products ? ToType(dtype, product) : product);
    }
    double s = Accumulate(std::move(products));
    if (round_scores) s = ToType(dtype, s);
    s *= scale;
    if (round_scores) s = ToType(dtype, s);
    if (node.HasInput(P::kAttnMask)) {
      Coordinates cell = at;
      cell[rank - 1] = k;
      s += In(node, P::kAttnMask)[BroadcastIndex(node.InputShape(P::kAttnMask), scores,
                                                 IndexOf(scores, cell))];
      if (round_scores) s = ToType(dtype, s);
    }
    score.push_back(s);
    top = std::isnan(s) || s > top ? s : top;
    Coordinates from_value = at;
    from_value[rank - 2] = k;
    v.push_back(In(node, P::kValue)[IndexOf(value, from_value)]);
  }
  double middle = 0;
  for (const double x : v) middle += x / static_cast<double>(v.size());
  std::vector<double> weights;
  for (size_t k = 0; k < v.size(); ++k) {
    double difference = score[k] - top;
    if (round_scores) difference = ToType(dtype, difference);
    const double direction = v[k] < middle ? -1 : 1;
    weights.push_back(Hold(dtype, NeighbourToward(dtype, std::exp(difference), direction)));
  }
  const double total = Accumulate(weights);
  std::vector<double> products;
  for (size_t k = 0; k < v.size(); ++k) {
    const double direction = v[k] < 0 ? -1 : 1;
    const double weight = Hold(dtype, NeighbourToward(dtype, weights[k] / total, direction));
    products.push_back(round_products ? ToType(dtype, weight * v[k]) : weight * v[k]);
  }
  return Hold(dtype, Accumulate(std::move(products)));
}

Adversary::Elements Adversary::Attention(const NodeView& node) {
  Elements result;
  for (size_t i = 0; i < static_cast<size_t>(node.ResultType().shape.Elements()); ++i) {
    result.push_back(AttendedValue(node, i));
  }
  return result;
}

Adversary::Elements Adversary::Quantize(const NodeView& node) {
  using P = params::Quantize;
  const DType dtype = node.ResultType().dtype;
  const DType input = node.InputType(P::kInput).dtype;
  Elements result;
  for (size_t i = 0; i < In(node, P::kInput).size(); ++i) {
    const size_t k = ScaleElement(node, i);
    const double zero = node.HasInput(P::kZeroPoint) ? In(node, P::kZeroPoint)[k] : 0;
    double quotient =
        Hold(input, Neighbour(input, In(node, P::kInput)[i] / In(node, P::kScale)[k]));
    quotient = Flip() ? std::round(quotient) : std::nearbyint(quotient);
    result.push_back(ToByte(dtype, quotient + zero));
  }
  return result;
}

Adversary::Elements Adversary::Dequantize(const NodeView& node) {
  using P = params::Dequantize;
  const DType dtype = node.ResultType().dtype;
  Elements result;
  for (size_t i = 0; i < In(node, P::kInput).size(); ++i) {
    const size_t k = ScaleElement(node, i);
    const double zero = node.HasInput(P::kZeroPoint) ? In(node, P::kZeroPoint)[k] : 0;
    result.push_back(Hold(dtype, (In(node, P::kInput)[i] - zero) * In(node, P::kScale)[k]));
  }
  return result;
}

size_t Adversary::ScaleElement(const NodeView& node, size_t i) const {
  using P = params::Dequantize;
  const Shape& shape = node.InputShape(P::kInput);
  if (node.InputShape(P::kScale).rank() == 0) return 0;
  const int64_t axis = node.Int(P::kAxis, 0);
  return static_cast<size_t>(
      CoordinatesOf(shape, i)[static_cast<size_t>(axis < 0 ? axis + shape.rank() : axis)]);
}

double Adversary::NeighbourToward(DType dtype, double x, double direction) {
  if (strategy_ == Strategy::kDown) direction = -direction;
  if (strategy_ == Strategy::kRandom) return Neighbour(dtype, x);
  if (x == 0 || !std::isfinite(x) || Sign() == 0) return x;
  const double rounded = ToType(dtype, x);
  if (dtype != DType::kFp16) return rounded;
  const int ordinal = HalfOrdinal(DoubleToHalf(rounded)) + (direction < 0 ? -1 : 1);
  const double moved = HalfToDouble(HalfFromOrdinal(ordinal));
  return (moved < 0) == (x < 0) ? moved : 0;
}

// Expands constants exactly, because compilers expand them.
bool Adversary::Expand(const NodeView& node) {
  std::vector<Elements> operands;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    operands.push_back(values_[argument.value]);
  }
  const auto expanded = ExpandedConstant(node, operands);
  if (!expanded) return false;
  for (uint32_t r = 0; r < expanded->size(); ++r) {
    const DType dtype = node.ResultType(r).dtype;
    Elements& result = values_[node.Result(r)];
    result = (*expanded)[r];
    if (dtype != DType::kFp16 && dtype != DType::kFp32) continue;
    for (double& x : result) x = ToType(dtype, x);
  }
  return true;
}

}  // namespace anecheck::testing
