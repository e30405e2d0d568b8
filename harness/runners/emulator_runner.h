// The encoder round trip closed at its lowest layer: the graph is encoded as a hardware container,
// and the container's bytes are executed by the emulator. Its evidence is `emulated`: it says that
// two readings of the same facts agree, nothing about any chip.
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

// `emulator` computes as the engine of the target's family, `emulator:exact` in fp64 with one
// rounding a task.
inline constexpr std::string_view kEmulatorRunner = "emulator";
inline constexpr std::string_view kExactEmulatorRunner = "emulator:exact";

// A hardware container that a runner executes for a request, and in which arithmetic: exact, or
// that of the family.
struct ContainerAnswer {
  std::vector<uint8_t> bytes;
  bool exact = false;
};

// The interface of a runner that executes hardware containers, beside `Runner`.
class ContainerSource {
 public:
  virtual ~ContainerSource() = default;
  // The container whose tasks answer the request; nothing where there is none.
  virtual Result<std::optional<ContainerAnswer>> ContainerOf(const RunRequest& request) = 0;
};

// Whether a runner of this name is the emulator.
bool IsEmulatorRunner(std::string_view name);

struct EmulatorRunnerOptions {
  bool exact = false;
  encoder::Fault fault = encoder::Fault::kNone;
  // Gives the graph that is encoded in place of a request's, such as one with plain constants. The
  // request's own where there is no function or it fails.
  std::function<Result<Graph>(const Graph& graph)> prepare;
};

// A graph that the encoder has no tasks for is `rejected` with `no_kernel` and the encoder's words;
// a container that the emulator refuses is `failed`, and its words name task and register.
class EmulatorRunner final : public Runner, public ContainerSource {
 public:
  explicit EmulatorRunner(EmulatorRunnerOptions options = {}) : options_(std::move(options)) {}
  Result<RunnerIdentity> Identify() override;
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override;
  Status Restart() override { return {}; }
  Result<std::optional<ContainerAnswer>> ContainerOf(const RunRequest& request) override;

 private:
  Result<Bytes> ContainerFor(const Graph& graph, const RunRequest& request) const;
  RunReply RunOne(const RunRequest& request) const;

  EmulatorRunnerOptions options_;
};

// `container:FILE`: answers for one graph, the first that it is asked for, with the container's
// results. Other graphs, parts of it among them, are not run.
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
  std::optional<uint64_t> graph_;  // the fingerprint of the one that it answers for
};

// Receives each task's result (emulator::RunOptions::on_result).
using OnTaskResult = std::function<void(const emulator::Task& task, std::span<const uint16_t>)>;

// The outputs that a container computes, in the order of the graph's outputs. Ports are taken by
// the names of the graph's inputs and outputs; outputs may have "@output" behind them, as network
// descriptions do. Arithmetic is that of the family, or with `exact` exact, unless the family's
// array has a law that exact sums do not follow. kUnsupported in the emulator's words; kInvalid
// where a port is missing or has another number of elements.
Result<std::vector<Tensor>> ExecuteContainer(std::span<const uint8_t> container, const Graph& graph,
                                             std::span<const Tensor> inputs, bool exact,
                                             const OnTaskResult& on_result = {});

}  // namespace anecheck
