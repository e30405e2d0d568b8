// The common part of the kernels of native layers. Such a kernel reads whole fp16 tensors and
// writes one fp16 tensor.
#pragma once

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/kernel.h"
#include "harness/device/op_builder.h"

namespace anecheck::device {

// Runs function(inputs, result). `inputs` is an array of pointers to fp16 values stored as fp32.
template <size_t kInputs, typename Function>
class NativeKernel : public Kernel {
 public:
  NativeKernel(std::array<int64_t, kInputs> counts, int64_t result, NumericModel model,
               Function function)
      : counts_(counts), result_(result), model_(model), function_(std::move(function)) {}

  void Run(const Invocation& call) const override {
    std::array<std::vector<float>, kInputs> inputs;
    std::array<const float*, kInputs> pointers{};
    for (size_t i = 0; i < kInputs; ++i) {
      inputs[i].resize(static_cast<size_t>(counts_[i]));
      LoadFloats(Element::kFp16, call.inputs[i], 1, counts_[i], inputs[i].data());
      for (float& value : inputs[i]) {
        if (model_.nan_is_infinity && std::isnan(value)) {
          value = std::numeric_limits<float>::infinity();
        }
      }
      pointers[i] = inputs[i].data();
    }
    float* result = call.scratch.Floats(0, result_);
    function_(pointers, result);
    for (int64_t i = 0; model_.invalid_is_zero && i < result_; ++i) {
      if (std::isnan(result[i])) result[i] = 0;
    }
    StoreFloats(Element::kFp16, result, result_, model_, call.outputs[0]);
  }

 private:
  std::array<int64_t, kInputs> counts_;
  int64_t result_;
  NumericModel model_;
  Function function_;
};

// Returns null if the builder has refused.
template <size_t kInputs, typename Function>
std::unique_ptr<const Kernel> BuildNative(OpBuilder& builder, const Operand (&inputs)[kInputs],
                                          const Shape& result, Function function) {
  if (!builder.ok()) return nullptr;
  std::array<int64_t, kInputs> counts{};
  for (size_t i = 0; i < kInputs; ++i) counts[i] = inputs[i].type.shape.Elements();
  builder.Output({Element::kFp16, result});
  return std::make_unique<NativeKernel<kInputs, Function>>(counts, result.Elements(),
                                                           builder.model(), std::move(function));
}

// Reads an fp16 operand of rank 4. Refuses other operands.
inline Operand NativeTensor(OpBuilder& builder, std::string_view name) {
  const Operand operand = builder.Tensor(name);
  if (builder.ok() && (operand.type.element != Element::kFp16 || operand.type.shape.rank() != 4)) {
    builder.Reject(Stage::kValidator,
                   fmt::format("{} is {}, must be fp16 of rank 4", name, operand.type.ToString()));
  }
  return operand;
}

// Returns the axis that the layer's Dimension names. Refuses other names.
inline int NativeDimension(OpBuilder& builder) {
  const std::string name = builder.String("Dimension");
  if (name == "Channel") return 1;
  if (name == "Height") return 2;
  if (name == "Width") return 3;
  builder.Reject(Stage::kFrontend, fmt::format("InvalidParamSyntax: Dimension \"{}\"", name));
  return 0;
}

}  // namespace anecheck::device
