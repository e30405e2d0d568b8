#include "harness/lowering/known_integers.h"

#include <algorithm>
#include <string_view>

namespace anecheck {
namespace {

using Integers = std::optional<std::vector<int64_t>>;

bool HasSign(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32;
}

Integers OfConstant(const Graph& graph, ValueId id) {
  const TensorType& type = graph.type(id);
  const bool whole =
      HasSign(type.dtype) || type.dtype == DType::kUint8 || type.dtype == DType::kUint16;
  if (!whole) return std::nullopt;
  const auto size = static_cast<size_t>(DTypeBits(type.dtype) / 8);
  const auto bytes = graph.ConstData(id);
  std::vector<int64_t> numbers;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) bits |= uint64_t{bytes[at + i]} << (8 * i);
    const int shift = 64 - static_cast<int>(8 * size);
    numbers.push_back(HasSign(type.dtype) ? static_cast<int64_t>(bits << shift) >> shift
                                          : static_cast<int64_t>(bits));
  }
  return numbers;
}

bool IsFirstAxis(const NodeView& node) {
  const int64_t axis = node.Int(node.schema().FindParameter("axis"), 0);
  return axis == 0 || axis == -1;  // the operand has one axis
}

using Arithmetic = std::optional<int64_t> (*)(int64_t x, int64_t y);

struct ArithmeticRow {
  std::string_view op;
  Arithmetic of;
};

// Operands have at most 32 bits, so no result overflows 64 bits. Sources do not agree on the
// rounding of a quotient of integers, so real_div is known only if it is exact. Converters write
// real_div to compute the repetitions of `expand`.
constexpr ArithmeticRow kArithmetic[] = {
    {"add", [](int64_t x, int64_t y) -> std::optional<int64_t> { return x + y; }},
    {"sub", [](int64_t x, int64_t y) -> std::optional<int64_t> { return x - y; }},
    {"mul", [](int64_t x, int64_t y) -> std::optional<int64_t> { return x * y; }},
    {"real_div",
     [](int64_t x, int64_t y) -> std::optional<int64_t> {
       if (y == 0 || x % y != 0) return std::nullopt;
       return x / y;
     }},
    {"floor_div",
     [](int64_t x, int64_t y) -> std::optional<int64_t> {
       if (y == 0) return std::nullopt;
       return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
     }},
    {"maximum", [](int64_t x, int64_t y) -> std::optional<int64_t> { return std::max(x, y); }},
    {"minimum", [](int64_t x, int64_t y) -> std::optional<int64_t> { return std::min(x, y); }},
};

// Evaluates integers within limits. Shapes and the values made from them are short, so the
// evaluation gives up on longer values and on values that depend on too many others.
class Folding {
 public:
  explicit Folding(const Graph& graph) : graph_(graph) {}

  Integers Of(ValueId id) {
    const Value& value = graph_.value(id);
    if (left_ == 0 || value.type.shape.Elements() > kMostElements) return std::nullopt;
    --left_;
    if (value.kind == ValueKind::kConst) return OfConstant(graph_, id);
    if (value.kind != ValueKind::kResult || IsFloat(value.type.dtype)) return std::nullopt;
    const NodeView node(graph_, value.producer);
    const std::string_view op = node.op();
    if (op == "gather") return Gathered(node);
    if (op == "concat") return Joined(node);
    const auto* const row = std::ranges::find(kArithmetic, op, &ArithmeticRow::op);
    if (row != std::end(kArithmetic)) return Computed(node, row->of);
    // An operand may be missing, because programs are read before they are checked.
    if (!node.HasInput(0)) return std::nullopt;
    if (op == "shape") {
      const auto dims = node.InputShape(0).dims();
      return std::vector<int64_t>(dims.begin(), dims.end());
    }
    const bool keeps = op == "cast" || op == "identity" || op == "reshape" || op == "expand_dims" ||
                       op == "squeeze";
    return keeps ? Of(node.Input(0)) : std::nullopt;
  }

 private:
  static constexpr int kMostSteps = 256;
  static constexpr int64_t kMostElements = 1024;

  Integers At(const NodeView& node, std::string_view parameter) {
    const ValueId operand = node.Input(node.schema().FindParameter(parameter));
    return operand == kNoValue ? std::nullopt : Of(operand);
  }

  Integers Gathered(const NodeView& node) {
    const Integers from = At(node, "x");
    const Integers places = At(node, "indices");
    if (!from || !places || node.InputShape(0).rank() != 1 || !IsFirstAxis(node)) {
      return std::nullopt;
    }
    const auto extent = static_cast<int64_t>(from->size());
    std::vector<int64_t> numbers;
    for (const int64_t place : *places) {
      const int64_t index = place < 0 ? place + extent : place;
      if (index < 0 || index >= extent) return std::nullopt;
      numbers.push_back((*from)[static_cast<size_t>(index)]);
    }
    return numbers;
  }

  Integers Joined(const NodeView& node) {
    const bool interleave = node.Bool(node.schema().FindParameter("interleave"), false);
    if (interleave || node.ResultType().shape.rank() != 1) return std::nullopt;
    std::vector<int64_t> numbers;
    for (const ValueId part : node.InputList(node.schema().FindParameter("values"))) {
      const Integers known = Of(part);
      if (!known) return std::nullopt;
      numbers.insert(numbers.end(), known->begin(), known->end());
    }
    return numbers;
  }

  // Combines an operand of one element with each element of the other operand.
  Integers Computed(const NodeView& node, Arithmetic of) {
    if (node.ResultType().dtype != DType::kInt32 || node.ResultType().shape.rank() > 1) {
      return std::nullopt;
    }
    const Integers x = At(node, "x");
    const Integers y = x ? At(node, "y") : std::nullopt;
    if (!y) return std::nullopt;
    const auto size = static_cast<size_t>(node.ResultType().shape.Elements());
    const auto fits = [&](const Integers& operand) {
      return operand->size() == size || operand->size() == 1;
    };
    if (!fits(x) || !fits(y)) return std::nullopt;
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < size; ++i) {
      const auto number = of((*x)[x->size() == 1 ? 0 : i], (*y)[y->size() == 1 ? 0 : i]);
      if (!number || *number != static_cast<int32_t>(*number)) return std::nullopt;
      numbers.push_back(*number);
    }
    return numbers;
  }

  const Graph& graph_;
  int left_ = kMostSteps;
};

}  // namespace

Integers KnownIntegers(const Graph& graph, ValueId id) { return Folding(graph).Of(id); }

}  // namespace anecheck
