#include "harness/parserfuzz/command.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace anecheck::parserfuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kMaxOutput = uint64_t{1} << 16;

std::string Head(const std::string& path) {
  std::array<char, kMaxOutput> buffer{};
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, buffer.data(), buffer.size());
  close(file);
  return size <= 0 ? std::string() : std::string(buffer.data(), static_cast<size_t>(size));
}

// Owns the attributes of a spawn.
class SpawnSettings {
 public:
  SpawnSettings(const std::string& out, const std::string& err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions_, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  int Spawn(pid_t* pid, const std::vector<char*>& argv) const {
    return posix_spawnp(pid, argv[0], &actions_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

uint64_t ResidentBytes(const rusage& usage) {
#ifdef __APPLE__
  return static_cast<uint64_t>(usage.ru_maxrss);
#else
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

// Waits for `pid`; kills its group at the limit.
void Wait(pid_t pid, const CommandLimits& limits, CommandOutcome& outcome) {
  const auto end = Clock::now() + std::chrono::milliseconds(limits.timeout_ms);
  auto pause = std::chrono::microseconds(100);
  int status = 0;
  rusage usage{};
  for (;;) {
    const pid_t done = wait4(pid, &status, outcome.timed_out ? 0 : WNOHANG, &usage);
    if (done == pid || (done < 0 && errno != EINTR)) break;
    if (done < 0) continue;
    if (Clock::now() >= end) {
      outcome.timed_out = true;
      kill(-pid, SIGKILL);
      continue;
    }
    std::this_thread::sleep_for(pause);
    if (pause < std::chrono::milliseconds(5)) pause *= 2;
  }
  kill(-pid, SIGKILL);  // what it left behind
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  outcome.peak_memory = ResidentBytes(usage);
}

}  // namespace

Result<CommandOutcome> RunCommand(const std::vector<std::string>& command, const std::string& path,
                                  const std::string& folder, const CommandLimits& limits) {
  if (command.empty()) return MakeError(ErrorCode::kInvalid, "the command is empty");
  std::vector<std::string> words = command;
  for (std::string& word : words) {
    if (word == kFileWord) word = path;
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string out = folder + "/stdout";
  const std::string err = folder + "/stderr";
  pid_t pid = 0;
  const int failed = SpawnSettings(out, err).Spawn(&pid, argv);
  if (failed != 0) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: cannot be started: {}", command[0], std::strerror(failed)));
  }
  CommandOutcome outcome;
  Wait(pid, limits, outcome);
  outcome.out = Head(out);
  outcome.err = Head(err);
  return outcome;
}

}  // namespace anecheck::parserfuzz
