// Tests native layers that the engine receives as network descriptions. The expected results of
// these small cases were computed by hand.
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "harness/base/file.h"
#include "harness/device/testing/test_engine.h"
#include "harness/formats/netlist/model.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/ops/native.h"
#include "harness/ops/params.h"

namespace anecheck::device::testing {
namespace {

using Numbers = std::vector<double>;

std::vector<uint8_t> Bytes(const Numbers& numbers) {
  std::vector<uint8_t> bytes;
  for (const Half half : ToHalves(numbers)) {
    bytes.push_back(static_cast<uint8_t>(half.bits & 0xff));
    bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
  }
  return bytes;
}

// One layer with inputs a, b, ... and constants. It runs from its network description.
class Layer {
 public:
  explicit Layer(OpKind op) : op_(op) {}
  Layer& In(int parameter, anecheck::Shape shape, const Numbers& numbers) {
    const std::string name(1, static_cast<char>('a' + inputs_.size()));
    inputs_.push_back({name, numbers});
    operands_.emplace_back(parameter, graph_.AddInput({DType::kFp16, shape}, name));
    return *this;
  }
  Layer& Const(int parameter, anecheck::Shape shape, const Numbers& numbers) {
    operands_.emplace_back(parameter, graph_.AddConst({DType::kFp16, shape}, Bytes(numbers),
                                                      fmt::format("k{}", parameter)));
    return *this;
  }
  Layer& Set(const std::function<void(Graph&)>& attributes) {
    attributes_ = attributes;
    return *this;
  }
  Graph Finish() {
    graph_.BeginNode(&GetOp(op_).schema);
    for (const auto& [parameter, value] : operands_) graph_.AddArgument(parameter, value);
    if (attributes_) attributes_(graph_);
    const auto y = graph_.FinishNode(std::vector<std::string>{"y"});
    EXPECT_TRUE(y.ok()) << y.error().message;
    if (y.ok()) graph_.AddOutput(*y);
    return graph_;
  }
  Numbers Run(const std::string& target = "h14", std::string* error = nullptr) {
    const Graph graph = Finish();
    const auto folder = TempDirectory::Create("anecheck-native-");
    const auto lowered = GraphToNetlist(graph);
    EXPECT_TRUE(lowered.ok()) << lowered.error().message;
    if (!lowered.ok()) return {};
    EXPECT_TRUE(
        WriteFileAtomic(folder->File(kNetlistWeightFile), std::span(lowered->weights)).ok());
    const auto bytes = netlist::Write(lowered->description);
    LoadedProgram program({bytes.begin(), bytes.end()},
                          {.target = target, .model_folder = folder->path()});
    if (error != nullptr) *error = program.error();
    if (!program.ok()) {
      EXPECT_NE(error, nullptr) << program.error();
      return {};
    }
    for (const auto& [name, numbers] : inputs_) {
      const auto raw = Bytes(numbers);
      std::memcpy(program.Bind(name, false, raw.size()), raw.data(), raw.size());
    }
    const auto count = static_cast<size_t>(graph.type(graph.outputs()[0]).shape.Elements());
    const auto* y = static_cast<const Half*>(program.Bind("y", true, 2 * count));
    EXPECT_EQ(program.Execute(), 0) << program.error();
    return ToDoubles({y, y + count});
  }

 private:
  OpKind op_;
  Graph graph_;
  std::vector<std::pair<int, ValueId>> operands_;
  std::vector<std::pair<std::string, Numbers>> inputs_;
  std::function<void(Graph&)> attributes_;
};

class NativeLayers : public ::testing::Test {
 private:
  CleanSettings clean_;
};

Layer Sort(bool indices) {
  using P = params::NativeSort;
  return Layer(OpKind::kNativeSort)
      .In(P::kX, {1, 2, 1, 3}, {7, 8, 9, 2, 1, 3})
      .Set([indices](Graph& g) {
        g.AddString(P::kDirection, "Ascending");
        g.AddInt(P::kSortIndices, 1);
        g.AddBool(P::kIndices, indices);
      });
}

TEST_F(NativeLayers, SortOrdersEveryChannelByTheKeyChannel) {
  EXPECT_EQ(Sort(false).Run(), (Numbers{8, 7, 9, 1, 2, 3}));
  EXPECT_EQ(Sort(true).Run(), (Numbers{1, 0, 2}));
  std::string error;
  Sort(false).Run("h13", &error);
  EXPECT_NE(error.find(" @ "), std::string::npos) << "A13's code generation refuses it: " << error;
}

TEST_F(NativeLayers, TopKKeepsTheFirst) {
  using P = params::NativeTopK;
  EXPECT_EQ(Layer(OpKind::kNativeTopK)
                .In(P::kX, {1, 2, 1, 3}, {7, 8, 9, 2, 1, 3})
                .Set([](Graph& g) {
                  g.AddString(P::kType, "Max");
                  g.AddInt(P::kK, 2);
                  g.AddInt(P::kSortIndices, 1);
                  g.AddBool(P::kIndices, false);
                })
                .Run(),
            (Numbers{9, 7, 3, 2}));
}

TEST_F(NativeLayers, PositionsComeBackInFp16) {
  const Numbers x = {1, 5, 2, 8, 9, 0, 7, 3};
  const auto arg = [&](const char* mode) {
    return Layer(OpKind::kNativeArgMinMax)
        .In(0, {1, 2, 2, 2}, x)
        .Set([mode](Graph& g) { g.AddString(params::NativeArgMinMax::kMode, mode); })
        .Run("h13");
  };
  EXPECT_EQ(arg("SpatialArgMax"), (Numbers{3, 0}));
  EXPECT_EQ(arg("SpatialArgMin"), (Numbers{0, 1}));
  EXPECT_EQ(arg("ChannelArgMax"), (Numbers{1, 0, 1, 0}));
  const auto global = [&](const char* dimension) {
    return Layer(OpKind::kNativeGlobalArgMinMax)
        .In(0, {1, 2, 2, 2}, x)
        .Set([dimension](Graph& g) {
          g.AddString(params::NativeGlobalArgMinMax::kType, "Max");
          g.AddString(params::NativeGlobalArgMinMax::kDimension, dimension);
        })
        .Run("h13");
  };
  EXPECT_EQ(global("Channel"), (Numbers{1, 0, 1, 0}));
  EXPECT_EQ(global("Height"), (Numbers{1, 1, 0, 1}));
  EXPECT_EQ(global("Width"), (Numbers{1, 1, 0, 0}));
}

TEST_F(NativeLayers, RangeNormalizationMapsToZeroAndOne) {
  using P = params::NativeMinMaxNorm;
  EXPECT_EQ(Layer(OpKind::kNativeMinMaxNorm)
                .In(P::kX, {1, 1, 2, 3}, {1, 2, 3, 10, 14, 18})
                .Set([](Graph& g) {
                  g.AddString(P::kDimension, "Width");
                  g.AddFloat(P::kEpsilon, 0);
                })
                .Run(),
            (Numbers{0, 0.5, 1, 0, 0.5, 1}));
}

TEST_F(NativeLayers, ScaledElementWiseScalesItsResult) {
  using P = params::NativeScaledElementWise;
  const auto scaled = [](const char* type) {
    return Layer(OpKind::kNativeScaledElementWise)
        .In(P::kX, {1, 3}, {1, 2, 3})
        .In(P::kY, {1, 3}, {4, -5, 6})
        .Set([type](Graph& g) {
          g.AddString(P::kType, type);
          g.AddFloat(P::kScale, 2);
        })
        .Run("h13");
  };
  EXPECT_EQ(scaled("Add"), (Numbers{10, -6, 18}));
  EXPECT_EQ(scaled("Max"), (Numbers{8, 4, 12}));
  EXPECT_EQ(scaled("Min"), (Numbers{2, -10, 6}));
}

TEST_F(NativeLayers, CorrelationDoesNotFlipTheTemplate) {
  using P = params::NativeCrossCorrelation;
  EXPECT_EQ(Layer(OpKind::kNativeCrossCorrelation)
                .In(P::kX, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})
                .In(P::kTemplate, {1, 1, 1, 4}, {1, 0, 0, 10})
                .Set([](Graph& g) {
                  g.AddInt(params::NativeTemplate::kHeight, 2);
                  g.AddInt(params::NativeTemplate::kWidth, 2);
                })
                .Run("h13"),
            (Numbers{51, 62}));
}

TEST_F(NativeLayers, GainAndOffsetAreByChannel) {
  using P = params::GainOffset;
  EXPECT_EQ(Layer(OpKind::kPeGoc)
                .In(P::kX, {1, 2, 1, 2}, {1, 2, 3, 4})
                .Const(P::kScale, {2}, {2, -1})
                .Const(P::kBias, {2}, {0.5, 10})
                .Run("h13"),
            (Numbers{2.5, 4.5, 7, 6}));
}

Layer DynamicGain(bool scaled) {
  using P = params::GainOffset;
  Layer layer(OpKind::kNativeDynamicGoc);
  layer.In(P::kX, {1, 2, 1, 2}, {1, 2, 3, 4});
  if (scaled) layer.In(P::kScale, {1, 2, 1, 1}, {2, -1});
  return layer.In(P::kBias, {1, 2, 1, 1}, {0.5, 10});
}

TEST_F(NativeLayers, GainAndOffsetMayBeInputs) {
  EXPECT_EQ(DynamicGain(true).Run("h13"), (Numbers{2.5, 4.5, 7, 6}));
  EXPECT_EQ(DynamicGain(false).Run("h13"), (Numbers{1.5, 2.5, 13, 14}));
}

Layer DynamicSlice(int64_t start) {
  using P = params::NativeDynamicSlice;
  return Layer(OpKind::kNativeDynamicSlice)
      .In(P::kX, {1, 1, 1, 4}, {10, 20, 30, 40})
      .Set([start](Graph& g) {
        g.AddInt(P::kStart, start);
        g.AddInt(P::kSliceSize, 2);
      });
}

TEST_F(NativeLayers, TheDynamicSliceBeginsAtItsStart) {
  EXPECT_EQ(DynamicSlice(0).Run(), (Numbers{10, 20}));
  EXPECT_EQ(DynamicSlice(1).Run(), (Numbers{20, 30}));
  EXPECT_EQ(DynamicSlice(2).Run(), (Numbers{30, 40}));
  std::string error;
  DynamicSlice(0).Run("h13", &error);
  EXPECT_NE(error.find(" @ "), std::string::npos) << "A13's code generation refuses it: " << error;
}

TEST_F(NativeLayers, DropoutAtRateZeroDropsNothing) {
  const auto dropout = [](const char* target, std::string* error) {
    return Layer(OpKind::kNativeDropout)
        .In(0, {2, 2}, {1, -2, 0, 65504})
        .Set([](Graph& g) { g.AddFloat(params::NativeDropout::kRate, 0); })
        .Run(target, error);
  };
  EXPECT_EQ(dropout("h15", nullptr), (Numbers{1, -2, 0, 65504}));
  std::string error;
  dropout("h14", &error);
  EXPECT_NE(error.find("Dropout layer is not supported on this architecture."), std::string::npos)
      << error;
}

// The flag of a pair is in the low byte of its cell, so a set flag reads as the least number of
// fp16. A point exactly at the radius counts as within the radius.
TEST_F(NativeLayers, RadiusSearchFlagsThePointsWithin) {
  using P = params::NativeRadiusSearch;
  constexpr double kSet = 0x1p-24;
  EXPECT_EQ(Layer(OpKind::kNativeRadiusSearch)
                .In(P::kCentroids, {1, 3, 1, 2}, {0, 4, 0, 0, 0, 0})
                .In(P::kPoints, {1, 3, 1, 3}, {0, 3, 9, 0, 4, 0, 0, 0, 0})
                .Set([](Graph& g) { g.AddFloat(P::kRadius, 5); })
                .Run("h13"),
            (Numbers{kSet, kSet, kSet, kSet, 0, kSet}));
}

TEST_F(NativeLayers, Geometry) {
  EXPECT_EQ(Layer(OpKind::kCrossProduct)
                .In(0, {1, 3, 1, 1}, {1, 2, 3})
                .In(1, {1, 3, 1, 1}, {4, 5, 6})
                .Run("h13"),
            (Numbers{-3, 6, -3}));
  using V = params::CostVolume;
  EXPECT_EQ(Layer(OpKind::kCostVolume)
                .In(V::kX, {1, 1, 1, 2}, {1, 5})
                .In(V::kY, {1, 1, 1, 3}, {2, 4, 9})
                .Set([](Graph& g) {
                  g.AddInt(V::kDisparityDirection, 0);
                  g.AddInt(V::kDisparityRange, 1);
                })
                .Run("h13"),
            (Numbers{1, 1, 3, 4}));
  using F = params::NativeFurthestPointSampling;
  EXPECT_EQ(Layer(OpKind::kNativeFurthestPointSampling)
                .In(F::kPoints, {1, 3, 1, 4}, {0, 1, 9, 5, 0, 0, 0, 5, 0, 0, 0, 0})
                .Set([](Graph& g) { g.AddInt(F::kCentroidCount, 3); })
                .Run("h13"),
            (Numbers{0, 9, 5, 0, 0, 5, 0, 0, 0}));
}

TEST_F(NativeLayers, AttentionWeighsTheValues) {
  using P = params::NativeSdpa;
  // Both keys have the same score, but the mask excludes the second key from the first row.
  EXPECT_EQ(Layer(OpKind::kNativeSdpa)
                .In(P::kQuery, {1, 2, 1, 2}, {1, 0, 1, 0})
                .In(P::kKey, {1, 2, 1, 2}, {1, 2, 1, 3})
                .In(P::kValue, {1, 2, 1, 2}, {2, 4, 6, 8})
                .Const(P::kScale, {1}, {0.5})
                .In(P::kMask, {1, 2, 1, 2}, {0, -60000, 0, 0})
                .Set([](Graph& g) { g.AddBool(P::kSubtractMax, true); })
                .Run("h13"),
            (Numbers{2, 4, 4, 6}));
}

// The array of A16 and A18 reads an infinity as 65536, so its product with a key of 0 is 0.
TEST_F(NativeLayers, AttentionReadsInfinitiesAsTheArrayDoes) {
  using P = params::NativeSdpa;
  EXPECT_EQ(Layer(OpKind::kNativeSdpa)
                .In(P::kQuery, {1, 1, 1, 2}, {0, std::numeric_limits<double>::infinity()})
                .In(P::kKey, {1, 2, 1, 2}, {0, 0, 0, 0})
                .In(P::kValue, {1, 2, 1, 2}, {2, 4, 6, 8})
                .Const(P::kScale, {1}, {0.5})
                .Set([](Graph& g) { g.AddBool(P::kSubtractMax, true); })
                .Run("h16g"),
            (Numbers{4, 6}));
}

TEST_F(NativeLayers, NoMilTextNamesThem) {
  const Graph graph =
      Layer(OpKind::kNativeArgMinMax)
          .In(0, {1, 2, 2, 2}, {})
          .Set([](Graph& g) { g.AddString(params::NativeArgMinMax::kMode, "SpatialArgMax"); })
          .Finish();
  const LoadedProgram program(*GraphToMil(graph));
  EXPECT_NE(program.error().find("ArgMinMax: is a native layer"), std::string::npos)
      << program.error();
}

}  // namespace
}  // namespace anecheck::device::testing
