#include "harness/runners/emulator_runner.h"

#include <chrono>
#include <cstring>
#include <fmt/format.h>

#include "harness/base/file.h"
#include "harness/base/version.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/emulator/program.h"
#include "harness/encoder/ane_file.h"
#include "harness/encoder/encode.h"
#include "harness/graph/fingerprint.h"

namespace anecheck {
namespace {

constexpr std::string_view kOutputMark = "@output";

uint64_t MicrosecondsSince(std::chrono::steady_clock::time_point start) {
  const auto passed = std::chrono::steady_clock::now() - start;
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
}

// Finds a port by name, or by number in models of the Linux driver, which have no names.
const emulator::Port* PortOf(const emulator::Program& program, std::string_view name, size_t number,
                             bool output) {
  const std::string names[] = {std::string(name),
                               std::string(name) + std::string(output ? kOutputMark : ""),
                               fmt::format("{}_{}", output ? "output" : "input", number)};
  for (const std::string& candidate : names) {
    const emulator::Port* port = program.FindPort(candidate);
    if (port != nullptr && port->output == output) return port;
  }
  return nullptr;
}

Result<const emulator::Port*> NeedPort(const emulator::Program& program, const Graph& graph,
                                       ValueId id, size_t number, bool output) {
  const Value& value = graph.value(id);
  const emulator::Port* port = PortOf(program, value.name, number, output);
  if (port == nullptr) {
    return MakeError(ErrorCode::kInvalid, fmt::format("the container has no {} {}",
                                                      output ? "output" : "input", value.name));
  }
  const DType element = port->element == 1 ? DType::kBool : DType::kFp16;
  if (value.type.dtype != element ||
      port->Count() != static_cast<uint64_t>(value.type.shape.Elements())) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("{}: the container's port has {} {} elements, the graph's value "
                    "is {}",
                    value.name, port->Count(), DTypeName(element), value.type.ToString()));
  }
  return port;
}

std::vector<uint16_t> ElementsOf(std::span<const uint8_t> bytes, uint32_t element) {
  std::vector<uint16_t> values(bytes.size() / element);
  for (size_t at = 0; at < values.size(); ++at) {
    std::memcpy(&values[at], &bytes[at * element], element);
  }
  return values;
}

Status WriteInputs(emulator::Program& program, const Graph& graph, std::span<const Tensor> inputs) {
  const auto ids = graph.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < ids.size(); ++i) {
    ANECHECK_ASSIGN(const emulator::Port* port, NeedPort(program, graph, ids[i], i, false));
    const std::vector<uint16_t> values = ElementsOf(inputs[i].bytes, port->element);
    ANECHECK_RETURN_IF_ERROR(program.WritePort(port->name, values));
  }
  return {};
}

Result<std::vector<Tensor>> ReadOutputs(const emulator::Program& program, const Graph& graph) {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ValueId id = graph.outputs()[i];
    ANECHECK_ASSIGN(const emulator::Port* port, NeedPort(program, graph, id, i, true));
    ANECHECK_ASSIGN(const std::vector<uint16_t> values, program.ReadPort(port->name));
    Tensor& tensor = outputs.emplace_back();
    tensor.type = graph.type(id);
    tensor.bytes.resize(values.size() * port->element);
    for (size_t at = 0; at < values.size(); ++at) {
      std::memcpy(&tensor.bytes[at * port->element], &values[at], port->element);
    }
  }
  return outputs;
}

void Refuse(RunReply& reply, const Error& error, RunStatus status, Step step,
            const encoder::Refusal& refusal = {}) {
  reply.status = error.code == ErrorCode::kUnsupported ? status : RunStatus::kFailed;
  reply.step = step;
  reply.message = error.message;
  reply.no_kernel = reply.status == RunStatus::kRejected;
  reply.refused_op = refusal.op;
  reply.reason = refusal.reason;
}

}  // namespace

bool IsEmulatorRunner(std::string_view name) {
  return name == kEmulatorRunner || name == kExactEmulatorRunner;
}

Result<std::vector<Tensor>> ExecuteContainer(std::span<const uint8_t> container, const Graph& graph,
                                             std::span<const Tensor> inputs, bool exact,
                                             const OnTaskResult& on_result) {
  ANECHECK_ASSIGN(emulator::Program program, emulator::LoadProgram(container));
  ANECHECK_RETURN_IF_ERROR(WriteInputs(program, graph, inputs));
  emulator::RunOptions options = {.on_result = on_result};
  const device::NumericModel& family = emulator::FamilyModel(program.version);
  if (!exact || device::HasFixedPointArray(family)) options.arithmetic.model = &family;
  ANECHECK_RETURN_IF_ERROR(emulator::RunProgram(program, options));
  return ReadOutputs(program, graph);
}

Result<RunnerIdentity> EmulatorRunner::Identify() {
  return RunnerIdentity{
      .runner = std::string(options_.exact ? kExactEmulatorRunner : kEmulatorRunner),
      .provenance = Provenance::kEmulated,
      .engine = "anecheck's encoder and emulator",
      .compiler_version = kToolVersion};
}

Result<Bytes> EmulatorRunner::ContainerFor(const Graph& graph, const RunRequest& request,
                                           encoder::Refusal* refusal) const {
  const encoder::EncodeOptions options{
      .target = std::string(request.target), .fault = options_.fault, .exact = options_.exact};
  if (options_.prepare) {
    const Result<Graph> prepared = options_.prepare(graph);
    if (prepared.ok()) return encoder::Encode(*prepared, options, refusal);
  }
  return encoder::Encode(graph, options, refusal);
}

RunReply EmulatorRunner::RunOne(const RunRequest& request) const {
  RunReply reply;
  reply.id = request.id;
  const auto start = std::chrono::steady_clock::now();
  encoder::Refusal refusal;
  const auto container = ContainerFor(*request.graph, request, &refusal);
  reply.compile_us = MicrosecondsSince(start);
  if (!container.ok()) {
    Refuse(reply, container.error(), RunStatus::kRejected, Step::kCodegen, refusal);
    return reply;
  }
  const auto execute = [&](const Graph& graph, ByteSpan bytes, std::span<const Tensor> inputs) {
    return ExecuteContainer(bytes, graph, inputs, options_.exact);
  };
  auto outputs = execute(*request.graph, *container, request.inputs);
  reply.run_us = MicrosecondsSince(start) - reply.compile_us;
  if (!outputs.ok()) {
    Refuse(reply, outputs.error(), RunStatus::kFailed, Step::kRun);
    return reply;
  }
  reply.outputs = std::move(*outputs);
  if (GivesSecond(request)) {
    auto second =
        execute(*request.graph, *container, request.again.empty() ? request.inputs : request.again);
    if (second.ok()) reply.further.push_back(std::move(*second));
  }
  for (const RunShape& shape : request.further) {
    const auto other = ContainerFor(shape.graph, request, &refusal);
    if (!other.ok()) {
      Refuse(reply, other.error(), RunStatus::kRejected, Step::kCodegen, refusal);
      return reply;
    }
    auto values = execute(shape.graph, *other, shape.inputs);
    if (!values.ok()) {
      Refuse(reply, values.error(), RunStatus::kFailed, Step::kRun);
      return reply;
    }
    reply.further.push_back(std::move(*values));
  }
  reply.status = RunStatus::kOk;
  return reply;
}

Result<std::vector<RunReply>> EmulatorRunner::Run(std::span<const RunRequest> requests) {
  std::vector<RunReply> replies;
  replies.reserve(requests.size());
  for (const RunRequest& request : requests) replies.push_back(RunOne(request));
  return replies;
}

Result<std::optional<ContainerAnswer>> EmulatorRunner::ContainerOf(const RunRequest& request) {
  ANECHECK_ASSIGN(Bytes bytes, ContainerFor(*request.graph, request));
  return std::optional(ContainerAnswer{std::move(bytes), options_.exact});
}

Result<RunnerIdentity> ContainerRunner::Identify() {
  return RunnerIdentity{.runner = std::string(kContainerRunner) + path_,
                        .provenance = Provenance::kEmulated,
                        .engine = "anecheck's emulator"};
}

RunReply ContainerRunner::RunOne(const RunRequest& request) {
  RunReply reply;
  reply.id = request.id;
  const uint64_t graph = GraphFingerprint(*request.graph);
  if (!graph_) graph_ = graph;
  if (*graph_ != graph) {
    reply.status = RunStatus::kNotRun;
    reply.message = "the container answers only the whole model";
    return reply;
  }
  auto read = ReadFile(path_);
  const auto bytes = read.ok() ? encoder::AsContainer(std::move(*read)) : std::move(read);
  auto outputs = bytes.ok() ? ExecuteContainer(*bytes, *request.graph, request.inputs, true)
                            : Result<std::vector<Tensor>>(bytes.error());
  if (!outputs.ok()) {
    Refuse(reply, outputs.error(), RunStatus::kFailed, Step::kRun);
    return reply;
  }
  reply.outputs = std::move(*outputs);
  reply.status = RunStatus::kOk;
  return reply;
}

Result<std::optional<ContainerAnswer>> ContainerRunner::ContainerOf(const RunRequest& request) {
  if (graph_ && *graph_ != GraphFingerprint(*request.graph))
    return std::optional<ContainerAnswer>();
  ANECHECK_ASSIGN(Bytes read, ReadFile(path_));
  ANECHECK_ASSIGN(Bytes bytes, encoder::AsContainer(std::move(read)));
  return std::optional(ContainerAnswer{std::move(bytes), true});
}

Result<std::vector<RunReply>> ContainerRunner::Run(std::span<const RunRequest> requests) {
  std::vector<RunReply> replies;
  replies.reserve(requests.size());
  for (const RunRequest& request : requests) replies.push_back(RunOne(request));
  return replies;
}

}  // namespace anecheck
