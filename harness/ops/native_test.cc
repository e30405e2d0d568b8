// Native layers: shapes, and the message of each refusal.
#include "harness/ops/native.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/ops/params.h"
#include "harness/ops/testing/instance.h"

namespace anecheck {
namespace {

using ::testing::HasSubstr;
using testing::Instance;

Instance Sdpa(const Shape& key) {
  using P = params::NativeSdpa;
  Instance sdpa(OpKind::kNativeSdpa);
  sdpa.In(P::kQuery, {1, 2, 3, 4}).In(P::kKey, key).In(P::kValue, key);
  return sdpa;
}

TEST(NativeSdpa, TakesTheSequenceInTheChannels) {
  using P = params::NativeSdpa;
  EXPECT_EQ(Sdpa({1, 5, 3, 4}).In(P::kScale, {1}).Flag(P::kSubtractMax, true).Infer(),
            "tensor<fp16, [1, 2, 3, 4]>");
  EXPECT_EQ(Sdpa({1, 5, 3, 4})
                .In(P::kScale, {1})
                .In(P::kMask, {1, 2, 1, 5})
                .Flag(P::kSubtractMax, true)
                .Infer(),
            "tensor<fp16, [1, 2, 3, 4]>");
  EXPECT_EQ(Sdpa({1, 5, 3, 4})
                .In(P::kScale, {1})
                .In(P::kMask, {1, 2, 3, 5})
                .Flag(P::kSubtractMax, false)
                .Infer(),
            "tensor<fp16, [1, 2, 3, 4]>");
  EXPECT_THAT(Sdpa({1, 5, 2, 4}).In(P::kScale, {1}).Flag(P::kSubtractMax, true).Infer(),
              HasSubstr("does not contract"));
  EXPECT_THAT(Sdpa({1, 5, 3, 4}).In(P::kScale, {2}).Flag(P::kSubtractMax, true).Infer(),
              HasSubstr("scale must be one number"));
  EXPECT_THAT(Sdpa({1, 5, 3, 4})
                  .In(P::kScale, {1})
                  .In(P::kMask, {1, 1, 1, 5})
                  .Flag(P::kSubtractMax, true)
                  .Infer(),
              HasSubstr("must be [1, 2, 1 or 3, 5]"));
}

std::string Sorted(const Shape& x, int64_t lane, bool indices) {
  using P = params::NativeSort;
  return Instance(OpKind::kNativeSort)
      .In(P::kX, x)
      .Set(P::kDirection, "Ascending")
      .Set(P::kSortIndices, lane)
      .Flag(P::kIndices, indices)
      .Infer();
}

TEST(NativeSort, OrdersColumnsByOneChannel) {
  EXPECT_EQ(Sorted({1, 3, 1, 8}, 2, false), "tensor<fp16, [1, 3, 1, 8]>");
  EXPECT_EQ(Sorted({1, 3, 1, 8}, 2, true), "tensor<fp16, [1, 1, 1, 8]>");
  EXPECT_THAT(Sorted({1, 3, 1, 8}, 3, true), HasSubstr("there are 3 channels"));
  EXPECT_THAT(Sorted({1, 3, 2, 8}, 0, true), HasSubstr("its height must be 1"));
  EXPECT_THAT(Sorted({1, 1, 1, 2049}, 0, true), HasSubstr("a width of 2049"));
}

std::string Top(int64_t k) {
  using P = params::NativeTopK;
  return Instance(OpKind::kNativeTopK)
      .In(P::kX, {1, 3, 1, 8})
      .Set(P::kType, "Max")
      .Set(P::kK, k)
      .Set(P::kSortIndices, int64_t{0})
      .Flag(P::kIndices, false)
      .Infer();
}

TEST(NativeTopK, KeepsKOfTheColumns) {
  EXPECT_EQ(Top(2), "tensor<fp16, [1, 3, 1, 2]>");
  EXPECT_THAT(Top(9), HasSubstr("K is 9, the width is 8"));
  EXPECT_THAT(Top(0), HasSubstr("K is 0"));
}

TEST(NativePositions, AreFp16) {
  const auto arg = [](const char* mode) {
    return Instance(OpKind::kNativeArgMinMax)
        .In(0, {1, 3, 4, 5})
        .Set(params::NativeArgMinMax::kMode, mode)
        .Infer();
  };
  EXPECT_EQ(arg("SpatialArgMin"), "tensor<fp16, [1, 3, 1, 1]>");
  EXPECT_EQ(arg("ChannelArgMax"), "tensor<fp16, [1, 1, 4, 5]>");
  const auto global = [](const char* dimension) {
    return Instance(OpKind::kNativeGlobalArgMinMax)
        .In(0, {1, 3, 4, 5})
        .Set(params::NativeGlobalArgMinMax::kType, "Min")
        .Set(params::NativeGlobalArgMinMax::kDimension, dimension)
        .Infer();
  };
  EXPECT_EQ(global("Channel"), "tensor<fp16, [1, 1, 4, 5]>");
  EXPECT_EQ(global("Height"), "tensor<fp16, [1, 3, 1, 5]>");
  EXPECT_EQ(global("Width"), "tensor<fp16, [1, 3, 4, 1]>");
  EXPECT_THAT(Instance(OpKind::kNativeArgMinMax)
                  .In(0, {1, 2049, 1, 1})
                  .Set(params::NativeArgMinMax::kMode, "ChannelArgMax")
                  .Infer(),
              HasSubstr("more than 2048 positions"));
  EXPECT_EQ(NativeAxis("Channel"), 1);
  EXPECT_EQ(NativeAxis("Height"), 2);
  EXPECT_EQ(NativeAxis("Width"), 3);
}

TEST(NativeArithmetic, KeepsTheShape) {
  using M = params::NativeMinMaxNorm;
  const auto range = [](double epsilon) {
    return Instance(OpKind::kNativeMinMaxNorm)
        .In(M::kX, {1, 3, 4, 5})
        .Set(M::kDimension, "Height")
        .Number(M::kEpsilon, epsilon)
        .Infer();
  };
  EXPECT_EQ(range(0.5), "tensor<fp16, [1, 3, 4, 5]>");
  EXPECT_THAT(range(-1), HasSubstr("Epsilon is -1"));
  using S = params::NativeScaledElementWise;
  const auto scaled = [](const Shape& y, const char* type) {
    return Instance(OpKind::kNativeScaledElementWise)
        .In(S::kX, {2, 3})
        .In(S::kY, y)
        .Set(S::kType, type)
        .Number(S::kScale, 2)
        .Infer();
  };
  EXPECT_EQ(scaled({2, 3}, "Add"), "tensor<fp16, [2, 3]>");
  EXPECT_THAT(scaled({3}, "Add"), HasSubstr("must share a shape"));
}

TEST(NativeGeometry, ShapesFollowTheOperands) {
  using C = params::NativeCrossCorrelation;
  const auto correlated = [](int64_t height, int64_t width, const Shape& row) {
    return Instance(OpKind::kNativeCrossCorrelation)
        .In(C::kX, {1, 1, 4, 6})
        .In(C::kTemplate, row)
        .Set(params::NativeTemplate::kHeight, height)
        .Set(params::NativeTemplate::kWidth, width)
        .Infer();
  };
  EXPECT_EQ(correlated(3, 2, {1, 1, 1, 6}), "tensor<fp16, [1, 1, 2, 5]>");
  EXPECT_THAT(correlated(5, 1, {1, 1, 1, 5}), HasSubstr("a template of 5 by 1"));
  EXPECT_THAT(correlated(3, 2, {1, 1, 3, 2}), HasSubstr("must be [1, 1, 1, 6]"));
  using F = params::NativeFurthestPointSampling;
  const auto sampled = [](const Shape& points, int64_t count) {
    return Instance(OpKind::kNativeFurthestPointSampling)
        .In(F::kPoints, points)
        .Set(F::kCentroidCount, count)
        .Infer();
  };
  EXPECT_EQ(sampled({1, 3, 1, 9}, 4), "tensor<fp16, [1, 3, 1, 4]>");
  EXPECT_THAT(sampled({1, 2, 1, 9}, 4), HasSubstr("must be [1, 3, 1, n]"));
  EXPECT_THAT(sampled({1, 3, 1, 9}, 10), HasSubstr("10 centroids of 9 points"));
  using V = params::CostVolume;
  const auto cost = [](int64_t width, int64_t direction) {
    return Instance(OpKind::kCostVolume)
        .In(V::kX, {1, 1, 1, 5})
        .In(V::kY, {1, 1, 1, width})
        .Set(V::kDisparityDirection, direction)
        .Set(V::kDisparityRange, int64_t{2})
        .Infer();
  };
  EXPECT_EQ(cost(7, 0), "tensor<fp16, [1, 3, 1, 5]>");
  EXPECT_THAT(cost(6, 0), HasSubstr("does not fit"));
  EXPECT_THAT(cost(7, 1), HasSubstr("must be 0"));
}

TEST(NativeRadiusSearch, HasARowForEachPointAndACellForEachCentroid) {
  using P = params::NativeRadiusSearch;
  const auto searched = [](const Shape& centroids, const Shape& points, double radius) {
    return Instance(OpKind::kNativeRadiusSearch)
        .In(P::kCentroids, centroids)
        .In(P::kPoints, points)
        .Number(P::kRadius, radius)
        .Infer();
  };
  EXPECT_EQ(searched({1, 3, 1, 2}, {1, 3, 1, 5}, 1), "tensor<fp16, [1, 1, 5, 2]>");
  EXPECT_THAT(searched({1, 2, 1, 2}, {1, 3, 1, 5}, 1),
              HasSubstr("centroids are [1, 2, 1, 2], must be [1, 3, 1, n]"));
  EXPECT_THAT(searched({1, 3, 1, 2}, {1, 3, 5, 1}, 1), HasSubstr("points are"));
  for (const double radius : {0.0, -1.0, 65504.0, HUGE_VAL}) {
    EXPECT_THAT(searched({1, 3, 1, 2}, {1, 3, 1, 5}, radius), HasSubstr("Radius is")) << radius;
  }
}

TEST(NativeDynamicGoc, TakesOneScaleAndOneBiasPerChannel) {
  using P = params::GainOffset;
  const auto goc = [] { return Instance(OpKind::kNativeDynamicGoc).In(P::kX, {2, 3, 4, 5}); };
  EXPECT_EQ(goc().In(P::kBias, {1, 3, 1, 1}).Infer(), "tensor<fp16, [2, 3, 4, 5]>");
  EXPECT_EQ(goc().In(P::kScale, {1, 3, 1, 1}).In(P::kBias, {1, 3, 1, 1}).Infer(),
            "tensor<fp16, [2, 3, 4, 5]>");
  EXPECT_THAT(goc().In(P::kBias, {3}).Infer(), HasSubstr("bias is [3], must be [1, 3, 1, 1]"));
  EXPECT_THAT(goc().In(P::kScale, {1, 4, 1, 1}).In(P::kBias, {1, 3, 1, 1}).Infer(),
              HasSubstr("scale is [1, 4, 1, 1]"));
}

TEST(NativeDynamicSlice, AcceptsOnlyTheInstanceThatSourcesShow) {
  using P = params::NativeDynamicSlice;
  const auto sliced = [](const Shape& x, int64_t start, int64_t size) {
    return Instance(OpKind::kNativeDynamicSlice)
        .In(P::kX, x)
        .Set(P::kStart, start)
        .Set(P::kSliceSize, size)
        .Infer();
  };
  for (const int64_t start : {0, 1, 2}) {
    EXPECT_EQ(sliced({1, 1, 1, 4}, start, 2), "tensor<fp16, [1, 1, 1, 2]>") << start;
  }
  for (const int64_t start : {-1, 3}) {
    EXPECT_THAT(sliced({1, 1, 1, 4}, start, 2), HasSubstr("the values outside x are unknown"));
  }
  EXPECT_THAT(sliced({1, 1, 1, 4}, 0, 3), HasSubstr("only [1, 1, 1, 4] and 2 are known"));
  EXPECT_THAT(sliced({1, 1, 1, 8}, 0, 2), HasSubstr("only [1, 1, 1, 4] and 2 are known"));
}

TEST(NativeDropout, DropsNothing) {
  const auto dropped = [](double rate) {
    return Instance(OpKind::kNativeDropout)
        .In(0, {2, 3})
        .Number(params::NativeDropout::kRate, rate)
        .Infer();
  };
  EXPECT_EQ(dropped(0), "tensor<fp16, [2, 3]>");
  EXPECT_THAT(dropped(0.5), HasSubstr("Rate is 0.5"));
}

}  // namespace
}  // namespace anecheck
