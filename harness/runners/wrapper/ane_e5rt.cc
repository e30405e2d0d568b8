#include "harness/runners/wrapper/ane_e5rt.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/runners/e5rt_library.h"
#include "harness/runners/wrapper/failure.h"

namespace anecheck {
namespace {

thread_local std::string last_error;

int Failed(std::string message) {
  last_error = std::move(message);
  return -1;
}

// Returns the path of the engine: ANECHECK_ESPRESSO if it is set, else the system's framework on
// macOS, else the simulated engine beside this library.
std::string EnginePath() {
#if !defined(__APPLE__)
  const char* named = std::getenv("ANECHECK_ESPRESSO");
  Dl_info info{};
  const bool unnamed = named == nullptr || *named == 0;
  if (unnamed && dladdr(reinterpret_cast<void*>(&EnginePath), &info) != 0) {
    const std::string own = info.dli_fname;
    const size_t slash = own.rfind('/');
    return (slash == std::string::npos ? "." : own.substr(0, slash)) + "/libanecheck_espresso.so";
  }
#endif
  return DefaultEspressoPath();
}

struct Engine {
  E5rtLibrary library;
  E5rtStreamApi streams;
};

// Opens the engine at the first call and returns it. After a failure the next call tries again.
const Engine* TheEngine() {
  static std::mutex mutex;
  static std::unique_ptr<Engine> engine;
  const std::lock_guard lock(mutex);
  if (engine != nullptr) return engine.get();
  auto library = OpenE5rtLibrary(EnginePath());
  if (!library.ok()) {
    Failed(library.error().message);
    return nullptr;
  }
  auto streams = ResolveStreamApi(*library);
  if (!streams.ok()) {
    Failed(streams.error().message);
    return nullptr;
  }
  engine = std::make_unique<Engine>(Engine{std::move(library).value(), std::move(streams).value()});
  return engine.get();
}

struct Port {
  std::string name;
  size_t bytes = 0;
  void* handle = nullptr;
  void* buffer = nullptr;  // the bound buffer; owned by the operation that allocated it
};

// The state of an operation between the calls that encode it. The bindings of an operation may
// change only in the state kNew, because the engine refuses a change to an encoded operation.
enum class Encoding : uint8_t {
  kNew,
  kEncoded,
  kDropped,   // by a reset of the stream
  kPrepared,  // to be encoded again
};

struct Operation {
  void* library = nullptr;
  void* function = nullptr;
  void* op_options = nullptr;
  void* operation = nullptr;
  std::vector<Port> inputs, outputs;
  std::vector<void*> buffers;  // allocated here
  void* event = nullptr;       // the completion event, if bound
  std::string no_event;        // the reason if `event` is null
  // Events of the operations that it waits for. No source states whether a further call of
  // bind_dependent_events adds events or replaces them, so each call binds all of them.
  std::vector<void*> waits;
  Encoding encoding = Encoding::kNew;
};

// The completion block of every submission. The process has one such block. It is never freed,
// because the engine retains it and no source states when the engine reads it for the last time.
// Sources differ on whether the engine calls the block when the work is done or already when it is
// queued. So the block does nothing, and the final event shows that the work is done.
void* SubmittedBlock() {
  static void* const block = ane_e5rt_make_completion_block([](void*, int) {}, nullptr);
  return block;
}

}  // namespace

int WrapperFailed(std::string message) { return Failed(std::move(message)); }

}  // namespace anecheck

using anecheck::Encoding;
using anecheck::Failed;
using anecheck::Operation;
using anecheck::Port;

struct ane_e5rt_program {
  const anecheck::Engine* engine = nullptr;
  std::unique_ptr<anecheck::TempDirectory> own_cache;
  std::string cache;
  uint64_t mask = 0;
  std::vector<std::unique_ptr<Operation>> operations;
  void* stream = nullptr;
  bool stream_used = false;
  void* final_event = nullptr;  // the event of the last operation at the last submission
  bool in_flight = false;       // submitted, and the final event has not been waited for
  uint64_t before = 0, after = 0;

  const anecheck::E5rtApi& api() const { return engine->library.api; }
  const anecheck::E5rtStreamApi& streams() const { return engine->streams; }

  // Returns whether `code` means success. Otherwise it stores the engine's message.
  bool Check(int64_t code) const {
    if (code == 0) return true;
    const char* message = api().get_last_error_message();
    Failed(message == nullptr || *message == 0 ? "the engine gave no message" : message);
    return false;
  }

  // Finds the folder for the bundle of the last operation. It is the requested cache folder for the
  // first operation, and a separate folder in it for each later operation.
  bool CacheFolder(std::string& folder) const {
    folder = cache;
    const size_t index = operations.size() - 1;
    if (index == 0) return true;
    folder += fmt::format("/op{}", index);
    const anecheck::Status made = anecheck::MakeDirectories(folder);
    if (!made.ok()) Failed(made.error().message);
    return made.ok();
  }

  // Compiles the last operation.
  bool Compile(const char* mil_path, Operation& operation) const {
    std::string folder;
    void* config = nullptr;
    void* compiler = nullptr;
    void* options = nullptr;
    const bool done =
        CacheFolder(folder) && Check(api().config_create(&config)) &&
        Check(api().config_set_cache_bundle_location(config, folder.c_str())) &&
        Check(api().compiler_create_with_config(&compiler, config)) &&
        Check(api().options_create(&options)) &&
        Check(api().options_set_compute_device_types_mask(options, mask)) &&
        Check(api().options_set_force_recompilation(options, 1)) &&
        Check(api().options_set_segmenter(options, "graph")) &&
        Check(api().compiler_compile(compiler, mil_path, options, &operation.library)) &&
        Create(operation);
    // The compiler must live until the operation exists (specification 001, section 2.1).
    Free(api().options_release, options);
    Free(api().compiler_release, compiler);
    Free(api().config_release, config);
    return done;
  }

  // Makes the operation from a compiled library.
  bool Create(Operation& operation) const {
    return Check(api().library_retain_program_function(operation.library, "main",
                                                       &operation.function)) &&
           Check(api().op_options_create_with_program_function(&operation.op_options,
                                                               operation.function)) &&
           Check(api().op_options_set_operation_name(operation.op_options, "main")) &&
           Check(api().op_options_set_allocate_intermediate_buffers(operation.op_options, 1)) &&
           Check(api().operation_create(&operation.operation, operation.op_options));
  }

  bool Bind(Operation& operation, const char* name, size_t bytes, bool input) {
    Port port = {.name = name, .bytes = bytes};
    const auto retain =
        input ? api().operation_retain_input_port : api().operation_retain_output_port;
    if (!Check(retain(operation.operation, name, &port.handle))) return false;
    auto& list = input ? operation.inputs : operation.outputs;
    list.push_back(port);
    void* buffer = nullptr;
    void* data = nullptr;
    if (!Check(api().buffer_alloc(&buffer, bytes, 0))) return false;
    operation.buffers.push_back(buffer);
    list.back().buffer = buffer;
    if (!Check(api().buffer_get_data_ptr(buffer, &data))) return false;
    std::memset(data, 0, bytes);
    return Check(api().port_bind_buffer_object(port.handle, buffer));
  }

  // Encodes the remaining operations, in order. A stream that was executed takes no more
  // operations, so it is reset and all operations are encoded again (specification 001, section
  // 2.3). After a failure the next call continues at the failed operation.
  bool EncodeAll() {
    if (stream == nullptr && !Check(api().stream_create(&stream))) return false;
    const auto is_encoded = [](const auto& operation) {
      return operation->encoding == Encoding::kEncoded;
    };
    if (std::ranges::all_of(operations, is_encoded)) return true;
    if (stream_used && !Reset()) return false;
    for (const auto& operation : operations) {
      if (operation->encoding == Encoding::kDropped && !Prepare(*operation)) return false;
    }
    for (const auto& operation : operations) {
      if (!is_encoded(operation) && !Encode(*operation)) return false;
    }
    return true;
  }

  bool Reset() {
    if (!Check(streams().stream_reset(stream))) return false;
    stream_used = false;
    for (const auto& operation : operations) {
      if (operation->encoding == Encoding::kEncoded) operation->encoding = Encoding::kDropped;
    }
    return true;
  }

  bool Prepare(Operation& operation) const {
    if (!Check(streams().operation_prepare_op_for_encode(operation.operation))) return false;
    operation.encoding = Encoding::kPrepared;
    return true;
  }

  bool Encode(Operation& operation) const {
    if (!Check(api().stream_encode_operation(stream, operation.operation))) return false;
    operation.encoding = Encoding::kEncoded;
    return true;
  }

  // Gives the last operation its completion event. The event cannot be bound after the first
  // execution, because that encodes the operation. Without an event the program can still run
  // synchronously.
  void GiveEvent(Operation& operation) const {
    void* event = nullptr;
    const std::string name = fmt::format("anecheck-op{}", operations.size() - 1);
    if (!Check(streams().event_create(&event, name.c_str(), 0))) {
      operation.no_event = anecheck::last_error;
    } else if (!Check(streams().operation_bind_completion_event(operation.operation, event))) {
      operation.no_event = anecheck::last_error;
      streams().event_release(&event);
    } else {
      operation.event = event;
    }
  }

  static bool HasEvent(const Operation& operation) {
    if (operation.event == nullptr) Failed("no completion event: " + operation.no_event);
    return operation.event != nullptr;
  }

  bool WaitForFinal() {
    in_flight = false;
    return Check(streams().event_sync_wait(final_event)) &&
           Check(streams().event_get_last_signaled_value(final_event, &after));
  }

  // Waits until submitted work is done. This is necessary before buffers are read or written, and
  // before the stream is used again or released.
  bool Settle() { return !in_flight || WaitForFinal(); }

  int Execute() {
    if (!Settle() || !EncodeAll()) return -1;
    stream_used = true;
    return Check(api().stream_execute_sync(stream)) ? 0 : -1;
  }

  // The final event is the event of the operation that is last at the time of this call.
  int ExecuteAsync() {
    const Operation& last = *operations.back();
    void* block = anecheck::SubmittedBlock();
    if (block == nullptr) return Failed("there is no memory for a block");
    if (!HasEvent(last) || !Settle() || !EncodeAll()) return -1;
    uint64_t value = 0;
    if (!Check(streams().event_get_last_signaled_value(last.event, &value))) return -1;
    stream_used = true;
    if (!Check(streams().stream_submit_async(stream, block))) return -1;
    in_flight = true;
    final_event = last.event;
    before = value;
    return 0;
  }

  // Bindings are part of the encoding, so they cannot change after `operation` is encoded.
  static bool MayBind(const Operation& operation) {
    if (operation.encoding == Encoding::kNew) return true;
    Failed("the operation was executed before: its bindings cannot change");
    return false;
  }

  bool Chain(const Operation& source, Operation& target) const {
    if (!MayBind(target) || !HasEvent(source)) return false;
    std::vector<void*> waits = target.waits;
    if (std::ranges::find(waits, source.event) == waits.end()) waits.push_back(source.event);
    if (!Check(streams().operation_bind_dependent_events(target.operation, waits.data(),
                                                         waits.size()))) {
      return false;
    }
    target.waits = std::move(waits);
    return true;
  }

  bool Share(const Port& from, Operation& target, Port& to) const {
    if (!MayBind(target)) return false;
    if (!Check(api().port_bind_buffer_object(to.handle, from.buffer))) return false;
    to.buffer = from.buffer;
    return true;
  }

  static void Free(int64_t (*release)(void** handle), void*& handle) {
    if (handle != nullptr) release(&handle);
  }

  // Releases all objects kind by kind, in the order of specification 001, section 2.6.
  void ReleaseParts(std::span<const std::unique_ptr<Operation>> of) const {
    for (const auto& each : of) Free(api().operation_release, each->operation);
    for (const auto& each : of) Free(api().op_options_release, each->op_options);
    for (const auto& each : of) Free(api().function_release, each->function);
    for (const auto& each : of) Free(api().library_release, each->library);
    for (const auto& each : of) {
      for (void*& buffer : each->buffers) Free(api().buffer_release, buffer);
    }
    for (const auto& each : of) {
      for (Port& port : each->inputs) Free(api().port_release, port.handle);
      for (Port& port : each->outputs) Free(api().port_release, port.handle);
    }
    for (const auto& each : of) Free(streams().event_release, each->event);
  }

  // Drops the last operation after an incomplete construction, and keeps the message of the failed
  // call.
  void DropLast() {
    const std::string message = anecheck::last_error;
    ReleaseParts({&operations.back(), 1});
    operations.pop_back();
    Failed(message);
  }

  void Release() {
    Settle();
    ReleaseParts(operations);
    Free(api().stream_release, stream);
  }
};

namespace {

Operation* OperationAt(ane_e5rt_program_t* program, size_t index) {
  if (program != nullptr && index < program->operations.size()) {
    return program->operations[index].get();
  }
  Failed("there is no operation of that index");
  return nullptr;
}

Port* FindPort(std::vector<Port>& ports, const char* name) {
  for (Port& port : ports) {
    if (name != nullptr && port.name == name) return &port;
  }
  Failed(std::string("there is no port called ") + (name == nullptr ? "NULL" : name));
  return nullptr;
}

// The memory of a port with at least `count` elements of two bytes, after pending work is done.
void* Memory(ane_e5rt_program_t& program, const Port& port, size_t count) {
  if (count > port.bytes / 2) {
    Failed("port " + port.name + " holds fewer elements");
    return nullptr;
  }
  void* data = nullptr;
  if (!program.Settle()) return nullptr;
  return program.Check(program.api().buffer_get_data_ptr(port.buffer, &data)) ? data : nullptr;
}

}  // namespace

const char* anecheck_e5rt_last_error(void) { return anecheck::last_error.c_str(); }

ane_e5rt_program_t* ane_e5rt_program_compile(const char* mil_path, const char* cache_dir,
                                             uint64_t device_mask, const char* const* input_names,
                                             const size_t* input_sizes, size_t n_inputs,
                                             const char* const* output_names,
                                             const size_t* output_sizes, size_t n_outputs) {
  const anecheck::Engine* engine = anecheck::TheEngine();
  if (engine == nullptr) return nullptr;
  auto program = std::make_unique<ane_e5rt_program>();
  program->engine = engine;
  program->mask = device_mask;
  if (cache_dir != nullptr) {
    program->cache = cache_dir;
  } else {
    auto folder = anecheck::TempDirectory::Create("anecheck-e5rt-");
    if (!folder.ok()) {
      Failed(folder.error().message);
      return nullptr;
    }
    program->own_cache = std::make_unique<anecheck::TempDirectory>(std::move(folder).value());
    program->cache = program->own_cache->path();
  }
  program->operations.push_back(std::make_unique<Operation>());
  Operation& operation = *program->operations.back();
  bool done = mil_path != nullptr && program->Compile(mil_path, operation);
  if (mil_path == nullptr) Failed("mil_path is NULL");
  for (size_t i = 0; done && i < n_inputs; ++i) {
    done = program->Bind(operation, input_names[i], input_sizes[i], true);
  }
  for (size_t i = 0; done && i < n_outputs; ++i) {
    done = program->Bind(operation, output_names[i], output_sizes[i], false);
  }
  if (!done) {
    program->Release();
    return nullptr;
  }
  program->GiveEvent(operation);
  return program.release();
}

void ane_e5rt_program_release(ane_e5rt_program_t* program) {
  if (program == nullptr) return;
  program->Release();
  delete program;
}

int ane_e5rt_program_add_op(ane_e5rt_program_t* program, const char* mil_path,
                            const char* input_name, size_t input_size, const char* output_name,
                            size_t output_size) {
  if (program == nullptr || mil_path == nullptr) return Failed("program or mil_path is NULL");
  program->operations.push_back(std::make_unique<Operation>());
  Operation& operation = *program->operations.back();
  const bool done = program->Compile(mil_path, operation) &&
                    program->Bind(operation, input_name, input_size, true) &&
                    program->Bind(operation, output_name, output_size, false);
  if (!done) {
    program->DropLast();
    return -1;
  }
  program->GiveEvent(operation);
  return static_cast<int>(program->operations.size()) - 1;
}

size_t ane_e5rt_program_get_op_count(ane_e5rt_program_t* program) {
  return program == nullptr ? 0 : program->operations.size();
}

int ane_e5rt_program_set_input_fp16_op(ane_e5rt_program_t* program, size_t op_idx, const char* port,
                                       const uint16_t* data, size_t n) {
  Operation* operation = OperationAt(program, op_idx);
  const Port* found = operation == nullptr ? nullptr : FindPort(operation->inputs, port);
  void* memory = found == nullptr ? nullptr : Memory(*program, *found, n);
  if (memory == nullptr) return -1;
  std::memcpy(memory, data, n * sizeof(uint16_t));
  return 0;
}

int ane_e5rt_program_get_output_fp16_op(ane_e5rt_program_t* program, size_t op_idx,
                                        const char* port, uint16_t* dest, size_t n) {
  Operation* operation = OperationAt(program, op_idx);
  const Port* found = operation == nullptr ? nullptr : FindPort(operation->outputs, port);
  const void* memory = found == nullptr ? nullptr : Memory(*program, *found, n);
  if (memory == nullptr) return -1;
  std::memcpy(dest, memory, n * sizeof(uint16_t));
  return 0;
}

int ane_e5rt_program_set_input_fp16(ane_e5rt_program_t* program, const char* port,
                                    const uint16_t* data, size_t n_elems) {
  return ane_e5rt_program_set_input_fp16_op(program, 0, port, data, n_elems);
}

int ane_e5rt_program_get_output_fp16(ane_e5rt_program_t* program, const char* port, uint16_t* dest,
                                     size_t n_elems) {
  return ane_e5rt_program_get_output_fp16_op(program, 0, port, dest, n_elems);
}

int ane_e5rt_program_execute(ane_e5rt_program_t* program) {
  return program == nullptr ? Failed("program is NULL") : program->Execute();
}

int ane_e5rt_program_execute_multi(ane_e5rt_program_t* program) {
  return ane_e5rt_program_execute(program);
}

int ane_e5rt_program_chain_ops(ane_e5rt_program_t* program, size_t src_op_idx, size_t dst_op_idx,
                               const char* /*event_name*/) {
  const Operation* source = OperationAt(program, src_op_idx);
  Operation* target = source == nullptr ? nullptr : OperationAt(program, dst_op_idx);
  if (target == nullptr) return -1;
  return program->Chain(*source, *target) ? 0 : -1;
}

int ane_e5rt_program_share_buffer(ane_e5rt_program_t* program, size_t src_op_idx,
                                  const char* src_out_port, size_t dst_op_idx,
                                  const char* dst_in_port) {
  Operation* source = OperationAt(program, src_op_idx);
  Operation* target = source == nullptr ? nullptr : OperationAt(program, dst_op_idx);
  if (target == nullptr) return -1;
  const Port* from = FindPort(source->outputs, src_out_port);
  Port* to = from == nullptr ? nullptr : FindPort(target->inputs, dst_in_port);
  if (to == nullptr) return -1;
  return program->Share(*from, *target, *to) ? 0 : -1;
}

int ane_e5rt_program_get_chain_event_last_signaled(ane_e5rt_program_t* program, size_t op_idx,
                                                   uint64_t* out) {
  const Operation* operation = OperationAt(program, op_idx);
  if (operation == nullptr || !ane_e5rt_program::HasEvent(*operation)) return -1;
  return program->Check(program->streams().event_get_last_signaled_value(operation->event, out))
             ? 0
             : -1;
}

int ane_e5rt_program_execute_async(ane_e5rt_program_t* program) {
  return program == nullptr ? Failed("program is NULL") : program->ExecuteAsync();
}

int ane_e5rt_program_wait_for_completion(ane_e5rt_program_t* program) {
  if (program == nullptr || program->final_event == nullptr) {
    return Failed("nothing was submitted");
  }
  return program->WaitForFinal() ? 0 : -1;
}

int ane_e5rt_program_get_final_event_signaled(ane_e5rt_program_t* program, uint64_t* before,
                                              uint64_t* after) {
  if (program == nullptr || program->final_event == nullptr) {
    return Failed("nothing was submitted");
  }
  *before = program->before;
  *after = program->after;
  return 0;
}
