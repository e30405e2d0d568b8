// Elementwise arithmetic with broadcasting. fp16 operations compute in fp32, which is so wide that
// each result is in effect rounded only once, at the store.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <utility>

#include "harness/device/half_block.h"
#include "harness/device/measured_limits.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/broadcast.h"

namespace anecheck::device {
namespace {

enum class Binary : uint8_t { kAdd, kSub, kMul, kRealDiv, kMaximum, kMinimum, kFloorDiv, kPow };

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float MaximumOf(float a, float b) { return std::isnan(a) || std::isnan(b) ? kNan : std::max(a, b); }
float MinimumOf(float a, float b) { return std::isnan(a) || std::isnan(b) ? kNan : std::min(a, b); }

float PowerOf(float a, float b) {
  return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
}

int64_t FloorQuotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// Computes a to the power b by repeated squaring, modulo 2^64.
int64_t IntegerPower(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1;
  auto factor = static_cast<uint64_t>(a);
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<int64_t>(result);
}

template <typename Function>
void Apply(const float* a, const float* b, int64_t count, float* to, Function&& function) {
  for (int64_t i = 0; i < count; ++i) to[i] = function(a[i], b[i]);
}

void Compute(Binary op, const float* a, const float* b, int64_t count, float* to) {
  switch (op) {
    case Binary::kAdd:
      return Apply(a, b, count, to, [](float x, float y) { return x + y; });
    case Binary::kSub:
      return Apply(a, b, count, to, [](float x, float y) { return x - y; });
    case Binary::kMul:
      return Apply(a, b, count, to, [](float x, float y) { return x * y; });
    case Binary::kRealDiv:
      return Apply(a, b, count, to, [](float x, float y) { return x / y; });
    case Binary::kMaximum:
      return Apply(a, b, count, to, MaximumOf);
    case Binary::kMinimum:
      return Apply(a, b, count, to, MinimumOf);
    case Binary::kFloorDiv:
      return Apply(a, b, count, to, [](float x, float y) { return std::floor(x / y); });
    case Binary::kPow:
      return Apply(a, b, count, to, PowerOf);
  }
}

// Computes in two's complement. A division truncates, and a zero divisor gives 0.
int64_t ComputeInt(Binary op, int64_t a, int64_t b) {
  switch (op) {
    case Binary::kAdd:
      return a + b;
    case Binary::kSub:
      return a - b;
    case Binary::kMul:
      return a * b;
    case Binary::kRealDiv:
      return b == 0 ? 0 : a / b;
    case Binary::kMaximum:
      return std::max(a, b);
    case Binary::kMinimum:
      return std::min(a, b);
    case Binary::kFloorDiv:
      return FloorQuotient(a, b);
    case Binary::kPow:
      return IntegerPower(a, b);
  }
  return 0;
}

void ReplaceNan(float* values, int64_t count, float by) {
  for (int64_t i = 0; i < count; ++i) values[i] = std::isnan(values[i]) ? by : values[i];
}

class BinaryKernel : public Kernel {
 public:
  // With `by_reciprocal`, a quotient is the product with the divisor's reciprocal in fp16. Results
  // are multiplied by `gain`.
  BinaryKernel(Binary op, Element element, BroadcastPlan plan, NumericModel model,
               bool by_reciprocal, float gain)
      : op_(op),
        element_(element),
        plan_(plan),
        model_(model),
        by_reciprocal_(by_reciprocal),
        gain_(gain),
        reads_numbers_(HasFixedPointArray(model) && element == Element::kFp16 &&
                       (op == Binary::kAdd || op == Binary::kSub || op == Binary::kMul)) {}

  void Run(const Invocation& call) const override {
    const int64_t size = ElementSize(element_);
    const auto* x = static_cast<const char*>(call.inputs[0]);
    const auto* y = static_cast<const char*>(call.inputs[1]);
    auto* out = static_cast<char*>(call.outputs[0]);
    plan_.ForEachRun([&](int64_t to, int64_t from_x, int64_t from_y, int64_t run) {
      for (int64_t first = 0; first < run; first += kBlock) {
        const int64_t count = std::min(kBlock, run - first);
        const void* a = x + (from_x + first * plan_.x_step()) * size;
        const void* b = y + (from_y + first * plan_.y_step()) * size;
        void* result = out + (to + first) * size;
        FitsFloat(element_) && IsFloat(element_) ? RunFloats(a, b, count, result)
                                                 : RunInts(a, b, count, result);
      }
    });
  }

 private:
  void RunFloats(const void* x, const void* y, int64_t count, void* to) const {
    float a[kBlock];
    float b[kBlock];
    float result[kBlock];
    LoadFloats(element_, x, plan_.x_step(), count, a);
    LoadFloats(element_, y, plan_.y_step(), count, b);
    if (model_.nan_is_infinity) {
      ReplaceNan(a, count, std::numeric_limits<float>::infinity());
      ReplaceNan(b, count, std::numeric_limits<float>::infinity());
    }
    if (reads_numbers_) {
      ReadAsNumbers(a, count);
      ReadAsNumbers(b, count);
    }
    if (by_reciprocal_) TakeReciprocals(b, count);
    if (model_.HasAny()) SpoilOperands(a, b, count);
    Compute(by_reciprocal_ ? Binary::kMul : op_, a, b, count, result);
    for (int64_t i = 0; by_reciprocal_ && op_ == Binary::kFloorDiv && i < count; ++i) {
      result[i] = std::floor(result[i]);
    }
    for (int64_t i = 0; gain_ != 1 && i < count; ++i) result[i] *= gain_;
    if (model_.invalid_is_zero) ZeroInvalid(a, b, count, result);
    if (model_.HasAny()) SpoilResult(a, b, count, result);
    StoreFloats(element_, result, count, model_, to);
  }

  // D07: an invalid operation returns +0. If an operand is NaN, the result stays NaN.
  static void ZeroInvalid(const float* a, const float* b, int64_t count, float* result) {
    for (int64_t i = 0; i < count; ++i) {
      const bool made = std::isnan(result[i]) && !std::isnan(a[i]) && !std::isnan(b[i]);
      result[i] = made ? 0.0f : result[i];
    }
  }

  static void TakeReciprocals(float* b, int64_t count) {
    for (int64_t i = 0; i < count; ++i) b[i] = RoundToHalf(1.0f / b[i], Rounding::kNearestEven);
  }

  void SpoilOperands(float* a, float* b, int64_t count) const {
    if (model_.Has(Planted::kSubSwapped)) std::swap_ranges(a, a + count, b);
    if (model_.Has(Planted::kDivByReciprocal)) {
      for (int64_t i = 0; i < count; ++i) {
        b[i] = 1.0f / RoundToHalf(1.0f / b[i], Rounding::kNearestEven);
      }
    }
  }

  void SpoilResult(const float* a, const float* b, int64_t count, float* result) const {
    for (int64_t i = 0; i < count; ++i) {
      if (model_.Has(Planted::kNanDropped) && std::isnan(a[i])) result[i] = b[i];
      if (model_.Has(Planted::kMaxIgnoresNegative) && a[i] < 0 && b[i] < 0) result[i] = 0;
    }
  }

  void RunInts(const void* x, const void* y, int64_t count, void* to) const {
    int64_t a[kBlock];
    int64_t b[kBlock];
    LoadInts(element_, x, plan_.x_step(), count, a);
    LoadInts(element_, y, plan_.y_step(), count, b);
    for (int64_t i = 0; i < count; ++i) a[i] = ComputeInt(op_, a[i], b[i]);
    StoreInts(element_, a, count, to);
  }

  Binary op_;
  Element element_;
  BroadcastPlan plan_;
  NumericModel model_;
  bool by_reciprocal_;
  float gain_;
  bool reads_numbers_;
};

bool IsZero(const Operand& operand) {
  if (operand.constant == nullptr || !IsFloat(operand.type.element)) return false;
  return std::ranges::all_of(ConstantFloats(*operand.constant), [](float x) { return x == 0; });
}

// Recognises products with a documented defect by the origin of their operands.
bool IsReductionTimesZero(const Operand& x, const Operand& y) {
  return (x.origin.op.starts_with("reduce_") && IsZero(y)) ||
         (y.origin.op.starts_with("reduce_") && IsZero(x));
}
// Returns whether the operands form hard_swish(r) = r * sigmoid_hard(r), where r is a product of
// two matrices.
bool IsSwishOfProduct(const Operand& r, const Operand& gate) {
  return r.origin.op == "matmul" && r.type.shape.rank() == 2 && gate.origin.op == "sigmoid_hard" &&
         gate.origin.first_input == r.value;
}
// D34: a relative error of 4 percent in the L2 norm. No source tells the distribution of the error,
// so every element is assumed to have the same error.
constexpr float kSwishGain = 1.04F;

float GainOf(const OpBuilder& builder, Binary op, const Operand& x, const Operand& y) {
  const bool swish = op == Binary::kMul && (IsSwishOfProduct(x, y) || IsSwishOfProduct(y, x));
  return swish && builder.QuirkOn("D34") ? kSwishGain : 1;
}

std::unique_ptr<const Kernel> BuildBinary(OpBuilder& builder, Binary op) {
  const Operand x = builder.Tensor("x");
  const Operand y = builder.Tensor("y");
  if (!builder.ok()) return nullptr;
  if (x.type.element != y.type.element || x.type.element == Element::kBool) {
    builder.Reject(Stage::kFrontend, fmt::format("Param 'y' ... got {}, x is {}", y.type.ToString(),
                                                 x.type.ToString()));
    return nullptr;
  }
  auto plan = BroadcastPlan::Make(x.type.shape, y.type.shape);
  if (!plan) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("{} and {} do not broadcast", x.type.ToString(), y.type.ToString()));
    return nullptr;
  }
  if (builder.model().Has(Planted::kBroadcastWrongAxis) && y.type.shape.rank() == 1 &&
      x.type.shape.rank() == 2 && x.type.shape[0] == x.type.shape[1]) {
    auto wrong = BroadcastPlan::Make(x.type.shape, {y.type.shape[0], 1});
    if (wrong) plan = wrong;
  }
  if (op == Binary::kMul && IsReductionTimesZero(x, y) && builder.QuirkOn("D28")) {
    builder.RejectOnEngine(Stage::kCodegen, "a product of a reduction and a constant of zero");
  }
  const CompileSettings& settings = builder.settings();
  if (op == Binary::kRealDiv && y.constant != nullptr && settings.newest_compiler &&
      !settings.direct && !TakesConstantDivisor(builder.target(), y.type.shape.Elements())) {
    builder.RejectOnEngine(Stage::kValidator, "the divisor is a constant of several elements");
  }
  // D33: the divisor of a legacy divide must be a constant. It becomes a factor.
  const bool divides = op == Binary::kRealDiv || op == Binary::kFloorDiv;
  const bool legacy = divides && x.type.element == Element::kFp16 && builder.QuirkOn("D33");
  if (legacy && y.constant == nullptr) {
    builder.RejectOnEngine(Stage::kCodegen, "match failure: the divisor must be constant");
  }
  builder.Output({x.type.element, plan->shape});
  return std::make_unique<BinaryKernel>(op, x.type.element, *plan, builder.model(), legacy,
                                        GainOf(builder, op, x, y));
}

template <Binary kOp>
std::unique_ptr<const Kernel> Build(OpBuilder& builder) {
  return BuildBinary(builder, kOp);
}

constexpr OpRow kRows[] = {
    {"add", Build<Binary::kAdd>},
    {"sub", Build<Binary::kSub>},
    {"mul", Build<Binary::kMul>},
    {"real_div", Build<Binary::kRealDiv>},
    {"maximum", Build<Binary::kMaximum>},
    {"minimum", Build<Binary::kMinimum>},
    {"floor_div", Build<Binary::kFloorDiv>},
    {"pow", Build<Binary::kPow>},
};

}  // namespace

std::span<const OpRow> ElementwiseRows() { return kRows; }

}  // namespace anecheck::device
