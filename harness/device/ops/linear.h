// The matrix products of the engine, and the bias that follows a multiply-accumulate pass. Used by
// convolution.cc, which has the rows of the class.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/device/op_builder.h"

namespace anecheck::device {

// The per-channel bias of a pass. The pass adds the bias in fp16 to the rounded accumulator. A
// fixed-point accumulator starts at the bias instead.
struct Bias {
  std::vector<float> values;  // empty for none

  // Adds the bias to `count` results of one channel.
  void AddChannel(const NumericModel& model, Element element, int64_t channel, int64_t count,
                  float* results) const;
  // Returns the start of the accumulator for `count` channels from `first` on, if the array begins
  // with the bias. In this case the pass adds nothing after the port.
  std::vector<float> Starts(const NumericModel& model, int64_t first, int64_t count) const;
  // Adds the bias to one result of each channel.
  void AddRow(const NumericModel& model, Element element, float* results) const;

 private:
  float ValueOf(const NumericModel& model, int64_t channel) const;
};

// Reads the argument `bias` if it is present. The bias must be constant and have one value per
// channel.
Bias ReadBias(OpBuilder& builder, Element element, int64_t channels);

std::unique_ptr<const Kernel> BuildLinear(OpBuilder& builder);
std::unique_ptr<const Kernel> BuildMatmul(OpBuilder& builder);

}  // namespace anecheck::device
