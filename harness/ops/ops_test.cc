// Shape inference and checks of operations, with the messages of the real layers.
#include <gtest/gtest.h>

#include "harness/graph/graph.h"
#include "harness/graph/validate.h"
#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/testing/instance.h"

namespace anecheck {
namespace {

using testing::Instance;
using testing::Ints;

TEST(Convolution, ShapesFollowPaddingStrideAndDilation) {
  using P = params::Conv;
  const auto conv = [](Shape x, Shape w) {
    return Instance(OpKind::kConv).In(P::kX, x).In(P::kWeight, w);
  };
  EXPECT_EQ(conv({1, 3, 8, 8}, {4, 3, 3, 3}).Infer(), "tensor<fp16, [1, 4, 6, 6]>");
  EXPECT_EQ(conv({1, 3, 8, 8}, {4, 3, 3, 3}).Set(P::kPadType, "same").Infer(),
            "tensor<fp16, [1, 4, 8, 8]>");
  EXPECT_EQ(conv({1, 3, 7, 7}, {4, 3, 3, 3})
                .Set(P::kPadType, "same_lower")
                .Set(P::kStrides, Ints{2, 2})
                .Infer(),
            "tensor<fp16, [1, 4, 4, 4]>");
  EXPECT_EQ(conv({1, 3, 8, 8}, {4, 3, 3, 3}).Set(P::kDilations, Ints{2, 3}).Infer(),
            "tensor<fp16, [1, 4, 4, 2]>");
  EXPECT_EQ(conv({1, 3, 8, 8}, {4, 3, 3, 3})
                .Set(P::kPadType, "custom")
                .Set(P::kPad, Ints{1, 2, 0, 1})
                .Infer(),
            "tensor<fp16, [1, 4, 9, 7]>");
  EXPECT_EQ(conv({2, 4, 5}, {6, 2, 2}).Set(P::kGroups, 2).Infer(), "tensor<fp16, [2, 6, 4]>");
  EXPECT_EQ(conv({1, 2, 4, 4, 4}, {3, 2, 2, 2, 2}).Infer(), "tensor<fp16, [1, 3, 3, 3, 3]>");
}

TEST(Convolution, ErrorsQuoteTheMessagesOfLayers) {
  using P = params::Conv;
  const auto conv = [](Shape x, Shape w) {
    return Instance(OpKind::kConv).In(P::kX, x).In(P::kWeight, w);
  };
  // facts/compile_envelope.csv, "groups that do not divide".
  EXPECT_EQ(conv({1, 8, 4, 4}, {4, 2, 1, 1}).Set(P::kGroups, 2).Infer(),
            "conv: KernelChannels (2) != InputChannels (8) / Group (2)");
  EXPECT_NE(conv({1, 8, 4, 4}, {4, 2, 1, 1})
                .Set(P::kGroups, 3)
                .Infer()
                .find("should be divisible by num group"),
            std::string::npos);
  EXPECT_NE(conv({1, 3, 2, 2}, {4, 3, 3, 3}).Infer().find("the padded input has only 2"),
            std::string::npos);
  EXPECT_NE(conv({1, 3, 8, 8}, {4, 3, 3}).Infer().find("weight has rank 3, x has 4"),
            std::string::npos);
  EXPECT_NE(conv({3, 8}, {4, 3}).Infer().find("x has rank 2, must have 3 to 5"), std::string::npos);
  EXPECT_NE(
      conv({1, 3, 8, 8}, {4, 3, 3, 3}).Set(P::kStrides, Ints{0, 1}).Infer().find("strides[0] is 0"),
      std::string::npos);
  EXPECT_NE(conv({1, 3, 8, 8}, {4, 3, 3, 3})
                .Set(P::kStrides, Ints{1})
                .Infer()
                .find("strides has 1 entries, must have 2"),
            std::string::npos);
  EXPECT_NE(conv({1, 3, 8, 8}, {4, 3, 3, 3})
                .Set(P::kPadType, "custom")
                .Infer()
                .find("pad has 0 entries, must have 4"),
            std::string::npos);
  EXPECT_NE(conv({1, 3, 8, 8}, {4, 3, 3, 3})
                .Set(P::kPadType, "custom")
                .Set(P::kPad, Ints{-1, 0, 0, 0})
                .Infer()
                .find("pad is negative"),
            std::string::npos);
  EXPECT_NE(
      conv({1, 3, 8, 8}, {4, 3, 3, 3}).In(P::kBias, {3}).Infer().find("bias is [3], must be [4]"),
      std::string::npos);
  EXPECT_NE(conv({1, 3, 8, 8}, {4, 3, 0, 3}).Infer().find("kernel extent is below 1"),
            std::string::npos);
}

TEST(Linear, TakesTheLastAxis) {
  using P = params::Linear;
  EXPECT_EQ(Instance(OpKind::kLinear)
                .In(P::kX, {2, 5, 3})
                .In(P::kWeight, {4, 3})
                .In(P::kBias, {4})
                .Infer(),
            "tensor<fp16, [2, 5, 4]>");
  EXPECT_NE(Instance(OpKind::kLinear)
                .In(P::kX, {2, 5})
                .In(P::kWeight, {4, 3})
                .Infer()
                .find("does not fit the last axis"),
            std::string::npos);
  EXPECT_NE(Instance(OpKind::kLinear)
                .In(P::kX, {2, 3})
                .In(P::kWeight, {4, 3})
                .In(P::kBias, {3})
                .Infer()
                .find("bias is"),
            std::string::npos);
  EXPECT_NE(Instance(OpKind::kLinear)
                .In(P::kX, {2, 3})
                .In(P::kWeight, {4, 3, 1})
                .Infer()
                .find("weight rank 2"),
            std::string::npos);
}

TEST(Matmul, BatchesBroadcastAndFlagsTranspose) {
  using P = params::Matmul;
  const auto matmul = [](Shape x, Shape y) {
    return Instance(OpKind::kMatmul).In(P::kX, x).In(P::kY, y);
  };
  EXPECT_EQ(matmul({2, 1, 3, 4}, {5, 4, 6}).Infer(), "tensor<fp16, [2, 5, 3, 6]>");
  EXPECT_EQ(matmul({4, 3}, {4, 6}).Flag(P::kTransposeX, true).Infer(), "tensor<fp16, [3, 6]>");
  EXPECT_EQ(matmul({3, 4}, {6, 4}).Flag(P::kTransposeY, true).Infer(), "tensor<fp16, [3, 6]>");
  EXPECT_NE(matmul({3, 4}, {5, 6}).Infer().find("inner extents 4 and 5 differ"), std::string::npos);
  EXPECT_NE(matmul({2, 3, 4}, {3, 4, 6}).Infer().find("leading axes do not broadcast"),
            std::string::npos);
  EXPECT_NE(matmul({}, {4, 6}).Infer().find("rank 1 or more"), std::string::npos);
}

TEST(Pool, CeilModeDropsWindowsThatStartInTheEndPadding) {
  using P = params::Pool;
  const auto pool = [](Shape x, Ints k) {
    return Instance(OpKind::kMaxPool)
        .In(P::kX, x)
        .Set(P::kKernelSizes, k)
        .Set(P::kPadType, "custom");
  };
  EXPECT_EQ(pool({1, 2, 5, 5}, {2, 2})
                .Set(P::kStrides, Ints{2, 2})
                .Set(P::kPad, Ints{0, 0, 0, 0})
                .Infer(),
            "tensor<fp16, [1, 2, 2, 2]>");
  EXPECT_EQ(pool({1, 2, 5, 5}, {2, 2})
                .Set(P::kStrides, Ints{2, 2})
                .Set(P::kPad, Ints{0, 0, 0, 0})
                .Flag(P::kCeilMode, true)
                .Infer(),
            "tensor<fp16, [1, 2, 3, 3]>");
  // The fourth window of stride 2 would begin at 6, past the 5 inputs and the padding before them.
  EXPECT_EQ(pool({1, 2, 5}, {2})
                .Set(P::kStrides, Ints{2})
                .Set(P::kPad, Ints{1, 1})
                .Flag(P::kCeilMode, true)
                .Infer(),
            "tensor<fp16, [1, 2, 3]>");
  EXPECT_NE(pool({1, 2, 5, 5}, {2, 2})
                .Set(P::kPad, Ints{2, 0, 0, 0})
                .Infer()
                .find("padding must be below the kernel"),
            std::string::npos);
  EXPECT_NE(pool({1, 2, 5, 5}, {2})
                .Set(P::kPad, Ints{0, 0, 0, 0})
                .Infer()
                .find("kernel has 1 spatial extents, x has 2"),
            std::string::npos);
}

TEST(LayerNorm, GammaAndBetaHaveTheShapeOfTheAxes) {
  using P = params::LayerNorm;
  EXPECT_EQ(Instance(OpKind::kLayerNorm)
                .In(P::kX, {2, 3, 4})
                .Set(P::kAxes, Ints{-1, 1})
                .In(P::kGamma, {3, 4})
                .Infer(),
            "tensor<fp16, [2, 3, 4]>");
  EXPECT_NE(Instance(OpKind::kLayerNorm)
                .In(P::kX, {2, 3, 4})
                .Set(P::kAxes, Ints{2})
                .In(P::kBeta, {3})
                .Infer()
                .find("beta is [3], must be [4]"),
            std::string::npos);
  EXPECT_NE(Instance(OpKind::kLayerNorm)
                .In(P::kX, {2, 3})
                .Set(P::kAxes, Ints{2})
                .Infer()
                .find("axis 2 is outside rank 2"),
            std::string::npos);
  EXPECT_NE(Instance(OpKind::kLayerNorm)
                .In(P::kX, {2, 3})
                .Set(P::kAxes, Ints{1, -1})
                .Infer()
                .find("axis -1 is named twice"),
            std::string::npos);
}

TEST(Elementwise, BroadcastsOneElementType) {
  EXPECT_EQ(Instance(OpKind::kAdd).In(0, {2, 1, 3}).In(1, {4, 1}).Infer(),
            "tensor<fp16, [2, 4, 3]>");
  EXPECT_NE(Instance(OpKind::kAdd).In(0, {2}).In(1, {3}).Infer().find("do not broadcast"),
            std::string::npos);
  EXPECT_NE(
      Instance(OpKind::kAdd).In(0, {2}).In(1, {2}, DType::kInt32).Infer().find("they must agree"),
      std::string::npos);
  EXPECT_NE(
      Instance(OpKind::kAdd).In(0, {2}).In(1, {2}, DType::kBool).Infer().find("must be one of"),
      std::string::npos);
}

TEST(Activation, AttributesAreChecked) {
  EXPECT_EQ(Instance(OpKind::kClip)
                .In(0, {2})
                .Number(params::Clip::kAlpha, -1)
                .Number(params::Clip::kBeta, 1)
                .Infer(),
            "tensor<fp16, [2]>");
  EXPECT_NE(Instance(OpKind::kClip)
                .In(0, {2})
                .Number(params::Clip::kAlpha, 2)
                .Number(params::Clip::kBeta, 1)
                .Infer()
                .find("alpha must not be above beta"),
            std::string::npos);
  EXPECT_NE(Instance(OpKind::kGelu)
                .In(0, {2})
                .Set(params::Gelu::kMode, "FAST")
                .Infer()
                .find("must be one of EXACT"),
            std::string::npos);
  EXPECT_NE(Instance(OpKind::kSoftmax)
                .In(0, {2})
                .Set(params::Softmax::kAxis, 1)
                .Infer()
                .find("axis 1 is outside rank 1"),
            std::string::npos);
  EXPECT_EQ(Instance(OpKind::kSoftmax).In(0, {2, 3}).Set(params::Softmax::kAxis, -2).Infer(),
            "tensor<fp16, [2, 3]>");
}

TEST(Reduction, KeepsOrDropsAxes) {
  using P = params::Reduce;
  EXPECT_EQ(Instance(OpKind::kReduceSum).In(P::kX, {2, 3, 4}).Set(P::kAxes, Ints{1}).Infer(),
            "tensor<fp16, [2, 4]>");
  EXPECT_EQ(Instance(OpKind::kReduceMax)
                .In(P::kX, {2, 3, 4})
                .Set(P::kAxes, Ints{-1, 0})
                .Flag(P::kKeepDims, true)
                .Infer(),
            "tensor<fp16, [1, 3, 1]>");
  EXPECT_EQ(Instance(OpKind::kReduceSum).In(P::kX, {2, 3}).Infer(), "tensor<fp16, []>");
}

TEST(Reshape, OpenAndCopiedExtents) {
  using P = params::Reshape;
  const auto reshape = [](Shape x, Ints s) {
    return Instance(OpKind::kReshape).In(P::kX, x).Set(P::kShape, s);
  };
  EXPECT_EQ(reshape({2, 6}, {3, -1}).Infer(), "tensor<fp16, [3, 4]>");
  EXPECT_EQ(reshape({2, 6}, {0, 0}).Infer(), "tensor<fp16, [2, 6]>");
  // A 0 means the input's extent, with axes counted from the last one, or 1 if the input has no
  // such axis.
  EXPECT_EQ(reshape({4, 3, 2}, {0, -1}).Infer(), "tensor<fp16, [3, 8]>");
  EXPECT_EQ(reshape({2, 50}, {1, 0, -1, 0}).Infer(), "tensor<fp16, [1, 1, 2, 50]>");
  EXPECT_NE(reshape({2, 6}, {0, 3, 2}).Infer().find("[1, 3, 2] has 6 elements, x has 12"),
            std::string::npos);
  EXPECT_NE(reshape({2, 6}, {5}).Infer().find("[5] has 5 elements, x has 12"), std::string::npos);
  EXPECT_NE(reshape({2, 6}, {-1, -1}).Infer().find("more than one -1"), std::string::npos);
  EXPECT_NE(reshape({2, 6}, {5, -1}).Infer().find("do not divide"), std::string::npos);
  EXPECT_NE(reshape({2, 6}, {-2}).Infer().find("shape[0] is -2"), std::string::npos);
  EXPECT_NE(
      reshape({1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}).Infer().find("Cannot reshape a tensor of rank > 5"),
      std::string::npos);
  EXPECT_NE(reshape({1}, {1 << 20, 1 << 20}).Infer().find("too many elements"), std::string::npos);
}

TEST(Transpose, NeedsAPermutation) {
  using P = params::Transpose;
  const auto transpose = [](Ints p) {
    return Instance(OpKind::kTranspose).In(P::kX, {2, 3, 4}).Set(P::kPerm, p);
  };
  EXPECT_EQ(transpose({2, 0, 1}).Infer(), "tensor<fp16, [4, 2, 3]>");
  EXPECT_EQ(transpose({-1, 0, 1}).Infer(), "tensor<fp16, [4, 2, 3]>");
  EXPECT_NE(transpose({0, 0, 1}).Infer().find("not a permutation"), std::string::npos);
  EXPECT_NE(transpose({0, 1}).Infer().find("perm has 2 entries, x has rank 3"), std::string::npos);
}

TEST(Concat, AddsOneAxisAndComparesTheOthers) {
  using P = params::Concat;
  EXPECT_EQ(Instance(OpKind::kConcat)
                .In(P::kValues, {2, 3})
                .In(P::kValues, {2, 5})
                .Set(P::kAxis, -1)
                .Infer(),
            "tensor<fp16, [2, 8]>");
  EXPECT_NE(Instance(OpKind::kConcat)
                .In(P::kValues, {2, 3})
                .In(P::kValues, {1, 3})
                .Set(P::kAxis, 1)
                .Infer()
                .find("may differ only on axis 1"),
            std::string::npos);
  EXPECT_NE(Instance(OpKind::kConcat)
                .In(P::kValues, {2, 3})
                .Set(P::kAxis, 2)
                .Infer()
                .find("axis 2 is outside rank 2"),
            std::string::npos);
  EXPECT_NE(Instance(OpKind::kConcat)
                .In(P::kValues, {2, 3})
                .In(P::kValues, {2, 5})
                .Set(P::kAxis, 1)
                .Flag(P::kInterleave, true)
                .Infer()
                .find("interleave needs operands of one shape"),
            std::string::npos);
}

TEST(Pad, CountsAxesFromTheLast) {
  using P = params::Pad;
  const auto pad = [](Ints p, const char* mode) {
    return Instance(OpKind::kPad).In(P::kX, {2, 3, 4}).Set(P::kPad, p).Set(P::kMode, mode);
  };
  EXPECT_EQ(pad({1, 2}, "constant").Infer(), "tensor<fp16, [2, 3, 7]>");
  EXPECT_EQ(pad({1, 0, 0, 2}, "replicate").Infer(), "tensor<fp16, [2, 4, 6]>");
  EXPECT_NE(pad({4, 0}, "reflect").Infer().find("reflect pads 4 on an axis of 4"),
            std::string::npos);
  EXPECT_EQ(pad({4, 0}, "symmetric").Infer(), "tensor<fp16, [2, 3, 8]>");
  EXPECT_NE(pad({5, 0}, "symmetric").Infer().find("symmetric pads 5"), std::string::npos);
  EXPECT_NE(pad({-1, 0}, "constant").Infer().find("pad is negative"), std::string::npos);
  EXPECT_NE(pad({1}, "constant").Infer().find("pad has 1 entries"), std::string::npos);
}

TEST(SliceBySize, MinusOneTakesTheRest) {
  using P = params::SliceBySize;
  const auto slice = [](Ints b, Ints s) {
    return Instance(OpKind::kSliceBySize).In(P::kX, {4, 5}).Set(P::kBegin, b).Set(P::kSize, s);
  };
  EXPECT_EQ(slice({1, 2}, {2, -1}).Infer(), "tensor<fp16, [2, 3]>");
  EXPECT_EQ(slice({-2, 0}, {2, 5}).Infer(), "tensor<fp16, [2, 5]>");
  EXPECT_NE(slice({3, 0}, {2, 5}).Infer().find("axis 0: begin 3 size 2 is outside 0 to 4"),
            std::string::npos);
  EXPECT_NE(slice({0}, {1}).Infer().find("need 2 entries"), std::string::npos);
}

TEST(Cast, ChangesOnlyTheElementType) {
  using P = params::Cast;
  EXPECT_EQ(Instance(OpKind::kCast).In(P::kX, {2, 3}).Set(P::kDtype, "int32").Infer(),
            "tensor<int32, [2, 3]>");
  EXPECT_NE(
      Instance(OpKind::kCast).In(P::kX, {2}).Set(P::kDtype, "int4").Infer().find("must be one of"),
      std::string::npos);
}

TEST(Cumsum, NeedsAnAxisInRange) {
  using P = params::Cumsum;
  EXPECT_EQ(Instance(OpKind::kCumsum).In(P::kX, {2, 3}).Set(P::kAxis, int64_t{-1}).Infer(),
            "tensor<fp16, [2, 3]>");
  EXPECT_EQ(Instance(OpKind::kCumsum).In(P::kX, {2, 3}).Set(P::kAxis, int64_t{2}).Infer(),
            "cumsum: axis 2 is outside rank 2");
}

TEST(ReduceArg, GivesIndicesOfTheChosenType) {
  using P = params::ReduceArg;
  EXPECT_EQ(Instance(OpKind::kReduceArgmax).In(P::kX, {2, 3}).Infer(), "tensor<int32, [2]>");
  EXPECT_EQ(Instance(OpKind::kReduceArgmin)
                .In(P::kX, {2, 3})
                .Set(P::kAxis, int64_t{0})
                .Flag(P::kKeepDims, true)
                .Set(P::kOutputDtype, "uint16")
                .Infer(),
            "tensor<uint16, [1, 3]>");
  EXPECT_EQ(Instance(OpKind::kReduceArgmax).In(P::kX, {2, 0}).Infer(),
            "reduce_argmax: axis -1 has no elements");
}

TEST(PerChannel, ConstantsHaveOneNumberPerChannel) {
  using P = params::WithAlpha;
  EXPECT_EQ(Instance(OpKind::kPrelu).In(P::kX, {1, 3, 4}).In(P::kAlpha, {3}).Infer(),
            "tensor<fp16, [1, 3, 4]>");
  EXPECT_EQ(Instance(OpKind::kPrelu).In(P::kX, {1, 3, 4}).In(P::kAlpha, {4}).Infer(),
            "prelu: alpha is tensor<fp16, [4]>, must be tensor<fp16, [3]>");
  EXPECT_EQ(Instance(OpKind::kPrelu).In(P::kX, {1, 3}).In(P::kAlpha, {3}).Infer(),
            "prelu: x has rank 2, must have 3 to 5");
  using B = params::BatchNorm;
  EXPECT_EQ(Instance(OpKind::kBatchNorm)
                .In(B::kX, {1, 3, 4})
                .In(B::kMean, {3})
                .In(B::kVariance, {2})
                .Infer(),
            "batch_norm: variance is tensor<fp16, [2]>, must be tensor<fp16, [3]>");
  EXPECT_EQ(Instance(OpKind::kInstanceNorm).In(0, {1, 3, 4, 4, 4}).Infer(),
            "instance_norm: x has rank 5, must have 3 to 4");
  EXPECT_EQ(Instance(OpKind::kL2Norm).In(0, {3, 4}).Infer(),
            "l2_norm: x has rank 2, must have 3 or more");
  EXPECT_EQ(Instance(OpKind::kLocalResponseNorm)
                .In(0, {1, 3, 4})
                .Set(params::LocalResponseNorm::kSize, int64_t{0})
                .Infer(),
            "local_response_norm: size is 0, must be at least 1");
}

TEST(Geometry, CrossProductTakesVectorsOfThree) {
  using P = params::Binary;
  EXPECT_EQ(Instance(OpKind::kCrossProduct).In(P::kX, {1, 3, 1, 5}).In(P::kY, {1, 3, 1, 5}).Infer(),
            "tensor<fp16, [1, 3, 1, 5]>");
  EXPECT_EQ(Instance(OpKind::kCrossProduct).In(P::kX, {1, 4, 1, 5}).In(P::kY, {1, 4, 1, 5}).Infer(),
            "cross_product: x is [1, 4, 1, 5], must be [N, 3, 1, W]");
  EXPECT_EQ(Instance(OpKind::kMatrixDecomposition).In(0, {2, 2}).Infer(),
            "matrix_decomposition: the shape of its results is not published");
}

TEST(ConvTranspose, ShapesFollowStrideAndPadding) {
  using P = params::ConvTranspose;
  const auto transposed = [](Shape x, Shape w) {
    return Instance(OpKind::kConvTranspose).In(P::kX, x).In(P::kWeight, w);
  };
  EXPECT_EQ(transposed({1, 3, 4, 4}, {3, 2, 3, 3}).Infer(), "tensor<fp16, [1, 2, 6, 6]>");
  EXPECT_EQ(transposed({1, 3, 4, 4}, {3, 2, 3, 3}).Set(P::kStrides, Ints{2, 3}).Infer(),
            "tensor<fp16, [1, 2, 9, 12]>");
  EXPECT_EQ(transposed({1, 3, 4, 4}, {3, 2, 3, 3})
                .Set(P::kStrides, Ints{2, 3})
                .Set(P::kPadType, "same")
                .Infer(),
            "tensor<fp16, [1, 2, 8, 12]>");
  EXPECT_EQ(transposed({1, 4, 5}, {4, 3, 2})
                .Set(P::kGroups, 2)
                .Set(P::kPadType, "custom")
                .Set(P::kPad, Ints{1, 0})
                .Infer(),
            "tensor<fp16, [1, 6, 5]>");
  EXPECT_EQ(transposed({1, 3, 4}, {2, 2, 3}).Infer(),
            "conv_transpose: weight [2, 2, 3] and 1 groups do not fit 3 input channels");
}

TEST(Einsum, TakesTwoEquationsInAnyLetters) {
  using P = params::Einsum;
  const auto einsum = [](const char* equation) {
    return Instance(OpKind::kEinsum)
        .In(P::kValues, {2, 3, 4, 5})
        .In(P::kValues, {1, 5, 4, 6})
        .Set(P::kEquation, equation)
        .Infer();
  };
  EXPECT_EQ(einsum("nchw,nwhu->nchu"), "tensor<fp16, [2, 3, 4, 6]>");
  EXPECT_EQ(einsum("abcd,adce->abce"), "tensor<fp16, [2, 3, 4, 6]>");
  EXPECT_NE(einsum("abcd,adce->abec").find("in other letters"), std::string::npos);
  EXPECT_NE(einsum("aacd,adce->aace").find("in other letters"), std::string::npos);
}

TEST(Attention, OperandsMustFit) {
  using P = params::Attention;
  const auto attend = [](Shape key, Shape mask) {
    return Instance(OpKind::kScaledDotProductAttention)
        .In(P::kQuery, {1, 2, 3, 4})
        .In(P::kKey, key)
        .In(P::kValue, {1, 2, 5, 6})
        .In(P::kAttnMask, mask)
        .Infer();
  };
  EXPECT_EQ(attend({1, 2, 5, 4}, {3, 5}), "tensor<fp16, [1, 2, 3, 6]>");
  EXPECT_NE(attend({1, 2, 4, 4}, {3, 5}).find("do not fit"), std::string::npos);
  EXPECT_NE(attend({1, 2, 5, 4}, {2, 5}).find("does not broadcast"), std::string::npos);
}

TEST(Quantize, ScalesAreScalarsOrVectorsOfTheAxis) {
  using P = params::Quantize;
  EXPECT_EQ(Instance(OpKind::kQuantize)
                .In(P::kInput, {2, 3})
                .In(P::kScale, {3})
                .Set(P::kAxis, 1)
                .Set(P::kOutputDtype, "uint8")
                .Infer(),
            "tensor<uint8, [2, 3]>");
  EXPECT_EQ(Instance(OpKind::kDequantize)
                .In(P::kInput, {2, 3}, DType::kInt8)
                .In(P::kScale, {2})
                .Set(P::kAxis, 1)
                .Infer(),
            "dequantize: scale is [2], axis 1 of the input has extent 3");
}

TEST(ConvQuantized, TakesLinearBytesWithAScaleForAllOrForEachChannel) {
  using P = params::ConvQuantized;
  const auto conv = [](Shape scale, Shape offset) {
    return Instance(OpKind::kConvQuantized)
        .In(P::kX, {1, 3, 8, 8})
        .In(P::kWeight, {4, 3, 3, 3}, DType::kUint8)
        .In(P::kQuantScale, scale)
        .In(P::kQuantBias, offset)
        .Set(P::kQuantizationType, "linear");
  };
  EXPECT_EQ(conv({}, {4}).Infer(), "tensor<fp16, [1, 4, 6, 6]>");
  EXPECT_EQ(conv({1}, {}).Set(P::kNbits, 8).Infer(), "tensor<fp16, [1, 4, 6, 6]>");
  const auto refuses = [](Instance one, std::string_view words) {
    const std::string answer = one.Infer();
    EXPECT_NE(answer.find(words), std::string::npos) << answer;
  };
  refuses(conv({}, {3}), "quant_bias is");
  refuses(conv({4, 1}, {}), "quant_scale is");
  refuses(conv({}, {}).Set(P::kNbits, 4), "nbits is 4");
  refuses(conv({}, {}).In(P::kBias, {4}, DType::kUint8), "has a bias of bytes");
}

TEST(Constexpr, TablesDivideTheirIndices) {
  using P = params::LutToDense;
  EXPECT_EQ(Instance(OpKind::kConstexprLutToDense)
                .In(P::kIndices, {4, 6}, DType::kUint3)
                .In(P::kLut, {2, 1, 8, 3})
                .Set(P::kVectorAxis, 1)
                .Infer(),
            "tensor<fp16, [4, 18]>");
  EXPECT_EQ(Instance(OpKind::kConstexprLutToDense)
                .In(P::kIndices, {4, 6}, DType::kUint3)
                .In(P::kLut, {1, 1, 4, 1})
                .Infer(),
            "constexpr_lut_to_dense: lut has 4 entries, uint3 indices need 8");
}

TEST(Lstm, ResultsOfBothDirectionsAreConcatenated) {
  using P = params::Lstm;
  EXPECT_EQ(Instance(OpKind::kLstm)
                .In(P::kX, {5, 2, 3})
                .In(P::kInitialH, {2, 8})
                .In(P::kInitialC, {2, 8})
                .In(P::kWeightIh, {16, 3})
                .In(P::kWeightHh, {16, 4})
                .In(P::kWeightIhBack, {16, 3})
                .In(P::kWeightHhBack, {16, 4})
                .Set(P::kDirection, "bidirectional")
                .Flag(P::kOutputSequence, true)
                .Infer(),
            "tensor<fp16, [5, 2, 8]> tensor<fp16, [2, 8]> tensor<fp16, [2, 8]>");
  EXPECT_EQ(Instance(OpKind::kLstm)
                .In(P::kX, {5, 2, 3})
                .In(P::kInitialH, {2, 4})
                .In(P::kInitialC, {2, 4})
                .In(P::kWeightIh, {12, 3})
                .In(P::kWeightHh, {16, 4})
                .Infer(),
            "lstm: weight_ih is [12, 3], must be [16, 3]");
}

TEST(Comparison, BroadcastsAndGivesBools) {
  using P = params::Binary;
  EXPECT_EQ(Instance(OpKind::kLess).In(P::kX, {2, 3}).In(P::kY, {3}).Infer(),
            "tensor<bool, [2, 3]>");
  EXPECT_EQ(
      Instance(OpKind::kEqual).In(P::kX, {2}, DType::kInt32).In(P::kY, {2}, DType::kInt32).Infer(),
      "tensor<bool, [2]>");
  EXPECT_EQ(Instance(OpKind::kLogicalAnd)
                .In(P::kX, {2, 1}, DType::kBool)
                .In(P::kY, {3}, DType::kBool)
                .Infer(),
            "tensor<bool, [2, 3]>");
  EXPECT_NE(Instance(OpKind::kLogicalNot).In(P::kX, {2}).Infer().find("x"), std::string::npos);
}

TEST(Select, BroadcastsAllThree) {
  using P = params::Select;
  EXPECT_EQ(Instance(OpKind::kSelect)
                .In(P::kCond, {2, 1}, DType::kBool)
                .In(P::kA, {3})
                .In(P::kB, {1})
                .Infer(),
            "tensor<fp16, [2, 3]>");
  EXPECT_EQ(Instance(OpKind::kSelect)
                .In(P::kCond, {2}, DType::kBool)
                .In(P::kA, {2})
                .In(P::kB, {2}, DType::kInt32)
                .Infer(),
            "select: a is fp16 and b is int32, they must agree");
  EXPECT_EQ(Instance(OpKind::kSelect)
                .In(P::kCond, {4}, DType::kBool)
                .In(P::kA, {3})
                .In(P::kB, {3})
                .Infer(),
            "select: cond [4] does not broadcast with [3]");
}

}  // namespace
}  // namespace anecheck
