#include "harness/parserfuzz/command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "harness/parserfuzz/captured_output.h"
#include "harness/parserfuzz/process_group.h"

namespace anecheck::parserfuzz {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A pipe that a program writes to. The ends are above the three that the program gets, so that no
// action of the spawn overwrites one.
class Pipe {
 public:
  // `flags` are of our end.
  explicit Pipe(int flags) {
    int ends[2];
#if defined(__linux__)
    if (pipe2(ends, O_CLOEXEC) != 0) return;
#else
    if (pipe(ends) != 0) return;
#endif
    ours_ = Lifted(ends[0]);
    theirs_ = Lifted(ends[1]);
    fcntl(ours_, F_SETFL, flags);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    Close(ours_);
    Close(theirs_);
  }

  bool open() const { return ours_ >= 0; }
  int ours() const { return ours_; }
  int theirs() const { return theirs_; }
  void CloseTheirs() { Close(theirs_); }

  // Takes what is there, a few reads at most; closes at the end of the stream.
  void Take() {
    std::array<char, 65536> chunk;
    for (int i = 0; i < 4 && open(); ++i) {
      const ssize_t size = read(ours_, chunk.data(), chunk.size());
      if (size < 0) return;
      if (size == 0) return Close(ours_);
      captured_.Append({chunk.data(), static_cast<size_t>(size)});
    }
  }

  std::string Text() const { return captured_.Text(); }

 private:
  static int Lifted(int descriptor) {
    const int lifted = fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
    close(descriptor);
    return lifted;
  }
  static void Close(int& descriptor) {
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
  }

  int ours_ = -1;
  int theirs_ = -1;
  CapturedOutput captured_;
};

uint64_t PeakBytes(const rusage& usage) {
#ifdef __APPLE__
  return static_cast<uint64_t>(usage.ru_maxrss);
#else
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

template <typename Resource>
void LimitTo(Resource resource, uint64_t bytes) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_cur = limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(bytes));
  setrlimit(resource, &limit);
}

// In the new process, of which other threads are no part: nothing here takes memory or a lock.
// Limits are set before the program begins, which posix_spawn(3) has no word for.
[[noreturn]] void Become(char* const* argv, const CommandLimits& limits, const Pipe& out,
                         const Pipe& err, int failure) {
  setpgid(0, 0);
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // where this one is killed
#endif
  LimitTo(RLIMIT_FSIZE, limits.max_file);
  LimitTo(RLIMIT_CORE, 0);  // one for each run that crashes would fill the disk as well
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, 0);
  if (nothing > 2) close(nothing);
  dup2(out.theirs(), 1);
  dup2(err.theirs(), 2);
  execvp(argv[0], argv);
  const int code = errno;
  [[maybe_unused]] const ssize_t told = write(failure, &code, sizeof code);
  _exit(127);
}

// 0, or the error for which the program cannot be started. `failure` is closed in the new process
// when the program begins.
int WaitForStart(pid_t pid, Pipe& failure) {
  failure.CloseTheirs();
  int code = 0;
  ssize_t size = 0;
  do {
    size = read(failure.ours(), &code, sizeof code);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof code) return 0;
  waitpid(pid, nullptr, 0);
  return code;
}

// Watches one program until it ends or must.
class Watch {
 public:
  Watch(pid_t pid, const CommandLimits& limits, const std::atomic<bool>* stop, Pipe& out, Pipe& err)
      : pid_(pid), limits_(limits), stop_(stop), out_(out), err_(err) {}

  CommandOutcome Run() && {
    while (!Ended() && !MustEnd()) Pause();
    kill(-pid_, SIGKILL);  // the program, or what it left behind
    int status = 0;
    rusage usage{};
    while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
    if (WIFEXITED(status)) outcome_.exit_code = WEXITSTATUS(status);
    NotePeak(usage);
    // The pipes hold no more than these reads take. Who still writes has left the group.
    out_.Take();
    err_.Take();
    outcome_.out = out_.Text();
    outcome_.err = err_.Text();
    return std::move(outcome_);
  }

 private:
  bool Ended() const {
    siginfo_t info{};
    const int code = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return code == 0 ? info.si_pid == pid_ : errno != EINTR;
  }

  bool MustEnd() {
    outcome_.stopped = stop_ != nullptr && stop_->load();
    const auto now = Clock::now();
    if (outcome_.stopped || now < next_look_) return outcome_.stopped;
    const auto lasted = std::chrono::duration_cast<milliseconds>(now - start_).count();
    next_look_ = now + std::clamp(milliseconds(lasted), milliseconds(5), milliseconds(50));
    const GroupUsage usage = UsageOfGroup(pid_);
    outcome_.peak_memory = std::max(outcome_.peak_memory, usage.memory);
    const int64_t limit = limits_.timeout_ms;
    outcome_.timed_out = lasted >= limit * kClockFactor ||
                         (lasted >= limit && usage.processor_ms.value_or(limit) >= limit);
    return outcome_.timed_out || outcome_.peak_memory > limits_.max_memory;
  }

  // Until it says something or ends, and no longer than a few milliseconds.
  void Pause() {
    if (pause_ < milliseconds(5)) pause_ *= 2;
    if (!out_.open() && !err_.open()) return std::this_thread::sleep_for(pause_);
    pollfd entries[] = {{out_.ours(), POLLIN, 0}, {err_.ours(), POLLIN, 0}};
    const auto wait = std::chrono::ceil<milliseconds>(pause_).count();
    if (poll(entries, 2, static_cast<int>(wait)) <= 0) return;
    if (entries[0].revents != 0) out_.Take();
    if (entries[1].revents != 0) err_.Take();
  }

  // The peak that the system tells begins with that of the process which started the program.
  void NotePeak(const rusage& usage) {
    rusage own{};
    getrusage(RUSAGE_SELF, &own);
    const uint64_t peak = PeakBytes(usage);
    if (peak > PeakBytes(own)) outcome_.peak_memory = std::max(outcome_.peak_memory, peak);
  }

  const pid_t pid_;
  const CommandLimits& limits_;
  const std::atomic<bool>* stop_;
  Pipe& out_;
  Pipe& err_;
  CommandOutcome outcome_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_look_ = start_ + milliseconds(5);
  std::chrono::microseconds pause_{50};
};

std::string WithPath(std::string word, const std::string& path) {
  const std::string_view file = kFileWord;
  for (size_t at = word.find(file); at != std::string::npos;
       at = word.find(file, at + path.size())) {
    word.replace(at, file.size(), path);
  }
  return word;
}

}  // namespace

Result<CommandOutcome> RunCommand(const std::vector<std::string>& command, const std::string& path,
                                  const CommandLimits& limits, const std::atomic<bool>* stop) {
  if (command.empty()) return MakeError(ErrorCode::kInvalid, "the command is empty");
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(WithPath(word, path));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Where a pipe cannot be made so that no other process has its ends, none begins meanwhile.
  static std::mutex starting;
  std::unique_lock<std::mutex> lock(starting);
  Pipe out(O_NONBLOCK);
  Pipe err(O_NONBLOCK);
  Pipe failure(0);
  if (!out.open() || !err.open() || !failure.open()) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{}: no pipe to it: {}", command[0], std::strerror(errno)));
  }
  const pid_t pid = fork();
  if (pid == 0) Become(argv.data(), limits, out, err, failure.theirs());
  lock.unlock();
  if (pid > 0) setpgid(pid, pid);  // whoever comes first; the group must be there to be killed
  const int failed = pid > 0 ? WaitForStart(pid, failure) : errno;
  if (failed != 0) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: cannot be started: {}", command[0], std::strerror(failed)));
  }
  out.CloseTheirs();
  err.CloseTheirs();
  return Watch(pid, limits, stop, out, err).Run();
}

}  // namespace anecheck::parserfuzz
