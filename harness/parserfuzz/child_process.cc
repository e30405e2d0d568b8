#include "harness/parserfuzz/child_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "harness/parserfuzz/symbolise.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): macOS declares it nowhere

namespace anecheck::parserfuzz {
namespace {

// no dup2 of a standard stream overwrites a descriptor from here on
constexpr int kFirstDescriptor = 16;

int Lifted(int descriptor) {
  const int lifted = fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstDescriptor);
  close(descriptor);
  return lifted;
}

template <typename Resource>
void LimitTo(Resource resource, uint64_t bytes) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_cur = limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(bytes));
  setrlimit(resource, &limit);
}

// Reports errno to the parent and ends this process.
[[noreturn]] void EndUnstarted(int failure) {
  const int code = errno;
  [[maybe_unused]] const ssize_t told = write(failure, &code, sizeof code);
  _exit(127);
}

// Runs in the new process, which has only one thread, so the function must not allocate or lock.
// Sets limits before the program begins, which posix_spawn(3) cannot do.
[[noreturn]] void Become(char* const* argv, char** environment, const ChildStart& start,
                         const CommandLimits& limits, int failure) {
  setpgid(0, 0);
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child dies if its parent dies
#endif
  LimitTo(RLIMIT_FSIZE, limits.max_file);
  LimitTo(RLIMIT_CORE, 0);  // a core file for each crash would fill the disk
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0) EndUnstarted(failure);
  dup2(nothing, 0);
  dup2(start.out < 0 ? nothing : start.out, 1);
  dup2(start.err < 0 ? nothing : start.err, 2);
  if (nothing > 2) close(nothing);
  for (const int descriptor : start.inherited) fcntl(descriptor, F_SETFD, 0);
  environ = environment;
  execvp(argv[0], argv);
  EndUnstarted(failure);
}

// Returns 0, or the errno of a program that cannot be started. The new process closes its end of
// `failure` when the program begins.
int WaitForStart(pid_t pid, int failure) {
  int code = 0;
  ssize_t size = 0;
  do {
    size = read(failure, &code, sizeof code);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof code) return 0;
  waitpid(pid, nullptr, 0);
  return code;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

PipeEnds MakePipe() {
  int ends[2];
#if defined(__linux__)
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
#else
  if (pipe(ends) != 0) return {};
#endif
  return {Lifted(ends[0]), Lifted(ends[1])};
}

void CloseDescriptor(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

std::vector<std::string> ChildEnvironment() {
  // The user's options come last and take precedence.
  const bool symbols = SymboliserPath().empty();
  const std::string sanitizer = fmt::format("handle_abort=1:symbolize={}", symbols ? 1 : 0);
  const std::pair<std::string_view, std::string> added[] = {
      {"PYTHONFAULTHANDLER", "1"},
      {"ASAN_OPTIONS", sanitizer},
      {"MSAN_OPTIONS", sanitizer},
      {"TSAN_OPTIONS", sanitizer},
      {"UBSAN_OPTIONS", sanitizer + ":print_stacktrace=1"}};
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool ours =
        std::ranges::any_of(added, [&](const auto& one) { return one.first == name; });
    if (!ours) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) {
    const char* given = std::getenv(std::string(name).c_str());
    const bool options = given != nullptr && name.ends_with("_OPTIONS");
    all.push_back(options            ? fmt::format("{}={}:{}", name, value, given)
                  : given != nullptr ? fmt::format("{}={}", name, given)
                                     : fmt::format("{}={}", name, value));
  }
  return all;
}

Result<pid_t> StartChild(const ChildStart& start, const CommandLimits& limits) {
  std::vector<std::string> words = start.words;
  std::vector<std::string> environment = start.environment;
  const std::vector<char*> argv = Pointers(words);
  std::vector<char*> variables = Pointers(environment);
  // macOS has no pipe2. Without this lock, another child could inherit the pipe's ends.
  static std::mutex starting;
  PipeEnds failure;
  pid_t pid = -1;
  {
    const std::lock_guard<std::mutex> lock(starting);
    failure = MakePipe();
    if (failure.read < 0) {
      return MakeError(ErrorCode::kIo,
                       fmt::format("{}: no pipe to it: {}", words[0], std::strerror(errno)));
    }
    pid = fork();
    if (pid == 0) Become(argv.data(), variables.data(), start, limits, failure.write);
  }
  // the child does the same, because the group must exist before a kill
  if (pid > 0) setpgid(pid, pid);
  CloseDescriptor(failure.write);
  const int failed = pid > 0 ? WaitForStart(pid, failure.read) : errno;
  CloseDescriptor(failure.read);
  if (failed != 0) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: cannot be started: {}", words[0], std::strerror(failed)));
  }
  return pid;
}

}  // namespace anecheck::parserfuzz
