// An engine for the tests of the runner. It has the e5rt_* entry points and obeys command words in
// the MIL text. For any other text it copies the first input to every output.
// - "CRASH" aborts, "HANG" never returns, "EXIT" ends the process.
// - "REJECT" and "NORUN" fail with a message.
// - "LEAK" refuses to release its program.
// - "NOISE" prints on standard output, "MUTTER" on standard error, "FLOOD" 3 MiB on standard error.
// - "ABORT COMPILER" and "STUCK LOADING" die or hang before there is a program to run.
// - "PLACE ane,bnns" writes analytics with these backends, "COPIED PLACE ane" the simulated
//   engine's.
// - "SHORT" forges a reply with one byte.
// - "SPEND" has twenty program slots and frees none.
// - "NOLOAD" fails to load; "SILENT" fails to load without a message.
// - "STARVED" finds no memory to compile in.
// - "SLUGGISH" compiles for more than a second, "HESITANT" the first time only.
// - "IDLE" writes no output.
// - In each second execution "FICKLE" changes the last byte, "STALE" writes nothing and "TIRED"
//   fails. The engine requires that a compiler, its configuration and its options live until the
//   operation exists. It does not have the marker of the simulated engine.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
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
  int runs = 0;
};

struct Port {
  Program* program;
  bool input;
};

std::string last_error;  // NOLINT: one engine per process, as the real one
std::string bundle;      // NOLINT: the folder for the analytics
int nothing = 0;
int spent = 0;      // NOLINT: slots that "SPEND" occupies
int compiles = 0;   // NOLINT
int compilers = 0;  // NOLINT: compilers, configurations and options that live

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

int64_t MakeCompilers(void** out) {
  ++compilers;
  return Make(out);
}
int64_t ForgetCompilers(void** object) {
  --compilers;
  return Forget(object);
}

[[noreturn]] void SleepForEver() {
  for (;;) pause();
}

void WriteAnalytics(const std::string& text) {
  constexpr std::string_view kWord = "PLACE ";
  const size_t at = text.find(kWord);
  if (at == std::string::npos) return;
  std::ofstream file(bundle + "/analytics.mil");
  if (text.find("COPIED ") != std::string::npos) {
    file << "[buildInfo = {{\"engine\", \"anecheck simulated engine\"}}]\n";
  }
  std::string name;
  for (const char c : text.substr(at + kWord.size()) + ",") {
    if (c != ',') {
      name += c;
      continue;
    }
    file << "relu()[SelectedBackend = string(\"" << name << "\")];\n";
    name.clear();
  }
}

// Writes a reply with one byte into the memory that is shared with the campaign, and reports the
// request as done. Works only for a batch of one request.
void ForgeShortReply() {
  constexpr off_t kHeader = 4096;
  constexpr off_t kArea = off_t{64} << 20;
  uint64_t id = 0;
  if (pread(3, &id, sizeof id, kHeader) != sizeof id) std::abort();
  std::string reply(reinterpret_cast<const char*>(&id), sizeof id);
  reply.append(3 + 3 * 4 + 1 + 2 * 8, '\0');        // ok; no texts, no fault, no times
  reply += std::string("\1\0\0\0\1\0\0\0x\0", 10);  // one output of one byte, no files
  reply.append(1 + 4, '\0');                        // slots are left, no misconduct
  const uint32_t completed = 1;
  const uint64_t size = reply.size();
  if (pwrite(3, reply.data(), reply.size(), kHeader + kArea) < 0) std::abort();
  if (pwrite(3, &completed, sizeof completed, 4) < 0) std::abort();
  if (pwrite(3, &size, sizeof size, 16) < 0) std::abort();
  if (write(4, "D", 1) != 1) std::abort();
  SleepForEver();
}

}  // namespace

extern "C" {

int64_t e5rt_e5_compiler_config_options_create(void** out) { return MakeCompilers(out); }
int64_t e5rt_e5_compiler_config_options_set_cache_bundle_location(void*, const char* path) {
  bundle = path;
  return 0;
}
int64_t e5rt_e5_compiler_config_options_release(void** object) { return ForgetCompilers(object); }
int64_t e5rt_e5_compiler_create_with_config(void** out, void*) { return MakeCompilers(out); }
int64_t e5rt_e5_compiler_release(void** object) { return ForgetCompilers(object); }
int64_t e5rt_e5_compiler_options_create(void** out) { return MakeCompilers(out); }
int64_t e5rt_e5_compiler_options_set_compute_device_types_mask(void*, uint64_t) { return 0; }
int64_t e5rt_e5_compiler_options_set_force_recompilation(void*, int) { return 0; }
int64_t e5rt_e5_compiler_options_set_segmenter(void*, const char*) { return 0; }
int64_t e5rt_e5_compiler_options_set_custom_ane_compiler_options(void*, const char*) { return 0; }
int64_t e5rt_e5_compiler_options_release(void** object) { return ForgetCompilers(object); }

int64_t e5rt_e5_compiler_compile(void*, const char* path, void*, void** out) {
  auto* program = new Program;
  std::ifstream file(path, std::ios::binary);
  program->text.assign(std::istreambuf_iterator<char>(file), {});
  if (Says(*program, "ABORT COMPILER")) std::abort();
  WriteAnalytics(program->text);
  const bool first = compiles++ == 0;
  if (Says(*program, "SLUGGISH") || (first && Says(*program, "HESITANT"))) {
    usleep(1'100'000);  // Waits by the clock: the time of a compile is judged
  }
  if (Says(*program, "STARVED")) {
    delete program;
    Fail("allocation failed");
    return static_cast<int32_t>(0xe00002bd);
  }
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
  const auto& program = *static_cast<Program*>(options);
  constexpr int kSlots = 20;
  if (Says(program, "STUCK LOADING")) SleepForEver();
  if (compilers != 3) return Fail("the compiler was released before its operation was made");
  if (Says(program, "NOLOAD")) return Fail("it cannot be loaded");
  if (Says(program, "SILENT")) return Fail("");
  if (Says(program, "SPEND") && ++spent > kSlots) return Fail("no slot is left");
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
  *out = static_cast<void*>(new Program* {nullptr});
  return 0;
}
int64_t e5rt_execution_stream_encode_operation(void* stream, void* operation) {
  *static_cast<Program**>(stream) = static_cast<Program*>(operation);
  return 0;
}
int64_t e5rt_execution_stream_execute_sync(void* stream) {
  Program& program = **static_cast<Program**>(stream);
  const bool second = ++program.runs % 2 == 0;
  if (Says(program, "MUTTER")) std::fprintf(stderr, "a warning\n");
  if (Says(program, "FLOOD")) {
    const std::string many(size_t{3} << 20, '.');
    std::fprintf(stderr, "%sthe last words\n", many.c_str());
  }
  if (Says(program, "CRASH")) std::abort();
  if (Says(program, "EXIT")) _exit(7);
  if (Says(program, "HANG")) SleepForEver();
  if (Says(program, "SHORT")) ForgeShortReply();
  if (Says(program, "NOISE")) std::printf("{\"summary\": \"noise\"}\n");
  if (Says(program, "NORUN")) return Fail("Program inference timeout: timed out");
  if (second && Says(program, "TIRED")) return Fail("once is enough");
  if (Says(program, "IDLE") || (second && Says(program, "STALE"))) return 0;
  for (Buffer* output : program.outputs) {
    const std::vector<uint8_t>& input = program.inputs.front()->bytes;
    std::memcpy(output->bytes.data(), input.data(), std::min(input.size(), output->bytes.size()));
    if (second && Says(program, "FICKLE")) output->bytes[input.size() - 1] ^= 1;
  }
  return 0;
}
int64_t e5rt_execution_stream_release(void** object) {
  delete static_cast<Program**>(*object);
  return Forget(object);
}
const char* e5rt_get_last_error_message() { return last_error.c_str(); }

}  // extern "C"
