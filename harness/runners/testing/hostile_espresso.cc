// A hostile variant of the simulated engine, for tests of whole campaigns. It forwards all calls to
// libanecheck_espresso, except for a MIL text that is one of these words:
// - "CRASH" aborts, "EXIT" ends the process, "HANG" never returns.
// - "EAT" takes half a gigabyte of memory.
// - "SPOIL" overwrites the memory shared with the campaign and reports all requests as done.
// - "STRAY" writes a meaningless byte to the campaign's socket.
// - "SILENT" closes that socket and keeps running.
// - "FLOOD" writes to standard output without end. A text that contains "NULL BLOCK" is executed by
//   submit_async without a completion block. A text that contains "REAL BLOCK" is executed by
//   submit_async with a block, and the engine waits for its event. For a text that contains "NO
//   FOLDER", a file replaces the folder of the bundle.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace {

// The descriptors of a worker.
constexpr int kMemory = 3;
constexpr int kSocket = 4;

[[noreturn]] void SleepForEver() {
  for (;;) pause();
}

[[noreturn]] void EatMemory() {
  // More than a campaign allows, but less than a machine has.
  std::vector<std::vector<char>> held;
  held.reserve(64);
  for (int i = 0; i < 64; ++i) held.emplace_back(size_t{8} << 20, 'x');
  SleepForEver();
}

[[noreturn]] void Flood() {
  const std::vector<char> line(1 << 20, 'x');
  for (;;) {
    // Waits by the clock: the flood must leave the machine usable.
    if (write(1, line.data(), line.size()) < 0) usleep(1000);
    usleep(10000);
  }
}

void Write(char what) {
  if (write(kSocket, &what, 1) != 1) std::abort();
}

void Spoil() {
  const std::vector<uint8_t> garbage(1 << 16, 0xa5);
  for (off_t at = 0; at < 4; ++at) {
    // Overwrites the header and the replies, which follow the area of requests.
    const off_t offset = at == 0 ? 0 : 4096 + (off_t{64} << 20) + (at - 1) * (1 << 16);
    const size_t size = at == 0 ? 24 : garbage.size();
    if (pwrite(kMemory, garbage.data(), size, offset) < 0) std::abort();
  }
  Write('D');
  SleepForEver();
}

std::string ReadAll(const char* path) {
  char chunk[256] = {};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t got = file < 0 ? 0 : read(file, chunk, sizeof chunk - 1);
  if (file >= 0) close(file);
  return {chunk, static_cast<size_t>(got < 0 ? 0 : got)};
}

// A block in the layout of the published block ABI, marked global.
struct Block {
  const void* isa;
  int flags = 1 << 28;
  int reserved = 0;
  int64_t (*invoke)(Block*) = [](Block*) -> int64_t { return 0; };
  const void* descriptor = nullptr;
};

// The text of the program that was compiled last.
std::string& LastText() {
  static auto* text = new std::string;
  return *text;
}

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::string& BundleLocation() {
  static auto* location = new std::string;
  return *location;
}

void PutAFileInTheFoldersPlace() {
  std::error_code ignored;
  std::filesystem::remove_all(BundleLocation(), ignored);
  const int file = open(BundleLocation().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) std::abort();
  close(file);
}

// The completion event of every submitted program. Each submission advances the event by one.
void* TheEvent() {
  static void* const event = [] {
    void* made = nullptr;
    using Create = int64_t (*)(void**, const char*, uint32_t);
    if (Next<Create>("e5rt_async_event_create")(&made, "done", 0) != 0) std::abort();
    return made;
  }();
  return event;
}

bool IsSubmitted() { return LastText().find("REAL BLOCK") != std::string::npos; }

void Obey(const std::string& word) {
  if (word == "CRASH") std::abort();
  if (word == "EXIT") _exit(7);
  if (word == "HANG") SleepForEver();
  if (word == "EAT") EatMemory();
  if (word == "SPOIL") Spoil();
  if (word == "FLOOD") Flood();
  if (word == "STRAY") {
    Write('?');
    SleepForEver();
  }
  if (word == "SILENT") {
    close(kSocket);
    SleepForEver();
  }
}

}  // namespace

extern "C" int64_t e5rt_e5_compiler_compile(void* compiler, const char* path, void* options,
                                            void** out) {
  LastText() = ReadAll(path);
  Obey(LastText());
  if (LastText().find("NO FOLDER") != std::string::npos) PutAFileInTheFoldersPlace();
  using Compile = int64_t (*)(void*, const char*, void*, void**);
  static const auto next = Next<Compile>("e5rt_e5_compiler_compile");
  return next(compiler, path, options, out);
}

extern "C" int64_t e5rt_e5_compiler_config_options_set_cache_bundle_location(void* config,
                                                                             const char* path) {
  BundleLocation() = path;
  static const auto next = Next<int64_t (*)(void*, const char*)>(
      "e5rt_e5_compiler_config_options_set_cache_bundle_location");
  return next(config, path);
}

// Binds the event before the call, because an encoded operation accepts no events.
extern "C" int64_t e5rt_execution_stream_encode_operation(void* stream, void* operation) {
  using Two = int64_t (*)(void*, void*);
  static const auto bind = Next<Two>("e5rt_execution_stream_operation_bind_completion_event");
  static const auto next = Next<Two>("e5rt_execution_stream_encode_operation");
  if (IsSubmitted() && bind(operation, TheEvent()) != 0) std::abort();
  return next(stream, operation);
}

extern "C" int64_t e5rt_execution_stream_execute_sync(void* stream) {
  using Submit = int64_t (*)(void*, void*);
  static const auto submit = Next<Submit>("e5rt_execution_stream_submit_async");
  static const auto next = Next<int64_t (*)(void*)>("e5rt_execution_stream_execute_sync");
  if (LastText().find("NULL BLOCK") != std::string::npos) return submit(stream, nullptr);
  if (!IsSubmitted()) return next(stream);
  static Block block = {.isa = &block};
  static const auto wait = Next<int64_t (*)(void*)>("e5rt_async_event_sync_wait");
  const int64_t code = submit(stream, &block);
  return code != 0 ? code : wait(TheEvent());
}
