// The generator draws every form of an operation that engines accept. It draws axes counted from
// either end, and broadcasts either operand.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "generators/drawer.h"
#include "generators/graph_generator.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// Draws `count` graphs with the operation `kind`, and calls `visit` for every node of this
// operation.
template <typename Visit>
void ForEachDrawn(OpKind kind, int count, Visit visit) {
  ChoiceStream choices = ChoiceStream::FromSeed(static_cast<uint64_t>(kind));
  GeneratorOptions options;
  options.family = kNoFamily;
  options.max_nodes = 4;
  options.ops.reset();
  options.ops.set(static_cast<size_t>(kind));
  for (int i = 0; i < count; ++i) {
    Graph graph;
    GenerateGraph(choices, options, graph);
    for (const Node& node : graph.nodes()) {
      if (KindOf(*node.schema) == kind) visit(NodeView(graph, node));
    }
  }
}

bool IsAxis(const Parameter& parameter) {
  const bool integers =
      parameter.kind == ParameterKind::kInt || parameter.kind == ParameterKind::kInts;
  return integers && !parameter.unsigned_integer && !parameter.unsigned_integers &&
         (parameter.name.ends_with("axis") || parameter.name.ends_with("axes") ||
          parameter.name == "begin" || parameter.name == "end");
}

// Parameters that are never negative, as "operation.parameter".
constexpr std::string_view kNeverNegative[] = {
    "slice_by_size.begin",  // counts from the first element; only sizes may be -1
    // No source shows a negative axis of these private units.
    "circular_buffer_to_tensor.axis",
    "tensor_to_circular_buffer.axis",
};

TEST(DrawnAttributes, AxesAndPositionsCountFromEitherEnd) {
  for (const OpDefinition* op : AllOps()) {
    const OpKind kind = KindOf(op->schema);
    if (AllOpGenerators()[static_cast<size_t>(kind)]->draw == nullptr) continue;
    std::map<std::string, std::set<bool>> signs;
    ForEachDrawn(kind, 400, [&](const NodeView& node) {
      for (size_t i = 0; i < node.schema().parameters.size(); ++i) {
        const Parameter& parameter = node.schema().parameters[i];
        const auto at = static_cast<int>(i);
        if (!IsAxis(parameter) || !node.HasAttribute(at)) continue;
        auto& seen = signs[std::string(parameter.name)];
        if (parameter.kind == ParameterKind::kInt) seen.insert(node.Int(at, 0) < 0);
        for (const int64_t entry : node.Ints(at)) seen.insert(entry < 0);
      }
    });
    for (const auto& [name, seen] : signs) {
      const std::string which = std::string(op->schema.name) + "." + name;
      const bool one = std::ranges::find(kNeverNegative, which) != std::end(kNeverNegative);
      EXPECT_EQ(seen.size(), one ? 1u : 2u) << which;
    }
  }
}

// Binary operations broadcast the first operand, the second, or both.
TEST(DrawnOperands, AreBroadcastOnEitherSideAndOnBoth) {
  using P = params::Binary;
  for (const OpKind kind :
       {OpKind::kAdd, OpKind::kSub, OpKind::kMul, OpKind::kRealDiv, OpKind::kFloorDiv, OpKind::kMod,
        OpKind::kPow, OpKind::kMaximum, OpKind::kMinimum}) {
    int same = 0, first = 0, second = 0, both = 0;
    ForEachDrawn(kind, 1500, [&](const NodeView& node) {
      const Shape& x = node.InputShape(P::kX);
      const Shape& y = node.InputShape(P::kY);
      const Shape& result = node.ResultType().shape;
      ++(x == y ? same : y == result ? first : x == result ? second : both);
    });
    const std::string_view name = GetOp(kind).schema.name;
    EXPECT_GT(same, 300) << name;
    EXPECT_GT(first, 50) << name;
    EXPECT_GT(second, 50) << name;
    EXPECT_GT(both, 5) << name;
  }
}

TEST(DrawnOperands, ComparisonsBroadcastEitherOperand) {
  using P = params::Binary;
  for (const OpKind kind : {OpKind::kLess, OpKind::kGreaterEqual, OpKind::kEqual}) {
    int repeated[2] = {0, 0};
    ForEachDrawn(kind, 1500, [&](const NodeView& node) {
      const Shape& result = node.ResultType().shape;
      repeated[0] += node.InputShape(P::kX) == result ? 0 : 1;
      repeated[1] += node.InputShape(P::kY) == result ? 0 : 1;
    });
    EXPECT_GT(repeated[0], 20) << GetOp(kind).schema.name;
    EXPECT_GT(repeated[1], 20) << GetOp(kind).schema.name;
  }
}

TEST(DrawnOperands, BatchesOfMatricesAreBroadcastOnEitherSide) {
  using P = params::Matmul;
  int first = 0, second = 0;
  ForEachDrawn(OpKind::kMatmul, 3000, [&](const NodeView& node) {
    const Shape& result = node.ResultType().shape;
    const auto repeats = [&](const Shape& operand) {
      for (int axis = 0; axis + 2 < result.rank() && operand.rank() == result.rank(); ++axis) {
        if (operand[axis] != result[axis]) return true;
      }
      return false;
    };
    first += repeats(node.InputShape(P::kX)) ? 1 : 0;
    second += repeats(node.InputShape(P::kY)) ? 1 : 0;
  });
  EXPECT_GT(first, 30);
  EXPECT_GT(second, 30);
}

// MIL text states a threshold in fp16. Rounding to fp16 would change most fractions.
TEST(DrawnAttributes, ThresholdsAreWholeNumbersOfTheMagnitudeOfTheirOperand) {
  const ValueRange ranges[] = {{0, 0}, {0, 0.5}, {-0.5, 0}, {0, 6}, {-6, 0}, {-3, 3}, {-1e6, 1e6}};
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  GeneratorOptions options;
  options.family = kNoFamily;
  for (const OpKind kind : {OpKind::kThreshold, OpKind::kThresholdedRelu}) {
    const auto alpha = GetOp(kind).schema.FindParameter("alpha");
    for (const ValueRange& range : ranges) {
      for (int i = 0; i < 50; ++i) {
        Graph graph;
        Drawer drawer(choices, options, graph);
        const ValueId x = drawer.NewInput({4});
        drawer.SetRange(x, range);
        ASSERT_TRUE(AllOpGenerators()[static_cast<size_t>(kind)]->draw(drawer, x));
        const double drawn = NodeView(graph, graph.nodes().back()).Float(alpha, 0.5);
        EXPECT_EQ(drawn, std::floor(drawn));
        EXPECT_LE(std::abs(drawn), std::clamp(range.Magnitude(), 1.0, 1024.0))
            << range.low << " to " << range.high;
      }
    }
  }
}

}  // namespace
}  // namespace anecheck
