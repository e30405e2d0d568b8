#include "harness/runners/exec_runner.h"

#include <algorithm>
#include <cctype>
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
#include "harness/runners/engine_file.h"
#include "harness/runners/tensor_npz.h"

namespace anecheck {
namespace {

using Clock = Subprocess::Clock;
using ReadState = Subprocess::ReadState;

// A reply holds names and a message, never data.
constexpr size_t kLongestLine = size_t{1} << 20;
constexpr uint64_t kLongestProofFile = uint64_t{16} << 20;
// A program that cannot be started this often in a row does not come back.
constexpr int kMostFailedStarts = 3;
// Time to end by itself after closing its output, so that its exit code can be told.
constexpr std::chrono::milliseconds kGrace(500);
// Lines that answer nothing, in a row: who writes more does not stop.
constexpr int kMostStrayLines = 64;
// Time for a second reply to the last case of a run, which would else be met by the next.
constexpr std::chrono::milliseconds kSettle(5);
// The same where it is what the run is made for, and behind the last run of all.
constexpr std::chrono::milliseconds kLinger(1000);
constexpr std::chrono::milliseconds kLastWait(200);
// How soon a campaign that is stopped is let go, whatever the program does.
constexpr std::chrono::milliseconds kStopTick(50);

constexpr std::string_view kTwice = "it was answered twice";
constexpr std::string_view kFollows = "a line follows the reply that answers no request";

Clock::time_point After(int milliseconds) {
  return Clock::now() + std::chrono::milliseconds(milliseconds);
}

RunReply Bad(uint64_t id, RunStatus status, std::string message) {
  RunReply reply;
  reply.id = id;
  reply.status = status;
  reply.message = std::move(message);
  return reply;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

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

// The file of a reply's `member`: a regular file of the case's own folder, so that a reply chooses
// no other file of the machine.
Result<std::string> FileOfCase(std::string_view member, const std::string& path,
                               const std::string& folder) {
  const auto bad = [&](std::string_view what) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", member, what));
  };
  std::error_code error;
  const auto file = std::filesystem::canonical(path, error);
  if (error || !std::filesystem::is_regular_file(file, error)) return bad("is no file");
  const auto home = std::filesystem::canonical(folder, error);
  if (error || file.parent_path() != home) return bad("must stand in the folder of the case");
  return file.string();
}

std::string FolderOf(const ExecFiles& files) {
  return files.outputs.substr(0, files.outputs.rfind('/'));
}

// Executes the container that a compiler left. The compiler is wrong about a program that the
// emulator refuses.
RunReply Execute(const RunRequest& request, const ExecFiles& files, const std::string& container,
                 RunReply reply) {
  const auto path = FileOfCase("container", container, FolderOf(files));
  if (!path.ok()) return Bad(request.id, RunStatus::kGarbled, path.error().message);
  const auto bytes = ReadFile(*path);
  if (!bytes.ok()) return Bad(request.id, RunStatus::kGarbled, bytes.error().message);
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
    return bad("speaks of another program: the ports and operations of the case are not in it");
  }
  return backend;
}

ExecRunner::ExecRunner(ExecOptions options) : options_(std::move(options)) {}
ExecRunner::~ExecRunner() = default;

Status ExecRunner::ReadHello() {
  std::string line;
  if (!process_->WriteLine(ExecHelloLine())) {
    return MakeError(ErrorCode::kInvalid, fmt::format("the runner {}", process_->Stop(kGrace)));
  }
  const ReadState state = process_->ReadLine(After(options_.start_timeout_ms), kLongestLine,
                                             options_.memory_limit, line);
  switch (state) {
    case ReadState::kLine:
      break;
    case ReadState::kTimeout:
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("no answer to the hello in {} ms", options_.start_timeout_ms));
    case ReadState::kClosed:
      return MakeError(ErrorCode::kInvalid, fmt::format("the runner {}", process_->Stop(kGrace)));
    case ReadState::kTooLong:
      return MakeError(ErrorCode::kInvalid, "the answer to the hello has no end");
    case ReadState::kTooLarge:
      return MakeError(ErrorCode::kInvalid, "the runner outgrew its memory limit");
  }
  auto hello = ReadExecHello(line);
  if (!hello.ok()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("the answer to the hello: {}", hello.error().message));
  }
  hello_ = std::move(hello).value();
  return {};
}

Status ExecRunner::EnsureStarted() {
  if (process_) return {};
  const auto named = [this](const Error& error) {
    return MakeError(error.code,
                     fmt::format("--runner exec:{}: {}", options_.command, error.message));
  };
  if (!folder_) {
    ANECHECK_ASSIGN(folder_, TempDirectory::Create("anecheck-exec-"));
  }
  const auto words = SplitCommand(options_.command);
  if (!words.ok()) return named(words.error());
  auto process = Subprocess::Start(*words);
  if (!process.ok()) return named(process.error());
  process_ = std::move(process).value();
  ++started_;
  answered_.reset();
  const Status hello = ReadHello();
  if (!hello.ok()) {
    process_.reset();
    return named(hello.error());
  }
  if (!first_hello_) first_hello_ = hello_;
  if (hello_ == *first_hello_) return {};
  process_.reset();
  return EngineReplaced("--runner exec:" + options_.command,
                        first_hello_->name + " " + first_hello_->version,
                        hello_.name + " " + hello_.version);
}

Result<RunnerIdentity> ExecRunner::Identify() {
  ANECHECK_RETURN_IF_ERROR(EnsureStarted());
  RunnerIdentity identity;
  identity.runner = "exec:" + options_.command;
  identity.provenance = Provenance::kReported;
  identity.engine = hello_.version.empty() ? hello_.name : hello_.name + " " + hello_.version;
  identity.chip = hello_.chip;
  identity.os = hello_.os;
  identity.compiler_version = hello_.compiler_version;
  identity.is_ane = hello_.is_ane;
  identity.ops = hello_.ops;
  identity.least_saving_us = hello_.least_saving_us;
  return identity;
}

Status ExecRunner::Restart() {
  process_.reset();
  return EnsureStarted();
}

namespace {

// Beside the text that names it.
Status WriteMilWeights(const std::string& folder, std::span<const uint8_t> weights) {
  if (weights.empty()) return {};
  const std::string path = fmt::format("{}/{}", folder, kMilWeightFile);
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(path.substr(0, path.rfind('/'))));
  return WriteFileAtomic(path, weights);
}

// The model of a request as a package for Core ML's compiler. Errors: kUnsupported for a model that
// such a file cannot hold, else those of the disk.
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

Result<ExecFiles> ExecRunner::WriteFiles(const RunRequest& request, uint64_t id) {
  const std::string folder = folder_->File(fmt::format("case{}", id));
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
    if (hello_.wants_package) {
      files.mlpackage = folder + "/model.mlpackage";
      ANECHECK_RETURN_IF_ERROR(WriteModelPackage(request, files.mlpackage));
    }
  }
  if (!request.ranged_mil.empty()) {
    files.ranged_mil = folder + "/ranged.mil";
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(files.ranged_mil, request.ranged_mil));
  }
  ANECHECK_RETURN_IF_ERROR(WriteInputsNpz(files.inputs, *request.graph, request.inputs));
  return files;
}

RunReply ExecRunner::Ended(uint64_t id, ReadState state) {
  RunReply reply;
  switch (state) {
    case ReadState::kTimeout:
      reply =
          Bad(id, RunStatus::kHung, fmt::format("no answer in {} ms", options_.case_timeout_ms));
      break;
    case ReadState::kTooLong:
      reply = Bad(id, RunStatus::kGarbled,
                  fmt::format("the reply is longer than {} bytes", kLongestLine));
      break;
    case ReadState::kTooLarge:
      reply = Bad(id, RunStatus::kMemoryGrowth,
                  fmt::format("the runner was stopped: it holds more than {} MiB of memory",
                              options_.memory_limit >> 20));
      break;
    case ReadState::kClosed:
    case ReadState::kLine:
      reply = Bad(id, RunStatus::kCrashed, fmt::format("the runner {}", process_->Stop(kGrace)));
      break;
  }
  process_.reset();
  return reply;
}

RunReply ExecRunner::Accept(const RunRequest& request, const ExecFiles& files, ExecReply given) {
  RunReply reply;
  reply.id = request.id;
  reply.status = given.status;
  reply.step = given.step;
  reply.no_kernel = given.unsupported;
  reply.message = std::move(given.message);
  reply.compile_us = given.compile_us;
  reply.run_us = given.run_us;
  reply.plan = std::move(given.plan);
  // A backend that is only claimed proves nothing and is not recorded.
  if (!given.proof.empty()) {
    auto backend = CheckProof(given.proof, FolderOf(files), *request.graph);
    if (!backend.ok()) return Bad(request.id, RunStatus::kGarbled, backend.error().message);
    if (!given.backend.empty() && given.backend != *backend) {
      return Bad(request.id, RunStatus::kGarbled,
                 fmt::format("backend: claims {}, the proof names {}", given.backend, *backend));
    }
    reply.backend = std::move(backend).value();
  }
  if (reply.status != RunStatus::kOk) return reply;
  if (!given.container.empty()) return Execute(request, files, given.container, std::move(reply));
  auto outputs = ReadOutputsNpz(files.outputs, *request.graph);
  if (!outputs.ok()) return Bad(request.id, RunStatus::kGarbled, outputs.error().message);
  reply.outputs = std::move(outputs).value();
  if (given.cpu_outputs.empty()) return reply;
  const auto path = FileOfCase("cpu_outputs", given.cpu_outputs, FolderOf(files));
  if (!path.ok()) return Bad(request.id, RunStatus::kGarbled, path.error().message);
  auto cpu_outputs = ReadOutputsNpz(*path, *request.graph);
  if (!cpu_outputs.ok()) {
    return Bad(request.id, RunStatus::kGarbled,
               fmt::format("cpu_outputs: {}", cpu_outputs.error().message));
  }
  reply.cpu_outputs = std::move(cpu_outputs).value();
  return reply;
}

// Whether the line is a reply to an earlier request than `id`.
bool ExecRunner::IsFinished(std::string_view line, uint64_t id) const {
  const std::optional<uint64_t> given = ExecReplyId(line);
  return given && *given > 0 && *given < id;
}

// A line that answers no request on its way. It is held against the case whose reply it repeats or,
// where it repeats none, against the one that was answered last; the reply of either may be given
// by now. Before any answer nothing but the next case can bear it.
void ExecRunner::NoteStray(std::string_view line) {
  const std::optional<uint64_t> id = ExecReplyId(line);
  const auto asked = id ? asked_.find(*id) : asked_.end();
  if (asked != asked_.end() && asked->second < replies_.size()) {
    RunReply& twice = replies_[asked->second];
    twice = Bad(twice.id, RunStatus::kGarbled, std::string(kTwice));
    return;
  }
  if (asked != asked_.end()) {
    stray_.push_back({Verdict::kGarbled, std::string(kTwice)});  // at another shape
  } else if (id && *id > 0 && *id <= last_id_) {
    late_.push_back({numbers_[*id - 1], std::string(kTwice)});
  } else if (!replies_.empty()) {
    RunReply& last = replies_.back();
    last = Bad(last.id, RunStatus::kGarbled, std::string(kFollows));
  } else if (answered_) {
    late_.push_back({*answered_, std::string(kFollows)});
  } else {
    stray_.push_back({Verdict::kGarbled, "a line came that answers no request"});
  }
}

std::vector<LateReply> ExecRunner::TakeLate(bool last) {
  asked_.clear();
  Drain(Clock::now() + (last ? kLastWait : std::chrono::milliseconds(0)));
  return std::exchange(late_, {});
}

// Until `deadline` or the runner is stopped.
ReadState ExecRunner::ReadReply(Clock::time_point deadline, std::string& line) {
  for (;;) {
    const Clock::time_point until = std::min(deadline, Clock::now() + kStopTick);
    const ReadState state = process_->ReadLine(until, kLongestLine, options_.memory_limit, line);
    if (state != ReadState::kTimeout || until == deadline || IsStopped()) return state;
  }
}

RunReply ExecRunner::Answer(const RunRequest& request, uint64_t id, const ExecFiles& files) {
  if (!process_->WriteLine(ExecRequestLine(request, id, files))) {
    return Ended(request.id, ReadState::kClosed);
  }
  const Clock::time_point deadline = After(options_.case_timeout_ms);
  std::string line;
  for (;;) {
    const ReadState state = ReadReply(deadline, line);
    if (state == ReadState::kClosed && !line.empty()) {
      process_.reset();
      return Bad(request.id, RunStatus::kGarbled,
                 "the reply breaks off before the end of its line");
    }
    if (state != ReadState::kLine) return Ended(request.id, state);
    if (!IsFinished(line, id)) break;
    NoteStray(line);
  }
  auto reply = ReadExecReply(line, id);
  if (!reply.ok()) {
    // Nothing tells any more which later line answers it.
    process_.reset();
    return Bad(request.id, RunStatus::kGarbled, reply.error().message);
  }
  return Accept(request, files, std::move(reply).value());
}

Result<RunReply> ExecRunner::RunOne(const RunRequest& request) {
  const uint64_t id = ++last_id_;
  numbers_.push_back(request.id);
  asked_[id] = replies_.size();
  const Result<ExecFiles> files = WriteFiles(request, id);
  const bool is_told = files.ok();
  const bool has_no_form = !is_told && files.error().code == ErrorCode::kUnsupported;
  Result<RunReply> reply =
      is_told ? Result<RunReply>(Answer(request, id, *files))
      : has_no_form
          ? Result<RunReply>(Bad(request.id, RunStatus::kNotRun, files.error().message))
          : MakeError(ErrorCode::kIo, fmt::format("the files of a case cannot be written: {}",
                                                  files.error().message));
  std::error_code ignored;
  std::filesystem::remove_all(folder_->File(fmt::format("case{}", id)), ignored);
  // A line cut short is no answer.
  if (IsStopped()) return Stopped();
  return reply;
}

// A program with a range is asked for each of its shapes, with the text of that shape and of the
// range. One that does not answer at some shape ends the case.
Result<RunReply> ExecRunner::RunShapes(const RunRequest& request) {
  ANECHECK_ASSIGN(RunReply reply, RunOne(request));
  for (const RunShape& shape : request.further) {
    if (reply.status != RunStatus::kOk) break;
    const auto mil = GraphToMil(shape.graph);
    // Left out, the shape is told from those that were run.
    if (!mil.ok()) break;
    RunRequest at = request;
    at.mil = *mil;
    at.graph = &shape.graph;
    at.inputs = shape.inputs;
    at.further = {};
    ANECHECK_ASSIGN(RunReply other, RunOne(at));
    if (other.status != RunStatus::kOk) {
      other.message = fmt::format("at another shape of the range: {}", other.message);
      return other;
    }
    if (reply.backend == kEngineBackend) reply.backend = other.backend;
    reply.further.push_back(std::move(other.outputs));
  }
  return reply;
}

Result<std::vector<RunReply>> ExecRunner::Run(std::span<const RunRequest> requests) {
  replies_.clear();
  replies_.reserve(requests.size());
  asked_.clear();
  stray_.clear();
  for (const RunRequest& request : requests) {
    if (IsStopped()) return Stopped();
    Drain(Clock::now());
    const Status started = EnsureStarted();
    if (!started.ok()) {
      // The first start must succeed; a later one may fail of what the case before left behind.
      const bool replaced = started.error().code == ErrorCode::kInternal;
      if (started_ <= 1 || replaced || ++failed_starts_ >= kMostFailedStarts)
        return started.error();
      replies_.push_back(Bad(request.id, RunStatus::kCrashed, started.error().message));
      continue;
    }
    failed_starts_ = 0;
    const auto& targets = hello_.targets;
    const bool known = targets.empty() || std::any_of(targets.begin(), targets.end(), [&](auto& t) {
                         return Lower(t) == Lower(request.target);
                       });
    if (!known) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("--runner exec:{}: has no target {}; it has {}",
                                   options_.command, request.target, fmt::join(targets, ", ")));
    }
    ANECHECK_ASSIGN(RunReply reply, RunShapes(request));
    reply.misconduct.insert(reply.misconduct.end(), stray_.begin(), stray_.end());
    stray_.clear();
    answered_ = reply.id;
    replies_.push_back(std::move(reply));
  }
  if (linger_) AwaitOneMore();
  Drain(Clock::now() + kSettle);
  return std::exchange(replies_, {});
}

// Waits for one line more, and no longer than for that.
void ExecRunner::AwaitOneMore() {
  if (!process_) return;
  std::string line;
  const ReadState state = process_->ReadLine(Clock::now() + kLinger, kLongestLine, 0, line);
  if (state == ReadState::kLine) NoteStray(line);
}

// Takes what a program says while no request is on its way.
void ExecRunner::Drain(Clock::time_point deadline) {
  std::string line;
  for (int lines = 0; process_; ++lines) {
    const ReadState state = process_->ReadLine(deadline, kLongestLine, 0, line);
    if (state != ReadState::kLine && state != ReadState::kTooLong) return;
    NoteStray(line);
    if (state == ReadState::kTooLong || lines == kMostStrayLines) process_.reset();
  }
}

}  // namespace anecheck
