// The matrix products of the engine, and the bias that follows a multiply-accumulate pass. Used by
// convolution.cc, which holds the rows of the class.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/device/op_builder.h"

namespace anecheck::device {

// The per-channel bias of a pass. The pass adds it in fp16 to the rounded accumulator, or starts a
// fixed-point accumulator with it.
struct Bias {
  std::vector<float> values;  // empty for none

  // Adds the bias to `count` results of one channel.
  void AddChannel(const NumericModel& model, Element element, int64_t channel, int64_t count,
                  float* results) const;
  // The start of the accumulator for `count` channels from `first` on, if the array begins with the
  // bias. If the array begins with the bias, nothing is added after the port.
  std::vector<float> Starts(const NumericModel& model, int64_t first, int64_t count) const;
  // Adds the bias to one result of each channel.
  void AddRow(const NumericModel& model, Element element, float* results) const;

 private:
  float ValueOf(const NumericModel& model, int64_t channel) const;
};

// The argument `bias`, if there is one. The bias must be constant and have one value per channel.
Bias ReadBias(OpBuilder& builder, Element element, int64_t channels);

std::unique_ptr<const Kernel> BuildLinear(OpBuilder& builder);
std::unique_ptr<const Kernel> BuildMatmul(OpBuilder& builder);

}  // namespace anecheck::device
