// Reductions over any set of axes.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <utility>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/axis_split.h"
#include "harness/device/wide_sum.h"

namespace anecheck::device {
namespace {

enum class Reduction : uint8_t { kSum, kMean, kMax, kMin };

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class ReduceKernel : public Kernel {
 public:
  ReduceKernel(Reduction reduction, Element element, AxisSplit split, NumericModel model)
      : reduction_(reduction), element_(element), split_(std::move(split)), model_(model) {
    if (model_.Has(Planted::kReduceSkipsLast) && split_.reduced.size() > 1) {
      split_.reduced.pop_back();
    }
  }

  void Run(const Invocation& call) const override {
    IsFloat(element_) ? RunFloats(call) : RunInts(call);
  }

 private:
  void RunFloats(const Invocation& call) const {
    const int64_t count = Last() + 1;
    const auto results = static_cast<int64_t>(split_.kept.size());
    float* values = call.scratch.Floats(0, count);
    float* result = call.scratch.Floats(1, results);
    LoadFloats(element_, call.inputs[0], 1, count, values);
    if (model_.nan_is_infinity) {
      for (int64_t i = 0; i < count; ++i) {
        if (std::isnan(values[i])) values[i] = kInfinity;
      }
    }
    for (int64_t i = 0; i < results; ++i) {
      const float* from = values + split_.kept[static_cast<size_t>(i)];
      result[i] = Reduce(from);
      if (std::isnan(result[i]) && model_.invalid_is_zero) result[i] = 0;
    }
    StoreFloats(element_, result, results, model_, call.outputs[0]);
  }

  float Reduce(const float* from) const {
    switch (reduction_) {
      case Reduction::kSum:
        return Sum(from);
      case Reduction::kMean:
        return Sum(from) * (1.0f / static_cast<float>(split_.reduced.size()));
      case Reduction::kMax:
        return Extreme(from, 1);
      case Reduction::kMin:
        return -Extreme(from, -1);
    }
    return 0;
  }

  float Sum(const float* from) const {
    if (model_.Has(Planted::kReduceHalfAccumulator)) {
      float sum = 0;
      for (const int64_t i : split_.reduced) {
        sum = RoundToHalf(sum + from[i], Rounding::kNearestEven);
      }
      return sum;
    }
    WideSum sum(model_.sum_tile_lattice);
    for (const int64_t i : split_.reduced) sum.Add(from[i]);
    return sum.Total();
  }

  // Returns the largest product of an element and `sign`, or NaN if an element is NaN.
  float Extreme(const float* from, float sign) const {
    float maximum = model_.Has(Planted::kReduceStartsAtZero) ? 0 : -kInfinity;
    bool nan = false;
    for (const int64_t i : split_.reduced) {
      nan |= std::isnan(from[i]);
      maximum = std::max(maximum, sign * from[i]);
    }
    return nan ? std::numeric_limits<float>::quiet_NaN() : maximum;
  }

  void RunInts(const Invocation& call) const {
    const int64_t size = ElementSize(element_);
    for (size_t i = 0; i < split_.kept.size(); ++i) {
      int64_t result = 0;
      for (size_t k = 0; k < split_.reduced.size(); ++k) {
        const int64_t at = split_.kept[i] + split_.reduced[k];
        int64_t value = 0;
        LoadInts(element_, static_cast<const char*>(call.inputs[0]) + at * size, 1, 1, &value);
        result = k == 0 ? value : Combine(result, value);
      }
      if (reduction_ == Reduction::kMean) {
        result /= static_cast<int64_t>(split_.reduced.size());
      }
      StoreInts(element_, &result, 1,
                static_cast<char*>(call.outputs[0]) + static_cast<int64_t>(i) * size);
    }
  }

  int64_t Combine(int64_t a, int64_t b) const {
    if (reduction_ == Reduction::kMax) return std::max(a, b);
    if (reduction_ == Reduction::kMin) return std::min(a, b);
    return a + b;
  }

  int64_t Last() const { return split_.kept.back() + split_.reduced.back(); }

  Reduction reduction_;
  Element element_;
  AxisSplit split_;
  NumericModel model_;
};

template <Reduction kReduction>
std::unique_ptr<const Kernel> Build(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const int rank = x.type.shape.rank();
  const uint32_t mask = builder.Axes("axes", rank);
  const bool keep = builder.Bool("keep_dims", false);
  if (!builder.ok()) return nullptr;
  if (x.type.element == Element::kBool) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    const bool reduced = (mask >> axis & 1) != 0;
    if (!reduced) shape.Append(x.type.shape[axis]);
    if (reduced && keep) shape.Append(1);
  }
  builder.Output({x.type.element, shape});
  return std::make_unique<ReduceKernel>(kReduction, x.type.element, SplitAxes(x.type.shape, mask),
                                        builder.model());
}

constexpr OpRow kRows[] = {
    {"reduce_sum", Build<Reduction::kSum>},
    {"reduce_mean", Build<Reduction::kMean>},
    {"reduce_max", Build<Reduction::kMax>},
    {"reduce_min", Build<Reduction::kMin>},
};

}  // namespace

std::span<const OpRow> ReductionRows() { return kRows; }

}  // namespace anecheck::device
