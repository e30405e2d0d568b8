// The operation table: complete, and consistent with the parameter names that other rooms use.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

TEST(OpTable, EveryRowHasAReferenceOrAReason) {
  size_t reasons = 0;
  for (const OpDefinition* op : AllOps()) reasons += op->no_reference_reason.empty() ? 0 : 1;
  EXPECT_LE(reasons, 20u);
}

TEST(OpTable, RowsAreIndexedNamedAndComplete) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kOpCount; ++i) {
    const OpDefinition& op = *AllOps()[i];
    EXPECT_EQ(op.schema.id, i) << op.schema.name;
    EXPECT_NE(op.schema.infer, nullptr) << op.schema.name;
    EXPECT_FALSE(op.schema.parameters.empty()) << op.schema.name;
    EXPECT_TRUE(op.family_floor <= 4 || op.family_floor == kNoFamily)
        << op.schema.name << ": no operation floors above A15";
    EXPECT_TRUE(names.insert(op.schema.name).second) << op.schema.name << " stands twice";
    EXPECT_EQ(FindOp(op.schema.name), &op);
    EXPECT_EQ(OpVocabulary().Find(op.schema.name), &op.schema);
    EXPECT_EQ(&DefinitionOf(op.schema), &op);
    EXPECT_FALSE(OpClassName(op.op_class).empty());
  }
  EXPECT_EQ(FindOp("no_such_op"), nullptr);
  EXPECT_EQ(OpVocabulary().Find("no_such_op"), nullptr);
}

TEST(OpTable, FloorsAreThoseOfTheSpecification) {
  // Specification 003, table 24.2.
  EXPECT_EQ(GetOp(OpKind::kConv).family_floor, 0);
  EXPECT_EQ(GetOp(OpKind::kMatmul).family_floor, 0);
  EXPECT_EQ(GetOp(OpKind::kConcat).family_floor, 0);
  EXPECT_EQ(GetOp(OpKind::kSoftmax).family_floor, 2);
  EXPECT_EQ(GetOp(OpKind::kLayerNorm).family_floor, 2);
  EXPECT_EQ(GetOp(OpKind::kReduceSum).family_floor, 2);
  EXPECT_EQ(GetOp(OpKind::kSoftmax).capability, 0x815);
}

bool IsWhole(ParameterKind kind) {
  return kind == ParameterKind::kInt || kind == ParameterKind::kInts;
}
bool IsFlag(ParameterKind kind) {
  return kind == ParameterKind::kBool || kind == ParameterKind::kBools;
}

// Whether the parameter takes what its absence is said to stand for.
bool TakesDefault(const Parameter& parameter) {
  const Default& fallback = parameter.fallback;
  const bool is_name = parameter.kind == ParameterKind::kString;
  switch (fallback.form) {
    case Default::Form::kNone:
      return true;
    case Default::Form::kWords:
      return parameter.need == Need::kOptional;
    case Default::Form::kName:
      return is_name && parameter.need == Need::kOptional &&
             (parameter.choices.empty() ||
              std::ranges::find(parameter.choices, fallback.text) != parameter.choices.end());
    case Default::Form::kNumber:
      break;
  }
  const bool whole = fallback.number == std::trunc(fallback.number);
  const bool flag = fallback.number == 0 || fallback.number == 1;
  return !is_name && parameter.need == Need::kOptional && (whole || !IsWhole(parameter.kind)) &&
         (flag || !IsFlag(parameter.kind));
}

TEST(OpTable, ADefaultIsAValueThatItsParameterTakes) {
  for (const OpDefinition* op : AllOps()) {
    for (const Parameter& parameter : op->schema.parameters) {
      EXPECT_TRUE(TakesDefault(parameter)) << op->schema.name << "." << parameter.name;
    }
  }
}

TEST(OpTable, DefaultsAreToldInWords) {
  const auto text = [](std::string_view op, std::string_view parameter) {
    const OpSchema& schema = FindOp(op)->schema;
    return DefaultText(schema.parameters[static_cast<size_t>(schema.FindParameter(parameter))]);
  };
  EXPECT_EQ(text("conv", "strides"), "1 on every axis");
  EXPECT_EQ(text("conv", "pad_type"), "valid");
  EXPECT_EQ(text("conv", "x"), "");
  EXPECT_EQ(text("slice_by_index", "end_mask"), "false on every axis");
  EXPECT_EQ(text("topk", "sort"), "true");
  EXPECT_EQ(text("inverse", "epsilon"), "0.0001");
  EXPECT_EQ(text("band_part", "lower"), "-1: keep all");
  EXPECT_EQ(text("split", "num_splits"), "as many as split_sizes has");
}

void ExpectName(OpKind kind, int parameter, std::string_view name) {
  EXPECT_EQ(GetOp(kind).schema.parameters[static_cast<size_t>(parameter)].name, name);
}

TEST(Params, IndicesAreThoseOfTheSchemas) {
  using namespace params;  // NOLINT(google-build-using-namespace)
  ExpectName(OpKind::kConv, Conv::kWeight, "weight");
  ExpectName(OpKind::kConv, Conv::kPad, "pad");
  ExpectName(OpKind::kConv, Conv::kGroups, "groups");
  ExpectName(OpKind::kLinear, Linear::kBias, "bias");
  ExpectName(OpKind::kMatmul, Matmul::kTransposeY, "transpose_y");
  ExpectName(OpKind::kMaxPool, Pool::kCeilMode, "ceil_mode");
  ExpectName(OpKind::kAvgPool, Pool::kExcludePadding, "exclude_padding_from_average");
  ExpectName(OpKind::kLayerNorm, params::LayerNorm::kEpsilon, "epsilon");
  ExpectName(OpKind::kAdd, Binary::kY, "y");
  ExpectName(OpKind::kClip, Clip::kBeta, "beta");
  ExpectName(OpKind::kSelect, Select::kB, "b");
  for (const OpKind kind : {OpKind::kInverse, OpKind::kRsqrt, OpKind::kLog, OpKind::kL2Norm}) {
    ExpectName(kind, WithEpsilon::kEpsilon, "epsilon");
  }
  for (const OpKind kind : {OpKind::kLeakyRelu, OpKind::kPrelu, OpKind::kThresholdedRelu,
                            OpKind::kThreshold, OpKind::kElu}) {
    ExpectName(kind, WithAlpha::kAlpha, "alpha");
  }
  for (const OpKind kind : {OpKind::kClampedRelu, OpKind::kSigmoidHard, OpKind::kScaledTanh,
                            OpKind::kSoftplusParametric}) {
    ExpectName(kind, WithAlphaBeta::kBeta, "beta");
  }
  ExpectName(OpKind::kCumsum, Cumsum::kReverse, "reverse");
  ExpectName(OpKind::kReduceArgmax, params::ReduceArg::kOutputDtype, "output_dtype");
  ExpectName(OpKind::kBatchNorm, params::BatchNorm::kEpsilon, "epsilon");
  ExpectName(OpKind::kInstanceNorm, params::InstanceNorm::kEpsilon, "epsilon");
  ExpectName(OpKind::kLocalResponseNorm, params::LocalResponseNorm::kK, "k");
  ExpectName(OpKind::kGelu, Gelu::kMode, "mode");
  ExpectName(OpKind::kSoftmax, Softmax::kAxis, "axis");
  ExpectName(OpKind::kReduceSum, Reduce::kKeepDims, "keep_dims");
  ExpectName(OpKind::kReshape, Reshape::kShape, "shape");
  ExpectName(OpKind::kTranspose, Transpose::kPerm, "perm");
  ExpectName(OpKind::kConcat, Concat::kInterleave, "interleave");
  ExpectName(OpKind::kPad, Pad::kConstantVal, "constant_val");
  ExpectName(OpKind::kSliceBySize, SliceBySize::kSize, "size");
  ExpectName(OpKind::kCast, Cast::kDtype, "dtype");
  ExpectName(OpKind::kConvTranspose, ConvTranspose::kGroups, "groups");
  ExpectName(OpKind::kLinearActivation, LinearActivation::kBeta, "beta");
  ExpectName(OpKind::kEinsum, Einsum::kEquation, "equation");
  ExpectName(OpKind::kNeConv, Conv::kGroups, "groups");
  ExpectName(OpKind::kNeMatmul, Matmul::kTransposeY, "transpose_y");
  ExpectName(OpKind::kPePool, UnitPool::kMode, "mode");
  ExpectName(OpKind::kPePool, Pool::kExcludePadding, "exclude_padding_from_average");
  ExpectName(OpKind::kPeElementwise, UnitElementwise::kMode, "mode");
  ExpectName(OpKind::kPeGoc, GainOffset::kBias, "bias");
  ExpectName(OpKind::kScaledDotProductAttention, Attention::kAttnMask, "attn_mask");
  ExpectName(OpKind::kSliceBySize, SliceBySize::kComputedBegin, "begin");
  ExpectName(OpKind::kSliceByIndex, SliceByIndex::kComputedBegin, "begin");
  ExpectName(OpKind::kSliceByIndex, SliceByIndex::kComputedEnd, "end");
  ExpectName(OpKind::kSliceUpdate, SliceUpdate::kComputedBegin, "begin");
  ExpectName(OpKind::kSliceUpdate, SliceUpdate::kComputedEnd, "end");
  ExpectName(OpKind::kCropResize, CropResize::kRoi, "roi");
  ExpectName(OpKind::kQuantize, Quantize::kOutputDtype, "output_dtype");
  ExpectName(OpKind::kQuantize, Dequantize::kAxis, "axis");
  ExpectName(OpKind::kDequantize, Dequantize::kAxis, "axis");
  ExpectName(OpKind::kConst, Const::kVal, "val");
  ExpectName(OpKind::kConstexprAffineDequantize, AffineDequantize::kAxis, "axis");
  ExpectName(OpKind::kConstexprLutToDense, LutToDense::kVectorAxis, "vector_axis");
  ExpectName(OpKind::kConstexprLutToSparse, LutToSparse::kVectorAxis, "vector_axis");
  ExpectName(OpKind::kConstexprBlockwiseShiftScale, BlockwiseShiftScale::kOffset, "offset");
  ExpectName(OpKind::kConstexprSparseBlockwiseShiftScale, SparseBlockwiseShiftScale::kOffset,
             "offset");
  ExpectName(OpKind::kConstexprSparseToDense, SparseToDense::kShape, "shape");
  ExpectName(OpKind::kConstexprCast, ConstexprCast::kOutputDtype, "output_dtype");
  ExpectName(OpKind::kWriteState, WriteState::kData, "data");
  ExpectName(OpKind::kCircularBufferToTensor, RingRead::kSize, "size");
  ExpectName(OpKind::kTensorToCircularBuffer, RingWrite::kPosition, "position");
  ExpectName(OpKind::kCond, Cond::kCaptures, "captures");
  ExpectName(OpKind::kWhileLoop, WhileLoop::kCaptures, "captures");
  ExpectName(OpKind::kCall, Call::kCaptures, "captures");
  ExpectName(OpKind::kLstm, Lstm::kClip, "clip");
  ExpectName(OpKind::kLstm, Lstm::kDirection, "direction");
  ExpectName(OpKind::kGru, Gru::kActivation, "activation");
  ExpectName(OpKind::kRnn, Rnn::kActivation, "activation");
  ExpectName(OpKind::kRnn, Gru::kOutputSequence, "output_sequence");
  ExpectName(OpKind::kNativeSdpa, NativeSdpa::kSubtractMax, "SubtractMax");
  ExpectName(OpKind::kNativeSort, NativeSort::kIndices, "Indices");
  ExpectName(OpKind::kNativeTopK, NativeTopK::kIndices, "Indices");
  ExpectName(OpKind::kNativeArgMinMax, NativeArgMinMax::kMode, "Mode");
  ExpectName(OpKind::kNativeGlobalArgMinMax, NativeGlobalArgMinMax::kDimension, "Dimension");
  ExpectName(OpKind::kNativeMinMaxNorm, NativeMinMaxNorm::kEpsilon, "Epsilon");
  ExpectName(OpKind::kNativeScaledElementWise, NativeScaledElementWise::kScale, "Scale");
  ExpectName(OpKind::kNativeCrossCorrelation, NativeCrossCorrelation::kTemplate, "template");
  ExpectName(OpKind::kNativeFurthestPointSampling, NativeFurthestPointSampling::kCentroidCount,
             "CentroidCount");
  ExpectName(OpKind::kNativeRadiusSearch, NativeRadiusSearch::kRadius, "Radius");
  ExpectName(OpKind::kNativeDynamicGoc, GainOffset::kScale, "scale");
  ExpectName(OpKind::kNativeDynamicGoc, GainOffset::kBias, "bias");
  ExpectName(OpKind::kNativeDynamicSlice, NativeDynamicSlice::kSliceSize, "SliceSize");
  ExpectName(OpKind::kNativeDropout, NativeDropout::kRate, "Rate");
  ExpectName(OpKind::kCostVolume, CostVolume::kDisparityRange, "disparity_range");
}

}  // namespace
}  // namespace anecheck
