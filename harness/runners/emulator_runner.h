// A runner that encodes the graph as a hardware container and executes the container's bytes in the
// emulator. Its evidence is `emulated`. Such evidence shows that the encoder and the emulator agree
// in their interpretation of the facts, and shows nothing about any chip.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/emulator/task.h"
#include "harness/encoder/encode.h"
#include "harness/encoder/fault.h"
#include "harness/runners/runner.h"

namespace anecheck {

// `emulator` computes like the engine of the target's family. `emulator:exact` computes in fp64 and
// rounds once per task.
inline constexpr std::string_view kEmulatorRunner = "emulator";
inline constexpr std::string_view kExactEmulatorRunner = "emulator:exact";

// A hardware container that a runner executes for a request, and the arithmetic of the execution.
struct ContainerAnswer {
  std::vector<uint8_t> bytes;
  bool exact = false;
};

// A second interface of runners that execute hardware containers, besides `Runner`.
class ContainerSource {
 public:
  virtual ~ContainerSource() = default;
  // Returns the container that the runner executes for the request; empty if there is none.
  virtual Result<std::optional<ContainerAnswer>> ContainerOf(const RunRequest& request) = 0;
};

// Returns whether a runner of this name is an EmulatorRunner.
bool IsEmulatorRunner(std::string_view name);

struct EmulatorRunnerOptions {
  bool exact = false;
  encoder::Fault fault = encoder::Fault::kNone;
  // Returns the graph to encode in place of the request's graph, for example with plain constants.
  // If there is no function, or if it fails, the request's own graph is encoded.
  std::function<Result<Graph>(const Graph& graph)> prepare;
};

// If the encoder does not support a graph, the reply is `rejected` with `no_kernel` and the
// encoder's message. If the emulator refuses a container, the reply is `failed`, and the message
// names the task and the register.
class EmulatorRunner final : public Runner, public ContainerSource {
 public:
  explicit EmulatorRunner(EmulatorRunnerOptions options = {}) : options_(std::move(options)) {}
  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override { return {}; }
  Result<std::optional<ContainerAnswer>> ContainerOf(const RunRequest& request) override;

 private:
  Result<Bytes> ContainerFor(const Graph& graph, const RunRequest& request,
                             encoder::Refusal* refusal = nullptr) const;
  RunReply RunOne(const RunRequest& request) const;

  EmulatorRunnerOptions options_;
};

// The runner `container:FILE` answers requests for one graph, the graph of its first request, with
// the results of the container. It does not run any other graph, such as a part of that graph.
inline constexpr std::string_view kContainerRunner = "container:";

class ContainerRunner final : public Runner, public ContainerSource {
 public:
  explicit ContainerRunner(std::string path) : path_(std::move(path)) {}
  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override { return {}; }
  Result<std::optional<ContainerAnswer>> ContainerOf(const RunRequest& request) override;

 private:
  RunReply RunOne(const RunRequest& request);

  std::string path_;
  std::optional<uint64_t> graph_;  // the fingerprint of the graph of the first request
};

// Receives each task's result (emulator::RunOptions::on_result).
using OnTaskResult = std::function<void(const emulator::Task& task, std::span<const uint16_t>)>;

// Executes a container and returns its outputs in the order of the graph's outputs. Ports have the
// names of the graph's inputs and outputs; the name of an output may end in "@output", as in
// network descriptions. The arithmetic is that of the family. With `exact` it is exact, unless the
// family's array computes in fixed point. Errors: kUnsupported with the emulator's message;
// kInvalid if a port is missing or has another number of elements.
Result<std::vector<Tensor>> ExecuteContainer(std::span<const uint8_t> container, const Graph& graph,
                                             std::span<const Tensor> inputs, bool exact,
                                             const OnTaskResult& on_result = {});

}  // namespace anecheck
