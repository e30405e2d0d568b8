#include "harness/runners/e5rt_engine.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/device/simulator_control.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/runners/analytics.h"
#include "harness/runners/bundle_folder.h"
#include "harness/runners/netlist_gate.h"
#include "harness/runners/other_bytes.h"

namespace anecheck {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t Microseconds(Clock::time_point from) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - from).count());
}

// If a load fails after this many loads, the reason may be that no program slot was free. The
// published limit is higher, 128 programs in a process (specification 001, section 5.4).
constexpr int kManyLoads = 16;

// The value of each output byte before an execution. Two such bytes are NaN in fp16, and an
// unlikely value in any other type. New buffers may contain old results (specification 001, section
// 2.2), which would hide that the engine did not write an output.
constexpr int kSpoiled = 0xfe;

// In cases that execute twice, each output buffer ends with kGuard guard bytes, which have the
// value kGuardByte before an execution. Other cases have no guard bytes, because ordinary programs
// use buffers of exactly the port's size. No published call requires that exact size.
constexpr size_t kGuard = 64;
constexpr int kGuardByte = 0xa7;

// A compilation that takes more microseconds than kLongCompile is repeated, because a busy machine
// may delay one compilation but rarely delays two in a row. The limit grows by one microsecond for
// each kCompiledBytes bytes of constants.
constexpr uint64_t kLongCompile = 1'000'000;
constexpr uint64_t kCompiledBytes = 10;

// Selects only the engine (specification 001, section 3), so that there is no fallback.
constexpr uint64_t kEngineMask = 0x4;

// Returns whether a code reports a state of the machine, such as out of memory, out of queues or
// slots, busy, timed out or interrupted (facts/more/error_codes.csv). Only the low 32 bits are
// compared.
bool IsShortage(int64_t code) {
  constexpr uint32_t kCodes[] = {0xe00002bd, 0xe00002be, 0xe00002d5, 0xe00002d6, 0xe00002eb};
  return std::ranges::find(kCodes, static_cast<uint32_t>(code)) != std::end(kCodes);
}

// Returns the step that refused a program. The simulated engine names the step after the last " @ "
// of the message (device/e5rt/api.h). Other engines may write any text there.
Step RefusingStep(std::string_view message) {
  constexpr std::string_view kMark = " @ ";
  constexpr std::pair<std::string_view, Step> kSteps[] = {
      {"Parser", Step::kParser}, {"Frontend", Step::kFrontend},   {"Floor", Step::kFloor},
      {"Hal", Step::kHal},       {"Validator", Step::kValidator}, {"Codegen", Step::kCodegen}};
  const size_t at = message.rfind(kMark);
  if (at == std::string_view::npos) return Step::kCompile;
  const std::string_view word = message.substr(at + kMark.size());
  for (const auto& [written, step] : kSteps) {
    if (word == written) return step;
  }
  return Step::kCompile;
}

// Releases an engine object when it goes out of scope. Close() returns false if the release failed.
class Handle {
 public:
  using Release = int64_t (*)(void**);
  explicit Handle(Release release) : release_(release) {}
  ~Handle() { Close(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  bool Close() {
    if (value_ == nullptr) return true;
    const int64_t code = release_(&value_);
    value_ = nullptr;
    return code == 0;
  }
  void** out() { return &value_; }
  void* get() const { return value_; }

 private:
  void* value_ = nullptr;
  Release release_;
};

struct BoundPort {
  BoundPort(const E5rtApi& api) : port(api.port_release), buffer(api.buffer_release) {}  // NOLINT
  Handle port;
  Handle buffer;
  void* data = nullptr;
};

class Session {
 public:
  Session(const E5rtLibrary& library, EngineKind kind, const WireRequest& request,
          E5rtInputFiles& files, BundleFolder& bundle, std::atomic<Step>& step, WireReply& reply)
      : api_(library.api),
        kind_(kind),
        request_(request),
        files_(files),
        bundle_(bundle),
        step_(step),
        reply_(reply) {}

  bool Run() {
    step_ = Step::kCompile;
    Clock::time_point start = Clock::now();
    const bool compiled = CompileInTime() && Load();
    reply_.compile_us = Microseconds(start);
    if (!compiled) return false;
    if (!CreateOperation() || !Bind(request_.shape)) return false;
    step_ = Step::kRun;
    start = Clock::now();
    const bool executed = Execute();
    reply_.run_us = Microseconds(start);
    if (!executed) return false;
    ReadOutputs(request_.shape);
    CheckMemory(request_.shape, false);
    if (request_.settings.repeat && !Repeat()) return false;
    for (const WireShape& shape : request_.further) {
      if (!RunAt(shape)) return false;
    }
    reply_.status = RunStatus::kOk;
    return true;
  }

  bool loaded() const { return loaded_; }

  // Releases in the order of specification 001, section 2.6; false if the program stays loaded.
  bool Release() {
    CloseCompiler();
    const bool operation = operation_.Close() && !kept_operation_;
    op_options_.Close();
    function_.Close();
    const bool library = library_.Close();
    const bool released = operation && library;
    if (!released) Note(Verdict::kSlotLeak, "the program was not released: " + LastWords());
    CloseBuffers();
    stream_.Close();
    return released;
  }

 private:
  bool Failed(RunStatus status, Step step) {
    reply_.status = status;
    reply_.step = step;
    reply_.message = LastWords();
    return false;
  }

  // Returns whether a call returned 0. If not, the name and the code are kept for LastWords, which
  // uses them if the engine has no message.
  bool Called(std::string_view name, int64_t code) {
    if (code == 0) return true;
    failed_call_ = name;
    failed_code_ = code;
    return false;
  }

  std::string LastWords() const {
    const char* text = api_.get_last_error_message();
    if (text != nullptr && *text != 0) return text;
    if (failed_call_.empty()) return "the engine gave no message";
    return fmt::format("e5rt_{} returned {:#x}, and the engine gave no message", failed_call_,
                       static_cast<uint64_t>(failed_code_));
  }

  void Note(Verdict verdict, std::string message, size_t output = 0) {
    reply_.misconduct.push_back({verdict, std::move(message), static_cast<uint32_t>(output)});
  }

  bool CompileInTime() {
    const uint64_t limit = kLongCompile + request_.weights.size() / kCompiledBytes;
    Clock::time_point start = Clock::now();
    if (!Compile()) return false;
    const uint64_t first = Microseconds(start);
    if (first <= limit) return true;
    library_.Close();
    CloseCompiler();
    start = Clock::now();
    if (!Compile()) return false;
    const uint64_t best = std::min(first, Microseconds(start));
    if (best > limit) {
      Note(Verdict::kSlow,
           fmt::format("compiling took {} ms and more, twice in turn", best / 1000));
    }
    return true;
  }

  bool Compile() {
    const bool netlist = request_.program.starts_with("<?xml");
    RewrittenFile& program = netlist ? files_.netlist : files_.mil;
    if (netlist && kind_ != EngineKind::kSimulated && !MayHandOver()) return false;
    const Status cleared = bundle_.Clear();
    if (!cleared.ok()) return HarnessFailed(cleared.error().message);
    if (!Write(request_.program, program)) return false;
    if (!WriteWeights(netlist)) return false;
    if (!MakeCompiler()) return Failed(RunStatus::kFailed, Step::kCompile);
    const int64_t code = api_.compiler_compile(compiler_.get(), program.path().c_str(),
                                               options_.get(), library_.out());
    if (Called("e5_compiler_compile", code)) return true;
    // The simulated engine could not write its compiled program. This code is no answer of the
    // compiler.
    if (kind_ == EngineKind::kSimulated && code == ANECHECK_SIM_NO_BUNDLE) {
      return HarnessFailed(LastWords());
    }
    if (IsShortage(code)) return Failed(RunStatus::kFailed, Step::kCompile);
    Failed(RunStatus::kRejected, Step::kCompile);
    reply_.step = RefusingStep(reply_.message);
    reply_.no_kernel = kind_ == EngineKind::kSimulated && code == ANECHECK_SIM_NO_KERNEL;
    return false;
  }

  // MIL text with inline constants has no weight file.
  bool WriteWeights(bool netlist) {
    if (!netlist && request_.weights.empty()) return true;
    const auto* weights = reinterpret_cast<const char*>(request_.weights.data());
    return Write({weights, request_.weights.size()},
                 netlist ? files_.netlist_weights : files_.mil_weights);
  }

  bool MakeCompiler() {
    return Called("e5_compiler_config_options_create", api_.config_create(config_.out())) &&
           Called("e5_compiler_config_options_set_cache_bundle_location",
                  api_.config_set_cache_bundle_location(config_.get(), bundle_.path().c_str())) &&
           Called("e5_compiler_create_with_config",
                  api_.compiler_create_with_config(compiler_.out(), config_.get())) &&
           SetOptions();
  }

  bool SetOptions() {
    if (!Called("e5_compiler_options_create", api_.options_create(options_.out()))) return false;
    void* options = options_.get();
    const bool set =
        Called("e5_compiler_options_set_compute_device_types_mask",
               api_.options_set_compute_device_types_mask(options, kEngineMask)) &&
        Called("e5_compiler_options_set_force_recompilation",
               api_.options_set_force_recompilation(options, 1)) &&
        Called("e5_compiler_options_set_segmenter", api_.options_set_segmenter(options, "graph"));
    const auto architecture = TargetOption(kind_, request_.target);
    if (!set || !architecture) return set;
    return Called("e5_compiler_options_set_custom_ane_compiler_options",
                  api_.options_set_custom_ane_compiler_options(options, architecture->c_str()));
  }

  // Call this only once the operation exists (specification 001, section 2.1).
  void CloseCompiler() {
    compiler_.Close();
    config_.Close();
    options_.Close();
  }

  bool Load() {
    step_ = Step::kLoad;
    reply_.backend = bundle_.SelectedBackend([this](std::string_view text) {
      const bool proves = Proves(text);
      const bool kept = proves && kind_ != EngineKind::kSimulated && text.size() <= kLongestProof;
      if (kept) reply_.proof = text;
      return proves;
    });
    const bool loaded =
        Called("program_library_retain_program_function",
               api_.library_retain_program_function(library_.get(), "main", function_.out())) &&
        Called("precompiled_compute_op_create_options_create_with_program_function",
               api_.op_options_create_with_program_function(op_options_.out(), function_.get())) &&
        Called("precompiled_compute_op_create_options_set_operation_name",
               api_.op_options_set_operation_name(op_options_.get(), "main")) &&
        Called("precompiled_compute_op_create_options_set_allocate_intermediate_buffers",
               api_.op_options_set_allocate_intermediate_buffers(op_options_.get(), 1));
    return loaded || Failed(RunStatus::kFailed, Step::kLoad);
  }

  // Returns whether `analytics` prove the placement. Analytics of the machine's own engine must be
  // about this program. Analytics of the simulated engine prove nothing about another engine.
  bool Proves(std::string_view analytics) const {
    if (kind_ == EngineKind::kSimulated) return true;
    if (SaysSimulated(analytics)) return false;
    if (kind_ != EngineKind::kSystem) return true;
    std::vector<std::string> ports;
    ports.reserve(request_.shape.inputs.size() + request_.shape.outputs.size());
    for (const WirePort& port : request_.shape.inputs) ports.emplace_back(port.name);
    for (const WirePort& port : request_.shape.outputs) ports.emplace_back(port.name);
    return SpeaksOf(analytics, ports, {});
  }

  bool CreateOperation() {
    if (!Called("execution_stream_operation_create_precompiled_compute_operation_with_options",
                api_.operation_create(operation_.out(), op_options_.get()))) {
      return Failed(RunStatus::kFailed, Step::kLoad);
    }
    CloseCompiler();
    loaded_ = true;
    return true;
  }

  // Runs the compiled program at another shape, with a new operation and new buffers.
  bool RunAt(const WireShape& shape) {
    kept_operation_ = !operation_.Close() || kept_operation_;
    CloseBuffers();
    stream_.Close();
    if (!CreateOperation() || !Bind(shape) || !Execute()) return false;
    ReadOutputs(shape);
    CheckMemory(shape, false);
    return true;
  }

  void CloseBuffers() {
    for (auto& port : inputs_) port->buffer.Close();
    for (auto& port : outputs_) port->buffer.Close();
    inputs_.clear();
    outputs_.clear();
  }

  // Returns whether a network description may be passed to a real engine. The simulated engine
  // needs no such check, because it refuses unsuitable descriptions itself.
  bool MayHandOver() {
    reply_.message = NetlistRefusal(request_.program);
    if (!reply_.message.empty()) reply_.status = RunStatus::kNotRun;
    return reply_.message.empty();
  }

  bool Write(std::string_view content, RewrittenFile& file) {
    if (file.Write(content)) return true;
    return HarnessFailed(
        fmt::format("{}: cannot be written: {}", file.path(), std::strerror(errno)));
  }

  bool HarnessFailed(std::string message) {
    reply_.harness_fault = true;
    reply_.message = std::move(message);
    return false;
  }

  bool BindPort(const WirePort& wire, bool input) {
    auto bound = std::make_unique<BoundPort>(api_);
    const std::string name(wire.name);
    const auto retain =
        input ? api_.operation_retain_input_port : api_.operation_retain_output_port;
    const bool done =
        Called(input ? "execution_stream_operation_retain_input_port"
                     : "execution_stream_operation_retain_output_port",
               retain(operation_.get(), name.c_str(), bound->port.out())) &&
        Called("buffer_object_alloc",
               api_.buffer_alloc(bound->buffer.out(), wire.byte_size + (input ? 0 : Guard()), 0)) &&
        Called("buffer_object_get_data_ptr",
               api_.buffer_get_data_ptr(bound->buffer.get(), &bound->data)) &&
        Called("io_port_bind_buffer_object",
               api_.port_bind_buffer_object(bound->port.get(), bound->buffer.get()));
    if (!done) return Failed(RunStatus::kFailed, Step::kLoad);
    if (input) {
      std::memcpy(bound->data, wire.bytes.data(), wire.bytes.size());
    } else {
      SpoilOutput(wire, bound->data);
    }
    (input ? inputs_ : outputs_).push_back(std::move(bound));
    return true;
  }

  size_t Guard() const { return request_.settings.repeat ? kGuard : 0; }

  void SpoilOutput(const WirePort& wire, void* data) const {
    std::memset(data, kSpoiled, wire.byte_size);
    std::memset(static_cast<char*>(data) + wire.byte_size, kGuardByte, Guard());
  }

  // Checks, after an execution at `shape`, that the inputs and the bytes after the outputs are
  // unchanged. With `again`, the inputs are those of the second execution. The function reports at
  // most one misconduct per case.
  void CheckMemory(const WireShape& shape, bool again) {
    if (wrote_astray_) return;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto bytes =
          again && !request_.again.empty() ? request_.again[i] : shape.inputs[i].bytes;
      const auto* now = static_cast<const uint8_t*>(inputs_[i]->data);
      const auto first = std::mismatch(bytes.begin(), bytes.end(), now).first;
      if (first == bytes.end()) continue;
      wrote_astray_ = true;
      Note(Verdict::kStrayWrite, fmt::format("the execution changed its input {} at byte {}",
                                             shape.inputs[i].name, first - bytes.begin()));
      return;
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto* behind =
          static_cast<const uint8_t*>(outputs_[i]->data) + shape.outputs[i].byte_size;
      const auto is_marked = [](uint8_t byte) { return byte == kGuardByte; };
      const auto* const changed = std::find_if_not(behind, behind + Guard(), is_marked);
      if (changed == behind + Guard()) continue;
      wrote_astray_ = true;
      Note(Verdict::kStrayWrite,
           fmt::format("the execution wrote behind the end of its output {}, {} bytes on",
                       shape.outputs[i].name, changed - behind),
           i);
      return;
    }
  }

  bool Bind(const WireShape& shape) {
    for (const WirePort& port : shape.inputs) {
      if (!BindPort(port, true)) return false;
    }
    for (const WirePort& port : shape.outputs) {
      if (!BindPort(port, false)) return false;
    }
    const bool encoded = Called("execution_stream_create", api_.stream_create(stream_.out())) &&
                         Called("execution_stream_encode_operation",
                                api_.stream_encode_operation(stream_.get(), operation_.get()));
    return encoded || Failed(RunStatus::kFailed, Step::kLoad);
  }

  bool Execute() {
    return Called("execution_stream_execute_sync", api_.stream_execute_sync(stream_.get())) ||
           Failed(RunStatus::kFailed, Step::kRun);
  }

  // Executes the same program once more, on the same or other inputs. It first fills the outputs
  // with kSpoiled, to detect an output that the second execution does not write.
  bool Repeat() {
    PrepareAgain();
    if (!request_.gives_second) {
      Compare();
      CheckMemory(request_.shape, true);
      return true;
    }
    if (!Execute()) return false;
    ReadOutputs(request_.shape);
    CheckMemory(request_.shape, true);
    return true;
  }

  void PrepareAgain() {
    const WireShape& shape = request_.shape;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto& bytes = request_.again.empty() ? shape.inputs[i].bytes : request_.again[i];
      std::memcpy(inputs_[i]->data, bytes.data(), bytes.size());
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      SpoilOutput(shape.outputs[i], outputs_[i]->data);
    }
  }

  void Compare() {
    const WireShape& shape = request_.shape;
    if (!Called("execution_stream_execute_sync", api_.stream_execute_sync(stream_.get()))) {
      Note(Verdict::kNotRepeatable, "the second execution fails: " + LastWords());
      return;
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const std::vector<uint8_t>& before = reply_.outputs[i];
      const auto* now = static_cast<const uint8_t*>(outputs_[i]->data);
      const auto other = OtherBytes(shape.outputs[i].name, before, {now, before.size()});
      if (!other) continue;
      Note(Verdict::kNotRepeatable, *other, i);
      return;
    }
  }

  void ReadOutputs(const WireShape& shape) {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto* data = static_cast<const uint8_t*>(outputs_[i]->data);
      reply_.outputs.emplace_back(data, data + shape.outputs[i].byte_size);
    }
  }

  const E5rtApi& api_;
  const EngineKind kind_;
  const WireRequest& request_;
  E5rtInputFiles& files_;
  BundleFolder& bundle_;
  std::atomic<Step>& step_;
  WireReply& reply_;
  std::string_view failed_call_;  // the entry point without its prefix e5rt_
  int64_t failed_code_ = 0;
  Handle stream_{api_.stream_release};
  std::vector<std::unique_ptr<BoundPort>> inputs_;
  std::vector<std::unique_ptr<BoundPort>> outputs_;
  Handle config_{api_.config_release};
  Handle compiler_{api_.compiler_release};
  Handle options_{api_.options_release};
  Handle library_{api_.library_release};
  Handle function_{api_.function_release};
  Handle op_options_{api_.op_options_release};
  Handle operation_{api_.operation_release};
  bool wrote_astray_ = false;
  bool kept_operation_ = false;  // an earlier operation could not be released
  bool loaded_ = false;
};

// The bytes of a file; empty if there is no file.
std::vector<uint8_t> ReadIfThere(const std::string& path) {
  auto bytes = ReadFile(path);
  return bytes.ok() ? std::move(*bytes) : std::vector<uint8_t>();
}

}  // namespace

E5rtInputFiles::E5rtInputFiles(const TempDirectory& folder)
    : mil(folder.File("model.mil")),
      mil_weights(folder.File(kMilWeightFile)),
      netlist(folder.File("net.plist")),
      netlist_weights(folder.File(kNetlistWeightFile)) {
  // If the folder cannot be made, the later write of the file fails and is reported.
  static_cast<void>(MakeDirectories(std::filesystem::path(mil_weights.path()).parent_path()));
}

WireReply E5rtEngine::Run(const WireRequest& request, std::atomic<Step>& step) {
  WireReply reply;
  reply.id = request.id;
  Session session(*library_, kind_, request, files_, bundle_, step, reply);
  session.Run();
  reply.slots_spent = reply.status == RunStatus::kFailed && reply.step == Step::kLoad &&
                      !reply.harness_fault && loaded_ >= kManyLoads;
  if (session.loaded()) ++loaded_;
  if (!session.Release()) ++leaked_;
  if (keep_files_ && reply.status == RunStatus::kOk) {
    reply.files = CompilerFiles{ReadIfThere(folder_.File("bundle/program.e5")),
                                ReadIfThere(folder_.File("bundle/model.hwx"))};
  }
  return reply;
}

}  // namespace anecheck
