// Parameter indices of every operation: the order in which its schema lists them. Rooms that read
// operands and attributes use these names instead of numbers; a test holds them to the schemas.
#pragma once

namespace anecheck::params {

// convolution
struct Conv {
  enum : int { kX, kWeight, kBias, kStrides, kPadType, kPad, kDilations, kGroups };
};
struct Linear {
  enum : int { kX, kWeight, kBias };
};
struct Matmul {
  enum : int { kX, kY, kTransposeX, kTransposeY };
};
struct Pool {  // avg_pool, max_pool; kExcludePadding is avg_pool's alone
  enum : int { kX, kKernelSizes, kStrides, kPadType, kPad, kCeilMode, kExcludePadding };
};

// normalization
struct LayerNorm {
  enum : int { kX, kAxes, kGamma, kBeta, kEpsilon };
};

struct BatchNorm {
  enum : int { kX, kMean, kVariance, kGamma, kBeta, kEpsilon };
};
struct InstanceNorm {
  enum : int { kX, kGamma, kBeta, kEpsilon };
};
struct LocalResponseNorm {
  enum : int { kX, kSize, kAlpha, kBeta, kK };
};

// elementwise and activation
struct Binary {
  enum : int { kX, kY };
};
struct Unary {
  enum : int { kX };
};
struct WithEpsilon {  // inverse, rsqrt, log, l2_norm
  enum : int { kX, kEpsilon };
};
struct Cumsum {
  enum : int { kX, kAxis, kExclusive, kReverse };
};
struct WithAlpha {  // leaky_relu, prelu, thresholded_relu, threshold, elu
  enum : int { kX, kAlpha };
};
struct WithAlphaBeta {  // clamped_relu, sigmoid_hard, scaled_tanh, softplus_parametric
  enum : int { kX, kAlpha, kBeta };
};
struct Clip {
  enum : int { kX, kAlpha, kBeta };
};
struct Gelu {
  enum : int { kX, kMode };
};
struct Softmax {
  enum : int { kX, kAxis };
};

// comparison
struct Select {
  enum : int { kCond, kA, kB };
};

// reduction
struct Reduce {
  enum : int { kX, kAxes, kKeepDims };
};
struct ReduceArg {
  enum : int { kX, kAxis, kKeepDims, kOutputDtype };
};

// movement
struct Reshape {
  enum : int { kX, kShape };
};
struct Transpose {
  enum : int { kX, kPerm };
};
struct Concat {
  enum : int { kValues, kAxis, kInterleave };
};
struct Pad {
  enum : int { kX, kPad, kMode, kConstantVal };
};
struct SliceBySize {
  enum : int { kX, kBegin, kSize };
};

// quantization
struct Cast {
  enum : int { kX, kDtype };
};

}  // namespace anecheck::params
