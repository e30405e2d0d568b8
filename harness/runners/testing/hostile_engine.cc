// An engine for the tests of the runner: it has the e5rt_* entry points and obeys words in the MIL
// text. "CRASH" aborts, "HANG" never returns, "EXIT" ends the process, "REJECT" and "NORUN" fail
// with a message, "LEAK" refuses to release its program, "NOISE" prints on standard output; any
// other text copies the first input to every output. It carries no marker of the simulated engine.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

struct Buffer {
  std::vector<uint8_t> bytes;
};

struct Program {
  std::string text;
  std::vector<Buffer*> inputs;
  std::vector<Buffer*> outputs;
};

struct Port {
  Program* program;
  bool input;
};

std::string last_error;  // NOLINT: one engine a process, as the real one
int nothing = 0;

int64_t Fail(const char* message) {
  last_error = message;
  return -1;
}

bool Says(const Program& program, const char* word) {
  return program.text.find(word) != std::string::npos;
}

int64_t Make(void** out) {
  *out = &nothing;
  return 0;
}
int64_t Forget(void** object) {
  *object = nullptr;
  return 0;
}

}  // namespace

extern "C" {

int64_t e5rt_e5_compiler_config_options_create(void** out) { return Make(out); }
int64_t e5rt_e5_compiler_config_options_set_cache_bundle_location(void*, const char*) { return 0; }
int64_t e5rt_e5_compiler_config_options_release(void** object) { return Forget(object); }
int64_t e5rt_e5_compiler_create_with_config(void** out, void*) { return Make(out); }
int64_t e5rt_e5_compiler_release(void** object) { return Forget(object); }
int64_t e5rt_e5_compiler_options_create(void** out) { return Make(out); }
int64_t e5rt_e5_compiler_options_set_compute_device_types_mask(void*, uint64_t) { return 0; }
int64_t e5rt_e5_compiler_options_set_force_recompilation(void*, int) { return 0; }
int64_t e5rt_e5_compiler_options_set_segmenter(void*, const char*) { return 0; }
int64_t e5rt_e5_compiler_options_set_custom_ane_compiler_options(void*, const char*) { return 0; }
int64_t e5rt_e5_compiler_options_release(void** object) { return Forget(object); }

int64_t e5rt_e5_compiler_compile(void*, const char* path, void*, void** out) {
  auto* program = new Program;
  std::FILE* file = std::fopen(path, "rb");
  char chunk[4096];
  for (size_t got = 0; (got = std::fread(chunk, 1, sizeof chunk, file)) > 0;) {
    program->text.append(chunk, got);
  }
  std::fclose(file);
  if (Says(*program, "REJECT")) {
    delete program;
    return Fail("Some ops are not supported on any of the specified backends");
  }
  *out = program;
  return 0;
}

int64_t e5rt_program_library_retain_program_function(void* library, const char*, void** out) {
  *out = library;
  return 0;
}
int64_t e5rt_program_library_release(void** object) {
  auto* program = static_cast<Program*>(*object);
  if (Says(*program, "LEAK")) return Fail("still in use");
  delete program;
  return Forget(object);
}
int64_t e5rt_program_function_release(void** object) { return Forget(object); }
int64_t e5rt_precompiled_compute_op_create_options_create_with_program_function(void** out,
                                                                                void* function) {
  *out = function;
  return 0;
}
int64_t e5rt_precompiled_compute_op_create_options_set_operation_name(void*, const char*) {
  return 0;
}
int64_t e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers(void*, int) {
  return 0;
}
int64_t e5rt_precompiled_compute_op_create_options_release(void** object) { return Forget(object); }
int64_t e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(
    void** out, void* options) {
  *out = options;
  return 0;
}
int64_t e5rt_execution_stream_operation_retain_input_port(void* operation, const char*,
                                                          void** out) {
  *out = new Port{static_cast<Program*>(operation), true};
  return 0;
}
int64_t e5rt_execution_stream_operation_retain_output_port(void* operation, const char*,
                                                           void** out) {
  *out = new Port{static_cast<Program*>(operation), false};
  return 0;
}
int64_t e5rt_execution_stream_operation_release(void** object) { return Forget(object); }

int64_t e5rt_io_port_bind_buffer_object(void* port, void* buffer) {
  auto* bound = static_cast<Port*>(port);
  auto& list = bound->input ? bound->program->inputs : bound->program->outputs;
  list.push_back(static_cast<Buffer*>(buffer));
  return 0;
}
int64_t e5rt_io_port_release(void** object) {
  delete static_cast<Port*>(*object);
  return Forget(object);
}
int64_t e5rt_buffer_object_alloc(void** out, size_t bytes, uint32_t) {
  *out = new Buffer{std::vector<uint8_t>(bytes)};
  return 0;
}
int64_t e5rt_buffer_object_get_data_ptr(void* buffer, void** out) {
  *out = static_cast<Buffer*>(buffer)->bytes.data();
  return 0;
}
int64_t e5rt_buffer_object_release(void** object) {
  delete static_cast<Buffer*>(*object);
  return Forget(object);
}
int64_t e5rt_execution_stream_create(void** out) {
  *out = new Program* {nullptr};
  return 0;
}
int64_t e5rt_execution_stream_encode_operation(void* stream, void* operation) {
  *static_cast<Program**>(stream) = static_cast<Program*>(operation);
  return 0;
}
int64_t e5rt_execution_stream_execute_sync(void* stream) {
  const Program& program = **static_cast<Program**>(stream);
  if (Says(program, "CRASH")) std::abort();
  if (Says(program, "EXIT")) _exit(7);
  if (Says(program, "HANG")) {
    for (;;) pause();
  }
  if (Says(program, "NOISE")) std::printf("{\"summary\": \"noise\"}\n");
  if (Says(program, "NORUN")) return Fail("Program inference timeout: timed out");
  for (Buffer* output : program.outputs) {
    const std::vector<uint8_t>& input = program.inputs.front()->bytes;
    std::memcpy(output->bytes.data(), input.data(), std::min(input.size(), output->bytes.size()));
  }
  return 0;
}
int64_t e5rt_execution_stream_release(void** object) {
  delete static_cast<Program**>(*object);
  return Forget(object);
}
const char* e5rt_get_last_error_message() { return last_error.c_str(); }

}  // extern "C"
