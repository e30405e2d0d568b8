// Parameter indices of every operation, in the order of its schema. Code that reads operands and
// attributes uses these names instead of numbers; a test compares them with the schemas.
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
struct Pool {  // avg_pool, max_pool; only avg_pool has kExcludePadding
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
using Clip = WithAlphaBeta;
using LinearActivation = WithAlphaBeta;
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
struct SliceBySize {  // kComputedBegin replaces a kBegin that is not constant
  enum : int { kX, kBegin, kSize, kComputedBegin };
};

struct ReshapeLike {
  enum : int { kX, kRefTensors, kBegins, kEnds, kEndMasks };
};
struct OverAxes {  // expand_dims, squeeze, reverse
  enum : int { kX, kAxes };
};
struct Flatten2d {
  enum : int { kX, kAxis };
};
struct Stack {
  enum : int { kValues, kAxis };
};
struct Split {
  enum : int { kX, kAxis, kNumSplits, kSplitSizes };
};
struct Fill {
  enum : int { kShape, kValue };
};
struct FillLike {
  enum : int { kRefTensor, kValue };
};
struct Range1d {
  enum : int { kEnd, kStart, kStep };
};
struct OneHot {
  enum : int { kIndices, kOneHotVectorSize, kAxis, kOnValue, kOffValue };
};
struct SliceByIndex {  // kComputedBegin and kComputedEnd as in SliceBySize
  enum : int {
    kX,
    kBegin,
    kEnd,
    kStride,
    kBeginMask,
    kEndMask,
    kSqueezeMask,
    kComputedBegin,
    kComputedEnd
  };
};
struct SliceUpdate {
  enum : int {
    kX,
    kUpdate,
    kBegin,
    kEnd,
    kStride,
    kBeginMask,
    kEndMask,
    kSqueezeMask,
    kComputedBegin,
    kComputedEnd
  };
};
struct ReverseSequence {
  enum : int { kX, kLengths, kSeqAxis, kBatchAxis };
};
struct Tile {
  enum : int { kX, kReps };
};
struct Crop {
  enum : int { kX, kCropHeight, kCropWidth };
};
struct BandPart {
  enum : int { kX, kLower, kUpper };
};
struct SlidingWindows {
  enum : int { kX, kAxis, kSize, kStride };
};
struct Blocks {  // depth_to_space, space_to_depth, pixel_shuffle, pixel_unshuffle: the block or
                 // factor
  enum : int { kX, kFactor };
};
struct Batches {  // space_to_batch (paddings), batch_to_space (crops)
  enum : int { kX, kBlockShape, kMargins };
};
struct Gather {
  enum : int { kX, kIndices, kAxis, kBatchDims, kValidateIndices };
};
struct GatherAlongAxis {
  enum : int { kX, kIndices, kAxis, kValidateIndices };
};
struct GatherNd {
  enum : int { kX, kIndices, kBatchDims, kValidateIndices };
};
struct Scatter {  // scatter, scatter_along_axis
  enum : int { kData, kIndices, kUpdates, kAxis, kMode, kValidateIndices };
};
struct ScatterNd {
  enum : int { kData, kIndices, kUpdates, kMode, kValidateIndices };
};

// image
struct Resize {
  enum : int { kX, kShape, kResizedDims, kInterpolationMode, kSamplingMode };
};
struct ResizePlane {  // resize_bilinear, resize_nearest_neighbor; only the former has kSamplingMode
  enum : int { kX, kTargetSizeHeight, kTargetSizeWidth, kSamplingMode };
};
struct Upsample {  // upsample_bilinear, upsample_nearest_neighbor; only the former has the flags
  enum : int { kX, kScaleFactorHeight, kScaleFactorWidth, kAlignCorners, kHalfPixelCenters };
};
struct CropResize {
  enum : int {
    kX,
    kBoxes,
    kBoxIndices,
    kTargetHeight,
    kTargetWidth,
    kNormalizedCoordinates,
    kSpatialScale,
    kBoxCoordinateMode,
    kSamplingMode,
    kPadValue,
    kRoi
  };
};
struct Resample {
  enum : int {
    kX,
    kCoordinates,
    kSamplingMode,
    kPaddingMode,
    kPaddingValue,
    kCoordinatesMode,
    kAlignCorners
  };
};
struct Affine {
  enum : int {
    kX,
    kTransformMatrix,
    kOutputHeight,
    kOutputWidth,
    kSamplingMode,
    kPaddingMode,
    kPaddingValue,
    kCoordinatesMode,
    kAlignCorners
  };
};

// detection
struct NonMaximumSuppression {
  enum : int { kBoxes, kScores, kIouThreshold, kScoreThreshold, kMaxBoxes, kPerClassSuppression };
};
struct Topk {
  enum : int { kX, kK, kAxis, kAscending, kSort, kReturnIndices, kOutputIndicesDtype };
};
struct Argsort {
  enum : int { kX, kAxis, kAscending };
};

// quantization
struct Cast {
  enum : int { kX, kDtype };
};

// the rest of the convolution class
struct ConvTranspose {
  enum : int { kX, kWeight, kBias, kPad, kOutputShape, kPadType, kStrides, kDilations, kGroups };
};
struct ConvQuantized {  // its first parameters are those of Conv
  enum : int {
    kX,
    kWeight,
    kBias,
    kStrides,
    kPadType,
    kPad,
    kDilations,
    kGroups,
    kQuantizationType,
    kNbits,
    kQuantScale,
    kQuantBias
  };
};
struct Einsum {
  enum : int { kValues, kEquation };
};
struct UnitPool : Pool {  // ne_pool, pe_pool: the parameters of Pool and the kind of pooling
  enum : int { kMode = kExcludePadding + 1 };
};
struct UnitElementwise {
  enum : int { kX, kY, kMode };
};
// Also for DynamicGOC, whose scale may be absent.
struct GainOffset {
  enum : int { kX, kScale, kBias };
};
struct Attention {
  enum : int { kQuery, kKey, kValue, kAttnMask };
};

// quantization
struct Quantize {
  enum : int { kInput, kScale, kZeroPoint, kAxis, kOutputDtype };
};
struct Dequantize {
  enum : int { kInput, kScale, kZeroPoint, kAxis };
};
struct Const {
  enum : int { kVal };
};
struct AffineDequantize {
  enum : int { kQuantizedData, kZeroPoint, kScale, kAxis };
};
struct LutToDense {
  enum : int { kIndices, kLut, kShape, kVectorAxis };
};
struct LutToSparse {
  enum : int { kIndicesMask, kIndicesNonzeroData, kLut, kVectorAxis };
};
struct BlockwiseShiftScale {
  enum : int { kData, kScale, kOffset };
};
struct SparseBlockwiseShiftScale {
  enum : int { kDataMask, kNonzeroData, kScale, kOffset };
};
struct SparseToDense {
  enum : int { kNonzeroData, kMask, kShape };
};
struct ConstexprCast {
  enum : int { kSourceVal, kOutputDtype };
};

// state and control flow; parameter 1 of every operation with blocks is its captures
struct WriteState {  // read_state has only kInput
  enum : int { kInput, kData };
};
struct RingRead {
  enum : int { kInput, kAxis, kPosition, kSize };
};
struct RingWrite {
  enum : int { kInput, kData, kAxis, kPosition };
};
struct Cond {
  enum : int { kPred, kCaptures };
};
struct WhileLoop {
  enum : int { kLoopVars, kCaptures };
};
struct Call {
  enum : int { kValues, kCaptures };
};

// recurrent cells
struct Lstm {
  enum : int {
    kX,
    kInitialH,
    kInitialC,
    kWeightIh,
    kWeightHh,
    kBias,
    kPeephole,
    kWeightIhBack,
    kWeightHhBack,
    kBiasBack,
    kPeepholeBack,
    kDirection,
    kOutputSequence,
    kRecurrentActivation,
    kCellActivation,
    kActivation,
    kClip
  };
};
struct Gru {
  enum : int {
    kX,
    kInitialH,
    kWeightIh,
    kWeightHh,
    kBias,
    kDirection,
    kOutputSequence,
    kRecurrentActivation,
    kActivation,
    kResetAfter,
    kInputBias
  };
};
struct Rnn {
  enum : int {
    kX,
    kInitialH,
    kWeightIh,
    kWeightHh,
    kBias,
    kDirection,
    kOutputSequence,
    kActivation
  };
};

// native layers
struct NativeSdpa {
  enum : int { kQuery, kKey, kValue, kScale, kMask, kSubtractMax };
};
struct NativeSort {
  enum : int { kX, kDirection, kSortIndices, kIndices };
};
struct NativeTopK {
  enum : int { kX, kType, kK, kSortIndices, kIndices };
};
struct NativeArgMinMax {
  enum : int { kX, kMode };
};
struct NativeGlobalArgMinMax {
  enum : int { kX, kType, kDimension };
};
struct NativeMinMaxNorm {
  enum : int { kX, kDimension, kEpsilon };
};
struct NativeScaledElementWise {
  enum : int { kX, kY, kType, kScale };
};
struct NativeCrossCorrelation {
  enum : int { kX, kTemplate };
};
struct NativeFurthestPointSampling {
  enum : int { kPoints, kCentroidCount };
};
struct NativeRadiusSearch {
  enum : int { kCentroids, kPoints, kRadius };
};
struct NativeDynamicSlice {
  enum : int { kX, kStart, kSliceSize };
};
struct NativeDropout {
  enum : int { kX, kRate };
};
struct CostVolume {
  enum : int { kX, kY, kDisparityDirection, kDisparityRange };
};

}  // namespace anecheck::params
