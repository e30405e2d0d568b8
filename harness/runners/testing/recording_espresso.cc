// The simulated engine with a record, for tests of the wrapper: everything is forwarded to
// libanecheck_espresso. It keeps how many events the last call made an operation wait for, and
// binds no completion event that was made under the name "refused".
#include <cstdint>
#include <cstring>
#include <dlfcn.h>

namespace {

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool last_is_refused = false;  // NOLINT: tests of the wrapper have one thread

}  // namespace

extern "C" {

uint64_t anecheck_events_bound = 0;  // NOLINT: read by the tests

int64_t e5rt_async_event_create(void** out, const char* name, uint32_t initial) {
  using Create = int64_t (*)(void**, const char*, uint32_t);
  last_is_refused = name != nullptr && std::strcmp(name, "refused") == 0;
  return Next<Create>("e5rt_async_event_create")(out, name, initial);
}

int64_t e5rt_execution_stream_operation_bind_completion_event(void* operation, void* event) {
  using Bind = int64_t (*)(void*, void*);
  if (last_is_refused) return -1;
  return Next<Bind>("e5rt_execution_stream_operation_bind_completion_event")(operation, event);
}

int64_t e5rt_execution_stream_operation_bind_dependent_events(void* operation, void** events,
                                                              uint64_t count) {
  using Bind = int64_t (*)(void*, void**, uint64_t);
  anecheck_events_bound = count;
  return Next<Bind>("e5rt_execution_stream_operation_bind_dependent_events")(operation, events,
                                                                             count);
}

}  // extern "C"
