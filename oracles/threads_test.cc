// An evaluation has the same bits on one thread and on several.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/ops/params.h"
#include "oracles/oracle.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::KnownDeparturesOf;
using testing::MakeTensor;
using testing::SameBits;

// The first value that differs as text, or "".
std::string Difference(const Graph& graph, std::span<const Tensor> inputs,
                       const Contract& contract) {
  Evaluation one, several;
  several.UseThreads(3, 1);
  if (!one.Run(graph, inputs, contract).ok()) return "";
  const Status status = several.Run(graph, inputs, contract);
  if (!status.ok()) return status.error().message;
  Estimate a, b;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    if (graph.value(id).kind != ValueKind::kResult) continue;
    one.Intermediate(id, a);
    several.Intermediate(id, b);
    if (!SameBits(a.value, b.value) || !SameBits(a.low, b.low) || !SameBits(a.high, b.high) ||
        a.flags != b.flags || a.loose != b.loose) {
      return fmt::format("value {} under {}", id, contract.name);
    }
  }
  return "";
}

TEST(Threads, GiveTheSameBitsAsOneThreadForDrawnGraphs) {
  constexpr std::string_view kOps[] = {"conv", "linear", "matmul",  "softmax", "add",  "exp",
                                       "mul",  "relu",   "sigmoid", "clip",    "gelu", "einsum"};
  for (const CaseMode mode : {CaseMode::kInteger, CaseMode::kFloat, CaseMode::kSpecial,
                              CaseMode::kBoundary, CaseMode::kLargeAxis}) {
    GeneratorOptions options;
    options.mode = mode;
    options.max_elements = 4096;
    options.max_products = 1 << 16;
    options.ops.reset();
    for (const std::string_view op : kOps) options.ops.set(FindOp(op)->schema.id);
    for (uint64_t seed = 0; seed < 24; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      Graph graph;
      GenerateGraph(choices, options, graph);
      const std::vector<Tensor> inputs = GenerateInputs(choices, graph, mode);
      for (const int family : {2, 5, 6}) {
        ASSERT_EQ(Difference(graph, inputs, ConformingContract(family)), "") << "seed " << seed;
        ASSERT_EQ(Difference(graph, inputs, WithDepartures(family, KnownDeparturesOf(family))), "")
            << "seed " << seed << ", with the documented defects";
      }
    }
  }
}

std::vector<double> Numbers(int64_t count, uint32_t seed, double scale) {
  std::vector<double> numbers(static_cast<size_t>(count));
  uint32_t state = seed;
  for (double& number : numbers) {
    state = state * 1664525 + 1013904223;
    number = std::ldexp(static_cast<int>(state >> 20 & 0x7ff) - 1024, -10) * scale;
  }
  return numbers;
}

// A product of points, then a product of intervals, then a normalisation.
TEST(Threads, GiveTheSameBitsAsOneThreadForChainsOfProducts) {
  for (const double scale : {0.25, 64.0, 4096.0}) {  // the last one overflows
    Case c;
    const ValueId x = c.Input(MakeTensor(DType::kFp16, {2, 40, 24}, Numbers(1920, 1, scale)));
    const ValueId w = c.Const(MakeTensor(DType::kFp16, {24, 32}, Numbers(768, 2, 1)));
    const ValueId first = c.Binary(OpKind::kMatmul, x, w);
    const ValueId curve = c.Unary(OpKind::kSigmoid, first);
    const ValueId v = c.Const(MakeTensor(DType::kFp16, {32, 33}, Numbers(1056, 3, scale)));
    const ValueId second = c.Binary(OpKind::kMatmul, curve, v);
    const ValueId last = c.Unary(OpKind::kSoftmax, second);
    c.graph.AddOutput(last);
    for (int family = 0; family < kContracts; ++family) {
      EXPECT_EQ(Difference(c.graph, c.inputs, ConformingContract(family)), "") << scale;
    }
    const std::string_view ids[] = {"D01", "D03"};
    EXPECT_EQ(Difference(c.graph, c.inputs, WithDepartures(2, ids).value()), "") << scale;
  }
}

}  // namespace
}  // namespace anecheck
