// Kernels that map each element of one operand to an element of a result of the same integer type.
// Used by unary.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/kernel.h"
#include "harness/device/op_builder.h"

namespace anecheck::device {

// Applies function(element, x) to a tensor. A value outside the type's range keeps its low bits.
template <typename Function>
class IntegerMapKernel : public Kernel {
 public:
  IntegerMapKernel(const TensorType& type, Function function)
      : element_(type.element), count_(type.shape.Elements()), function_(function) {}

  void Run(const Invocation& call) const override {
    std::vector<int64_t> values(static_cast<size_t>(count_));
    LoadInts(element_, call.inputs[0], 1, count_, values.data());
    for (int64_t& x : values) x = function_(element_, x);
    StoreInts(element_, values.data(), count_, call.outputs[0]);
  }

 private:
  Element element_;
  int64_t count_;
  Function function_;
};

// Precondition: the operand has integers.
template <typename Function>
std::unique_ptr<const Kernel> BuildIntegerMap(OpBuilder& builder, const Operand& x,
                                              Function function) {
  builder.Output(x.type);
  return std::make_unique<IntegerMapKernel<Function>>(x.type, function);
}

}  // namespace anecheck::device
