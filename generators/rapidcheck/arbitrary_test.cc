// Tests the contract of the adapters for RapidCheck. Drawn graphs are valid, drawn files parse and
// break no rule, and smaller choices give smaller values.
#include "generators/rapidcheck/arbitrary.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <sstream>

#include "generators/shrink/shrink.h"
#include "harness/formats/registry/registry.h"
#include "harness/graph/validate.h"
#include "harness/ops/op.h"
#include "oracles/testing/vacuity.h"

namespace anecheck {
namespace {

RC_GTEST_PROP(Arbitrary, GraphsValidate, (const Graph& graph)) {
  RC_ASSERT(ValidateGraph(graph).ok());
  RC_ASSERT(!graph.outputs().empty());
}

RC_GTEST_PROP(Arbitrary, CasesHaveAnInputForEachPort, (const GraphCase& item)) {
  const auto ports = item.graph.ValuesOfKind(ValueKind::kInput);
  RC_ASSERT(item.inputs.size() == ports.size());
  for (size_t i = 0; i < ports.size(); ++i) {
    RC_ASSERT(item.inputs[i].type == item.graph.type(ports[i]));
  }
}

template <FormatName Name>
void ExpectValid(const FileOf<Name>& file) {
  const auto format = FindFormat(Name.view());
  RC_ASSERT(format.ok());
  const auto broken = (*format)->verify(file.bytes);
  RC_ASSERT(broken.ok());
  RC_ASSERT(std::ranges::all_of(*broken, [](const Violation& v) { return v.IsWarning(); }));
}

#define ANECHECK_GENERATOR(name)                                             \
  RC_GTEST_PROP(FileOfFormat, IsValid_##name, (const FileOf<#name>& file)) { \
    RC_ASSERT(!file.bytes.empty());                                          \
    ExpectValid(file);                                                       \
  }
#include "generators/formats/generators.def"
#undef ANECHECK_GENERATOR

template <FormatName Name>
concept HasFiles = requires { typename FileOf<Name>; };
template <FormatName Name>
concept HasMutatedFiles = requires { typename MutatedFileOf<Name>; };
static_assert(HasFiles<"hwx"> && HasMutatedFiles<"hwx">);
static_assert(!HasFiles<"typo"> && !HasMutatedFiles<"typo">, "it would have no bytes");
static_assert(!HasFiles<"hw"> && !HasFiles<"">);

TEST(MutatedFileOfFormat, DiffersFromValidOnesInSomeDraws) {
  const auto format = FindFormat("hwx");
  ASSERT_TRUE(format.ok());
  int broken = 0;
  EXPECT_TRUE(rc::check("mutated files are parsed or refused, never more",
                        [&](const MutatedFileOf<"hwx">& file) {
                          const auto violations = (*format)->verify(file.bytes);
                          broken += !violations.ok() || !violations->empty() ? 1 : 0;
                        }));
  EXPECT_GT(broken, 0);
}

TEST(Arbitrary, AnEmptyStreamGivesTheSimplestGraph) {
  const auto shrinkable = arbitrary::Choices(0)(rc::Random(1), 100);
  EXPECT_TRUE(shrinkable.value().empty());
  ChoiceStream none = ChoiceStream::FromBytes({});
  Graph graph;
  GenerateGraph(none, {}, graph);
  EXPECT_EQ(graph.nodes().size(), 1u);
}

// As in campaigns, most values differ, and every output depends on the inputs.
TEST(Arbitrary, CasesCanTellSomething) {
  constexpr uint64_t kCases = 60;
  uint64_t varied = 0;
  size_t nodes = 0;
  Evaluation evaluation;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const GraphCase item = arbitrary::Graphs()(rc::Random(seed), 100).value();
    nodes += item.graph.nodes().size();
    varied += std::ranges::all_of(item.inputs, [](const Tensor& input) {
      std::set<uint16_t> halves;
      for (size_t i = 0; i + 1 < input.bytes.size(); i += 2) {
        halves.insert(static_cast<uint16_t>(input.bytes[i] | input.bytes[i + 1] << 8));
      }
      return halves.size() > input.bytes.size() / 8;
    });
    EXPECT_EQ(
        testing::FindVacuous(evaluation, item.graph, item.inputs, ConformingContract(2)).size(), 0u)
        << "seed " << seed;
  }
  EXPECT_GT(varied, kCases * 9 / 10);
  EXPECT_GT(nodes, 3 * kCases);
}

TEST(Arbitrary, ShrinksTowardsFewerNodes) {
  // The largest of some drawn graphs has a smaller graph among its shrinks.
  rc::Shrinkable<GraphCase> largest = arbitrary::Graphs()(rc::Random(0), 100);
  for (uint64_t seed = 1; seed < 20; ++seed) {
    auto drawn = arbitrary::Graphs()(rc::Random(seed), 100);
    if (drawn.value().graph.nodes().size() > largest.value().graph.nodes().size()) largest = drawn;
  }
  const size_t nodes = largest.value().graph.nodes().size();
  ASSERT_GT(nodes, 1u);
  size_t fewest = nodes;
  auto shrinks = largest.shrinks();
  for (int i = 0; i < 200; ++i) {
    const auto next = shrinks.next();
    if (!next) break;
    fewest = std::min(fewest, next->value().graph.nodes().size());
  }
  EXPECT_LT(fewest, nodes);
}

TEST(Arbitrary, OptionsReachTheGenerator) {
  GeneratorOptions options;
  options.ops.reset();
  options.ops.set(FindOp("relu")->schema.id);
  EXPECT_TRUE(rc::check("only the operations asked for occur", [&] {
    const GraphCase item = *arbitrary::Graphs(options);
    for (const Node& node : item.graph.nodes()) RC_ASSERT(node.schema->name == "relu");
  }));
}

TEST(Arbitrary, AnUnknownFormatGivesNothing) {
  const auto shrinkable = arbitrary::Files("no such format")(rc::Random(1), 100);
  EXPECT_TRUE(shrinkable.value().empty());
}

TEST(Arbitrary, CounterexamplesAreShown) {
  std::ostringstream out;
  showValue(FileOf<"td">{Bytes(5)}, out);
  EXPECT_EQ(out.str(), "td of 5 bytes");
  std::ostringstream mutated;
  showValue(MutatedFileOf<"td">{Bytes(7)}, mutated);
  EXPECT_EQ(mutated.str(), "mutated td of 7 bytes");
  std::ostringstream graph_text;
  GraphCase item;
  ChoiceStream none = ChoiceStream::FromBytes({});
  GenerateGraph(none, {}, item.graph);
  showValue(item, graph_text);
  EXPECT_NE(graph_text.str().find("\"ops\""), std::string::npos);
}

}  // namespace
}  // namespace anecheck
