#include "harness/parserfuzz/command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "harness/parserfuzz/captured_output.h"
#include "harness/parserfuzz/child_process.h"
#include "harness/parserfuzz/hang_stack.h"
#include "harness/parserfuzz/process_group.h"

namespace anecheck::parserfuzz {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A pipe to which a program writes.
class Pipe {
 public:
  Pipe() : ends_(MakePipe()) {
    if (open()) fcntl(ends_.read, F_SETFL, O_NONBLOCK);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    CloseDescriptor(ends_.read);
    CloseDescriptor(ends_.write);
  }

  bool open() const { return ends_.read >= 0; }
  int ours() const { return ends_.read; }
  int theirs() const { return ends_.write; }
  void CloseTheirs() { CloseDescriptor(ends_.write); }

  // Reads available bytes, in at most 4 reads. Closes the pipe at the end of the stream.
  void Take() {
    std::array<char, 65536> chunk;
    for (int i = 0; i < 4 && open(); ++i) {
      const ssize_t size = read(ends_.read, chunk.data(), chunk.size());
      if (size < 0) return;
      if (size == 0) return CloseDescriptor(ends_.read);
      captured_.Append({chunk.data(), static_cast<size_t>(size)});
      taken_ += static_cast<size_t>(size);
    }
  }
  size_t Taken() const { return taken_; }  // bytes read so far

  std::string Text() const { return captured_.Text(); }

 private:
  PipeEnds ends_;
  CapturedOutput captured_;
  size_t taken_ = 0;
};

uint64_t PeakBytes(const rusage& usage) {
#ifdef __APPLE__
  return static_cast<uint64_t>(usage.ru_maxrss);
#else
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

// Watches one program until it ends, exceeds a limit or is stopped.
class Watch {
 public:
  Watch(pid_t pid, const CommandLimits& limits, const std::atomic<bool>* stop, Pipe& out, Pipe& err)
      : pid_(pid), limits_(limits), stop_(stop), out_(out), err_(err) {}

  CommandOutcome Run() && {
    while (!Ended() && !MustEnd()) Pause();
    std::string stack;
    if (outcome_.timed_out && limits_.want_stack) {
      outcome_.stack_asked = true;
      stack = AskForStack(BusiestOfGroup(pid_), [this] { return TakeWords(); });
    }
    kill(-pid_, SIGKILL);  // the program or its remaining children
    int status = 0;
    rusage usage{};
    while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
    if (WIFEXITED(status)) outcome_.exit_code = WEXITSTATUS(status);
    NotePeak(usage);
    // Reads the remaining bytes. A process that still writes has left the group.
    out_.Take();
    err_.Take();
    outcome_.out = out_.Text();
    outcome_.err = err_.Text() + stack;
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

  // Waits until the program writes or ends, but at most a few milliseconds.
  void Pause() {
    if (pause_ < milliseconds(5)) pause_ *= 2;
    if (!out_.open() && !err_.open()) return std::this_thread::sleep_for(pause_);
    pollfd entries[] = {{out_.ours(), POLLIN, 0}, {err_.ours(), POLLIN, 0}};
    const auto wait = std::chrono::ceil<milliseconds>(pause_).count();
    if (poll(entries, 2, static_cast<int>(wait)) <= 0) return;
    if (entries[0].revents != 0) out_.Take();
    if (entries[1].revents != 0) err_.Take();
  }

  bool TakeWords() {
    const size_t before = err_.Taken();
    out_.Take();
    err_.Take();
    return err_.Taken() != before;
  }

  // The system initialises the peak of the program with the peak of the process that started it.
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

}  // namespace

std::string WithPath(std::string word, const std::string& path) {
  const std::string_view file = kFileWord;
  for (size_t at = word.find(file); at != std::string::npos;
       at = word.find(file, at + path.size())) {
    word.replace(at, file.size(), path);
  }
  return word;
}

Result<CommandOutcome> RunCommand(const std::vector<std::string>& command, const std::string& path,
                                  const CommandLimits& limits, const std::atomic<bool>* stop) {
  if (command.empty()) return MakeError(ErrorCode::kInvalid, "the command is empty");
  std::vector<std::string> words;
  words.reserve(command.size());
  for (const std::string& word : command) words.push_back(WithPath(word, path));
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("{}: no pipe to it: {}", command[0], std::strerror(errno)));
  }
  ANECHECK_ASSIGN(const pid_t pid, StartChild({.words = std::move(words),
                                               .out = out.theirs(),
                                               .err = err.theirs(),
                                               .environment = ChildEnvironment()},
                                              limits));
  out.CloseTheirs();
  err.CloseTheirs();
  return Watch(pid, limits, stop, out, err).Run();
}

}  // namespace anecheck::parserfuzz
