#include "harness/probe/probe_program.h"

#include <fmt/format.h>

#include "harness/device/simulator_control.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/runners/analytics.h"

namespace anecheck {

std::string ProbeText(std::string_view parameters, std::string_view statements) {
  return fmt::format(
      "program(1.3)\n[buildInfo = dict<string, string>({{{{\"coremlc-component-MIL\", "
      "\"3520.4.1\"}}}})]\n{{\n    func main<ios18>({}) {{\n{}\n    }} -> (y);\n}}\n",
      parameters, statements);
}

std::string PlainProbeText() {
  return ProbeText("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = fp16(1));");
}

Result<bool> CompilerRefused(const ProbeProgram& asked, const ProbeProgram& control) {
  if (!control.compiled()) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("a plain program does not compile either: {}: {}",
                                 control.failed(), control.message()));
  }
  if (asked.compiled()) return false;
  if (asked.failed() == ToText(Step::kCompile)) return true;
  return MakeError(ErrorCode::kUnsupported, asked.failed() + ": " + asked.message());
}

Error Broken(const ProbeProgram& program) {
  return MakeError(ErrorCode::kUnsupported, program.failed() + ": " + program.message());
}

Error CallFailed(const E5rtLibrary& engine, std::string_view call) {
  const char* text = engine.api.get_last_error_message();
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("{}: {}", call, text == nullptr ? "" : text));
}

ProbeProgram::ProbeProgram(const E5rtLibrary& engine, std::string_view target,
                           const std::string& mil, uint64_t mask, std::span<const uint8_t> weights,
                           NamesTarget names_target)
    : api_(engine.api),
      simulated_(engine.simulated()),
      folder_(TempDirectory::Create("anecheck-probe-")),
      bundle_(folder_.ok() ? folder_->File("bundle") : "") {
  if (folder_.ok()) {
    const bool always = names_target == NamesTarget::kAlways;
    const auto option = TargetOption(always ? EngineKind::kOther : KindOf(engine), target);
    Load(option ? option->c_str() : nullptr, mil, mask, weights);
  } else {
    failed_ = "folder";
    message_ = folder_.error().message;
  }
}

std::string ProbeProgram::SelectedBackend() {
  return bundle_.SelectedBackend(
      [this](std::string_view text) { return simulated_ || !SaysSimulated(text); });
}

ProbeProgram::~ProbeProgram() {
  if (operation_ != nullptr) api_.operation_release(&operation_);
  if (op_options_ != nullptr) api_.op_options_release(&op_options_);
  if (function_ != nullptr) api_.function_release(&function_);
  if (library_ != nullptr) api_.library_release(&library_);
  for (void*& buffer : owned_) api_.buffer_release(&buffer);
  for (void*& port : ports_) api_.port_release(&port);
  for (void*& event : events_) event_release_(&event);
  if (stream_ != nullptr) api_.stream_release(&stream_);
  if (options_ != nullptr) api_.options_release(&options_);
  if (compiler_ != nullptr) api_.compiler_release(&compiler_);
  if (config_ != nullptr) api_.config_release(&config_);
}

std::string ProbeProgram::folder() const { return folder_.ok() ? folder_->path() : ""; }

bool ProbeProgram::Check(int64_t code, std::string_view what) {
  if (code == 0) return true;
  if (failed_.empty()) {
    failed_ = what;
    const char* text = api_.get_last_error_message();
    message_ = text == nullptr ? "" : text;
  }
  return false;
}

Status ProbeProgram::Write(const std::string& path, const std::string& mil,
                           std::span<const uint8_t> weights) const {
  if (!weights.empty()) {
    ANECHECK_RETURN_IF_ERROR(
        WriteFileAtomic(folder_->File(std::string(kNetlistWeightFile)), weights));
  }
  return WriteFileAtomic(path, std::string_view(mil));
}

void ProbeProgram::Load(const char* architecture, const std::string& mil, uint64_t mask,
                        std::span<const uint8_t> weights) {
  const std::string path = folder_->File("model.mil");
  Status written = Write(path, mil, weights);
  if (written.ok()) written = bundle_.Clear();
  if (!written.ok()) {
    failed_ = "folder";
    message_ = written.error().message;
    return;
  }
  static_cast<void>(
      Check(api_.config_create(&config_), "config") &&
      Check(api_.config_set_cache_bundle_location(config_, bundle_.path().c_str()), "config") &&
      Check(api_.compiler_create_with_config(&compiler_, config_), "compiler") &&
      Check(api_.options_create(&options_), "options") &&
      Check(api_.options_set_compute_device_types_mask(options_, mask), "options") &&
      Check(api_.options_set_force_recompilation(options_, 1), "options") &&
      Check(api_.options_set_segmenter(options_, "graph"), "options") &&
      (architecture == nullptr ||
       Check(api_.options_set_custom_ane_compiler_options(options_, architecture), "options")) &&
      Compile(path) &&
      Check(api_.library_retain_program_function(library_, "main", &function_), "function") &&
      Check(api_.op_options_create_with_program_function(&op_options_, function_),
            ToText(Step::kLoad)) &&
      Check(api_.op_options_set_operation_name(op_options_, "main"), ToText(Step::kLoad)) &&
      Check(api_.op_options_set_allocate_intermediate_buffers(op_options_, 1),
            ToText(Step::kLoad)) &&
      Check(api_.operation_create(&operation_, op_options_), ToText(Step::kLoad)) &&
      Check(api_.stream_create(&stream_), "stream"));
}

// If the simulated engine cannot write its files, the failed step is "bundle", because the compiler
// did not refuse the program.
bool ProbeProgram::Compile(const std::string& path) {
  const int64_t code = api_.compiler_compile(compiler_, path.c_str(), options_, &library_);
  return Check(code, code == ANECHECK_SIM_NO_BUNDLE ? "bundle" : ToText(Step::kCompile));
}

void* ProbeProgram::BindBuffer(const std::string& port, bool output, void* buffer) {
  void* handle = nullptr;
  void* data = nullptr;
  const auto retain = output ? api_.operation_retain_output_port : api_.operation_retain_input_port;
  if (!Check(retain(operation_, port.c_str(), &handle), "port")) return nullptr;
  ports_.push_back(handle);
  buffers_[port] = buffer;
  const bool bound = Check(api_.port_bind_buffer_object(handle, buffer), "bind") &&
                     Check(api_.buffer_get_data_ptr(buffer, &data), "bind");
  return bound ? data : nullptr;
}

void* ProbeProgram::Bind(const std::string& port, bool output, size_t bytes) {
  void* buffer = nullptr;
  if (operation_ == nullptr || !Check(api_.buffer_alloc(&buffer, bytes, 0), "alloc"))
    return nullptr;
  owned_.push_back(buffer);
  return BindBuffer(port, output, buffer);
}

void* ProbeProgram::buffer(const std::string& port) const {
  const auto found = buffers_.find(port);
  return found == buffers_.end() ? nullptr : found->second;
}

void* ProbeProgram::Share(const std::string& port, bool output, const std::string& shared) {
  return Share(port, output, shared, *this);
}

void* ProbeProgram::Share(const std::string& port, bool output, const std::string& shared,
                          const ProbeProgram& other) {
  void* bound = other.buffer(shared);
  return bound == nullptr ? nullptr : BindBuffer(port, output, bound);
}

void* ProbeProgram::BindEvent(const E5rtStreamApi& streams) {
  void* event = nullptr;
  if (!Check(streams.event_create(&event, "done", 0), "event")) return nullptr;
  events_.push_back(event);
  event_release_ = streams.event_release;
  const int64_t code = streams.operation_bind_completion_event(operation_, event);
  return Check(code, "event") ? event : nullptr;
}

bool ProbeProgram::EncodeOnce(void* operation, bool& encoded) {
  if (!encoded) encoded = Check(api_.stream_encode_operation(stream_, operation), "encode");
  return encoded;
}

bool ProbeProgram::Encode(ProbeProgram& other) {
  return EncodeOnce(operation_, encoded_) && EncodeOnce(other.operation_, other.encoded_);
}

bool ProbeProgram::Execute() {
  return EncodeOnce(operation_, encoded_) && Check(api_.stream_execute_sync(stream_), "execute");
}

bool ProbeProgram::Submit(const E5rtStreamApi& streams, void* block) {
  return EncodeOnce(operation_, encoded_) &&
         Check(streams.stream_submit_async(stream_, block), "submit");
}

void Abandon(std::unique_ptr<ProbeProgram> program) {
  const TempDirectory removed = TempDirectory::Adopt(program.release()->folder());
}

}  // namespace anecheck
