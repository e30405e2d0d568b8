// The simulated engine with a grudge, for tests of whole campaigns: everything is forwarded to
// libanecheck_espresso but a MIL text that is one word. "CRASH" aborts, "EXIT" ends the process,
// "HANG" never returns, "EAT" takes half a gigabyte of memory, "SPOIL" overwrites the memory shared
// with the campaign and says that all is done, "STRAY" writes a byte that means nothing to the
// campaign's socket, "SILENT" closes that socket and lives on.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
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
  // More than a campaign allows, and no more than a machine has.
  std::vector<std::vector<char>> held;
  for (int i = 0; i < 64; ++i) held.emplace_back(size_t{8} << 20, 'x');
  SleepForEver();
}

void Write(char what) {
  if (write(kSocket, &what, 1) != 1) std::abort();
}

void Spoil() {
  const std::vector<uint8_t> garbage(1 << 16, 0xa5);
  for (off_t at = 0; at < 4; ++at) {
    // The header, and what follows the request area: the replies.
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

void Obey(const std::string& word) {
  if (word == "CRASH") std::abort();
  if (word == "EXIT") _exit(7);
  if (word == "HANG") SleepForEver();
  if (word == "EAT") EatMemory();
  if (word == "SPOIL") Spoil();
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
  Obey(ReadAll(path));
  using Compile = int64_t (*)(void*, const char*, void*, void**);
  static const auto next = reinterpret_cast<Compile>(dlsym(RTLD_NEXT, "e5rt_e5_compiler_compile"));
  return next(compiler, path, options, out);
}
