// A runner with scripted answers and helpers, so that tests of campaigns need no engine.
#pragma once

#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/campaign/campaign.h"
#include "harness/ops/op.h"
#include "oracles/oracle.h"

namespace anecheck::testing {

// Makes runners of one kind, each from a copy of `arguments`.
template <typename Kind, typename... Arguments>
RunnerFactory Makes(Arguments... arguments) {
  return [=]() -> Result<std::unique_ptr<Runner>> {
    return std::unique_ptr<Runner>(std::make_unique<Kind>(arguments...));
  };
}

// Returns the outputs that the oracle expects for a graph, in the form of an engine's outputs.
inline Result<std::vector<Tensor>> ExpectedOutputs(const Graph& graph,
                                                   std::span<const Tensor> inputs) {
  ANECHECK_ASSIGN(const auto estimates, Evaluate(graph, inputs, ConformingContract(2)));
  std::vector<Tensor> outputs;
  for (const Estimate& estimate : estimates) {
    Tensor& tensor = outputs.emplace_back(Tensor{estimate.type, {}});
    tensor.bytes.resize(static_cast<size_t>(estimate.type.ByteSize()));
    EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
  }
  return outputs;
}

// As ExpectedOutputs, but an error fails the test.
inline std::vector<Tensor> RightOutputs(const Graph& graph, std::span<const Tensor> inputs) {
  const auto outputs = ExpectedOutputs(graph, inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  return outputs.ok() ? *outputs : std::vector<Tensor>();
}

// Answers with the oracle's own values, changed as the test's `spoil` requires.
class ScriptedRunner final : public Runner {
 public:
  using Spoil = std::function<void(const RunRequest&, RunReply&)>;
  // `restarts`, if not null, counts the restarts.
  explicit ScriptedRunner(Spoil spoil, Provenance provenance = Provenance::kReported,
                          int* restarts = nullptr)
      : spoil_(std::move(spoil)), provenance_(provenance), restarts_(restarts) {}

  Result<RunnerIdentity> Identify() override {
    return RunnerIdentity{.runner = "scripted", .provenance = provenance_, .engine = "none"};
  }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) {
      RunReply reply = {.id = request.id, .status = RunStatus::kOk, .backend = "ane"};
      ANECHECK_ASSIGN(reply.outputs, ExpectedOutputs(*request.graph, request.inputs));
      spoil_(request, reply);
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  Status Restart() override {
    if (restarts_ != nullptr) ++*restarts_;
    return {};
  }

 private:
  Spoil spoil_;
  Provenance provenance_;
  int* restarts_;
};

// Adds an operation with these operands, in the order of its parameters. Returns its first result.
inline ValueId AddNode(Graph& graph, OpKind kind, std::initializer_list<ValueId> operands) {
  graph.BeginNode(&GetOp(kind).schema);
  int parameter = 0;
  for (const ValueId operand : operands) graph.AddArgument(parameter++, operand);
  const auto first = graph.FinishNode();
  EXPECT_TRUE(first.ok()) << (first.ok() ? "" : first.error().message);
  return first.ok() ? *first : kNoValue;
}

// Changes one element of the tensor by a large amount.
inline void SpoilFirstElement(Tensor& tensor) {
  tensor.bytes[0] = static_cast<uint8_t>(tensor.bytes[0] ^ 0x55);
  tensor.bytes[1] = static_cast<uint8_t>(tensor.bytes[1] ^ 0x10);
}
inline void SpoilFirstElement(RunReply& reply) { SpoilFirstElement(reply.outputs[0]); }

class CampaignTest : public ::testing::Test {
 protected:
  CampaignOptions Options(uint64_t cases, int jobs = 1) {
    CampaignOptions options;
    options.cases = cases;
    options.jobs = jobs;
    options.seed = 11;
    options.targets = {{"h13", 2}};
    options.modes = {CaseMode::kInteger};
    options.db = folder_->File("r" + std::to_string(++files_) + ".sqlite");
    return options;
  }
  // Returns options for cases on A15 that only divide drawn numbers.
  CampaignOptions OfQuotients(uint64_t cases) {
    CampaignOptions options = Options(cases);
    options.targets = {{"h15", 4}};
    options.ops.reset();
    options.ops.set(static_cast<size_t>(OpKind::kRealDiv));
    options.modes = {CaseMode::kFloat};
    return options;
  }
  static RunnerFactory Scripted(ScriptedRunner::Spoil spoil) {
    return Makes<ScriptedRunner>(std::move(spoil));
  }
  static RunnerFactory Counted(ScriptedRunner::Spoil spoil, int& restarts) {
    return Makes<ScriptedRunner>(std::move(spoil), Provenance::kReported, &restarts);
  }
  static CampaignSummary Must(const Result<CampaignSummary>& summary) {
    EXPECT_TRUE(summary.ok()) << (summary.ok() ? "" : summary.error().message);
    return summary.ok() ? *summary : CampaignSummary{};
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-campaign-");
  int files_ = 0;
};

}  // namespace anecheck::testing
