// Kernels that map each element of one operand to an element of a result of the same type. Used by
// activation.cc and unary.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>

#include "harness/device/curve_table.h"
#include "harness/device/half_block.h"
#include "harness/device/kernel.h"
#include "harness/device/op_builder.h"

namespace anecheck::device {

// Applies function(x, model) to a tensor of floats, block by block. Families with D06 read a NaN as
// +infinity. Families with D07 store a NaN that the function makes from a number as +0.
template <typename Function>
class MapKernel : public Kernel {
 public:
  MapKernel(const TensorType& type, NumericModel model, Function function)
      : element_(type.element), count_(type.shape.Elements()), model_(model), function_(function) {}

  void Run(const Invocation& call) const override {
    const int64_t size = ElementSize(element_);
    float block[kBlock];
    for (int64_t first = 0; first < count_; first += kBlock) {
      const int64_t count = std::min(kBlock, count_ - first);
      LoadFloats(element_, static_cast<const char*>(call.inputs[0]) + first * size, 1, count,
                 block);
      for (int64_t i = 0; i < count; ++i) block[i] = Map(block[i]);
      StoreFloats(element_, block, count, model_,
                  static_cast<char*>(call.outputs[0]) + first * size);
    }
  }

 private:
  float Map(float x) const {
    if (std::isnan(x) && model_.nan_is_infinity) x = std::numeric_limits<float>::infinity();
    const float y = function_(x, model_);
    return std::isnan(y) && !std::isnan(x) && model_.invalid_is_zero ? 0.0f : y;
  }

  Element element_;
  int64_t count_;
  NumericModel model_;
  Function function_;
};

template <typename Function>
std::unique_ptr<const Kernel> BuildMap(OpBuilder& builder, const Operand& x, Function function) {
  if (!builder.ok()) return nullptr;
  if (!IsFloat(x.type.element)) {
    builder.Reject(Stage::kFrontend, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  builder.Output(x.type);
  return std::make_unique<MapKernel<Function>>(x.type, builder.model(), function);
}

// `table` must outlive the program, as static tables do.
inline std::unique_ptr<const Kernel> BuildCurve(OpBuilder& builder, const Operand& x,
                                                const CurveTable& table) {
  return BuildMap(builder, x, [table = &table](float value, const NumericModel& model) {
    return table->Evaluate(value, model);
  });
}

using RecordedFunction = float (*)(float, const NumericModel&);

// Uses the recorded table for finite fp16 elements. Other types, infinities and NaN use `table`.
// `origin`, if given, is the value at 0 in an earlier compiler's table.
inline std::unique_ptr<const Kernel> BuildRecorded(OpBuilder& builder, const Operand& x,
                                                   RecordedFunction recorded,
                                                   const CurveTable& table,
                                                   std::optional<float> origin = std::nullopt) {
  if (x.type.element != Element::kFp16) return BuildCurve(builder, x, table);
  return BuildMap(builder, x, [=, curve = &table](float value, const NumericModel& model) {
    if (!std::isfinite(value)) return curve->Evaluate(value, model);
    if (origin && value == 0) return *origin;
    return recorded(value, model);
  });
}

}  // namespace anecheck::device
