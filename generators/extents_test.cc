// Tests the extents of drawn graphs. These include the limits of a target, one less than the
// limits, and extents on both sides of a change of an engine's method. Also tests working sets.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "generators/drawer.h"
#include "generators/graph_generator.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

Graph Generate(uint64_t seed, const GeneratorOptions& options) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Graph graph;
  GenerateGraph(choices, options, graph);
  return graph;
}

// `inputs` has the extents of the first inputs. `reduced` has the extents of axes reduced alone.
struct ExtentsSeen {
  std::set<int64_t> inputs, reduced;
};

ExtentsSeen ExtentsOf(CaseMode mode, uint64_t seeds) {
  ExtentsSeen seen;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Graph graph = Generate(seed, {.mode = mode});
    for (const int64_t dim : graph.type(0).shape.dims()) seen.inputs.insert(dim);
    for (const Node& node : graph.nodes()) {
      const NodeView view(graph, node);
      if (!node.schema->name.starts_with("reduce_") ||
          node.schema->name.starts_with("reduce_arg") ||
          !view.HasAttribute(params::Reduce::kAxes)) {
        continue;
      }
      const auto axes = view.Ints(params::Reduce::kAxes);
      const Shape& shape = view.InputShape(params::Reduce::kX);
      if (axes.size() == 1) seen.reduced.insert(shape[*NormalizeAxis(axes[0], shape.rank())]);
    }
  }
  return seen;
}

TEST(GraphGenerator, LargeAxisModeDrawsLongAxes) {
  int long_ones = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Graph graph = Generate(seed, {.mode = CaseMode::kLargeAxis});
    const auto dims = graph.type(0).shape.dims();
    EXPECT_TRUE(std::ranges::any_of(dims, [](int64_t dim) { return dim >= 191; })) << seed;
    long_ones += std::ranges::any_of(dims, [](int64_t dim) { return dim >= 4095; }) ? 1 : 0;
  }
  EXPECT_GT(long_ones, 400 / 2);
  EXPECT_LT(long_ones, 400);
}

// From 192 or 384 elements on, engines compute a reduction of one axis by another method
// (reduction_by_transpose).
TEST(GraphGenerator, ReducedExtentsLieOnBothSidesOfAMethodChange) {
  for (const CaseMode mode : {CaseMode::kLargeAxis, CaseMode::kShapeRanges}) {
    const ExtentsSeen seen = ExtentsOf(mode, 2500);
    for (const int64_t extent : {191, 192, 193, 383, 384, 385}) {
      EXPECT_TRUE(seen.inputs.contains(extent)) << ToText(mode) << " " << extent;
      EXPECT_TRUE(seen.reduced.contains(extent)) << ToText(mode) << " " << extent;
    }
  }
}

TEST(GraphGenerator, ShapeRangesReachTheLongestAxis) {
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Graph graph = Generate(seed, {.mode = CaseMode::kShapeRanges});
    for (const int64_t dim : graph.type(0).shape.dims()) seen.insert(dim);
  }
  for (const int64_t extent : {16384, 16383, 385, 384, 193, 192}) {
    EXPECT_TRUE(seen.contains(extent)) << extent;
  }
}

// The drawn extents include the limit and one less than the limit. None exceeds the limit.
TEST(GraphGenerator, ShapeRangesReachTheLimitsOfBatchAndChannels) {
  const GeneratorOptions options = {.mode = CaseMode::kShapeRanges,
                                    .longest_axis = 16384,
                                    .most_channels = 32768,
                                    .most_batch = 4096};
  std::set<int64_t> batches, channels;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const Graph graph = Generate(seed, options);
    const Shape& shape = graph.type(0).shape;
    batches.insert(shape[0]);
    channels.insert(shape[1]);
    // Operations that rearrange axes must not move a long axis to a position with a lower limit.
    for (const Value& value : graph.values()) {
      if (value.kind == ValueKind::kConst) continue;
      for (int axis = value.type.shape.rank() == 4 ? 2 : 0; axis < value.type.shape.rank();
           ++axis) {
        EXPECT_LE(value.type.shape[axis], options.longest_axis) << seed;
      }
    }
  }
  EXPECT_TRUE(batches.contains(4096) && batches.contains(4095));
  EXPECT_EQ(*batches.rbegin(), 4096);
  EXPECT_TRUE(channels.contains(32768) && channels.contains(32767));
  EXPECT_EQ(*channels.rbegin(), 32768);
}

// For a cross product, the generator places three copies of an operand along one axis. Some
// operands, such as products of matrices, are too long for this.
TEST(GraphGenerator, TheVectorsOfACrossProductFitOneAxis) {
  const GeneratorOptions options;
  const auto draws = [&](int64_t elements) {
    ChoiceStream choices = ChoiceStream::FromSeed(1);
    Graph graph;
    Drawer drawer(choices, options, graph);
    const OpGenerator& row = *AllOpGenerators()[static_cast<size_t>(OpKind::kCrossProduct)];
    return row.draw(drawer, drawer.NewInput({elements}));
  };
  EXPECT_TRUE(draws(options.longest_axis / 3));
  EXPECT_FALSE(draws(options.longest_axis / 3 + 1));
}

TEST(GraphGenerator, ShapeRangesReachTheCapsOfKernelsAndTheLongestAxisOfTheTarget) {
  GeneratorOptions options = {.mode = CaseMode::kShapeRanges, .longest_axis = 65536};
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kConv));
  std::set<int64_t> widths, heights, extents;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Graph graph = Generate(seed, options);
    for (const int64_t dim : graph.type(0).shape.dims()) extents.insert(dim);
    for (const Node& node : graph.nodes()) {
      if (node.schema->name != "conv") continue;
      const Shape& kernel = NodeView(graph, node).InputShape(params::Conv::kWeight);
      heights.insert(kernel[2]);
      widths.insert(kernel[3]);
    }
  }
  EXPECT_EQ(*heights.rbegin(), 29) << "the largest height that A13 accepts";
  EXPECT_TRUE(heights.contains(28));
  EXPECT_EQ(*widths.rbegin(), 13) << "the largest width that A13 accepts";
  EXPECT_TRUE(widths.contains(12));
  EXPECT_TRUE(extents.contains(65536) && extents.contains(65535));
}

// The sizes that occurred in graphs of a working set. They are the elements, channels and batch of
// the first input, and the elements of kernels.
struct WorkingSetSeen {
  std::set<int64_t> elements, channels, batches, kernels;
};

WorkingSetSeen SeenOf(const GeneratorOptions& options, uint64_t seeds) {
  WorkingSetSeen seen;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Graph graph = Generate(seed, options);
    EXPECT_LE(graph.nodes().size(), 3u);
    for (const Value& value : graph.values()) {
      const Shape& shape = value.type.shape;
      if (value.kind == ValueKind::kConst) continue;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        const bool own = shape.rank() == 4 && axis < 2;
        EXPECT_LE(shape[axis],
                  own ? std::max(options.most_channels, options.most_batch) : options.longest_axis);
      }
    }
    const Shape& shape = graph.type(0).shape;
    seen.elements.insert(shape.Elements());
    seen.channels.insert(shape[1]);
    seen.batches.insert(shape[0]);
    for (const Node& node : graph.nodes()) {
      if (node.schema->name != "conv") continue;
      seen.kernels.insert(NodeView(graph, node).InputShape(params::Conv::kWeight).Elements());
    }
  }
  return seen;
}

TEST(GraphGenerator, WorkingSetsCross64KilobytesAndTheLimitsOfChannelsAndBatch) {
  for (const CaseMode mode : {CaseMode::kInteger, CaseMode::kBoundary, CaseMode::kLargeAxis}) {
    GeneratorOptions options = {.mode = mode, .working_set = WorkingSet::k64Kilobytes};
    options.most_batch = 65536;
    options.most_channels = 65536;
    const WorkingSetSeen seen = SeenOf(options, 120);
    for (const int64_t count : {32767, 32768, 32769}) EXPECT_TRUE(seen.elements.contains(count));
    for (const int64_t count : {32752, 32768, 32784}) EXPECT_TRUE(seen.kernels.contains(count));
    EXPECT_TRUE(seen.channels.contains(65536) && seen.channels.contains(65535));
    EXPECT_TRUE(seen.batches.contains(65536) && seen.batches.contains(65535));
  }
}

TEST(GraphGenerator, WorkingSetsCross2Megabytes) {
  GeneratorOptions options = {.working_set = WorkingSet::k2Megabytes};
  WorkingSetSeen seen = SeenOf(options, 24);
  EXPECT_EQ(seen.elements, (std::set<int64_t>{1048575, 1048576}))
      << "1048577 is 17 * 61681, and 61681 is a prime above the axis limit";
  options.longest_axis = options.most_channels = 65536;
  seen = SeenOf(options, 24);
  EXPECT_EQ(seen.elements, (std::set<int64_t>{1048575, 1048576, 1048577}));
}

TEST(GraphGenerator, WorkingSetsKeepToTheOperationsOfTheOptions) {
  GeneratorOptions options = {.working_set = WorkingSet::k64Kilobytes};
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kConv));
  EXPECT_EQ(SeenOf(options, 20).batches, (std::set<int64_t>{1}));
  options.ops.reset();
  options.ops.set(static_cast<size_t>(OpKind::kSoftmax));
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = Generate(seed, options);
    EXPECT_LT(graph.type(0).shape.Elements(), 1024)
        << "no operation of the options fits a working set";
    const std::string_view name = graph.nodes()[0].schema->name;
    EXPECT_TRUE(name == "softmax" || name == "relu")
        << name << ": relu is drawn if no other operation fits";
  }
}

}  // namespace
}  // namespace anecheck
