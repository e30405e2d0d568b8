// A stand-in for Core ML, with which the Core ML runner runs on any system. The simulated engine is
// in the place of the engine, and the oracle in the place of the CPU. The first argument names the
// fault. The runner gets the other arguments.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "harness/base/file.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/models/model.h"
#include "harness/ops/op.h"
#include "harness/runners/coreml/coreml_runner.h"
#include "harness/runners/tensor_npz.h"
#include "harness/runners/worker.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"
#include "oracles/right_tensor.h"

namespace anecheck::coreml {
namespace {

Error Words(std::string_view words) { return MakeError(ErrorCode::kInvalid, std::string(words)); }

std::vector<ValueId> Inputs(const Graph& graph) { return graph.ValuesOfKind(ValueKind::kInput); }

Result<std::vector<Tensor>> TensorsOf(const Graph& graph, std::span<const npz::NamedArray> arrays) {
  std::vector<Tensor> tensors;
  for (const ValueId id : Inputs(graph)) {
    const Value& value = graph.value(id);
    const auto found = std::ranges::find(arrays, value.name, &npz::NamedArray::name);
    if (found == arrays.end()) return Words("no feature is named " + value.name);
    tensors.push_back({value.type, found->array.data});
  }
  return tensors;
}

Result<std::vector<npz::NamedArray>> ArraysOf(const Graph& graph, std::span<const Tensor> outputs) {
  std::vector<npz::NamedArray> arrays;
  for (size_t i = 0; i < outputs.size(); ++i) {
    ANECHECK_ASSIGN(npz::Array array, TensorToArray(outputs[i]));
    arrays.push_back({graph.value(graph.outputs()[i]).name, std::move(array)});
  }
  return arrays;
}

WorkerOptions EngineOptions() {
  WorkerOptions options;
  options.library = ANECHECK_SIMULATED_ENGINE;
  return options;
}

struct Setting {
  std::string_view word;
  bool is(std::string_view other) const { return word == other; }
};

class Loaded final : public LoadedModel {
 public:
  Loaded(Graph graph, Units units, Setting setting, Runner& engine)
      : graph_(std::move(graph)), units_(units), setting_(setting), engine_(engine) {}

  Result<std::vector<npz::NamedArray>> Predict(std::span<const npz::NamedArray> inputs) override {
    const bool on_engine = units_ == Units::kEngine;
    if (on_engine && setting_.is("no-predict")) return Words("Unable to compute the prediction");
    if (!on_engine && setting_.is("no-cpu")) return Words("Error in the CPU's prediction");
    ANECHECK_ASSIGN(const std::vector<Tensor> given, TensorsOf(graph_, inputs));
    ANECHECK_ASSIGN(std::vector<Tensor> outputs, on_engine ? OfEngine(given) : OfCpu(given));
    if (setting_.is("both-wrong") || (on_engine && setting_.is("wrong"))) {
      // Flips the sign and one exponent bit, which is a large error unless the number is near 0.
      for (size_t i = 1; i < outputs[0].bytes.size(); i += 2) outputs[0].bytes[i] ^= 0x84;
    }
    return ArraysOf(graph_, outputs);
  }

 private:
  Result<std::vector<Tensor>> OfEngine(std::span<const Tensor> inputs) {
    ANECHECK_ASSIGN(const MilProgram mil, GraphToMilProgram(graph_));
    RunRequest request = {1, "h13", mil.text, &graph_, inputs};
    request.mil_weights = mil.weights;
    ANECHECK_ASSIGN(std::vector<RunReply> replies, engine_.Run({&request, 1}));
    RunReply& reply = replies.front();
    if (reply.status != RunStatus::kOk) return Words(reply.message);
    return std::move(reply.outputs);
  }

  Result<std::vector<Tensor>> OfCpu(std::span<const Tensor> inputs) {
    ANECHECK_ASSIGN(const auto estimates,
                    Evaluate(graph_, inputs, ConformingContract(kFloatFamily)));
    std::vector<Tensor> outputs;
    outputs.reserve(estimates.size());
    for (const Estimate& estimate : estimates) outputs.push_back(RightTensor(estimate));
    return outputs;
  }

  Graph graph_;
  Units units_;
  Setting setting_;
  Runner& engine_;
};

Result<Graph> GraphOf(const std::string& folder) {
  ANECHECK_ASSIGN(const Model model, Model::Open(folder));
  ANECHECK_ASSIGN(ModelGraph read, model.Read());
  return std::move(read.graph);
}

class StandIn final : public Framework {
 public:
  StandIn(Setting setting, TempDirectory folder)
      : setting_(setting), folder_(std::move(folder)), engine_(EngineOptions()) {}

  Machine Describe() override { return {"Apple M1", "macOS 14.4.0", "stand-in"}; }

  Result<std::string> Compile(const std::string& package) override {
    if (setting_.is("no-compile")) return Words("compiler error: Encountered an error");
    std::string compiled = folder_.File(fmt::format("{}.mlmodelc", ++compiled_));
    std::filesystem::copy(package, compiled, std::filesystem::copy_options::recursive);
    return compiled;
  }

  Result<std::unique_ptr<LoadedModel>> Load(const std::string& compiled, Units units) override {
    if (setting_.is("no-load-at-all") || (units == Units::kEngine && setting_.is("no-load"))) {
      return Words("Failed to build the model execution plan");
    }
    ANECHECK_ASSIGN(Graph graph, GraphOf(compiled));
    return std::unique_ptr<LoadedModel>(new Loaded(std::move(graph), units, setting_, engine_));
  }

  Result<std::vector<ProgramOp>> Plan(const std::string& compiled) override {
    if (setting_.is("no-plan")) {
      return MakeError(ErrorCode::kUnsupported, "MLComputePlan needs macOS 14.4");
    }
    ANECHECK_ASSIGN(const Graph graph, GraphOf(compiled));
    std::vector<ProgramOp> ops = {{"const", "c", {}, {}}};
    const Device device = setting_.is("cpu") ? Device::kCpu : Device::kAne;
    for (const Node& node : graph.nodes()) {
      ops.push_back({fmt::format("ios17.{}", node.schema->name),
                     graph.value(node.first_result).name, device,
                     1.0 / static_cast<double>(graph.nodes().size())});
    }
    return ops;
  }

 private:
  Setting setting_;
  TempDirectory folder_;
  E5rtRunner engine_;
  int compiled_ = 0;
};

}  // namespace
}  // namespace anecheck::coreml

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv);
  }
  auto folder = anecheck::TempDirectory::Create("anecheck-coreml-");
  if (argc < 2 || !folder.ok()) return 2;
  anecheck::coreml::StandIn framework({argv[1]}, *std::move(folder));
  return anecheck::coreml::RunnerMain(argc - 1, argv + 1, framework);
}
