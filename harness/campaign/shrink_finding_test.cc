// A finding made small still is that finding, and names one operation.
#include "harness/campaign/shrink_finding.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

// Gives the oracle's values, one ulp too large in the first element of every result of `add`, by
// evaluating node after node as an engine would.
class WrongAdd final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "wrong-add"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kOk, .backend = "ane"};
      const Graph& graph = *request.graph;
      const auto estimates = Evaluate(graph, request.inputs, ConformingContract(2));
      if (!estimates.ok()) return estimates.error();
      for (size_t i = 0; i < estimates->size(); ++i) {
        const Estimate& estimate = (*estimates)[i];
        Tensor tensor = {estimate.type,
                         std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
        EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
        const Value& value = graph.value(graph.outputs()[i]);
        const bool add = value.kind == ValueKind::kResult &&
                         KindOf(*graph.node(value.producer).schema) == OpKind::kAdd;
        if (add) tensor.bytes[1] = static_cast<uint8_t>(tensor.bytes[1] ^ 0x04);
        reply.outputs.push_back(std::move(tensor));
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  Status Restart() override { return {}; }
};

// The first case of the campaign that has an add at an output which is judged wrong.
Artifact FindWrong() {
  Artifact artifact;
  artifact.options.targets = {{"h13", 2}};
  artifact.options.modes = {CaseMode::kFloat};
  artifact.id = "f000000000001";
  artifact.verdict = "wrong";
  WrongAdd runner;
  Evaluation evaluation;
  for (uint64_t index = 0;; ++index) {
    artifact.item = *MakeCase(artifact.options, index);
    const Case& item = artifact.item;
    const RunRequest request = {index, "h13", item.mil, &item.graph, item.inputs};
    const auto replies = runner.Run({&request, 1});
    const CaseOutcome outcome = JudgeCase(item, "mil", (*replies)[0], evaluation);
    if (outcome.record.verdict == "wrong" && item.graph.nodes().size() > 3) return artifact;
  }
}

TEST(ShrinkFinding, LeavesTheWrongOperationAloneWithLittleData) {
  const Artifact artifact = FindWrong();
  WrongAdd runner;
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->outcome.record.verdict, "wrong");
  EXPECT_EQ(shrunk->outcome.op, "add");
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u);
  EXPECT_EQ(shrunk->item.graph.node(0).schema->name, "add");
  EXPECT_LE(shrunk->after.elements, 4u);
  EXPECT_LT(shrunk->after, shrunk->before);
  EXPECT_FALSE(shrunk->item.mil.empty());
}

// Right at the graph's own shape, and wrong where a result of `add` is an output of a further one.
class WrongAtFurtherShapes final : public Runner {
 public:
  Result<RunnerIdentity> Identify() override { return RunnerIdentity{.runner = "wrong-further"}; }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kOk, .backend = "ane"};
      ANECHECK_ASSIGN(reply.outputs, Outputs(*request.graph, request.inputs, false));
      for (const RunShape& shape : request.further) {
        ANECHECK_ASSIGN(auto outputs, Outputs(shape.graph, shape.inputs, true));
        reply.further.push_back(std::move(outputs));
      }
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  static Result<std::vector<Tensor>> Outputs(const Graph& graph, std::span<const Tensor> inputs,
                                             bool wrong) {
    ANECHECK_ASSIGN(const auto estimates, Evaluate(graph, inputs, ConformingContract(2)));
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < estimates.size(); ++i) {
      const TensorType& type = estimates[i].type;
      Tensor tensor = {type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
      EncodeElements(type.dtype, estimates[i].value, tensor.bytes);
      const Value& value = graph.value(graph.outputs()[i]);
      const bool add = value.kind == ValueKind::kResult &&
                       KindOf(*graph.node(value.producer).schema) == OpKind::kAdd;
      if (wrong && add) tensor.bytes[1] = static_cast<uint8_t>(tensor.bytes[1] ^ 0x04);
      outputs.push_back(std::move(tensor));
    }
    return outputs;
  }
};

// Whether a sum takes the input whose extent is open: it can then stand alone. Where only what is
// computed from that input is added, the operations on the way have to stay.
bool AddsTheOpenInput(const Case& item) {
  const auto open = item.graph.FindValue(item.range->input);
  return std::ranges::any_of(item.graph.nodes(), [&](const Node& node) {
    return KindOf(*node.schema) == OpKind::kAdd &&
           std::ranges::any_of(item.graph.arguments(node),
                               [&](const Argument& argument) { return argument.value == open; });
  });
}

TEST(ShrinkFinding, KeepsTheRangeOfShapesThatAFindingNeeds) {
  Artifact artifact;
  artifact.options.targets = {{"h13", 2}};
  artifact.options.modes = {CaseMode::kShapeRanges};
  artifact.id = "f000000000002";
  artifact.verdict = "wrong";
  WrongAtFurtherShapes runner;
  Evaluation evaluation;
  for (uint64_t index = 0; artifact.item.graph.nodes().size() < 2; ++index) {
    ASSERT_LT(index, 2000u);
    Case item = *MakeCase(artifact.options, index);
    if (!item.range || !AddsTheOpenInput(item)) continue;
    const RunRequest request = RequestOf(item);
    const auto replies = runner.Run({&request, 1});
    ASSERT_TRUE(replies.ok()) << replies.error().message;
    const CaseOutcome outcome = JudgeCase(item, "mil", (*replies)[0], evaluation);
    if (outcome.at_further_shape && outcome.record.verdict == "wrong") {
      artifact.item = std::move(item);
    }
  }
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_TRUE(shrunk->outcome.at_further_shape);
  EXPECT_TRUE(shrunk->item.range);
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 1u) << shrunk->item.mil;
}

TEST(ShrinkFinding, WhatDoesNotShowIsAnError) {
  Artifact artifact = FindWrong();
  artifact.options.ops.reset();
  artifact.options.ops.set(static_cast<size_t>(OpKind::kRelu));
  artifact.item = *MakeCase(artifact.options, 0);
  WrongAdd runner;
  const auto shrunk = ShrinkFinding(artifact, runner);
  ASSERT_FALSE(shrunk.ok());
  EXPECT_NE(shrunk.error().message.find("now it is pass"), std::string::npos)
      << shrunk.error().message;
}

TEST(ShrinkFindingIf, TheUsersPredicateDecides) {
  const Artifact artifact = FindWrong();
  WrongAdd runner;
  const auto folder = TempDirectory::Create("anecheck-shrink-test-");
  ASSERT_TRUE(folder.ok());
  const FilePredicate two_nodes = [](const std::string& path) {
    const auto text = ReadTextFile(path);
    const std::string_view needle = "\"op\":";
    size_t count = 0;
    for (size_t at = text->find("\"ops\":"); (at = text->find(needle, at)) != std::string::npos;
         at += needle.size()) {
      ++count;
    }
    return count >= 2;
  };
  const auto shrunk = ShrinkFindingIf(artifact, runner, two_nodes, folder->path());
  ASSERT_TRUE(shrunk.ok()) << shrunk.error().message;
  EXPECT_EQ(shrunk->item.graph.nodes().size(), 2u);
  const auto none =
      ShrinkFindingIf(artifact, runner, [](const std::string&) { return false; }, folder->path());
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("does not accept"), std::string::npos);
}

}  // namespace
}  // namespace anecheck
