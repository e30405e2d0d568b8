#include "harness/check/own_cliffs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "harness/graph/find_operand.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

// Constants with more elements are weights, which are never divisors or operands of a difference.
constexpr int64_t kMostConstantElements = int64_t{1} << 22;
// An offset of at least this size keeps a logarithm or a reciprocal away from 0 in fp16.
constexpr double kLeastOffset = 0x1p-24;
constexpr int kDeepestSearch = 32;

using Elements = std::vector<double>;

bool Is(const Node& node, OpKind kind) { return node.schema->id == static_cast<uint16_t>(kind); }

bool IsOneOf(const Node& node, std::span<const OpKind> kinds) {
  return std::ranges::any_of(kinds, [&](OpKind kind) { return Is(node, kind); });
}

// Functions that are 0 at no finite number, so a result of 0 has underflowed.
constexpr auto kNeverZero =
    std::to_array({OpKind::kExp, OpKind::kExp2, OpKind::kSigmoid, OpKind::kSoftmax});
// Operations that pass a 0 of an operand on to their result, at any place.
constexpr auto kMoves = std::to_array(
    {OpKind::kReshape, OpKind::kTranspose, OpKind::kExpandDims, OpKind::kSqueeze, OpKind::kIdentity,
     OpKind::kFlatten2d, OpKind::kSliceByIndex, OpKind::kSliceBySize, OpKind::kSplit, OpKind::kCast,
     OpKind::kReduceSum, OpKind::kReduceMean, OpKind::kReduceMax, OpKind::kReduceMin});

class OwnCliffFinder {
 public:
  OwnCliffFinder(const Graph& graph, std::span<const Tensor> inputs, const ModelValues& results)
      : graph_(graph), results_(results) {
    const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
    for (size_t i = 0; i < ids.size(); ++i) inputs_[ids[i]] = &inputs[i];
  }

  std::vector<Cliff> Run() {
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      FindInvalid(id);
      FindUnderflow(id);
    }
    return std::move(cliffs_);
  }

 private:
  // The elements of a value; empty for contents of states, large constants and types other than
  // floats.
  std::optional<Elements> ElementsOf(ValueId id) const {
    const Value& value = graph_.value(id);
    std::span<const uint8_t> bytes;
    if (!IsFloat(value.type.dtype)) return std::nullopt;
    if (value.kind == ValueKind::kConst) {
      if (value.type.shape.Elements() > kMostConstantElements) return std::nullopt;
      bytes = graph_.ConstData(id);
    } else if (value.kind == ValueKind::kInput) {
      bytes = inputs_.at(id)->bytes;
    } else if (value.kind == ValueKind::kResult) {
      bytes = results_[id].bytes;
    } else {
      return std::nullopt;
    }
    Elements elements(static_cast<size_t>(value.type.shape.Elements()));
    DecodeElements(value.type.dtype, bytes, elements);
    return elements;
  }

  ValueId Operand(const Node& node, std::string_view name) const {
    const int parameter = FindOperand(*node.schema, name);
    return parameter < 0 ? kNoValue : NodeView(graph_, node).Input(parameter);
  }

  // The index in an operand that broadcasting pairs with element `at` of a result.
  static size_t Beside(const Shape& result, const Shape& operand, size_t at) {
    size_t place = 0, stride = 1;
    for (int i = 1; i <= operand.rank(); ++i) {
      const auto extent = static_cast<size_t>(result[result.rank() - i]);
      const auto own = static_cast<size_t>(operand[operand.rank() - i]);
      if (own != 1) place += at % extent * stride;
      at /= extent;
      stride *= own;
    }
    return place;
  }

  void Add(NodeId node, const char* id, const char* what, uint64_t elements) {
    cliffs_.push_back({.node = node, .id = id, .what = what, .past = true, .elements = elements});
  }

  // Finds NaN results of operands without NaN.
  void FindInvalid(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.result_count == 0 || node.block_count != 0) return;
    const std::optional<Elements> result = ElementsOf(node.first_result);
    if (!result) return;
    const auto made = std::ranges::count_if(*result, [](double x) { return std::isnan(x); });
    if (made == 0) return;
    const ValueId x = Operand(node, "x"), y = Operand(node, "y");
    const bool pair = x != kNoValue && y != kNoValue;
    if (pair && ClassifyPair(id, *result, x, y)) return;
    for (const Argument& argument : graph_.arguments(node)) {
      const std::optional<Elements> operand = ElementsOf(argument.value);
      if (operand && std::ranges::any_of(*operand, [](double e) { return std::isnan(e); })) return;
    }
    Add(id, "invalid", "the operation is not defined at its operands and gives NaN",
        static_cast<uint64_t>(made));
  }

  // Classifies an add, sub, mul or real_div. False for any other operation, and if the elements of
  // an operand are unknown.
  bool ClassifyPair(NodeId id, const Elements& result, ValueId x, ValueId y) {
    const Node& node = graph_.node(id);
    constexpr auto kPairs =
        std::to_array({OpKind::kAdd, OpKind::kSub, OpKind::kMul, OpKind::kRealDiv});
    if (!IsOneOf(node, kPairs)) return false;
    const std::optional<Elements> a = ElementsOf(x), b = ElementsOf(y);
    if (!a || !b) return false;
    const Shape& shape = graph_.type(node.first_result).shape;
    uint64_t zeros = 0, differences = 0, products = 0;
    for (size_t i = 0; i < result.size(); ++i) {
      if (!std::isnan(result[i])) continue;
      const double left = (*a)[Beside(shape, graph_.type(x).shape, i)];
      const double right = (*b)[Beside(shape, graph_.type(y).shape, i)];
      if (std::isnan(left) || std::isnan(right)) continue;
      if (Is(node, OpKind::kMul)) {
        ++products;
      } else if (!Is(node, OpKind::kRealDiv)) {
        ++differences;
      } else {
        // inf / inf is treated as a product of infinity and 0.
        ++(right == 0 ? zeros : products);
      }
    }
    if (zeros > 0) Add(id, "0/0", "0 is divided by 0, which gives NaN", zeros);
    if (differences > 0) {
      Add(id, "inf-inf", "infinities are subtracted from each other, which gives NaN", differences);
    }
    if (products > 0) Add(id, "inf*0", "infinity is multiplied by 0, which gives NaN", products);
    return true;
  }

  // The operand that must not be 0, or kNoValue.
  ValueId Divisor(const Node& node) const {
    if (Is(node, OpKind::kRealDiv) || Is(node, OpKind::kFloorDiv)) return Operand(node, "y");
    constexpr auto kWithOffset = std::to_array({OpKind::kLog, OpKind::kInverse, OpKind::kRsqrt});
    if (!IsOneOf(node, kWithOffset)) return kNoValue;
    const int epsilon = node.schema->FindParameter("epsilon");
    const double offset = epsilon < 0 ? 0 : NodeView(graph_, node).Float(epsilon, 0);
    return offset >= kLeastOffset ? kNoValue : Operand(node, "x");
  }

  void FindUnderflow(NodeId id) {
    const ValueId divisor = Divisor(graph_.node(id));
    if (divisor == kNoValue) return;
    const std::optional<Elements> elements = ElementsOf(divisor);
    if (!elements) return;
    const auto zeros = std::ranges::count(*elements, 0.0);
    if (zeros == 0 || !MayUnderflow(divisor, 0)) return;
    Add(id, "underflow",
        Is(graph_.node(id), OpKind::kLog) ? "numbers underflow to 0 before the logarithm"
                                          : "numbers underflow to 0 before the division",
        static_cast<uint64_t>(zeros));
  }

  // Returns whether an element of the value may be 0 here but not in exact arithmetic.
  bool MayUnderflow(ValueId id, int depth) const {
    const Value& value = graph_.value(id);
    if (value.kind != ValueKind::kResult || depth > kDeepestSearch) return false;
    const std::optional<Elements> elements = ElementsOf(id);
    if (!elements || std::ranges::find(*elements, 0.0) == elements->end()) return false;
    const Node& node = graph_.node(value.producer);
    if (IsOneOf(node, kNeverZero)) return HasFinite(Operand(node, "x"));
    if (Is(node, OpKind::kSquare)) return IsZeroOfOthers(id, Operand(node, "x"), kNoValue);
    if (Is(node, OpKind::kMul) || Is(node, OpKind::kRealDiv)) {
      const ValueId x = Operand(node, "x"), y = Operand(node, "y");
      const ValueId factor = Is(node, OpKind::kMul) ? y : kNoValue;
      return IsZeroOfOthers(id, x, factor) || MayUnderflow(x, depth + 1) ||
             (factor != kNoValue && MayUnderflow(factor, depth + 1));
    }
    if (!IsOneOf(node, kMoves)) return false;
    return MayUnderflow(Operand(node, "x"), depth + 1);
  }

  bool HasFinite(ValueId id) const {
    if (id == kNoValue) return false;
    const std::optional<Elements> elements = ElementsOf(id);
    return elements && std::ranges::any_of(*elements, [](double x) { return std::isfinite(x); });
  }

  // Returns whether an element of the value is 0 although both operands are not 0.
  bool IsZeroOfOthers(ValueId id, ValueId x, ValueId y) const {
    const std::optional<Elements> result = ElementsOf(id), a = ElementsOf(x);
    const std::optional<Elements> b = y == kNoValue ? Elements() : ElementsOf(y);
    if (!result || !a || !b) return false;
    const Shape& shape = graph_.type(id).shape;
    for (size_t i = 0; i < result->size(); ++i) {
      if ((*result)[i] != 0) continue;
      const bool left = (*a)[Beside(shape, graph_.type(x).shape, i)] != 0;
      if (left && (y == kNoValue || (*b)[Beside(shape, graph_.type(y).shape, i)] != 0)) return true;
    }
    return false;
  }

  const Graph& graph_;
  const ModelValues& results_;
  std::map<ValueId, const Tensor*> inputs_;
  std::vector<Cliff> cliffs_;
};

}  // namespace

std::vector<Cliff> FindOwnCliffs(const Graph& graph, std::span<const Tensor> inputs,
                                 const ModelValues& values) {
  return OwnCliffFinder(graph, inputs, values).Run();
}

}  // namespace anecheck
