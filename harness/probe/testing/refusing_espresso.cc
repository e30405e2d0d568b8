// The simulated engine for tests of the runtime probes. It records calls and forwards them to
// libanecheck_espresso. It refuses a call if the test requests that.
#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <mutex>
#include <string>

namespace {

// A lock is needed because probes wait for events in a separate thread.
std::mutex mutex;
std::string calls;    // NOLINT: read by the tests
std::string refused;  // NOLINT
int allowed = 0;      // NOLINT: calls that succeed before the refusal
std::atomic<void*> submitted = nullptr;

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Records a call. Returns false if it must be refused.
bool MayGoOn(const char* name) {
  const std::lock_guard lock(mutex);
  calls += name;
  calls += '\n';
  return refused != name || allowed-- > 0;
}

}  // namespace

#define FORWARDED(name, parameters, arguments)                           \
  int64_t e5rt_##name parameters {                                       \
    if (!MayGoOn(#name)) return -1;                                      \
    static const auto next = Next<int64_t(*) parameters>("e5rt_" #name); \
    return next arguments;                                               \
  }
#define FORWARDED_RELEASE(name) FORWARDED(name, (void** object), (object))

extern "C" {

// Returns the calls since the previous call of this function, one per line, without the prefix.
const char* anecheck_calls() {
  static std::string given;
  const std::lock_guard lock(mutex);
  given = std::move(calls);
  calls.clear();
  return given.c_str();
}
// Refuses the call `name` after `after` successful calls of it.
void anecheck_refuse(const char* name, int after) {
  const std::lock_guard lock(mutex);
  refused = name;
  allowed = after;
}
void* anecheck_submitted_block() { return submitted; }

FORWARDED(e5_compiler_compile, (void* compiler, const char* path, void* options, void** out),
          (compiler, path, options, out))
FORWARDED(program_library_retain_program_function, (void* library, const char* name, void** out),
          (library, name, out))
FORWARDED(execution_stream_operation_create_precompiled_compute_operation_with_options,
          (void** out, void* options), (out, options))
FORWARDED(io_port_bind_buffer_object, (void* port, void* buffer), (port, buffer))
FORWARDED(buffer_object_get_size, (void* buffer, size_t* out), (buffer, out))
FORWARDED(execution_stream_operation_bind_completion_event, (void* operation, void* event),
          (operation, event))
FORWARDED(execution_stream_encode_operation, (void* stream, void* operation), (stream, operation))
FORWARDED(execution_stream_execute_sync, (void* stream), (stream))
FORWARDED(async_event_sync_wait, (void* event), (event))
FORWARDED(async_event_get_last_signaled_value, (void* event, uint64_t* out), (event, out))
FORWARDED_RELEASE(execution_stream_operation_release)
FORWARDED_RELEASE(precompiled_compute_op_create_options_release)
FORWARDED_RELEASE(program_function_release)
FORWARDED_RELEASE(program_library_release)
FORWARDED_RELEASE(buffer_object_release)
FORWARDED_RELEASE(io_port_release)
FORWARDED_RELEASE(async_event_release)
FORWARDED_RELEASE(execution_stream_release)

int64_t e5rt_execution_stream_submit_async(void* stream, void* block) {
  submitted = block;
  if (!MayGoOn("execution_stream_submit_async")) return -1;
  static const auto next = Next<int64_t (*)(void*, void*)>("e5rt_execution_stream_submit_async");
  return next(stream, block);
}

}  // extern "C"
