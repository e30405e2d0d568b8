#include "oracles/reference/folding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "harness/base/half.h"
#include "harness/base/little_endian.h"
#include "harness/graph/find_operand.h"
#include "harness/ops/op.h"

namespace anecheck::reference {
namespace {

// Half the spacing of subnormal fp16 numbers: the error of a folded constant that is subnormal.
constexpr double kSmallError = 0x1p-25;
// The longest chain of operations that is followed.
constexpr int kLongestChain = 8;

OpKind KindOfNode(const Node& node) { return static_cast<OpKind>(node.schema->id); }

// The least nonzero and the largest magnitude of an fp16 constant.
struct Magnitudes {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  bool zero = false;  // 0 is among the numbers
};

bool IsHalfConst(const Graph& graph, ValueId id) {
  return id != kNoValue && graph.value(id).kind == ValueKind::kConst &&
         graph.type(id).dtype == DType::kFp16;
}

// Returns nothing if the value is not an fp16 constant or is not finite.
std::optional<Magnitudes> MagnitudesOf(const Graph& graph, ValueId id) {
  if (!IsHalfConst(graph, id)) return std::nullopt;
  Magnitudes magnitudes;
  const std::span<const uint8_t> bytes = graph.ConstData(id);
  for (size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    const double number = std::fabs(HalfToDouble(Half{LoadU16(bytes.data() + at)}));
    if (!std::isfinite(number)) return std::nullopt;
    magnitudes.most = std::max(magnitudes.most, number);
    magnitudes.zero |= number == 0;
    if (number != 0) magnitudes.least = std::min(magnitudes.least, number);
  }
  return magnitudes;
}

ValueId Operand(const NodeView& node, std::string_view name) {
  const int parameter = FindOperand(node.schema(), name);
  return parameter < 0 ? kNoValue : node.Input(parameter);
}

// An operation y = factor * x + offset. A compiler may fold its constants into earlier constants.
struct Foldable {
  ValueId data = kNoValue;  // x
  bool scales = false;
  Magnitudes factor = {1, 1};
  double offset = 0;         // largest magnitude
  ValueId added = kNoValue;  // the constant that holds the offset, or part of it
};

std::optional<Foldable> PairOf(const NodeView& node, OpKind kind) {
  const ValueId x = Operand(node, "x");
  const ValueId y = Operand(node, "y");
  const auto right = MagnitudesOf(node.graph(), y);
  const auto left = kind == OpKind::kRealDiv ? std::nullopt : MagnitudesOf(node.graph(), x);
  if (right.has_value() == left.has_value()) return std::nullopt;
  const Magnitudes number = right ? *right : *left;
  Foldable foldable{.data = right ? x : y};
  if (kind == OpKind::kAdd || kind == OpKind::kSub) {
    foldable.offset = number.most;
    foldable.added = right ? y : x;
    return foldable;
  }
  foldable.scales = true;
  foldable.factor = number;
  if (kind == OpKind::kRealDiv) foldable.factor = {1 / number.most, 1 / number.least};
  return foldable;
}

std::optional<Foldable> BatchNormOf(const NodeView& node) {
  const auto mean = MagnitudesOf(node.graph(), Operand(node, "mean"));
  const auto variance = MagnitudesOf(node.graph(), Operand(node, "variance"));
  if (!mean || !variance) return std::nullopt;
  const ValueId gain = Operand(node, "gamma");
  const ValueId shift = Operand(node, "beta");
  const auto gamma = gain == kNoValue ? Magnitudes{1, 1} : MagnitudesOf(node.graph(), gain);
  const auto beta = shift == kNoValue ? Magnitudes{} : MagnitudesOf(node.graph(), shift);
  if (!gamma || !beta) return std::nullopt;
  const double epsilon = node.Float(node.schema().FindParameter("epsilon"), 0);
  const double least_variance = variance->zero ? 0 : variance->least;
  if (least_variance + epsilon <= 0) return std::nullopt;
  Foldable foldable{.data = Operand(node, "x"), .scales = true, .added = shift};
  foldable.factor = {gamma->least / std::sqrt(variance->most + epsilon),
                     gamma->most / std::sqrt(least_variance + epsilon)};
  foldable.offset = beta->most + mean->most * foldable.factor.most;
  return foldable;
}

std::optional<Foldable> FoldableOf(const NodeView& node) {
  const auto kind = static_cast<OpKind>(node.schema().id);
  switch (kind) {
    case OpKind::kMul:
    case OpKind::kRealDiv:
    case OpKind::kAdd:
    case OpKind::kSub:
      return PairOf(node, kind);
    case OpKind::kBatchNorm:
      return BatchNormOf(node);
    default:
      return std::nullopt;
  }
}

// The constant weight of a product, or kNoValue.
ValueId WeightOf(const NodeView& node) {
  switch (static_cast<OpKind>(node.schema().id)) {
    case OpKind::kConv:
    case OpKind::kConvTranspose:
    case OpKind::kLinear: {
      const ValueId weight = Operand(node, "weight");
      return IsHalfConst(node.graph(), weight) ? weight : kNoValue;
    }
    case OpKind::kMatmul:
      for (const char* name : {"y", "x"}) {
        if (IsHalfConst(node.graph(), Operand(node, name))) return Operand(node, name);
      }
      return kNoValue;
    default:
      return kNoValue;
  }
}

// Returns the only node that reads the value, or null if it is an output or is read again.
const Node* OnlyReader(const Graph& graph, ValueId id) {
  if (std::ranges::find(graph.outputs(), id) != graph.outputs().end()) return nullptr;
  const Node* reader = nullptr;
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : graph.arguments(node)) {
      if (argument.value != id) continue;
      if (reader != nullptr) return nullptr;
      reader = &node;
    }
  }
  return reader;
}

// The scales after a node, up to the first operation that cannot be folded.
struct Behind {
  int scales = 0;
  double least = 1;  // lower bound of the magnitude of the factors' product, at most 1
};

Behind ScalesBehind(const Graph& graph, const Node& node) {
  Behind behind;
  const Node* at = &node;
  for (int i = 0; i < kLongestChain && at->result_count == 1; ++i) {
    const ValueId result = at->first_result;
    at = OnlyReader(graph, result);
    if (at == nullptr) break;
    const auto foldable = FoldableOf(NodeView(graph, *at));
    if (!foldable || foldable->data != result) break;
    if (!foldable->scales) continue;
    ++behind.scales;
    behind.least *= std::min(1.0, foldable->factor.least);
  }
  return behind;
}

// Returns the largest magnitude that constants (a bias and the constants of later operations) add
// to products in the value. Returns nothing if it has no products with constant weights.
std::optional<double> OffsetIn(const Graph& graph, ValueId id, int depth) {
  if (depth == 0 || OnlyReader(graph, id) == nullptr) return std::nullopt;
  const auto made = std::ranges::find_if(graph.nodes(), [&](const Node& node) {
    return node.result_count == 1 && node.first_result == id;
  });
  if (made == graph.nodes().end()) return std::nullopt;
  const NodeView node(graph, *made);
  if (WeightOf(node) != kNoValue) {
    const auto bias = MagnitudesOf(graph, Operand(node, "bias"));
    return bias ? bias->most : 0;
  }
  const auto foldable = FoldableOf(node);
  if (!foldable) return std::nullopt;
  const std::optional<double> before = OffsetIn(graph, foldable->data, depth - 1);
  if (!before) return std::nullopt;
  return *before * foldable->factor.most + foldable->offset;
}

// Returns the largest sum of the constants that consecutive additions before the value added, or 0
// if there are none.
double SumBefore(const Graph& graph, ValueId id, int depth) {
  if (depth == 0 || OnlyReader(graph, id) == nullptr) return 0;
  const Value& value = graph.value(id);
  if (value.kind != ValueKind::kResult) return 0;
  const auto foldable = FoldableOf(NodeView(graph, graph.node(value.producer)));
  if (!foldable || foldable->scales) return 0;
  return foldable->offset + SumBefore(graph, foldable->data, depth - 1);
}

}  // namespace

FoldedConstants::FoldedConstants(const Graph& graph, const Node& node, const Contract& contract,
                                 Arena& arena, std::span<BoundedTensor> values)
    : arena_(arena), values_(values) {
  const double unit = contract[Term::kConstantFolding];
  if (unit == 0 || node.result_count != 1) return;
  const NodeView view(graph, node);
  const ValueId weight = WeightOf(view);
  const auto foldable = weight == kNoValue ? FoldableOf(view) : std::nullopt;
  if (weight == kNoValue && !foldable) return;
  const Behind behind = ScalesBehind(graph, node);
  const double relative = unit * (behind.scales + (behind.scales > 0 ? unit * 8 : 0));
  const double absolute = behind.scales > 0 ? kSmallError * behind.scales / behind.least : 0;
  if (weight != kNoValue) {
    if (behind.scales == 0) return;
    Widen(weight, relative, absolute);
    const ValueId bias = Operand(view, "bias");
    if (IsHalfConst(graph, bias)) Widen(bias, relative, absolute);
    return;
  }
  const std::optional<double> before = OffsetIn(graph, foldable->data, kLongestChain);
  if (before && foldable->added != kNoValue) {
    // The compiler rounds a bias that it computes, but not one that is a given constant.
    const bool sums = *before > 0 || foldable->scales;
    const double sum = *before * foldable->factor.most + foldable->offset;
    Widen(foldable->added, relative, absolute + (sums ? unit * sum + kSmallError : 0));
  } else if (!foldable->scales) {
    // The compiler may replace x + a + b by x + (a + b).
    const double sum = SumBefore(graph, foldable->data, kLongestChain);
    if (sum > 0) Widen(foldable->added, 0, unit * (sum + foldable->offset) + kSmallError);
  }
  if (!foldable->scales || behind.scales == 0 || KindOfNode(node) == OpKind::kBatchNorm) return;
  const ValueId x = Operand(view, "x");
  Widen(x == foldable->data ? Operand(view, "y") : x, relative, absolute);
}

FoldedConstants::~FoldedConstants() {
  for (const auto& [id, tensor] : kept_) values_[id] = tensor;
}

void FoldedConstants::Widen(ValueId id, double relative, double absolute) {
  BoundedTensor& tensor = values_[id];
  if (tensor.value == nullptr || !tensor.point() || tensor.special) return;
  kept_.emplace_back(id, tensor);
  tensor.low = arena_.Allocate<double>(tensor.size);
  tensor.high = arena_.Allocate<double>(tensor.size);
  tensor.nan = arena_.Allocate<uint8_t>(tensor.size);
  tensor.measured = false;
  tensor.signed_zero = false;
  for (size_t i = 0; i < tensor.size; ++i) {
    const double error =
        tensor.value[i] == 0 ? 0 : relative * std::fabs(tensor.value[i]) + absolute;
    tensor.low[i] = tensor.value[i] - error;
    tensor.high[i] = tensor.value[i] + error;
    tensor.nan[i] = 0;
  }
}

}  // namespace anecheck::reference
