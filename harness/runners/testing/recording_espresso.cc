// The simulated engine with a record of calls, for tests of the wrapper. It records calls that
// concern order and lifetime and forwards them to libanecheck_espresso. It can refuse a call once,
// and its new buffers are not zero.
#include "harness/runners/testing/recording_espresso.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace {

// Tests of the wrapper make their calls from one thread.
std::string record;          // NOLINT
std::string refused;         // NOLINT
void* submitted = nullptr;   // NOLINT
uint64_t events_bound = 0;   // NOLINT
std::string cache_location;  // NOLINT

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Records a call. Returns false if it must be refused.
bool Record(const char* symbol) {
  record += std::string(symbol) + "\n";
  if (refused != symbol) return true;
  refused.clear();
  return false;
}

}  // namespace

#define RECORDED(symbol, parameters, arguments)            \
  int64_t symbol parameters {                              \
    if (!Record(#symbol)) return -1;                       \
    return Next<int64_t(*) parameters>(#symbol) arguments; \
  }
#define RECORDED_RELEASE(symbol) RECORDED(symbol, (void** object), (object))

extern "C" {

const char* anecheck_recorded() { return record.c_str(); }
void anecheck_forget_recorded() { record.clear(); }
void anecheck_refuse_once(const char* symbol) { refused = symbol; }
void* anecheck_submitted_block() { return submitted; }
uint64_t anecheck_events_bound() { return events_bound; }
const char* anecheck_cache_location() { return cache_location.c_str(); }

RECORDED_RELEASE(e5rt_e5_compiler_config_options_release)
RECORDED_RELEASE(e5rt_e5_compiler_release)
RECORDED_RELEASE(e5rt_e5_compiler_options_release)
RECORDED_RELEASE(e5rt_execution_stream_operation_release)
RECORDED_RELEASE(e5rt_precompiled_compute_op_create_options_release)
RECORDED_RELEASE(e5rt_program_function_release)
RECORDED_RELEASE(e5rt_program_library_release)
RECORDED_RELEASE(e5rt_buffer_object_release)
RECORDED_RELEASE(e5rt_io_port_release)
RECORDED_RELEASE(e5rt_async_event_release)
RECORDED_RELEASE(e5rt_execution_stream_release)
RECORDED(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options,
         (void** out, void* options), (out, options))
RECORDED(e5rt_async_event_create, (void** out, const char* name, uint32_t initial),
         (out, name, initial))
RECORDED(e5rt_execution_stream_operation_bind_completion_event, (void* operation, void* event),
         (operation, event))
RECORDED(e5rt_io_port_bind_buffer_object, (void* port, void* buffer), (port, buffer))
RECORDED(e5rt_execution_stream_reset, (void* stream), (stream))
RECORDED(e5rt_execution_stream_operation_prepare_op_for_encode, (void* operation), (operation))
RECORDED(e5rt_execution_stream_encode_operation, (void* stream, void* operation),
         (stream, operation))
RECORDED(e5rt_execution_stream_execute_sync, (void* stream), (stream))
RECORDED(e5rt_async_event_sync_wait, (void* event), (event))

int64_t e5rt_e5_compiler_config_options_set_cache_bundle_location(void* config, const char* path) {
  using Set = int64_t (*)(void*, const char*);
  cache_location = path;
  return Next<Set>("e5rt_e5_compiler_config_options_set_cache_bundle_location")(config, path);
}

// Fills the new buffer, because no source states the content of new memory.
int64_t e5rt_buffer_object_alloc(void** out, size_t bytes, uint32_t type) {
  using Alloc = int64_t (*)(void**, size_t, uint32_t);
  using Data = int64_t (*)(void*, void**);
  const int64_t code = Next<Alloc>("e5rt_buffer_object_alloc")(out, bytes, type);
  void* data = nullptr;
  if (code == 0 && Next<Data>("e5rt_buffer_object_get_data_ptr")(*out, &data) == 0) {
    std::memset(data, 0x3f, bytes);
  }
  return code;
}

int64_t e5rt_execution_stream_submit_async(void* stream, void* block) {
  using Submit = int64_t (*)(void*, void*);
  submitted = block;
  if (!Record("e5rt_execution_stream_submit_async")) return -1;
  return Next<Submit>("e5rt_execution_stream_submit_async")(stream, block);
}

int64_t e5rt_execution_stream_operation_bind_dependent_events(void* operation, void** events,
                                                              uint64_t count) {
  using Bind = int64_t (*)(void*, void**, uint64_t);
  const char* symbol = "e5rt_execution_stream_operation_bind_dependent_events";
  events_bound = count;
  if (!Record(symbol)) return -1;
  return Next<Bind>(symbol)(operation, events, count);
}

}  // extern "C"
