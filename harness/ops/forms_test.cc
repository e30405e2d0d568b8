// Tests rare forms of operations that MIL admits: vectors in matmul, int32, windows that ceil_mode
// adds, slices at computed places, and regions of interest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/graph/find_operand.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/testing/instance.h"

namespace anecheck {
namespace {

using ::testing::HasSubstr;
using testing::Instance;
using testing::Ints;

std::string Matmul(Shape x, Shape y) {
  return Instance(OpKind::kMatmul).In(params::Matmul::kX, x).In(params::Matmul::kY, y).Infer();
}

// The examples of the MIL operation set (coremltools, matmul).
TEST(Matmul, VectorsAreMatricesWhoseAddedAxisIsDropped) {
  EXPECT_EQ(Matmul({4}, {10, 4, 3}), "tensor<fp16, [10, 3]>");
  EXPECT_EQ(Matmul({10, 3, 4}, {4}), "tensor<fp16, [10, 3]>");
  EXPECT_EQ(Matmul({4}, {4}), "tensor<fp16, []>");
  EXPECT_EQ(Matmul({2, 4}, {4}), "tensor<fp16, [2]>");
  EXPECT_THAT(Matmul({4}, {5}), HasSubstr("inner extents 4 and 5 differ"));
  EXPECT_THAT(Matmul({4}, {10, 3, 4}), HasSubstr("inner extents 4 and 3 differ"));
}

TEST(Matmul, AFlagTransposesOnlyMatrices) {
  using P = params::Matmul;
  EXPECT_THAT(
      Instance(OpKind::kMatmul).In(P::kX, {4}).In(P::kY, {4, 3}).Flag(P::kTransposeX, true).Infer(),
      HasSubstr("transpose_x needs x of rank 2 or more"));
  EXPECT_EQ(
      Instance(OpKind::kMatmul).In(P::kX, {2, 4}).In(P::kY, {4}).Flag(P::kTransposeY, true).Infer(),
      "tensor<fp16, [2]>");
}

// From iOS 17 on (coremltools, matmul).
TEST(Matmul, AConstantTakesTheTypeOfTheOtherOperand) {
  using P = params::Matmul;
  const auto product = [](DType x, DType constant) {
    return Instance(OpKind::kMatmul)
        .In(P::kX, {2, 3}, x)
        .Const(P::kY, constant, {3, 4}, {})
        .Infer();
  };
  EXPECT_EQ(product(DType::kFp16, DType::kFp32), "tensor<fp16, [2, 4]>");
  EXPECT_EQ(product(DType::kFp32, DType::kFp16), "tensor<fp32, [2, 4]>");
  EXPECT_EQ(
      Instance(OpKind::kMatmul).Const(P::kX, DType::kFp32, {2, 3}, {}).In(P::kY, {3, 4}).Infer(),
      "tensor<fp16, [2, 4]>");
  EXPECT_THAT(Instance(OpKind::kMatmul).In(P::kX, {2, 3}).In(P::kY, {3, 4}, DType::kFp32).Infer(),
              HasSubstr("one element type"));
  EXPECT_EQ(product(DType::kFp16, DType::kInt32), "tensor<fp16, [2, 4]>");
  EXPECT_THAT(product(DType::kInt32, DType::kFp16), HasSubstr("no source tells"));
}

// From iOS 17 on (coremltools, linear, conv and conv_transpose).
TEST(Linear, ConstantsMayBeOfAnotherType) {
  using P = params::Linear;
  const auto linear = [](DType x, DType constants) {
    return Instance(OpKind::kLinear)
        .In(P::kX, {2, 3}, x)
        .Const(P::kWeight, constants, {4, 3}, {})
        .Const(P::kBias, constants, {4}, {})
        .Infer();
  };
  EXPECT_EQ(linear(DType::kFp16, DType::kInt32), "tensor<fp16, [2, 4]>");
  EXPECT_EQ(linear(DType::kFp32, DType::kInt32), "tensor<fp32, [2, 4]>");
  EXPECT_THAT(linear(DType::kInt32, DType::kFp16), HasSubstr("no source tells"));
}

TEST(Conv, TheBiasMayBeComputed) {
  for (const OpKind kind : {OpKind::kConv, OpKind::kConvTranspose}) {
    EXPECT_FALSE(GetOp(kind).schema.parameters[params::Conv::kBias].constant);
  }
}

TEST(ChannelNorms, ConstantsMayBeOfAnotherFloatType) {
  using P = params::InstanceNorm;
  const auto norm = [](DType x, DType gamma) {
    return Instance(OpKind::kInstanceNorm)
        .In(P::kX, {1, 3, 4}, x)
        .Const(P::kGamma, gamma, {3}, {})
        .Infer();
  };
  EXPECT_EQ(norm(DType::kFp16, DType::kFp32), "tensor<fp16, [1, 3, 4]>");
  EXPECT_EQ(norm(DType::kFp32, DType::kFp16), "tensor<fp32, [1, 3, 4]>");
}

TEST(Products, OfIntegersTakeNoFloats) {
  using M = params::Matmul;
  using L = params::Linear;
  EXPECT_EQ(Instance(OpKind::kMatmul)
                .In(M::kX, {2, 3}, DType::kInt32)
                .In(M::kY, {3, 4}, DType::kInt32)
                .Infer(),
            "tensor<int32, [2, 4]>");
  EXPECT_THAT(Instance(OpKind::kMatmul)
                  .In(M::kX, {2, 3}, DType::kInt32)
                  .In(M::kY, {3, 4}, DType::kFp32)
                  .Infer(),
              HasSubstr("one element type"));
  EXPECT_EQ(Instance(OpKind::kLinear)
                .In(L::kX, {2, 3}, DType::kInt32)
                .In(L::kWeight, {4, 3}, DType::kInt32)
                .In(L::kBias, {4}, DType::kInt32)
                .Infer(),
            "tensor<int32, [2, 4]>");
  EXPECT_THAT(Instance(OpKind::kLinear)
                  .In(L::kX, {2, 3}, DType::kInt32)
                  .In(L::kWeight, {4, 3}, DType::kInt32)
                  .In(L::kBias, {4}, DType::kFp32)
                  .Infer(),
              HasSubstr("no source tells"));
  EXPECT_THAT(Instance(OpKind::kNeMatmul)
                  .In(M::kX, {2, 3}, DType::kInt32)
                  .In(M::kY, {3, 4}, DType::kInt32)
                  .Infer(),
              HasSubstr("must be one of"));
}

std::string CeilPool(int64_t extent, int64_t kernel, int64_t stride, const char* type,
                     const Ints& pad) {
  using P = params::Pool;
  Instance pool(OpKind::kMaxPool);
  pool.In(P::kX, {1, 1, extent}).Set(P::kKernelSizes, Ints{kernel}).Set(P::kStrides, Ints{stride});
  pool.Set(P::kPadType, type).Flag(P::kCeilMode, true);
  if (!pad.empty()) pool.Set(P::kPad, pad);
  return pool.Infer();
}

// floor((extent + padding - kernel + stride - 1) / stride) + 1, one less if there is padding and
// the last window would start past the input (coremltools, avg_pool).
TEST(CeilMode, DropsAWindowPastTheInputIfThereIsPadding) {
  EXPECT_EQ(CeilPool(5, 2, 2, "valid", {}), "tensor<fp16, [1, 1, 3]>");
  EXPECT_EQ(CeilPool(2, 1, 3, "valid", {}), "tensor<fp16, [1, 1, 2]>");
  EXPECT_EQ(CeilPool(2, 1, 3, "custom", {0, 0}), "tensor<fp16, [1, 1, 2]>");
  EXPECT_EQ(CeilPool(5, 2, 2, "custom", {1, 1}), "tensor<fp16, [1, 1, 3]>");
}

TEST(CeilMode, AWindowMayBeLargerThanItsInput) {
  EXPECT_EQ(CeilPool(2, 3, 2, "valid", {}), "tensor<fp16, [1, 1, 1]>");
  EXPECT_THAT(CeilPool(2, 4, 2, "valid", {}), HasSubstr("the kernel spans 4"));
}

Instance Slice(OpKind kind, int begin) {
  return Instance(kind).In(0, {4, 6}).In(begin, {2}, DType::kInt32);
}

TEST(ComputedSlice, BySizeHasTheGivenSize) {
  using P = params::SliceBySize;
  const auto slice = [] { return Slice(OpKind::kSliceBySize, P::kComputedBegin); };
  EXPECT_EQ(slice().Set(P::kSize, Ints{2, 6}).Infer(), "tensor<fp16, [2, 6]>");
  EXPECT_THAT(slice().Set(P::kSize, Ints{2, -1}).Infer(),
              HasSubstr("axis 1: its extent depends on computed values"));
  EXPECT_THAT(slice().Set(P::kSize, Ints{5, 1}).Infer(), HasSubstr("is outside 0 to 4"));
  EXPECT_THAT(slice().Set(P::kSize, Ints{1, 1}).Set(P::kBegin, Ints{0, 0}).Infer(),
              HasSubstr("begin must be given, once"));
  EXPECT_THAT(Instance(OpKind::kSliceBySize).In(P::kX, {4}).Set(P::kSize, Ints{1}).Infer(),
              HasSubstr("begin must be given, once"));
  EXPECT_THAT(Instance(OpKind::kSliceBySize)
                  .In(P::kX, {4})
                  .In(P::kComputedBegin, {2}, DType::kInt32)
                  .Set(P::kSize, Ints{1})
                  .Infer(),
              HasSubstr("begin: need 1 entries"));
}

TEST(ComputedSlice, ByIndexNeedsKnownExtents) {
  using P = params::SliceByIndex;
  const auto slice = [] { return Slice(OpKind::kSliceByIndex, P::kComputedBegin); };
  // The slice is a row: the first axis is squeezed, and the second is taken whole.
  EXPECT_EQ(slice()
                .Set(P::kEnd, Ints{0, 0})
                .Flags(P::kBeginMask, Ints{0, 1})
                .Flags(P::kEndMask, Ints{0, 1})
                .Flags(P::kSqueezeMask, Ints{1, 0})
                .Infer(),
            "tensor<fp16, [6]>");
  EXPECT_EQ(slice()
                .In(P::kComputedEnd, {2}, DType::kInt32)
                .Set(P::kStride, Ints{1, 4})
                .Flags(P::kBeginMask, Ints{0, 1})
                .Flags(P::kEndMask, Ints{0, 1})
                .Flags(P::kSqueezeMask, Ints{1, 0})
                .Infer(),
            "tensor<fp16, [2]>");
  EXPECT_THAT(slice().Set(P::kEnd, Ints{2, 2}).Flags(P::kSqueezeMask, Ints{1, 0}).Infer(),
              HasSubstr("axis 1: its extent depends on computed values"));
}

TEST(ComputedSlice, AnUpdateGivesTheExtents) {
  using P = params::SliceUpdate;
  const auto update = [](Shape shape) {
    return Slice(OpKind::kSliceUpdate, P::kComputedBegin)
        .In(P::kUpdate, shape)
        .In(P::kComputedEnd, {2}, DType::kInt32);
  };
  EXPECT_EQ(update({1, 6}).Infer(), "tensor<fp16, [4, 6]>");
  EXPECT_EQ(update({2}).Flags(P::kSqueezeMask, Ints{1, 0}).Infer(), "tensor<fp16, [4, 6]>");
  EXPECT_EQ(update({1, 3}).Set(P::kStride, Ints{1, 2}).Infer(), "tensor<fp16, [4, 6]>");
  EXPECT_THAT(update({1, 4}).Set(P::kStride, Ints{1, 2}).Infer(),
              HasSubstr("axis 1: a slice of extent 6 in steps of 2 cannot have 4 elements"));
  EXPECT_THAT(update({1}).Infer(), HasSubstr("depends on computed values"));
}

TEST(ComputedSlice, AttributesAndOperandsOfOneNameAreDistinguished) {
  const OpSchema& schema = GetOp(OpKind::kSliceBySize).schema;
  EXPECT_EQ(schema.FindParameter("begin"), params::SliceBySize::kBegin);
  EXPECT_EQ(FindOperand(schema, "begin"), params::SliceBySize::kComputedBegin);
  EXPECT_EQ(FindOperand(schema, "size"), -1);
}

TEST(CropResize, TakesRegionsOfInterestInPlaceOfBoxes) {
  using P = params::CropResize;
  const auto crop = [](Shape roi) {
    return Instance(OpKind::kCropResize)
        .In(P::kX, {2, 3, 8, 8})
        .In(P::kRoi, roi)
        .Set(P::kTargetHeight, int64_t{4})
        .Set(P::kTargetWidth, int64_t{5});
  };
  EXPECT_EQ(crop({7, 1, 4, 1, 1}).Infer(), "tensor<fp16, [7, 2, 3, 4, 5]>");
  EXPECT_EQ(crop({7, 1, 5, 1, 1}).Infer(), "tensor<fp16, [7, 1, 3, 4, 5]>");
  EXPECT_THAT(crop({7, 1, 6, 1, 1}).Infer(), HasSubstr("must be fp16[N, 1, 4 or 5, 1, 1]"));
  EXPECT_THAT(crop({7, 1, 4, 1, 1}).In(P::kBoxes, {7, 4}).Infer(),
              HasSubstr("stands in place of boxes"));
  EXPECT_THAT(Instance(OpKind::kCropResize).In(P::kX, {2, 3, 8, 8}).Infer(),
              HasSubstr("boxes or roi must be given"));
}

TEST(PerChannel, ConstantsMayBeWiderThanTheirOperand) {
  using P = params::WithAlpha;
  const auto prelu = [](DType x, DType alpha) {
    return Instance(OpKind::kPrelu).In(P::kX, {1, 3, 2}, x).In(P::kAlpha, {3}, alpha).Infer();
  };
  EXPECT_EQ(prelu(DType::kFp16, DType::kFp32), "tensor<fp16, [1, 3, 2]>");
  EXPECT_THAT(prelu(DType::kFp32, DType::kFp16), HasSubstr("alpha is tensor<fp16, [3]>"));
}

TEST(Resize, TakesInt32) {
  using P = params::Resize;
  EXPECT_EQ(Instance(OpKind::kResize)
                .In(P::kX, {1, 2, 2}, DType::kInt32)
                .Set(P::kShape, Ints{4, 4})
                .Set(P::kResizedDims, int64_t{2})
                .Infer(),
            "tensor<int32, [1, 4, 4]>");
}

}  // namespace
}  // namespace anecheck
