#include "harness/runners/wrapper/ane_e5rt.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
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

// ANECHECK_ESPRESSO, the system's framework, or the simulated engine beside this library.
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

// Opened at the first call and kept; tried again after a failure.
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
  void* buffer = nullptr;  // bound now; owned by the operation that allocated it
};

struct Operation {
  void* library = nullptr;
  void* function = nullptr;
  void* op_options = nullptr;
  void* operation = nullptr;
  std::vector<Port> inputs, outputs;
  std::vector<void*> buffers;  // allocated here
  void* event = nullptr;       // bound: signalled when it is done
  bool chained = false;        // another operation waits for it
  // Events of the operations that it waits for. Whether a further call of bind_dependent_events
  // adds to what was bound or replaces it is not published: all of them are bound each time.
  std::vector<void*> waits;
  bool encoded = false;
};

}  // namespace

int WrapperFailed(std::string message) { return Failed(std::move(message)); }

}  // namespace anecheck

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
  void* final_event = nullptr;  // of the operation that was the last one at the last submission
  void* block = nullptr;
  uint64_t before = 0, after = 0;
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;

  const anecheck::E5rtApi& api() const { return engine->library.api; }
  const anecheck::E5rtStreamApi& streams() const { return engine->streams; }

  // True for success; otherwise keeps the engine's message.
  bool Check(int64_t code) const {
    if (code == 0) return true;
    const char* message = api().get_last_error_message();
    Failed(message == nullptr || *message == 0 ? "the engine gave no message" : message);
    return false;
  }

  bool Compile(const char* mil_path, Operation& operation) {
    void* config = nullptr;
    void* compiler = nullptr;
    void* options = nullptr;
    const bool done =
        Check(api().config_create(&config)) &&
        Check(api().config_set_cache_bundle_location(config, cache.c_str())) &&
        Check(api().compiler_create_with_config(&compiler, config)) &&
        Check(api().options_create(&options)) &&
        Check(api().options_set_compute_device_types_mask(options, mask)) &&
        Check(api().options_set_force_recompilation(options, 1)) &&
        Check(api().options_set_segmenter(options, "graph")) &&
        Check(api().compiler_compile(compiler, mil_path, options, &operation.library));
    if (options != nullptr) api().options_release(&options);
    if (compiler != nullptr) api().compiler_release(&compiler);
    if (config != nullptr) api().config_release(&config);
    return done &&
           Check(api().library_retain_program_function(operation.library, "main",
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
    if (!Check(api().buffer_alloc(&list.back().buffer, bytes, 0))) return false;
    operation.buffers.push_back(list.back().buffer);
    return Check(api().port_bind_buffer_object(port.handle, list.back().buffer));
  }

  // Encodes every operation in order; those of a used stream are prepared first (specification 001,
  // section 2.3).
  bool EncodeAll() {
    bool complete = stream != nullptr;
    for (const auto& operation : operations) complete = complete && operation->encoded;
    if (complete) return true;
    if (stream == nullptr && !Check(api().stream_create(&stream))) return false;
    if (stream_used && !Check(streams().stream_reset(stream))) return false;
    for (const auto& operation : operations) {
      if (operation->encoded && !stream_used) continue;
      if (operation->encoded &&
          !Check(streams().operation_prepare_op_for_encode(operation->operation))) {
        return false;
      }
      if (!Check(api().stream_encode_operation(stream, operation->operation))) return false;
      operation->encoded = true;
    }
    return true;
  }

  int Execute() {
    if (!EncodeAll()) return -1;
    stream_used = true;
    return Check(api().stream_execute_sync(stream)) ? 0 : -1;
  }

  static void Completed(void* context) {
    auto* program = static_cast<ane_e5rt_program*>(context);
    const std::lock_guard lock(program->mutex);
    --program->running;
    program->changed.notify_all();
  }

  // Gives the operation its one completion event, where it has none yet. An event that cannot be
  // bound is not kept.
  bool GiveEvent(Operation& operation, const char* name) const {
    if (operation.event != nullptr) return true;
    void* event = nullptr;
    if (!Check(streams().event_create(&event, name, 0))) return false;
    if (Check(streams().operation_bind_completion_event(operation.operation, event))) {
      operation.event = event;
      return true;
    }
    const std::string message = anecheck::last_error;
    streams().event_release(&event);
    Failed(message);
    return false;
  }

  // Operations may have been added since the last submission: the final event is the last one's.
  bool PrepareAsync() {
    Operation& last = *operations.back();
    if (!GiveEvent(last, "anecheck-final")) return false;
    final_event = last.event;
    if (block == nullptr) block = ane_e5rt_make_completion_block(Completed, this);
    return block != nullptr;
  }

  bool Chain(Operation& source, Operation& target, const char* name) const {
    if (!GiveEvent(source, name)) return false;
    std::vector<void*> waits = target.waits;
    if (std::ranges::find(waits, source.event) == waits.end()) waits.push_back(source.event);
    if (!Check(streams().operation_bind_dependent_events(target.operation, waits.data(),
                                                         waits.size()))) {
      return false;
    }
    target.waits = std::move(waits);
    source.chained = true;
    return true;
  }

  void ReleaseCode(Operation& operation) const {
    if (operation.operation != nullptr) api().operation_release(&operation.operation);
    if (operation.op_options != nullptr) api().op_options_release(&operation.op_options);
    if (operation.function != nullptr) api().function_release(&operation.function);
    if (operation.library != nullptr) api().library_release(&operation.library);
  }

  void ReleasePorts(Operation& operation) const {
    for (void*& buffer : operation.buffers) api().buffer_release(&buffer);
    for (auto* ports : {&operation.inputs, &operation.outputs}) {
      for (Port& port : *ports) api().port_release(&port.handle);
    }
  }

  // The last operation, which could not be made in full. Keeps the message of what failed.
  void DropLast() {
    const std::string message = anecheck::last_error;
    ReleaseCode(*operations.back());
    ReleasePorts(*operations.back());
    operations.pop_back();
    Failed(message);
  }

  void Release() {
    Wait();
    for (const auto& operation : operations) ReleaseCode(*operation);
    for (const auto& operation : operations) ReleasePorts(*operation);
    for (const auto& operation : operations) {
      if (operation->event != nullptr) streams().event_release(&operation->event);
    }
    if (stream != nullptr) api().stream_release(&stream);
    ane_e5rt_free_completion_block(block);
  }

  void Wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return running == 0; });
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

// The memory of a port, for `count` elements of two bytes.
void* Memory(const ane_e5rt_program_t& program, const Port& port, size_t count) {
  if (count > port.bytes / 2) {
    Failed("port " + port.name + " holds fewer elements");
    return nullptr;
  }
  void* data = nullptr;
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
  if (done) return program.release();
  program->Release();
  return nullptr;
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
  if (done) return 0;
  program->DropLast();
  return -1;
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
                               const char* event_name) {
  Operation* source = OperationAt(program, src_op_idx);
  Operation* target = source == nullptr ? nullptr : OperationAt(program, dst_op_idx);
  if (target == nullptr) return -1;
  return program->Chain(*source, *target, event_name) ? 0 : -1;
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
  if (!program->Check(program->api().port_bind_buffer_object(to->handle, from->buffer))) return -1;
  to->buffer = from->buffer;
  return 0;
}

int ane_e5rt_program_get_chain_event_last_signaled(ane_e5rt_program_t* program, size_t op_idx,
                                                   uint64_t* out) {
  const Operation* operation = OperationAt(program, op_idx);
  if (operation == nullptr) return -1;
  if (!operation->chained) return Failed("the operation has no chain event");
  return program->Check(program->streams().event_get_last_signaled_value(operation->event, out))
             ? 0
             : -1;
}

int ane_e5rt_program_execute_async(ane_e5rt_program_t* program) {
  if (program == nullptr) return Failed("program is NULL");
  if (!program->PrepareAsync() || !program->EncodeAll()) return -1;
  if (!program->Check(program->streams().event_get_last_signaled_value(program->final_event,
                                                                       &program->before))) {
    return -1;
  }
  {
    const std::lock_guard lock(program->mutex);
    ++program->running;
  }
  program->stream_used = true;
  if (program->Check(program->streams().stream_submit_async(program->stream, program->block))) {
    return 0;
  }
  ane_e5rt_program::Completed(program);
  return -1;
}

int ane_e5rt_program_wait_for_completion(ane_e5rt_program_t* program) {
  if (program == nullptr || program->final_event == nullptr) {
    return Failed("nothing was submitted");
  }
  if (!program->Check(program->streams().event_sync_wait(program->final_event))) return -1;
  program->Wait();
  return program->Check(program->streams().event_get_last_signaled_value(program->final_event,
                                                                         &program->after))
             ? 0
             : -1;
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
