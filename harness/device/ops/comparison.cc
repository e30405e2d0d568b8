// Comparisons, logic on bools, and the choice between two operands.
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <utility>

#include "harness/device/half_block.h"
#include "harness/device/measured_limits.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/broadcast.h"

namespace anecheck::device {
namespace {

enum class Relation : uint8_t { kEqual, kNotEqual, kGreater, kGreaterEqual, kLess, kLessEqual };

template <typename Number>
bool Holds(Relation relation, Number a, Number b) {
  switch (relation) {
    case Relation::kEqual:
      return a == b;
    case Relation::kNotEqual:
      return !(a == b);
    case Relation::kGreater:
      return a > b;
    case Relation::kGreaterEqual:
      return a >= b;
    case Relation::kLess:
      return a < b;
    case Relation::kLessEqual:
      return a <= b;
  }
  return false;
}

class CompareKernel : public Kernel {
 public:
  CompareKernel(Relation relation, Element element, BroadcastPlan plan, NumericModel model)
      : relation_(relation), element_(element), plan_(plan), model_(model) {}

  void Run(const Invocation& call) const override {
    const int64_t size = ElementSize(element_);
    const char* x = call.Input<char>(0);
    const char* y = call.Input<char>(1);
    auto* out = static_cast<uint8_t*>(call.outputs[0]);
    plan_.ForEach([&](int64_t to, int64_t from_x, int64_t from_y) {
      const void* a = x + from_x * size;
      const void* b = y + from_y * size;
      out[to] = (IsFloat(element_) ? Holds(relation_, ReadFloat(a), ReadFloat(b))
                                   : Holds(relation_, ReadInt(a), ReadInt(b)))
                    ? 1
                    : 0;
    });
  }

 private:
  float ReadFloat(const void* from) const {
    float value = 0;
    LoadFloats(element_, from, 1, 1, &value);
    const bool replaced = std::isnan(value) && model_.nan_is_infinity;
    return replaced ? std::numeric_limits<float>::infinity() : value;
  }
  int64_t ReadInt(const void* from) const {
    int64_t value = 0;
    LoadInts(element_, from, 1, 1, &value);
    return value;
  }

  Relation relation_;
  Element element_;
  BroadcastPlan plan_;
  NumericModel model_;
};

// Checks the operands of a binary operation. Returns nothing if the builder has refused.
std::optional<BroadcastPlan> PlanPair(OpBuilder& builder, const Operand& x, const Operand& y) {
  if (!builder.ok()) return std::nullopt;
  auto plan = BroadcastPlan::Make(x.type.shape, y.type.shape);
  if (x.type.element == y.type.element && plan) return plan;
  builder.Reject(Stage::kFrontend, fmt::format("{} and {} cannot be the operands of {}",
                                               x.type.ToString(), y.type.ToString(), builder.op()));
  return std::nullopt;
}

template <Relation kRelation>
std::unique_ptr<const Kernel> BuildCompare(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand y = builder.Tensor("y");
  auto plan = PlanPair(builder, x, y);
  if (!plan) return nullptr;
  builder.Output({Element::kBool, plan->shape});
  return std::make_unique<CompareKernel>(kRelation, x.type.element, *plan, builder.model());
}

enum class Connective : uint8_t { kAnd, kOr, kXor };

class LogicKernel : public Kernel {
 public:
  LogicKernel(Connective connective, BroadcastPlan plan) : connective_(connective), plan_(plan) {}
  void Run(const Invocation& call) const override {
    const auto* x = call.Input<uint8_t>(0);
    const auto* y = call.Input<uint8_t>(1);
    auto* out = static_cast<uint8_t*>(call.outputs[0]);
    plan_.ForEach([&](int64_t to, int64_t from_x, int64_t from_y) {
      const bool a = x[from_x] != 0, b = y[from_y] != 0;
      const bool either = connective_ == Connective::kOr ? a || b : a != b;
      out[to] = (connective_ == Connective::kAnd ? a && b : either) ? 1 : 0;
    });
  }

 private:
  Connective connective_;
  BroadcastPlan plan_;
};

// Only the compiler of the M4 is known to support the operation
// (facts/silicon/op_placement_h16g.csv). No table of another family lists it.
template <Connective kConnective>
std::unique_ptr<const Kernel> BuildLogic(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand y = builder.Tensor("y");
  auto plan = PlanPair(builder, x, y);
  if (!plan) return nullptr;
  if (x.type.element != Element::kBool) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}, must be bool", x.type.ToString()));
    return nullptr;
  }
  if (!HasMeasuredLimits(builder.target())) {
    builder.RejectOnEngine(Stage::kCodegen,
                           "Some ops are not supported on any of the specified backends");
    if (!builder.ok()) return nullptr;
  }
  builder.Output({Element::kBool, plan->shape});
  return std::make_unique<LogicKernel>(kConnective, *plan);
}

class NotKernel : public Kernel {
 public:
  explicit NotKernel(int64_t count) : count_(count) {}
  void Run(const Invocation& call) const override {
    const auto* x = call.Input<uint8_t>(0);
    auto* out = static_cast<uint8_t*>(call.outputs[0]);
    for (int64_t i = 0; i < count_; ++i) out[i] = x[i] == 0 ? 1 : 0;
  }

 private:
  int64_t count_;
};

std::unique_ptr<const Kernel> BuildNot(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (!builder.ok()) return nullptr;
  if (x.type.element != Element::kBool) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}, must be bool", x.type.ToString()));
    return nullptr;
  }
  builder.Output(x.type);
  return std::make_unique<NotKernel>(x.type.shape.Elements());
}

// The elementwise unit computes both alternatives. It therefore changes a NaN as arithmetic
// operations do: if the family reads NaN as infinity, a chosen NaN becomes an infinity.
class SelectKernel : public Kernel {
 public:
  // `choices` pairs a with b; `conditions` pairs the condition with the broadcast of a and b.
  SelectKernel(Element element, BroadcastPlan choices, BroadcastPlan conditions, NumericModel model)
      : element_(element), choices_(choices), conditions_(conditions), model_(model) {}

  void Run(const Invocation& call) const override {
    const int64_t size = ElementSize(element_);
    std::vector<std::pair<int64_t, int64_t>> pairs(static_cast<size_t>(choices_.shape.Elements()));
    choices_.ForEach(
        [&](int64_t to, int64_t a, int64_t b) { pairs[static_cast<size_t>(to)] = {a, b}; });
    auto* out = static_cast<char*>(call.outputs[0]);
    conditions_.ForEach([&](int64_t to, int64_t cond, int64_t pair) {
      const auto& [a, b] = pairs[static_cast<size_t>(pair)];
      const char* from = call.Input<uint8_t>(0)[cond] != 0 ? call.Input<char>(1) + a * size
                                                           : call.Input<char>(2) + b * size;
      std::memcpy(out + to * size, from, static_cast<size_t>(size));
      if (element_ == Element::kFp16 && model_.nan_is_infinity) ReplaceNan(out + to * size);
    });
  }

 private:
  static void ReplaceNan(char* element) {
    uint16_t bits = 0;
    std::memcpy(&bits, element, sizeof bits);
    if ((bits & 0x7fff) > 0x7c00) bits = 0x7c00;
    std::memcpy(element, &bits, sizeof bits);
  }

  Element element_;
  BroadcastPlan choices_;
  BroadcastPlan conditions_;
  NumericModel model_;
};

std::unique_ptr<const Kernel> BuildSelect(OpBuilder& builder) {
  const Operand cond = builder.Tensor("cond");
  const Operand a = builder.Tensor("a");
  const Operand b = builder.Tensor("b");
  auto choices = PlanPair(builder, a, b);
  if (!choices) return nullptr;
  auto conditions = BroadcastPlan::Make(cond.type.shape, choices->shape);
  if (cond.type.element != Element::kBool || !conditions) {
    builder.Reject(Stage::kFrontend, fmt::format("cond is {}", cond.type.ToString()));
    return nullptr;
  }
  builder.Output({a.type.element, conditions->shape});
  return std::make_unique<SelectKernel>(a.type.element, *choices, *conditions, builder.model());
}

constexpr OpRow kRows[] = {
    {"equal", BuildCompare<Relation::kEqual>},
    {"not_equal", BuildCompare<Relation::kNotEqual>},
    {"greater", BuildCompare<Relation::kGreater>},
    {"greater_equal", BuildCompare<Relation::kGreaterEqual>},
    {"less", BuildCompare<Relation::kLess>},
    {"less_equal", BuildCompare<Relation::kLessEqual>},
    {"logical_and", BuildLogic<Connective::kAnd>},
    {"logical_not", BuildNot},
    {"logical_or", BuildLogic<Connective::kOr>},
    {"logical_xor", BuildLogic<Connective::kXor>},
    {"select", BuildSelect},
};

}  // namespace

std::span<const OpRow> ComparisonRows() { return kRows; }

}  // namespace anecheck::device
