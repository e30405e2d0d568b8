// The convolution of the engine, for the operations that are lowered to one. Used by convolution.cc
// and convolution_transpose.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/device/op_builder.h"
#include "harness/device/ops/linear.h"
#include "harness/device/ops/window.h"

namespace anecheck::device {

struct ConvShape {
  Window window;
  Element element = Element::kFp16;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;

  int64_t in_group() const { return in_channels / groups; }
  int64_t out_group() const { return out_channels / groups; }
  int64_t taps() const { return in_group() * Window::Volume(window.kernel); }
};

// Checks the limits of code generation on the kernel's extents, and refuses through the builder.
void CheckKernelExtents(OpBuilder& builder, const ConvShape& shape);

// `weight` is [out_channels, in_group, kernel]. It is empty if the kernel reads it as second input.
std::unique_ptr<const Kernel> MakeConvKernel(const ConvShape& shape, const NumericModel& model,
                                             std::vector<float> weight, Bias bias);

std::unique_ptr<const Kernel> BuildConvTranspose(OpBuilder& builder);

}  // namespace anecheck::device
