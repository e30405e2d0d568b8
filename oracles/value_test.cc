// The value is right in every bit: against MPFR on random cases of each operation.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/graph_generator.h"
#include "harness/ops/params.h"
#include "oracles/testing/real.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::DecodedElements;
using testing::MakeTensor;

bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The numbers of every argument of a node, from the evaluation.
std::vector<std::vector<double>> OperandsOf(const NodeView& node, const Evaluation& evaluation) {
  std::vector<std::vector<double>> operands;
  Estimate estimate;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    evaluation.Intermediate(argument.value, estimate);
    operands.push_back(estimate.value);
  }
  return operands;
}

// Compares every node of a graph with the slow implementation on the oracle's own operands; adds
// the nodes compared to `compared`. "" or the difference.
std::string FindDifference(const Graph& graph, std::span<const Tensor> inputs,
                           std::array<int, kOpCount>& compared) {
  Evaluation evaluation;
  const Status status = evaluation.Run(graph, inputs, ConformingContract(2));
  if (!status.ok()) return status.error().message;
  Estimate actual;
  for (const Node& node : graph.nodes()) {
    const NodeView view(graph, node);
    const auto operands = OperandsOf(view, evaluation);
    // Where there is no result, the state that was written is compared.
    const uint32_t results = std::max<uint32_t>(node.result_count, 1);
    for (uint32_t result = 0; result < results; ++result) {
      const auto slow = testing::SlowValues(view, operands, result);
      if (!slow) break;
      const ValueId compared_value =
          node.result_count == 0 ? view.Input(0) : node.first_result + result;
      evaluation.Intermediate(compared_value, actual);
      for (size_t i = 0; i < slow->size(); ++i) {
        if ((*slow)[i] && !SameNumber(*(*slow)[i], actual.value[i])) {
          return fmt::format("{} result {} element {}: {:a}, slow {:a}", view.op(), result, i,
                             actual.value[i], *(*slow)[i]);
        }
      }
      compared[node.schema->id] += result == 0 ? 1 : 0;
    }
  }
  return {};
}

class EveryOperation : public ::testing::TestWithParam<size_t> {};

TEST_P(EveryOperation, AgreesWithTheSlowImplementationInEveryBit) {
  const std::string_view reason = GetOp(static_cast<OpKind>(GetParam())).no_reference_reason;
  if (!reason.empty()) GTEST_SKIP() << reason;
  std::array<int, kOpCount> compared{};
  ChoiceStream choices = ChoiceStream::FromSeed(GetParam() * 7919);
  // The generator gives up on some draws; a hundred of them must come through.
  for (int round = 0; round < 400 && compared[GetParam()] < 100; ++round) {
    GeneratorOptions options;
    options.mode = static_cast<CaseMode>(round % 5);
    options.family = kNoFamily;
    options.max_nodes = 1;
    options.max_elements = 24;
    options.max_products = 400;
    options.ops.reset();
    options.ops.set(GetParam());
    Graph graph;
    GenerateGraph(choices, options, graph);
    const std::vector<Tensor> inputs = GenerateInputs(choices, graph, options.mode);
    ASSERT_EQ(FindDifference(graph, inputs, compared), "");
  }
  EXPECT_GE(compared[GetParam()], 100);
}
INSTANTIATE_TEST_SUITE_P(Operations, EveryOperation, ::testing::Range<size_t>(0, kOpCount),
                         [](const auto& instance) {
                           return std::string(
                               GetOp(static_cast<OpKind>(instance.param)).schema.name);
                         });

TEST(ExactSums, SurviveCancellationThatDoubleLoses) {
  // 65504^2 and the square of the smallest subnormal: 81 bits apart.
  const double big = 65504;
  const double tiny = kHalfMinSubnormal;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 3}, {big, tiny, -big}));
  const ValueId w = c.Input(MakeTensor(DType::kFp16, {3, 1}, {big, 1, big}));
  const Estimate estimate = c.Run(c.Binary(OpKind::kMatmul, x, w));
  EXPECT_EQ(estimate.value[0], tiny);
}

}  // namespace
}  // namespace anecheck
