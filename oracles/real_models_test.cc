// Real models from end to end, node by node: every operation's result for its actual operands
// agrees with the slow implementation on sampled elements, and an evaluation of the whole model
// agrees with the nodes.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "generators/choice_stream.h"
#include "harness/base/testing/same_number.h"
#include "harness/base/testing/test_data.h"
#include "harness/graph/copy_node.h"
#include "harness/models/made_up.h"
#include "harness/models/model.h"
#include "oracles/oracle.h"
#include "oracles/testing/slow.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::DecodedElements;
using testing::MakeTensor;
using testing::SameNumber;

constexpr size_t kSamples = 12;

// Random elements of a result, and the first and the last.
std::vector<size_t> SamplePlaces(size_t size, uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  std::vector<size_t> places = {0, size - 1};
  while (places.size() < std::min(kSamples, size)) places.push_back(choices.Below(size));
  return places;
}

// Evaluates a model node by node, each node on the stored results of earlier nodes. The tests
// compare the results with an evaluation of the whole model.
class Chain {
 public:
  Chain(const Graph& graph, std::span<const Tensor> inputs) : graph_(graph) {
    values_.resize(graph.values().size());
    last_use_.resize(graph.values().size(), 0);
    size_t next = 0;
    for (ValueId id = 0; id < graph.values().size(); ++id) {
      const Value& value = graph.value(id);
      if (value.kind == ValueKind::kInput) values_[id] = DecodedElements(inputs[next++]);
      if (value.kind == ValueKind::kConst) {
        const auto bytes = graph.ConstData(id);
        values_[id] = DecodedElements(Tensor{value.type, {bytes.begin(), bytes.end()}});
      }
    }
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      for (const Argument& argument : graph.arguments(graph.node(node))) {
        last_use_[argument.value] = node;
      }
    }
    for (const ValueId output : graph.outputs()) last_use_[output] = kNoNode;
  }

  // Evaluates every node and compares it; returns the first difference, or "".
  std::string Run() {
    for (NodeId node = 0; node < graph_.nodes().size(); ++node) {
      std::string difference = RunNode(node);
      if (!difference.empty()) return difference;
      for (const Argument& argument : graph_.arguments(graph_.node(node))) {
        if (last_use_[argument.value] == node) values_[argument.value] = {};
      }
    }
    return {};
  }

  const std::vector<double>& values(ValueId id) const { return values_[id]; }
  // The number of compared elements, by operation; 0 if the slow implementation has no value for
  // them.
  const std::map<std::string, size_t, std::less<>>& compared() const { return compared_; }

 private:
  std::string RunNode(NodeId id) {
    const Node& node = graph_.node(id);
    const NodeView view(graph_, node);
    std::vector<std::vector<double>> operands;
    operands.reserve(node.argument_count);
    for (const Argument& argument : graph_.arguments(node)) {
      operands.push_back(values_[argument.value]);
    }
    if (std::string error = Evaluate(node); !error.empty()) return error;
    size_t& compared = compared_[std::string(view.op())];
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const std::vector<double>& actual = values_[node.first_result + i];
      if (actual.empty()) continue;
      const std::vector<size_t> places = SamplePlaces(actual.size(), id);
      const auto slow = testing::SlowSample(view, operands, i, places);
      for (size_t k = 0; slow && k < places.size(); ++k) {
        if (!(*slow)[k]) continue;
        const double expected = *(*slow)[k];
        const double given = actual[places[k]];
        ++compared;
        if (SameNumber(given, expected)) continue;
        return fmt::format("{} ({}) result {} element {}: {:a}, slow {:a}",
                           graph_.value(node.first_result).name, view.op(), i, places[k], given,
                           expected);
      }
    }
    return {};
  }

  // Evaluates the node as a separate graph and keeps its results. Returns the error, or "".
  std::string Evaluate(const Node& node) {
    Graph one;
    std::vector<Tensor> inputs;
    std::vector<ValueId> known(graph_.values().size(), kNoValue);
    for (const Argument& argument : graph_.arguments(node)) {
      ValueId& place = known[argument.value];
      if (place != kNoValue) continue;
      const TensorType& type = graph_.type(argument.value);
      if (graph_.value(argument.value).kind == ValueKind::kConst) {
        place = one.AddConst(type, graph_.ConstData(argument.value));
        continue;
      }
      place = one.AddInput(type);
      inputs.push_back(MakeTensor(type.dtype, type.shape, values_[argument.value]));
    }
    CopyNode(graph_, node, known, one);
    Evaluation evaluation;
    const Status status = evaluation.Run(one, inputs, IeeeContract());
    if (!status.ok()) return status.error().message;
    Estimate estimate;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      evaluation.Stored(known[node.first_result + i], estimate);
      values_[node.first_result + i] = std::move(estimate.value);
    }
    return {};
  }

  const Graph& graph_;
  std::vector<std::vector<double>> values_;
  std::vector<NodeId> last_use_;
  std::map<std::string, size_t, std::less<>> compared_;
};

bool SameAt(const Estimate& whole, size_t element, double expected) {
  return SameNumber(whole.value[element], expected);
}

// Evaluates `graph` as a whole under `contract`, and compares every output with the chain's.
void ExpectOutputs(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract,
                   const Chain& chain, bool (*agrees)(const Estimate&, size_t, double)) {
  Evaluation evaluation;
  const Status status = evaluation.RunForOutputs(graph, inputs, contract);
  ASSERT_TRUE(status.ok()) << status.error().message;
  Estimate whole;
  for (const ValueId output : graph.outputs()) {
    evaluation.Stored(output, whole);
    const std::vector<double>& expected = chain.values(output);
    ASSERT_EQ(whole.value.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(agrees(whole, i, expected[i]))
          << contract.name << ": " << graph.value(output).name << " element " << i;
    }
  }
}

struct RealModel {
  const char* file;
  std::vector<ModelShape> shapes;  // of inputs whose extents the file leaves open
};

class RealModels : public ::testing::TestWithParam<RealModel> {};

TEST_P(RealModels, AgreeWithTheSlowImplementationNodeByNodeAndAsAWhole) {
  const std::string path = testing::RealDataPath(fmt::format("mil/{}.mil", GetParam().file));
  ANECHECK_SKIP_WITHOUT(path);
  const auto opened = Model::Open(path, {.made_up = true});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto model = opened->Read("", GetParam().shapes);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const Graph& graph = model->graph;
  const std::vector<Tensor> inputs = MadeUpInputs(graph);
  Chain chain(graph, inputs);
  ASSERT_EQ(chain.Run(), "");
  for (const auto& [op, count] : chain.compared()) EXPECT_GT(count, 0u) << op;
  ExpectOutputs(graph, inputs, IeeeContract(), chain, SameAt);
  ExpectOutputs(graph, inputs, ConformingContract(2), chain, Admits);
}

const RealModel kModels[] = {
    {"coremltools__add_model__model-a413e2be", {}},
    {"FluidAudio__Argmax__model-e1d1ff9c", {}},
    {"FluidAudio__TokenDurationPrediction__model-4de79cdc", {}},
    {"FluidAudio__TransposeEncoder__model-26f5318a", {}},
    {"FluidAudio__TransposeEncoder__model-26f5318a", {{"x", {1, 7, 30}}}},
    {"FluidAudio__decoder__model-5ead417f", {}},
    {"FluidAudio__parakeet_eou_preprocessor__model-25db6a13", {{"audio_signal", {1, 16000}}}},
    {"mobius__silero-vad-unified-v6.0.0__model-810386da", {}},
    {"mobius__unified_mixed__model-dfb10759", {}},
    {"mobius__unified_palette_4bit__model-474209c4", {}},
    {"mobius__unified_pruned_int8__model-8c2aeece", {}},
    {"SwiftWhisper__tiny-encoder__model-ccedc27e", {}},
};
INSTANTIATE_TEST_SUITE_P(Files, RealModels, ::testing::ValuesIn(kModels), [](const auto& instance) {
  std::string name = instance.param.file;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return fmt::format("{}_{}", name, instance.index);
});

// The list above contains every real file.
TEST(RealModelFiles, AreAllEvaluated) {
  const std::string folder = testing::RealDataPath("mil");
  ANECHECK_SKIP_WITHOUT(folder);
  for (const std::string& path : testing::FilesUnder(folder)) {
    if (!path.ends_with(".mil")) continue;
    EXPECT_TRUE(std::ranges::any_of(kModels, [&](const RealModel& model) {
      return path.ends_with(fmt::format("{}.mil", model.file));
    })) << path;
  }
}

}  // namespace
}  // namespace anecheck
