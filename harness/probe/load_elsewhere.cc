#include "harness/probe/load_elsewhere.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <vector>

#include "harness/runners/executable_path.h"
#include "harness/runners/worker_arguments.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): macOS declares it nowhere

namespace anecheck {
namespace {

// If the probe's name is this prefix and a folder, the other process loads the folder's bundle.
constexpr std::string_view kLoads = "load of ";
constexpr int kBundleLoads = 0;
constexpr int kBundleRefused = 1;
constexpr int kCannotAsk = 4;  // codes below are WorkerMain's

}  // namespace

int LoadIfAsked(const E5rtLibrary& engine, std::string_view name) {
  if (!name.starts_with(kLoads)) return -1;
  using Loader = int64_t (*)(void**, const char*);
  const auto load = reinterpret_cast<Loader>(dlsym(engine.handle, "e5rt_program_library_create"));
  if (load == nullptr) return kCannotAsk;
  void* library = nullptr;
  const std::string bundle(name.substr(kLoads.size()));
  return load(&library, bundle.c_str()) == 0 ? kBundleLoads : kBundleRefused;
}

Result<double> LoadElsewhere(const E5rtLibrary& engine, std::string_view target,
                             const std::string& bundle) {
  std::vector<std::string> words = WorkerArguments({.library = engine.path});
  for (const std::string_view word :
       {std::string_view("target"), target, std::string_view("probe")}) {
    words.emplace_back(word);
  }
  words.push_back(std::string(kLoads) + bundle);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const std::string image = OwnImage();
  const int error = posix_spawn(&child, image.c_str(), nullptr, nullptr, arguments.data(), environ);
  if (error != 0) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", image, std::strerror(error)));
  }
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended != child) {
    return MakeError(ErrorCode::kIo, fmt::format("waitpid: {}", std::strerror(errno)));
  }
  if (WIFSIGNALED(status)) return 2;
  const int code = WEXITSTATUS(status);
  if (code == kBundleLoads || code == kBundleRefused) return code;
  return MakeError(ErrorCode::kUnsupported, fmt::format("the other process ends with {}", code));
}

}  // namespace anecheck
