// Softmax. The kernel subtracts the maximum, computes exponentials in fp32, adds them in one wide
// sum, and divides once.
#include "harness/device/ops/softmax.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/axis_split.h"
#include "harness/device/wide_sum.h"

namespace anecheck::device {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class SoftmaxKernel : public Kernel {
 public:
  SoftmaxKernel(const TensorType& type, int axis, NumericModel model)
      : element_(type.element),
        count_(type.shape.Elements()),
        lanes_(type.shape[axis]),
        stride_(type.shape.Product(axis + 1, type.shape.rank())),
        model_(model) {}

  void Run(const Invocation& call) const override {
    float* values = call.scratch.Floats(0, count_);
    float* lane = call.scratch.Floats(1, lanes_);
    LoadFloats(element_, call.inputs[0], 1, count_, values);
    for (int64_t outer = 0; outer < count_; outer += lanes_ * stride_) {
      for (int64_t inner = 0; inner < stride_; ++inner) {
        float* first = values + outer + inner;
        for (int64_t i = 0; i < lanes_; ++i) lane[i] = first[i * stride_];
        SoftmaxLane(model_, element_, lane, lanes_);
        for (int64_t i = 0; i < lanes_; ++i) first[i * stride_] = lane[i];
      }
    }
    StoreFloats(element_, values, count_, model_, call.outputs[0]);
  }

 private:
  Element element_;
  int64_t count_;
  int64_t lanes_;
  int64_t stride_;
  NumericModel model_;
};

std::unique_ptr<const Kernel> BuildSoftmax(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const int64_t axis = builder.Int("axis", -1);
  if (!builder.ok()) return nullptr;
  if (!IsFloat(x.type.element)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  const int along = builder.Axis("axis", axis, x.type.shape.rank());
  if (!builder.ok()) return nullptr;
  builder.Output(x.type);
  return std::make_unique<SoftmaxKernel>(x.type, along, builder.model());
}

constexpr OpRow kRows[] = {{"softmax", BuildSoftmax}};

}  // namespace

void SoftmaxLane(const NumericModel& model, Element element, float* lane, int64_t lanes) {
  float maximum = -kInfinity;
  for (int64_t i = 0; i < lanes; ++i) {
    if (std::isnan(lane[i]) && model.nan_is_infinity) lane[i] = kInfinity;
    maximum = std::isnan(lane[i]) ? lane[i] : std::max(maximum, lane[i]);
    if (std::isnan(maximum)) break;
  }
  if (model.Has(Planted::kSoftmaxKeepsMaximum)) maximum = 0;
  const bool narrow = model.Has(Planted::kSoftmaxHalfSum);
  WideSum sum;
  float half_sum = 0;
  for (int64_t i = 0; i < lanes; ++i) {
    float difference = lane[i] - maximum;
    if (std::isnan(difference) && model.invalid_is_zero) difference = 0;
    // The difference is not an output of the pass, so the tie rule of outputs (D15) does not apply.
    if (element == Element::kFp16) difference = RoundToHalf(difference, Rounding::kNearestEven);
    lane[i] = std::exp(difference);
    if (model.Has(Planted::kSoftmaxSkipsLast) && i > 0 && i == lanes - 1) break;
    sum.Add(lane[i]);
    if (narrow) half_sum = RoundToHalf(half_sum + lane[i], Rounding::kNearestEven);
  }
  const float total = narrow ? half_sum : sum.Total();
  for (int64_t i = 0; i < lanes; ++i) lane[i] /= total;
}

std::span<const OpRow> SoftmaxRows() { return kRows; }

}  // namespace anecheck::device
