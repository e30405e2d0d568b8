// Reductions of squares, magnitudes and exponentials, functions of sums, positions of extremes, and
// running sums.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/axis_split.h"
#include "harness/device/wide_sum.h"

namespace anecheck::device {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLogOfLargestHalf = 11.0898664f;

// Returns the elements of x in fp32. A NaN becomes the value that the family substitutes for it.
float* LoadAll(const Invocation& call, Element element, int64_t count, const NumericModel& model) {
  float* values = call.scratch.Floats(0, count);
  LoadFloats(element, call.inputs[0], 1, count, values);
  for (int64_t i = 0; model.nan_is_infinity && i < count; ++i) {
    if (std::isnan(values[i])) values[i] = kInfinity;
  }
  return values;
}

using Lane = std::vector<float>;

template <typename Term>
float Total(const Lane& lane, const Term& term) {
  WideSum sum;
  for (const float x : lane) sum.Add(term(x));
  return sum.Total();
}

float SumSquare(const Lane& lane) {
  return Total(lane, [](float x) { return x * x; });
}
float L1Norm(const Lane& lane) {
  return Total(lane, [](float x) { return std::fabs(x); });
}
float L2Norm(const Lane& lane) { return std::sqrt(SumSquare(lane)); }
float LogSum(const Lane& lane) {
  return std::log(Total(lane, [](float x) { return x; }));
}
float LogSumExp(const Lane& lane) {
  const float top = *std::ranges::max_element(lane);
  if (std::isinf(top)) return top;
  return std::log(Total(lane, [top](float x) { return std::exp(x - top); })) + top;
}

class ComposedKernel : public Kernel {
 public:
  ComposedKernel(float (*reduce)(const Lane&), const TensorType& type, AxisSplit split,
                 NumericModel model)
      : reduce_(reduce),
        element_(type.element),
        count_(type.shape.Elements()),
        split_(std::move(split)),
        model_(model) {}

  void Run(const Invocation& call) const override {
    const float* values = LoadAll(call, element_, count_, model_);
    Lane lane(split_.reduced.size());
    Lane results;
    for (const int64_t base : split_.kept) {
      bool nan = false;
      for (size_t k = 0; k < lane.size(); ++k) {
        lane[k] = values[base + split_.reduced[k]];
        nan |= std::isnan(lane[k]);
      }
      float result = nan ? std::numeric_limits<float>::quiet_NaN() : reduce_(lane);
      if (std::isnan(result) && model_.invalid_is_zero) result = 0;
      // D09: the exponentials are summed without subtracting the maximum, so the sum exceeds fp16.
      if (model_.softplus_drops && reduce_ == LogSumExp && result > kLogOfLargestHalf) result = 0;
      results.push_back(result);
    }
    StoreFloats(element_, results.data(), static_cast<int64_t>(results.size()), model_,
                call.outputs[0]);
  }

 private:
  float (*reduce_)(const Lane&);
  Element element_;
  int64_t count_;
  AxisSplit split_;
  NumericModel model_;
};

// Integer sums wrap in two's complement of their type. A root or a logarithm of a total keeps its
// integer part (coremltools evaluates it with numpy; the result's type is that of x). An undefined
// value becomes 0, and a value beyond the type saturates.
using WholeLane = std::vector<int64_t>;

template <typename Term>
uint64_t WholeTotal(const WholeLane& lane, const Term& term) {
  uint64_t total = 0;
  for (const int64_t x : lane) total += static_cast<uint64_t>(term(x));
  return total;
}
int64_t WholeSquares(const WholeLane& lane) {
  return static_cast<int64_t>(WholeTotal(lane, [](int64_t x) { return x * x; }));
}
int64_t WholeMagnitudes(const WholeLane& lane) {
  return static_cast<int64_t>(WholeTotal(lane, [](int64_t x) { return x < 0 ? -x : x; }));
}
int64_t WholeRoot(const WholeLane& lane) {
  const auto total = static_cast<int32_t>(WholeSquares(lane));
  return SaturateToInt(Element::kInt32, std::sqrt(static_cast<double>(total)));
}
int64_t WholeLogSum(const WholeLane& lane) {
  const auto total = static_cast<int32_t>(WholeTotal(lane, [](int64_t x) { return x; }));
  return SaturateToInt(Element::kInt32, std::log(static_cast<double>(total)));
}
int64_t WholeLogSumExp(const WholeLane& lane) {
  const int64_t top = *std::ranges::max_element(lane);
  double sum = 0;
  for (const int64_t x : lane) sum += std::exp(static_cast<double>(x - top));
  return SaturateToInt(Element::kInt32, static_cast<double>(top) + std::log(sum));
}

class WholeKernel : public Kernel {
 public:
  WholeKernel(int64_t (*reduce)(const WholeLane&), const TensorType& type, AxisSplit split)
      : reduce_(reduce), count_(type.shape.Elements()), split_(std::move(split)) {}

  void Run(const Invocation& call) const override {
    std::vector<int64_t> values(static_cast<size_t>(count_));
    LoadInts(Element::kInt32, call.inputs[0], 1, count_, values.data());
    WholeLane lane(split_.reduced.size());
    std::vector<int64_t> results;
    for (const int64_t base : split_.kept) {
      for (size_t k = 0; k < lane.size(); ++k) {
        lane[k] = values[static_cast<size_t>(base + split_.reduced[k])];
      }
      results.push_back(reduce_(lane));
    }
    StoreInts(Element::kInt32, results.data(), static_cast<int64_t>(results.size()),
              call.outputs[0]);
  }

 private:
  int64_t (*reduce_)(const WholeLane&);
  int64_t count_;
  AxisSplit split_;
};

Shape ReducedShape(const Shape& x, uint32_t mask, bool keep) {
  Shape shape;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool reduced = (mask >> axis & 1) != 0;
    if (!reduced) shape.Append(x[axis]);
    if (reduced && keep) shape.Append(1);
  }
  return shape;
}

Operand ReadFloats(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (builder.ok() && !IsFloat(x.type.element)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
  }
  return x;
}

// Reads an operand that has floats or int32.
Operand ReadNumbers(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (builder.ok() && !IsFloat(x.type.element) && x.type.element != Element::kInt32) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
  }
  return x;
}

template <float (*kReduce)(const Lane&), int64_t (*kOfIntegers)(const WholeLane&)>
std::unique_ptr<const Kernel> Build(OpBuilder& builder) {
  const Operand x = ReadNumbers(builder);
  const uint32_t mask = builder.Axes("axes", x.type.shape.rank());
  const bool keep = builder.Bool("keep_dims", false);
  if (!builder.ok()) return nullptr;
  builder.Output({x.type.element, ReducedShape(x.type.shape, mask, keep)});
  if (x.type.element == Element::kInt32) {
    return std::make_unique<WholeKernel>(kOfIntegers, x.type, SplitAxes(x.type.shape, mask));
  }
  return std::make_unique<ComposedKernel>(kReduce, x.type, SplitAxes(x.type.shape, mask),
                                          builder.model());
}

// Computes the position of the first extreme.
class PositionKernel : public Kernel {
 public:
  PositionKernel(bool largest, const TensorType& type, Element to, AxisSplit split,
                 NumericModel model)
      : sign_(largest ? 1.0f : -1.0f),
        element_(type.element),
        to_(to),
        count_(type.shape.Elements()),
        split_(std::move(split)),
        model_(model) {}

  void Run(const Invocation& call) const override {
    const float* values = LoadAll(call, element_, count_, model_);
    std::vector<int64_t> positions;
    for (const int64_t base : split_.kept) {
      size_t best = 0;
      for (size_t k = 0; k < split_.reduced.size(); ++k) {
        const float x = sign_ * values[base + split_.reduced[k]];
        if (std::isnan(x)) {
          best = k;
          break;
        }
        if (x > sign_ * values[base + split_.reduced[best]]) best = k;
      }
      positions.push_back(static_cast<int64_t>(best));
    }
    StoreInts(to_, positions.data(), static_cast<int64_t>(positions.size()), call.outputs[0]);
  }

 private:
  float sign_;
  Element element_;
  Element to_;
  int64_t count_;
  AxisSplit split_;
  NumericModel model_;
};

// The greatest extent of an axis; longer axes are refused (facts/compile_envelope.csv).
constexpr int64_t kMaxPositions = 2048;

template <bool kLargest>
std::unique_ptr<const Kernel> BuildPosition(OpBuilder& builder) {
  const Operand x = ReadFloats(builder);
  const int64_t given = builder.Int("axis", -1);
  const bool keep = builder.Bool("keep_dims", false);
  const std::string to = builder.String("output_dtype", "int32");
  if (!builder.ok()) return nullptr;
  const int axis = builder.Axis("axis", given, x.type.shape.rank());
  if (!builder.ok()) return nullptr;
  // As a MIL operation, the minimum form needs A15 or later (facts/known_defects.csv, D32).
  if (!kLargest && (builder.target().family < kFamilyA13 || builder.QuirkOn("D32"))) {
    builder.RejectOnEngine(Stage::kFloor,
                           "Some ops are not supported on any of the specified backends");
  }
  if (x.type.shape[axis] > kMaxPositions) {
    builder.RejectOnEngine(Stage::kCodegen, fmt::format("axis of {} elements, at most {}",
                                                        x.type.shape[axis], kMaxPositions));
  }
  const Element element = mil::DataTypeFromName(to);
  const uint32_t mask = uint32_t{1} << axis;
  builder.Output({element, ReducedShape(x.type.shape, mask, keep)});
  return std::make_unique<PositionKernel>(kLargest, x.type, element, SplitAxes(x.type.shape, mask),
                                          builder.model());
}

class RunningSumKernel : public Kernel {
 public:
  RunningSumKernel(const TensorType& type, AxisSplit split, bool exclusive, NumericModel model)
      : element_(type.element),
        count_(type.shape.Elements()),
        split_(std::move(split)),
        exclusive_(exclusive),
        model_(model) {}

  void Run(const Invocation& call) const override {
    const float* values = LoadAll(call, element_, count_, model_);
    float* results = call.scratch.Floats(1, count_);
    for (const int64_t base : split_.kept) {
      float sum = 0;
      for (const int64_t offset : split_.reduced) {
        const float next = sum + values[base + offset];
        const float result = exclusive_ ? sum : next;
        results[base + offset] = std::isnan(result) && model_.invalid_is_zero ? 0 : result;
        sum = next;
      }
    }
    StoreFloats(element_, results, count_, model_, call.outputs[0]);
  }

 private:
  Element element_;
  int64_t count_;
  AxisSplit split_;
  bool exclusive_;
  NumericModel model_;
};

std::unique_ptr<const Kernel> BuildCumsum(OpBuilder& builder) {
  const Operand x = ReadFloats(builder);
  const int64_t given = builder.Int("axis", 0);
  const bool exclusive = builder.Bool("exclusive", false);
  const bool reverse = builder.Bool("reverse", false);
  if (!builder.ok()) return nullptr;
  const int axis = builder.Axis("axis", given, x.type.shape.rank());
  if (!builder.ok()) return nullptr;
  builder.Output(x.type);
  AxisSplit split = SplitAxes(x.type.shape, uint32_t{1} << axis);
  if (reverse) std::ranges::reverse(split.reduced);
  return std::make_unique<RunningSumKernel>(x.type, std::move(split), exclusive, builder.model());
}

constexpr OpRow kRows[] = {
    {"reduce_sum_square", Build<SumSquare, WholeSquares>},
    {"reduce_l1_norm", Build<L1Norm, WholeMagnitudes>},
    {"reduce_l2_norm", Build<L2Norm, WholeRoot>},
    {"reduce_log_sum", Build<LogSum, WholeLogSum>},
    {"reduce_log_sum_exp", Build<LogSumExp, WholeLogSumExp>},
    {"reduce_argmax", BuildPosition<true>},
    {"reduce_argmin", BuildPosition<false>},
    {"cumsum", BuildCumsum},
};

}  // namespace

std::span<const OpRow> ComposedReductionRows() { return kRows; }

}  // namespace anecheck::device
