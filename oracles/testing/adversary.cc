#include "oracles/testing/adversary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/expand.h"
#include "oracles/testing/sampling_structure.h"
#include "oracles/testing/structure.h"
#include "oracles/testing/test_support.h"

namespace anecheck::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ToHalf(double x) { return HalfToDouble(DoubleToHalf(x)); }
double ToSingle(double x) { return static_cast<double>(static_cast<float>(x)); }

double StepBy(DType dtype, double x, int steps) {
  if (dtype != DType::kFp16) {
    const float toward = steps > 0 ? std::numeric_limits<float>::infinity()
                                   : -std::numeric_limits<float>::infinity();
    return steps == 0 ? x : static_cast<double>(std::nextafterf(static_cast<float>(x), toward));
  }
  const int ordinal = HalfOrdinal(DoubleToHalf(x)) + steps;
  return HalfToDouble(HalfFromOrdinal(std::clamp(ordinal, -0x7c00, 0x7c00)));
}

double Gelu(std::string_view mode, double x) {
  if (x == -kInfinity) return 0;
  if (mode == "TANH_APPROXIMATION") {
    const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(-2 * inner));
  }
  if (mode == "SIGMOID_APPROXIMATION") return x / (1 + std::exp(-1.702 * x));
  return x / 2 * std::erfc(-x / std::sqrt(2.0));
}

// An engine may err by one step. The largest fp16 number, 65504, is one step below 65536, and
// numbers up to 65536 + 32 round to 65536 (its steps are 64). Only larger numbers must overflow.
bool OverflowsForSure(DType dtype, double x) {
  return dtype == DType::kFp16 ? std::fabs(x) > 65536 + 32 : std::fabs(x) > 0x1p128 + 0x1p104;
}

}  // namespace

double ToType(DType dtype, double x) { return dtype == DType::kFp16 ? ToHalf(x) : ToSingle(x); }

bool Adversary::Flip() {
  if (strategy_ == Strategy::kRandom) return choices_.Coin();
  return strategy_ != Strategy::kWide;
}

int Adversary::Sign() {
  switch (strategy_) {
    case Strategy::kRandom:
      return static_cast<int>(choices_.Below(3)) - 1;
    case Strategy::kUp:
      return 1;
    case Strategy::kDown:
      return -1;
    default:
      return 0;
  }
}

double Adversary::Rounded(DType dtype, double x) { return ToType(dtype, x); }

double Adversary::Hold(DType dtype, double x) {
  // Only the random strategy may first round to fp32.
  const bool random = strategy_ == Strategy::kRandom;
  if (Flip()) return ToType(dtype, random ? ToSingle(x) : x);
  return random && choices_.Coin() ? ToSingle(x) : x;
}

double Adversary::Neighbour(DType dtype, double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int sign = Sign();
  if (sign == 0 || OverflowsForSure(dtype, x)) return x;
  const double moved = StepBy(dtype, ToType(dtype, x), sign);
  return (moved < 0) == (x < 0) ? moved : 0;  // an error never changes the sign
}

// Adds tiles of four lanes exactly, and the tiles in fp32 in an order that the strategy chooses.
double Adversary::Accumulate(std::vector<double> terms) {
  std::vector<double> tiles;
  for (size_t k = 0; k < terms.size(); k += 4) {
    double tile = 0;
    for (size_t lane = k; lane < std::min(terms.size(), k + 4); ++lane) tile += terms[lane];
    tiles.push_back(tile);
  }
  if (strategy_ == Strategy::kRandom) {
    for (size_t i = tiles.size(); i > 1; --i) std::swap(tiles[i - 1], tiles[choices_.Below(i)]);
  } else if (strategy_ == Strategy::kUp) {
    std::ranges::sort(tiles);
  } else if (strategy_ == Strategy::kDown) {
    std::ranges::sort(tiles, std::greater<>());
  }
  float sum = 0;
  for (const double tile : tiles) sum = static_cast<float>(static_cast<double>(sum) + tile);
  return static_cast<double>(sum);
}

double Adversary::Table(double exact, double error, bool exact_zero) {
  return exact_zero ? exact : exact + Sign() * error;
}

bool Adversary::Run(const Graph& graph, std::span<const Tensor> inputs) {
  values_.assign(graph.values().size(), {});
  size_t next = 0;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    if (graph.value(id).kind == ValueKind::kInput) values_[id] = DecodedElements(inputs[next++]);
    if (graph.value(id).kind == ValueKind::kState) {
      values_[id].assign(static_cast<size_t>(graph.type(id).shape.Elements()), 0);
    }
    if (graph.value(id).kind == ValueKind::kConst) {
      const auto bytes = graph.ConstData(id);
      values_[id] = DecodedElements(Tensor{graph.type(id), {bytes.begin(), bytes.end()}});
    }
  }
  for (const Node& node : graph.nodes()) {
    if (!RunNode(NodeView(graph, node))) return false;
  }
  return true;
}

std::vector<double> Adversary::Stored(const Graph& graph, ValueId id) const {
  Elements stored = values_[id];
  const DType dtype = graph.type(id).dtype;
  if (IsFloat(dtype)) {
    for (double& x : stored) x = ToType(dtype, x);
  }
  return stored;
}

bool Adversary::RunNode(const NodeView& node) {
  // These operations may have no result, or several.
  if (RunControl(node) || RunRecurrent(node) || RunNative(node)) return true;
  if (IsMovement(node)) {
    for (uint32_t i = 0; i < node.node().result_count; ++i) {
      values_[node.Result(i)] = Move(node, i);
    }
    return true;
  }
  if (IsImage(node)) return RunImage(node);
  if (IsSort(node)) return RunSort(node);
  if (KindOf(node.schema()) == OpKind::kNonMaximumSuppression) return RunSuppression(node);
  Elements& result = values_[node.Result()];
  if (IsScatter(node)) {
    result = Scatter(node);
    return true;
  }
  if (DefinitionOf(node.schema()).products != Products::kNone) {
    result = MultiplyAccumulate(node);
    return true;
  }
  switch (KindOf(node.schema())) {
    case OpKind::kAdd:
    case OpKind::kSub:
    case OpKind::kMul:
    case OpKind::kRealDiv:
    case OpKind::kMaximum:
    case OpKind::kMinimum:
      result = Elementwise(node);
      return true;
    case OpKind::kRelu:
    case OpKind::kClip:
    case OpKind::kSigmoid:
    case OpKind::kTanh:
    case OpKind::kGelu:
      result = Unary(node);
      return true;
    case OpKind::kAvgPool:
    case OpKind::kMaxPool:
    case OpKind::kReduceSum:
    case OpKind::kReduceMax:
    case OpKind::kNePool:
    case OpKind::kPePool:
      result = Combine(node);
      return true;
    case OpKind::kSoftmax:
      result = Softmax(node);
      return true;
    case OpKind::kCast:
      result = Cast(node);
      return true;
    default:
      return RunOtherClasses(node) || RunOfClass(node);
  }
}

bool Adversary::RunOfClass(const NodeView& node) {
  switch (DefinitionOf(node.schema()).op_class) {
    case OpClass::kComparison:
      return RunComparison(node);
    case OpClass::kElementwise:
    case OpClass::kActivation:
    case OpClass::kTrigonometric:
      return RunFunction(node);
    case OpClass::kReduction:
      return RunReduction(node);
    case OpClass::kNormalization:
      return RunNormalization(node);
    default:
      return false;
  }
}

Adversary::Elements Adversary::Elementwise(const NodeView& node) {
  const Shape& shape = node.ResultType().shape;
  const DType dtype = node.ResultType().dtype;
  const OpKind kind = KindOf(node.schema());
  Elements result;
  for (size_t i = 0; i < static_cast<size_t>(shape.Elements()); ++i) {
    const double a = In(node, 0)[BroadcastIndex(node.InputShape(0), shape, i)];
    const double b = In(node, 1)[BroadcastIndex(node.InputShape(1), shape, i)];
    double y = 0;
    if (kind == OpKind::kAdd) y = a + b;
    if (kind == OpKind::kSub) y = a - b;
    if (kind == OpKind::kMul) y = a * b;
    if (kind == OpKind::kRealDiv) y = IsFloat(dtype) ? Neighbour(dtype, a / b) : b == 0 ? 0 : a / b;
    const bool nan = std::isnan(a) || std::isnan(b);
    if (kind == OpKind::kMaximum) y = nan ? NAN : std::max(a, b);
    if (kind == OpKind::kMinimum) y = nan ? NAN : std::min(a, b);
    if (!IsFloat(dtype)) {
      const double span = std::ldexp(1.0, DTypeBits(dtype));
      const bool has_sign =
          dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32;
      y = std::trunc(y);
      y -= span * std::floor(y / span);
      if (has_sign && y >= span / 2) y -= span;
      result.push_back(y);
    } else {
      result.push_back(Hold(dtype, y));
    }
  }
  return result;
}

Adversary::Elements Adversary::Unary(const NodeView& node) {
  const DType dtype = node.ResultType().dtype;
  const OpKind kind = KindOf(node.schema());
  Elements result;
  for (const double x : In(node, 0)) {
    double y = x;
    if (kind == OpKind::kRelu) y = x < 0 ? 0 : x;
    if (kind == OpKind::kClip) {
      const double low = ToType(dtype, node.Float(params::Clip::kAlpha, 0));
      const double high = ToType(dtype, node.Float(params::Clip::kBeta, 0));
      y = std::isnan(x) ? x : std::clamp(x, low, high);
    }
    if (kind == OpKind::kSigmoid)
      y = Within(Table(1 / (1 + std::exp(-x)), ErrorOf(Term::kSigmoidTable), false), 0, 1);
    if (kind == OpKind::kTanh)
      y = Within(Table(std::tanh(x), ErrorOf(Term::kTanhTable), x == 0), -1, 1);
    if (kind == OpKind::kGelu) {
      y = Table(Gelu(node.String(params::Gelu::kMode, "EXACT"), x), ErrorOf(Term::kGeluTable),
                x == 0);
    }
    result.push_back(Hold(dtype, y));
  }
  return result;
}

Adversary::Elements Adversary::MultiplyAccumulate(const NodeView& node) {
  const DType dtype = node.ResultType().dtype;
  // Operations without a bias have an attribute or nothing at this index.
  const bool biased = node.HasInput(params::Conv::kBias);
  const auto arguments = node.graph().arguments(node.node());
  const Elements& left = values_[arguments[0].value];
  const auto expanded = ExpandedWeight(
      node, Operands(node), [&](double x) { return Flip() ? ToType(dtype, x) : x; },
      [&](double x) { return Hold(dtype, x); });
  const Elements& right = expanded ? *expanded : values_[arguments[1].value];
  const bool round_products = Flip();
  Elements result;
  for (const ProductSum& sum : ProductSums(node)) {
    if (!IsFloat(dtype)) {
      int64_t whole = biased ? static_cast<int64_t>(In(node, params::Conv::kBias)[sum.bias]) : 0;
      for (const auto& [i, j] : sum.pairs) {
        whole += static_cast<int64_t>(left[i]) * static_cast<int64_t>(right[j]);
      }
      result.push_back(static_cast<double>(static_cast<int32_t>(whole)));
      continue;
    }
    std::vector<double> products;
    for (const auto& [i, j] : sum.pairs) {
      const double product = left[i] * right[j];
      products.push_back(round_products ? ToType(dtype, product) : product);
    }
    double y = Accumulate(std::move(products));
    if (biased) {
      if (Flip()) y = ToType(dtype, y);
      y += In(node, params::Conv::kBias)[sum.bias];
    }
    result.push_back(Hold(dtype, y));
  }
  return result;
}

Adversary::Elements Adversary::Combine(const NodeView& node) {
  const DType dtype = node.ResultType().dtype;
  const OpKind kind = KindOf(node.schema());
  const bool unit = kind == OpKind::kNePool || kind == OpKind::kPePool;
  const bool average = unit && node.String(params::UnitPool::kMode, "") == "Avg";
  const bool extreme = kind == OpKind::kMaxPool || kind == OpKind::kReduceMax || (unit && !average);
  Elements result;
  for (const Combined& combined : CombinedElements(node)) {
    std::vector<double> terms;
    terms.reserve(combined.elements.size());
    for (const size_t i : combined.elements) terms.push_back(In(node, 0)[i]);
    if (extreme) {
      double best = -kInfinity;
      for (const double term : terms) best = std::isnan(term) || term > best ? term : best;
      const bool nan = std::ranges::any_of(terms, [](double t) { return std::isnan(t); });
      result.push_back(nan ? NAN : Hold(dtype, best));
      continue;
    }
    if (!IsFloat(dtype)) {
      int64_t sum = 0;
      for (const double term : terms) sum += static_cast<int64_t>(term);
      result.push_back(static_cast<double>(static_cast<int32_t>(sum)));
      continue;
    }
    double y = Accumulate(std::move(terms));
    if (kind == OpKind::kAvgPool || average) {
      if (Flip()) y = ToType(dtype, y);
      y *= ToSingle(1.0 / static_cast<double>(combined.divisor));
      y = strategy_ == Strategy::kWide ? y : ToSingle(y);
    }
    result.push_back(Hold(dtype, y));
  }
  return result;
}

Adversary::Elements Adversary::Softmax(const NodeView& node) {
  const DType dtype = node.ResultType().dtype;
  const Elements& x = In(node, 0);
  Elements result(x.size());
  for (const auto& group : NormalisedGroups(node)) {
    double top = -kInfinity;
    for (const size_t i : group) top = std::isnan(x[i]) || x[i] > top ? x[i] : top;
    std::vector<double> exponentials;
    for (const size_t i : group) {
      double difference = x[i] - top;
      if (Flip()) difference = ToType(dtype, difference);
      exponentials.push_back(Hold(dtype, Neighbour(dtype, std::exp(difference))));
    }
    const double sum = Accumulate(exponentials);
    for (size_t k = 0; k < group.size(); ++k) {
      result[group[k]] = Hold(dtype, Neighbour(dtype, exponentials[k] / sum));
    }
  }
  return result;
}

std::vector<Adversary::Elements> Adversary::Operands(const NodeView& node) const {
  std::vector<Elements> operands;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    operands.push_back(values_[argument.value]);
  }
  return operands;
}

Adversary::Elements Adversary::Move(const NodeView& node, uint32_t index) {
  const std::vector<Elements> operands = Operands(node);
  const DType dtype = node.ResultType(index).dtype;
  Elements result;
  for (const Source& source : MovedElements(node, operands, index)) {
    if (source.operand >= 0) {
      result.push_back(operands[static_cast<size_t>(source.operand)][source.element]);
    } else {
      result.push_back(IsFloat(dtype) ? ToType(dtype, source.constant)
                                      : std::trunc(source.constant));
    }
  }
  return result;
}

// Applies one update after the other, with or without rounding after each update. The terms of a
// sum are added in one of two orders.
Adversary::Elements Adversary::Scatter(const NodeView& node) {
  const DType dtype = node.ResultType().dtype;
  const std::string_view mode = node.String(node.schema().FindParameter("mode"), "add");
  const std::vector<Elements> operands = Operands(node);
  Elements result = operands[0];
  const auto updates = ScatteredUpdates(node, operands);
  for (size_t i = 0; i < updates.size(); ++i) {
    std::vector<size_t> order(updates[i].begin(), updates[i].end());
    if ((mode == "add" || mode == "sub") && Flip()) std::ranges::reverse(order);
    for (const size_t from : order) {
      const double a = result[i];
      const double b = operands[2][from];
      const bool nan = std::isnan(a) || std::isnan(b);
      if (mode == "update") result[i] = b;
      if (mode == "max") result[i] = nan ? NAN : std::max(a, b);
      if (mode == "min") result[i] = nan ? NAN : std::min(a, b);
      if (mode == "add") result[i] = Hold(dtype, a + b);
      if (mode == "sub") result[i] = Hold(dtype, a - b);
      if (mode == "mul") result[i] = Hold(dtype, a * b);
      if (mode == "div") result[i] = Hold(dtype, Neighbour(dtype, a / b));
    }
  }
  return result;
}

Adversary::Elements Adversary::Cast(const NodeView& node) {
  const DType from = node.InputType(0).dtype;
  const DType to = node.ResultType().dtype;
  Elements result;
  for (const double x : In(node, 0)) {
    if (from == to) {
      result.push_back(x);
    } else if (IsFloat(to)) {
      result.push_back(Hold(to, x));
    } else if (to == DType::kBool) {
      result.push_back(x != 0 ? 1 : 0);
    } else {
      const double span = std::ldexp(1.0, DTypeBits(to));
      const bool has_sign = to == DType::kInt8 || to == DType::kInt16 || to == DType::kInt32;
      const double least = has_sign ? -span / 2 : 0;
      result.push_back(std::isnan(x) ? 0 : std::clamp(std::trunc(x), least, least + span - 1));
    }
  }
  return result;
}

}  // namespace anecheck::testing
