// Shapes and refusals of the operations that move elements.
#include <gtest/gtest.h>

#include "harness/ops/params.h"
#include "harness/ops/testing/instance.h"

namespace anecheck {
namespace {

using testing::Instance;
using testing::Ints;

bool Refuses(Instance instance, std::string_view words) {
  const std::string message = instance.Infer();
  if (message.find(words) != std::string::npos) return true;
  ADD_FAILURE() << message;
  return false;
}

void ExpectName(OpKind kind, int parameter, std::string_view name) {
  EXPECT_EQ(GetOp(kind).schema.parameters[static_cast<size_t>(parameter)].name, name);
}

TEST(MovementParams, IndicesAreThoseOfTheSchemas) {
  using namespace params;  // NOLINT(google-build-using-namespace)
  ExpectName(OpKind::kReshapeLike, ReshapeLike::kEndMasks, "end_masks");
  ExpectName(OpKind::kSqueeze, OverAxes::kAxes, "axes");
  ExpectName(OpKind::kExpandDims, OverAxes::kAxes, "axes");
  ExpectName(OpKind::kReverse, OverAxes::kAxes, "axes");
  ExpectName(OpKind::kFlatten2d, Flatten2d::kAxis, "axis");
  ExpectName(OpKind::kStack, Stack::kAxis, "axis");
  ExpectName(OpKind::kSplit, Split::kSplitSizes, "split_sizes");
  ExpectName(OpKind::kFill, Fill::kValue, "value");
  ExpectName(OpKind::kFillLike, FillLike::kValue, "value");
  ExpectName(OpKind::kRange1d, Range1d::kStep, "step");
  ExpectName(OpKind::kOneHot, OneHot::kOffValue, "off_value");
  ExpectName(OpKind::kSliceByIndex, SliceByIndex::kSqueezeMask, "squeeze_mask");
  ExpectName(OpKind::kSliceUpdate, SliceUpdate::kSqueezeMask, "squeeze_mask");
  ExpectName(OpKind::kReverseSequence, ReverseSequence::kBatchAxis, "batch_axis");
  ExpectName(OpKind::kTile, Tile::kReps, "reps");
  ExpectName(OpKind::kCrop, Crop::kCropWidth, "crop_width");
  ExpectName(OpKind::kBandPart, BandPart::kUpper, "upper");
  ExpectName(OpKind::kSlidingWindows, SlidingWindows::kStride, "stride");
  ExpectName(OpKind::kDepthToSpace, Blocks::kFactor, "block_size");
  ExpectName(OpKind::kPixelUnshuffle, Blocks::kFactor, "downscale_factor");
  ExpectName(OpKind::kSpaceToBatch, Batches::kMargins, "paddings");
  ExpectName(OpKind::kBatchToSpace, Batches::kMargins, "crops");
  ExpectName(OpKind::kGather, Gather::kValidateIndices, "validate_indices");
  ExpectName(OpKind::kGatherAlongAxis, GatherAlongAxis::kAxis, "axis");
  ExpectName(OpKind::kGatherNd, GatherNd::kBatchDims, "batch_dims");
  ExpectName(OpKind::kScatter, Scatter::kMode, "mode");
  ExpectName(OpKind::kScatterAlongAxis, Scatter::kMode, "mode");
  ExpectName(OpKind::kScatterNd, ScatterNd::kMode, "mode");
  ExpectName(OpKind::kResize, Resize::kSamplingMode, "sampling_mode");
  ExpectName(OpKind::kResizeBilinear, ResizePlane::kSamplingMode, "sampling_mode");
  ExpectName(OpKind::kResizeNearestNeighbor, ResizePlane::kTargetSizeWidth, "target_size_width");
  ExpectName(OpKind::kUpsampleBilinear, Upsample::kHalfPixelCenters, "half_pixel_centers");
  ExpectName(OpKind::kUpsampleNearestNeighbor, Upsample::kScaleFactorWidth, "scale_factor_width");
  ExpectName(OpKind::kCropResize, CropResize::kPadValue, "pad_value");
  ExpectName(OpKind::kResample, Resample::kAlignCorners, "align_corners");
  ExpectName(OpKind::kAffine, Affine::kAlignCorners, "align_corners");
  ExpectName(OpKind::kTopk, Topk::kOutputIndicesDtype, "output_indices_dtype");
  ExpectName(OpKind::kArgsort, Argsort::kAscending, "ascending");
  ExpectName(OpKind::kNonMaximumSuppression, NonMaximumSuppression::kPerClassSuppression,
             "per_class_suppression");
}

TEST(Structure, AxesAreAddedAndRemoved) {
  using P = params::OverAxes;
  EXPECT_EQ(Instance(OpKind::kExpandDims).In(P::kX, {2, 3}).Set(P::kAxes, Ints{0, -1}).Infer(),
            "tensor<fp16, [1, 2, 3, 1]>");
  EXPECT_EQ(Instance(OpKind::kSqueeze).In(P::kX, {1, 2, 1, 3}).Infer(), "tensor<fp16, [2, 3]>");
  EXPECT_EQ(Instance(OpKind::kSqueeze).In(P::kX, {1, 2, 1}).Set(P::kAxes, Ints{-1}).Infer(),
            "tensor<fp16, [1, 2]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kSqueeze).In(P::kX, {1, 2}).Set(P::kAxes, Ints{1}),
                      "axis 1 has extent 2, not 1"));
  EXPECT_EQ(Instance(OpKind::kFlatten2d).In(P::kX, {2, 3, 4}).Infer(), "tensor<fp16, [2, 12]>");
  EXPECT_EQ(Instance(OpKind::kFlatten2d).In(P::kX, {2, 3, 4}).Set(1, int64_t{3}).Infer(),
            "tensor<fp16, [24, 1]>");
  EXPECT_EQ(Instance(OpKind::kFlatten2d).In(P::kX, {0, 3}).Infer(), "tensor<fp16, [0, 3]>");
  EXPECT_EQ(Instance(OpKind::kFlatten2d).In(P::kX, {2, 0, 4}).Set(1, int64_t{2}).Infer(),
            "tensor<fp16, [0, 4]>");
  EXPECT_EQ(Instance(OpKind::kShape).In(P::kX, {2, 3, 4}).Infer(), "tensor<int32, [3]>");
  EXPECT_EQ(Instance(OpKind::kIdentity).In(P::kX, {2, 3}, DType::kBool).Infer(),
            "tensor<bool, [2, 3]>");
}

TEST(Structure, ReshapeLikeTakesExtentsOfItsReferences) {
  using P = params::ReshapeLike;
  // The example of MIL's definition takes extents 2, 3 of one reference and 5, 6 of the other.
  const auto like = [](Shape x) {
    return Instance(OpKind::kReshapeLike)
        .In(P::kX, x)
        .In(P::kRefTensors, {2, 3, 4})
        .In(P::kRefTensors, {1, 5, 6})
        .Set(P::kBegins, Ints{0, 1})
        .Set(P::kEnds, Ints{2, 0})
        .Flags(P::kEndMasks, Ints{0, 1});
  };
  EXPECT_EQ(like({180}).Infer(), "tensor<fp16, [2, 3, 5, 6]>");
  auto wrong = like({181});
  EXPECT_TRUE(Refuses(wrong, "[2, 3, 5, 6] has 180 elements, x has 181"));
}

TEST(Structure, SplitHasAResultForEachPart) {
  using P = params::Split;
  const auto split = [] { return Instance(OpKind::kSplit).In(P::kX, {2, 6}).Set(P::kAxis, 1); };
  EXPECT_EQ(split().Set(P::kNumSplits, 3).Infer(),
            "tensor<fp16, [2, 2]> tensor<fp16, [2, 2]> tensor<fp16, [2, 2]>");
  EXPECT_EQ(split().Set(P::kSplitSizes, Ints{1, 5}).Infer(),
            "tensor<fp16, [2, 1]> tensor<fp16, [2, 5]>");
  EXPECT_TRUE(Refuses(split().Set(P::kNumSplits, 4), "6 does not divide into 4 parts"));
  EXPECT_TRUE(Refuses(split().Set(P::kSplitSizes, Ints{1, 4}), "add up to 5, the axis has 6"));
  EXPECT_TRUE(Refuses(split(), "num_splits is 0"));
}

TEST(Structure, FillsTakeTheTypeOfTheirValue) {
  EXPECT_EQ(Instance(OpKind::kFill).Set(params::Fill::kShape, Ints{2, 3}).Infer(),
            "tensor<fp32, [2, 3]>");
  EXPECT_EQ(Instance(OpKind::kFillLike)
                .In(params::FillLike::kRefTensor, {2})
                .Const(params::FillLike::kValue, DType::kFp16, {}, {0, 0x3c})
                .Infer(),
            "tensor<fp16, [2]>");
  using P = params::Range1d;
  const auto range = [](uint8_t end, uint8_t step) {
    return Instance(OpKind::kRange1d)
        .Const(P::kEnd, DType::kInt32, {}, {end, 0, 0, 0})
        .Const(P::kStart, DType::kInt32, {}, {1, 0, 0, 0})
        .Const(P::kStep, DType::kInt32, {}, {step, 0, 0, 0});
  };
  EXPECT_EQ(range(10, 4).Infer(), "tensor<int32, [3]>");
  EXPECT_TRUE(Refuses(range(1, 4), "is empty or endless"));
  EXPECT_TRUE(Refuses(range(10, 0), "is empty or endless"));
  using H = params::OneHot;
  EXPECT_EQ(Instance(OpKind::kOneHot)
                .In(H::kIndices, {2, 3}, DType::kInt32)
                .Set(H::kOneHotVectorSize, 5)
                .Set(H::kAxis, 1)
                .Infer(),
            "tensor<int32, [2, 5, 3]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kOneHot)
                          .In(H::kIndices, {2}, DType::kInt32)
                          .Set(H::kOneHotVectorSize, 5)
                          .Const(H::kOnValue, DType::kFp16, {}, {0, 0x3c}),
                      "must have one element type"));
}

TEST(Structure, StackNeedsEqualOperands) {
  using P = params::Stack;
  EXPECT_EQ(Instance(OpKind::kStack)
                .In(P::kValues, {2, 3})
                .In(P::kValues, {2, 3})
                .Set(P::kAxis, -1)
                .Infer(),
            "tensor<fp16, [2, 3, 2]>");
  EXPECT_TRUE(Refuses(
      Instance(OpKind::kStack).In(P::kValues, {2}).In(P::kValues, {3}).Set(P::kAxis, int64_t{0}),
      "differ"));
}

TEST(Slices, AreThoseOfPython) {
  using P = params::SliceByIndex;
  const auto slice = [](Ints begin, Ints end) {
    return Instance(OpKind::kSliceByIndex)
        .In(P::kX, {4, 10})
        .Set(P::kBegin, begin)
        .Set(P::kEnd, end);
  };
  EXPECT_EQ(slice({1, -3}, {3, 10}).Infer(), "tensor<fp16, [2, 3]>");
  EXPECT_EQ(slice({0, 9}, {4, 2}).Set(P::kStride, Ints{3, -2}).Infer(), "tensor<fp16, [2, 4]>");
  EXPECT_EQ(
      slice({9, 9}, {0, 0}).Flags(P::kBeginMask, Ints{1, 1}).Flags(P::kEndMask, Ints{1, 1}).Infer(),
      "tensor<fp16, [4, 10]>");
  EXPECT_EQ(slice({-1, 2}, {0, 5}).Flags(P::kSqueezeMask, Ints{1, 0}).Infer(), "tensor<fp16, [3]>");
  const auto indexed = [&](int64_t begin, int64_t stride) {
    return slice({begin, 0}, {0, 10})
        .Set(P::kStride, Ints{stride, 1})
        .Flags(P::kSqueezeMask, Ints{1, 0});
  };
  EXPECT_EQ(indexed(3, -1).Infer(), "tensor<fp16, [10]>");
  for (const int64_t stride : {1, -1}) {
    EXPECT_TRUE(Refuses(indexed(4, stride), "axis 0: begin 4 end 0")) << stride;
    EXPECT_TRUE(Refuses(indexed(-5, stride), "axis 0: begin -5 end 0")) << stride;
  }
  EXPECT_EQ(slice({0, 0}, {4, 100}).Infer(), "tensor<fp16, [4, 10]>");
  EXPECT_TRUE(Refuses(slice({2, 0}, {2, 10}),
                      "axis 0: begin 2 end 2 stride 1 selects none of the 4 elements"));
  EXPECT_TRUE(Refuses(slice({0, 0}, {4, 4}).Set(P::kStride, Ints{1, 0}), "stride[1] is 0"));
  EXPECT_TRUE(Refuses(slice({0}, {4}), "need 2 entries"));
  EXPECT_TRUE(Refuses(slice({0, 0}, {4, 4}).Flags(P::kEndMask, Ints{1}), "a mask has 1 entries"));
}

TEST(Slices, UpdatesHaveTheSlicesShape) {
  using P = params::SliceUpdate;
  const auto update = [](Shape shape) {
    return Instance(OpKind::kSliceUpdate)
        .In(P::kX, {4, 10})
        .In(P::kUpdate, shape)
        .Set(P::kBegin, Ints{1, 0})
        .Set(P::kEnd, Ints{3, 10});
  };
  EXPECT_EQ(update({2, 10}).Infer(), "tensor<fp16, [4, 10]>");
  auto wrong = update({3, 10});
  EXPECT_TRUE(Refuses(wrong, "update is tensor<fp16, [3, 10]>, the slice is"));
}

TEST(Rearrangement, FactorsMustDivideExtents) {
  using P = params::Blocks;
  EXPECT_EQ(Instance(OpKind::kDepthToSpace).In(P::kX, {1, 12, 2, 3}).Set(P::kFactor, 2).Infer(),
            "tensor<fp16, [1, 3, 4, 6]>");
  EXPECT_EQ(Instance(OpKind::kPixelUnshuffle).In(P::kX, {1, 3, 4, 6}).Set(P::kFactor, 2).Infer(),
            "tensor<fp16, [1, 12, 2, 3]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kPixelShuffle).In(P::kX, {1, 6, 2, 2}).Set(P::kFactor, 2),
                      "6 channels do not divide by 2 squared"));
  EXPECT_TRUE(Refuses(Instance(OpKind::kSpaceToDepth).In(P::kX, {1, 6, 3, 2}).Set(P::kFactor, 2),
                      "3 by 2 does not divide by 2"));
  EXPECT_TRUE(Refuses(Instance(OpKind::kSpaceToDepth).In(P::kX, {6, 3, 2}).Set(P::kFactor, 2),
                      "x must have rank 4"));
}

TEST(Rearrangement, SpatialExtentsMoveToAndFromTheBatch) {
  using P = params::Batches;
  EXPECT_EQ(Instance(OpKind::kSpaceToBatch)
                .In(P::kX, {2, 3, 4, 5})
                .Set(P::kBlockShape, Ints{2, 3})
                .Set(P::kMargins, Ints{1, 1, 0, 1})
                .Infer(),
            "tensor<fp16, [12, 3, 3, 2]>");
  EXPECT_EQ(Instance(OpKind::kBatchToSpace)
                .In(P::kX, {12, 3, 3, 2})
                .Set(P::kBlockShape, Ints{2, 3})
                .Set(P::kMargins, Ints{1, 1, 0, 1})
                .Infer(),
            "tensor<fp16, [2, 3, 4, 5]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kSpaceToBatch)
                          .In(P::kX, {2, 3, 4, 5})
                          .Set(P::kBlockShape, Ints{2, 3})
                          .Set(P::kMargins, Ints{0, 0, 0, 0}),
                      "5 does not divide into blocks of 3"));
}

TEST(Rearrangement, CopiesAndWindows) {
  EXPECT_EQ(Instance(OpKind::kTile).In(0, {2, 3}).Set(params::Tile::kReps, Ints{4, 1}).Infer(),
            "tensor<fp16, [8, 3]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kTile).In(0, {2, 3}).Set(1, Ints{4, 0}), "reps[1] is 0"));
  using W = params::SlidingWindows;
  EXPECT_EQ(Instance(OpKind::kSlidingWindows)
                .In(W::kX, {2, 7})
                .Set(W::kAxis, -1)
                .Set(W::kSize, 3)
                .Set(W::kStride, 2)
                .Infer(),
            "tensor<fp16, [2, 3, 3]>");
  using C = params::Crop;
  EXPECT_EQ(Instance(OpKind::kCrop)
                .In(C::kX, {1, 2, 5, 6})
                .Set(C::kCropHeight, Ints{1, 2})
                .Set(C::kCropWidth, Ints{0, 3})
                .Infer(),
            "tensor<fp16, [1, 2, 2, 3]>");
  using R = params::ReverseSequence;
  EXPECT_TRUE(Refuses(
      Instance(OpKind::kReverseSequence).In(R::kX, {3, 4}).In(R::kLengths, {3}, DType::kInt32),
      "seq_axis and batch_axis are the same"));
  EXPECT_TRUE(Refuses(Instance(OpKind::kReverseSequence)
                          .In(R::kX, {3, 4})
                          .In(R::kLengths, {4}, DType::kInt32)
                          .Set(R::kSeqAxis, 1),
                      "lengths is [4], must be [3]"));
}

TEST(Gathers, ShapesFollowIndices) {
  using G = params::Gather;
  const auto gather = [](Shape indices) {
    return Instance(OpKind::kGather).In(G::kX, {2, 3, 4}).In(G::kIndices, indices, DType::kInt32);
  };
  EXPECT_EQ(gather({5, 6}).Set(G::kAxis, 1).Infer(), "tensor<fp16, [2, 5, 6, 4]>");
  EXPECT_EQ(gather({}).Set(G::kAxis, -1).Infer(), "tensor<fp16, [2, 3]>");
  EXPECT_EQ(gather({2, 5}).Set(G::kAxis, 1).Set(G::kBatchDims, 1).Infer(),
            "tensor<fp16, [2, 5, 4]>");
  EXPECT_TRUE(
      Refuses(gather({3, 5}).Set(G::kAxis, 1).Set(G::kBatchDims, 1), "axis 0 has extents 2 and 3"));
  EXPECT_TRUE(Refuses(gather({2, 5}).Set(G::kBatchDims, 1), "batch_dims is 1, must be 0 to 0"));
  EXPECT_EQ(Instance(OpKind::kGatherAlongAxis)
                .In(0, {2, 3})
                .In(1, {2, 5}, DType::kUint16)
                .Set(params::GatherAlongAxis::kAxis, 1)
                .Infer(),
            "tensor<fp16, [2, 5]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kGatherAlongAxis).In(0, {2, 3}).In(1, {2, 5}, DType::kInt32),
                      "may differ only on axis 0"));
  EXPECT_EQ(Instance(OpKind::kGatherNd).In(0, {2, 3, 4}).In(1, {5, 2}, DType::kInt32).Infer(),
            "tensor<fp16, [5, 4]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kGatherNd).In(0, {2, 3}).In(1, {5, 3}, DType::kInt32),
                      "an index vector of 3 does not fit rank 2"));
}

// x is [2, 3]. The constant indices are two int16 numbers or one vector of two.
TEST(Gathers, ConstantIndicesLieInsideIfValidated) {
  using Bytes = std::vector<uint8_t>;
  const auto taken = [](OpKind kind, Shape indices, Bytes bytes, int validate, bool checks) {
    return Instance(kind)
        .In(0, {2, 3})
        .Const(1, DType::kInt16, indices, bytes)
        .Flag(validate, checks)
        .Infer();
  };
  const Bytes inside = {1, 0, 0, 0}, negative = {0, 0, 0xff, 0xff}, beyond = {0, 0, 2, 0};
  const std::string below =
      ": index -1 is out of bounds, must be 0 to 1 where validate_indices is true";
  const int gather = params::Gather::kValidateIndices;
  EXPECT_EQ(taken(OpKind::kGather, {2}, inside, gather, true), "tensor<fp16, [2, 3]>");
  EXPECT_EQ(taken(OpKind::kGather, {2}, negative, gather, true), "gather" + below);
  EXPECT_NE(taken(OpKind::kGather, {2}, beyond, gather, true).find("index 2 is"),
            std::string::npos);
  EXPECT_EQ(taken(OpKind::kGather, {2}, negative, gather, false), "tensor<fp16, [2, 3]>");
  EXPECT_EQ(taken(OpKind::kGatherAlongAxis, {2, 1}, negative,
                  params::GatherAlongAxis::kValidateIndices, true)
                .find("gather_along_axis: "),
            0u);
  // An index vector names a row and a column. Column 2 is inside, but row 2 is not.
  const int nd = params::GatherNd::kValidateIndices;
  EXPECT_EQ(taken(OpKind::kGatherNd, {1, 2}, beyond, nd, true), "tensor<fp16, [1]>");
  EXPECT_NE(taken(OpKind::kGatherNd, {1, 2}, {2, 0, 0, 0}, nd, true).find("must be 0 to 1"),
            std::string::npos);
  EXPECT_NE(taken(OpKind::kGatherNd, {1, 2}, negative, nd, true).find("must be 0 to 2"),
            std::string::npos);
}

TEST(Scatters, ConstantIndicesLieInsideIfValidated) {
  const auto taken = [](OpKind kind, Shape indices, Shape updates, int validate) {
    return Instance(kind)
        .In(0, {2, 3})
        .Const(1, DType::kInt16, indices, {0xff, 0xff})
        .In(2, updates)
        .Flag(validate, true)
        .Infer();
  };
  const std::string below =
      ": index -1 is out of bounds, must be 0 to 1 where validate_indices is true";
  using P = params::Scatter;
  EXPECT_EQ(taken(OpKind::kScatter, {1}, {1, 3}, P::kValidateIndices), "scatter" + below);
  EXPECT_EQ(taken(OpKind::kScatterAlongAxis, {1, 3}, {1, 3}, P::kValidateIndices),
            "scatter_along_axis" + below);
  EXPECT_EQ(taken(OpKind::kScatterNd, {1, 1}, {1, 3}, params::ScatterNd::kValidateIndices),
            "scatter_nd" + below);
}

TEST(Scatters, UpdatesFitTheIndices) {
  using P = params::Scatter;
  const auto scatter = [](OpKind kind, Shape indices, Shape updates) {
    return Instance(kind)
        .In(P::kData, {2, 3})
        .In(P::kIndices, indices, DType::kInt32)
        .In(P::kUpdates, updates)
        .Infer();
  };
  EXPECT_EQ(scatter(OpKind::kScatter, {5}, {5, 3}), "tensor<fp16, [2, 3]>");
  EXPECT_NE(scatter(OpKind::kScatter, {5}, {4, 3}).find("must be tensor<fp16, [5, 3]>"),
            std::string::npos);
  EXPECT_EQ(scatter(OpKind::kScatterAlongAxis, {5, 3}, {5, 3}), "tensor<fp16, [2, 3]>");
  EXPECT_NE(scatter(OpKind::kScatterAlongAxis, {5, 2}, {5, 2}).find("may differ only on axis 0"),
            std::string::npos);
  EXPECT_EQ(scatter(OpKind::kScatterNd, {5, 1}, {5, 3}), "tensor<fp16, [2, 3]>");
  EXPECT_EQ(scatter(OpKind::kScatterNd, {5, 2}, {5}), "tensor<fp16, [2, 3]>");
}

TEST(Images, TargetsAndTheirRefusals) {
  EXPECT_EQ(Instance(OpKind::kResize)
                .In(0, {1, 2, 3, 4})
                .Set(params::Resize::kShape, Ints{0, 8})
                .Set(params::Resize::kResizedDims, 2)
                .Infer(),
            "tensor<fp16, [1, 2, 3, 8]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kResize)
                          .In(0, {1, 2, 3, 4})
                          .Set(params::Resize::kShape, Ints{5, 8, 8})
                          .Set(params::Resize::kResizedDims, 3),
                      "resized_dims is 3"));
  EXPECT_EQ(Instance(OpKind::kUpsampleBilinear)
                .In(0, {2, 3, 5})
                .Number(params::Upsample::kScaleFactorHeight, 2)
                .Number(params::Upsample::kScaleFactorWidth, 1.5)
                .Infer(),
            "tensor<fp16, [2, 6, 7]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kResizeBilinear).In(0, {3, 5}), "x must have rank 3"));
  using C = params::CropResize;
  EXPECT_EQ(Instance(OpKind::kCropResize)
                .In(C::kX, {2, 3, 5, 5})
                .In(C::kBoxes, {1, 4})
                .Set(C::kTargetHeight, 2)
                .Set(C::kTargetWidth, 7)
                .Infer(),
            "tensor<fp16, [1, 3, 2, 7]>");
  EXPECT_TRUE(Refuses(Instance(OpKind::kCropResize).In(C::kX, {2, 3, 5, 5}).In(C::kBoxes, {3, 4}),
                      "box_indices must be [3]"));
}

TEST(Detection, SortingKeepsTheAxisAndReturnsIndices) {
  using P = params::Topk;
  EXPECT_EQ(Instance(OpKind::kTopk).In(P::kX, {2, 5}).Set(P::kK, 3).Infer(),
            "tensor<fp16, [2, 3]> tensor<int32, [2, 3]>");
  EXPECT_EQ(Instance(OpKind::kTopk)
                .In(P::kX, {2, 5})
                .Set(P::kK, -1)
                .Set(P::kAxis, int64_t{0})
                .Flag(P::kReturnIndices, false)
                .Infer(),
            "tensor<fp16, [2, 5]>");
  EXPECT_EQ(Instance(OpKind::kTopk).In(P::kX, {4}).Set(P::kOutputIndicesDtype, "uint16").Infer(),
            "tensor<fp16, [1]> tensor<uint16, [1]>");
  EXPECT_TRUE(
      Refuses(Instance(OpKind::kTopk).In(P::kX, {2, 5}).Set(P::kK, 6), "k is 6, the axis has 5"));
  EXPECT_EQ(Instance(OpKind::kArgsort).In(0, {2, 5}).Infer(), "tensor<int32, [2, 5]>");
  EXPECT_EQ(Instance(OpKind::kNonMaximumSuppression)
                .In(0, {1, 6, 4})
                .In(1, {1, 6, 2})
                .Number(params::NonMaximumSuppression::kIouThreshold, 0.5)
                .Number(params::NonMaximumSuppression::kScoreThreshold, 0.5)
                .Set(params::NonMaximumSuppression::kMaxBoxes, 3)
                .Infer(),
            "tensor<fp16, [1, 3, 4]> tensor<fp16, [1, 3, 2]> tensor<int32, [1, 3]> tensor<int32, "
            "[1]>");
}

}  // namespace
}  // namespace anecheck
