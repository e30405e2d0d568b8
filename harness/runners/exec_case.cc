#include "harness/runners/exec_case.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/graph/json.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/models/package.h"
#include "harness/runners/analytics.h"
#include "harness/runners/emulator_runner.h"
#include "harness/runners/other_bytes.h"
#include "harness/runners/tensor_npz.h"

namespace anecheck {

RunReply BadExecReply(uint64_t id, RunStatus status, std::string message) {
  RunReply reply;
  reply.id = id;
  reply.status = status;
  reply.message = std::move(message);
  return reply;
}

namespace {

constexpr uint64_t kLongestProofFile = uint64_t{16} << 20;

std::vector<std::string> PortNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput))
    names.push_back(graph.value(id).name);
  for (const ValueId id : graph.outputs()) names.push_back(graph.value(id).name);
  return names;
}

std::vector<std::string> OperationNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.emplace_back(node.schema->name);
  return names;
}

// Checks and returns the path in a reply's `member`. It must name a regular file in the case's own
// folder, so that a reply cannot name other files of the machine.
Result<std::string> FileOfCase(std::string_view member, const std::string& path,
                               const std::string& folder) {
  const auto bad = [&](std::string_view what) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", member, what));
  };
  std::error_code error;
  const auto file = std::filesystem::canonical(path, error);
  if (error || !std::filesystem::is_regular_file(file, error)) return bad("is no file");
  const auto home = std::filesystem::canonical(folder, error);
  if (error || file.parent_path() != home) return bad("must be in the folder of the case");
  return file.string();
}

std::string FolderOf(const ExecFiles& files) {
  return files.outputs.substr(0, files.outputs.rfind('/'));
}

// Executes the container that a compiler wrote. If the emulator refuses the container, the fault is
// charged to the compiler.
RunReply Execute(const RunRequest& request, const ExecFiles& files, const std::string& container,
                 RunReply reply) {
  const auto path = FileOfCase("container", container, FolderOf(files));
  if (!path.ok()) return BadExecReply(request.id, RunStatus::kGarbled, path.error().message);
  const auto bytes = ReadFile(*path);
  if (!bytes.ok()) return BadExecReply(request.id, RunStatus::kGarbled, bytes.error().message);
  auto outputs = ExecuteContainer(*bytes, *request.graph, request.inputs, true);
  if (!outputs.ok()) {
    reply.status = RunStatus::kFailed;
    reply.step = Step::kRun;
    reply.message = "the emulator: " + outputs.error().message;
    return reply;
  }
  reply.outputs = std::move(*outputs);
  return reply;
}

// Adds the outputs of the second execution, or the difference between both executions.
RunReply AddSecond(const RunRequest& request, const ExecFiles& files, RunReply reply) {
  auto second = ReadOutputsNpz(files.second_outputs, *request.graph);
  if (!second.ok()) {
    return BadExecReply(request.id, RunStatus::kGarbled,
                        fmt::format("second: {}", second.error().message));
  }
  if (GivesSecond(request)) {
    reply.further.push_back(std::move(second).value());
    return reply;
  }
  for (size_t i = 0; i < second->size(); ++i) {
    const std::string& name = request.graph->value(request.graph->outputs()[i]).name;
    const auto other = OtherBytes(name, reply.outputs[i].bytes, (*second)[i].bytes);
    if (!other) continue;
    reply.misconduct.push_back({Verdict::kNotRepeatable, *other, static_cast<uint32_t>(i)});
    break;
  }
  return reply;
}

}  // namespace

Result<std::string> CheckProof(const std::string& path, const std::string& folder,
                               const Graph& graph) {
  const auto bad = [](std::string_view what) {
    return MakeError(ErrorCode::kInvalid, fmt::format("proof: {}", what));
  };
  ANECHECK_ASSIGN(const std::string file, FileOfCase("proof", path, folder));
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(file, kLongestProofFile));
  if (SaysSimulated(text)) return bad("was written by the simulated engine");
  if (!text.starts_with("program(")) return bad("is no MIL text");
  std::string backend = BackendInAnalytics(text);
  if (backend.empty()) return bad("names no SelectedBackend");
  if (!SpeaksOf(text, PortNames(graph), OperationNames(graph))) {
    return bad("is about another program: the ports and operations of the case are not in it");
  }
  return backend;
}

namespace {

// Writes the weight file beside the MIL text that names it.
Status WriteMilWeights(const std::string& folder, std::span<const uint8_t> weights) {
  if (weights.empty()) return {};
  const std::string path = fmt::format("{}/{}", folder, kMilWeightFile);
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(path.substr(0, path.rfind('/'))));
  return WriteFileAtomic(path, weights);
}

// Writes the model of a request as a package for Core ML's compiler. Errors: kUnsupported for a
// model that a package cannot contain, else those of the disk.
Status WriteModelPackage(const RunRequest& request, const std::string& folder) {
  const auto unsupported = [](const Error& error) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("no package holds the model: {}", error.message));
  };
  const auto program = mil::Parse(std::string(request.mil));
  if (!program.ok()) return unsupported(program.error());
  const auto model = mlmodel::ModelBytes(*program);
  if (!model.ok()) return unsupported(model.error());
  return WritePackage(folder, *model, request.mil_weights);
}

}  // namespace

Result<ExecFiles> WriteExecFiles(const RunRequest& request, const ExecHello& hello,
                                 const std::string& folder) {
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(folder));
  ExecFiles files;
  files.graph = folder + "/graph.json";
  files.inputs = folder + "/inputs.npz";
  files.outputs = folder + "/outputs.npz";
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(files.graph, DumpJson(GraphToJson(*request.graph))));
  if (request.route == Route::kNetlist) {
    files.netlist = folder + "/net.plist";
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(files.netlist, request.netlist));
    ANECHECK_RETURN_IF_ERROR(
        WriteFileAtomic(fmt::format("{}/{}", folder, kNetlistWeightFile), request.netlist_weights));
  } else {
    files.mil = folder + "/model.mil";
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(files.mil, request.mil));
    ANECHECK_RETURN_IF_ERROR(WriteMilWeights(folder, request.mil_weights));
    if (hello.wants_package) {
      files.mlpackage = folder + "/model.mlpackage";
      ANECHECK_RETURN_IF_ERROR(WriteModelPackage(request, files.mlpackage));
    }
  }
  if (!request.ranged_mil.empty()) {
    files.ranged_mil = folder + "/ranged.mil";
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(files.ranged_mil, request.ranged_mil));
  }
  ANECHECK_RETURN_IF_ERROR(WriteInputsNpz(files.inputs, *request.graph, request.inputs));
  if (!hello.second || !request.settings.repeat) return files;
  files.second_inputs = files.inputs;
  files.second_outputs = folder + "/second_outputs.npz";
  if (request.again.empty()) return files;
  files.second_inputs = folder + "/second_inputs.npz";
  ANECHECK_RETURN_IF_ERROR(WriteInputsNpz(files.second_inputs, *request.graph, request.again));
  return files;
}

RunReply AcceptExecReply(const RunRequest& request, const ExecFiles& files, ExecReply given) {
  RunReply reply;
  reply.id = request.id;
  reply.status = given.status;
  reply.step = given.step;
  reply.no_kernel = given.unsupported;
  reply.message = std::move(given.message);
  reply.compile_us = given.compile_us;
  reply.run_us = given.run_us;
  reply.plan = std::move(given.plan);
  // If the reply names a backend without a proof, the backend is not recorded.
  if (!given.proof.empty()) {
    auto backend = CheckProof(given.proof, FolderOf(files), *request.graph);
    if (!backend.ok())
      return BadExecReply(request.id, RunStatus::kGarbled, backend.error().message);
    if (!given.backend.empty() && given.backend != *backend) {
      return BadExecReply(
          request.id, RunStatus::kGarbled,
          fmt::format("backend: claims {}, the proof names {}", given.backend, *backend));
    }
    reply.backend = std::move(backend).value();
  }
  if (reply.status != RunStatus::kOk) return reply;
  if (!given.container.empty()) return Execute(request, files, given.container, std::move(reply));
  auto outputs = ReadOutputsNpz(files.outputs, *request.graph);
  if (!outputs.ok()) return BadExecReply(request.id, RunStatus::kGarbled, outputs.error().message);
  reply.outputs = std::move(outputs).value();
  if (!files.second_outputs.empty()) reply = AddSecond(request, files, std::move(reply));
  if (given.cpu_outputs.empty() || reply.status != RunStatus::kOk) return reply;
  const auto path = FileOfCase("cpu_outputs", given.cpu_outputs, FolderOf(files));
  if (!path.ok()) return BadExecReply(request.id, RunStatus::kGarbled, path.error().message);
  auto cpu_outputs = ReadOutputsNpz(*path, *request.graph);
  if (!cpu_outputs.ok()) {
    return BadExecReply(request.id, RunStatus::kGarbled,
                        fmt::format("cpu_outputs: {}", cpu_outputs.error().message));
  }
  reply.cpu_outputs = std::move(cpu_outputs).value();
  return reply;
}

}  // namespace anecheck
