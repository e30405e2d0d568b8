#include "harness/runners/subprocess.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "harness/runners/local_socket.h"
#include "harness/runners/process_memory.h"
#include "harness/runners/spawn.h"

extern char** environ;

namespace anecheck {
namespace {

constexpr size_t kErrorTail = 4096;
constexpr size_t kLongestWords = 200;
// The interval at which the memory of a silent program is checked.
constexpr std::chrono::milliseconds kTick(50);

// Duplicates a descriptor to a number above 0, 1 and 2, which the spawned program gets, and closes
// the original. So no dup2 action of the spawn overwrites the source of a later action.
int Lifted(int descriptor) {
  const int lifted = fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
  close(descriptor);
  return lifted;
}

// Makes a pipe whose ends no other process inherits, as MakeSocketPair() does for sockets.
#if defined(__linux__)
int MakePipe(int (&ends)[2]) { return pipe2(ends, O_CLOEXEC); }
#else
int MakePipe(int (&ends)[2]) { return pipe(ends); }
#endif

struct Ends {
  int ours = -1;
  int theirs = -1;
};

// Makes a socket for standard input. A pipe would raise SIGPIPE, which kills this process, when it
// writes to a program that died.
Ends InputEnds() {
  const SocketPair sockets = MakeSocketPair();
  if (sockets.ours < 0) return {};
  return {Lifted(sockets.ours), Lifted(sockets.theirs)};
}

Ends OutputEnds() {
  int pipes[2];
  if (MakePipe(pipes) != 0) return {};
  const Ends ends = {Lifted(pipes[0]), Lifted(pipes[1])};
  fcntl(ends.ours, F_SETFL, O_NONBLOCK);
  return ends;
}

int Spawn(const std::string& program, std::span<const std::string> arguments,
          std::span<const Ends, 3> ends, pid_t& pid) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) {
    posix_spawn_file_actions_adddup2(&actions, ends[static_cast<size_t>(i)].theirs, i);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, SpawnFlags());
  posix_spawnattr_setpgroup(&attributes, 0);
  const int code = posix_spawnp(&pid, program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

std::string Death(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  }
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}

// Reads the words of a command one character at a time.
class Splitter {
 public:
  Result<std::vector<std::string>> Split(std::string_view command) {
    for (size_t i = 0; i < command.size(); ++i) {
      const char c = command[i];
      if (c == '\\' && quote_ != '\'' && i + 1 < command.size()) {
        Put(command[++i]);
      } else if (quote_ != 0) {
        if (c == quote_) {
          quote_ = 0;
        } else {
          Put(c);
        }
      } else if (c == '"' || c == '\'') {
        quote_ = c;
        if (!word_) word_.emplace();
      } else if (c == ' ' || c == '\t' || c == '\n') {
        EndWord();
      } else {
        Put(c);
      }
    }
    EndWord();
    if (quote_ != 0) return MakeError(ErrorCode::kInvalid, "a quote is not closed");
    if (words_.empty()) return MakeError(ErrorCode::kInvalid, "names no program");
    return std::move(words_);
  }

 private:
  void Put(char c) {
    if (!word_) word_.emplace();
    *word_ += c;
  }
  void EndWord() {
    if (word_) words_.push_back(std::move(*word_));
    word_.reset();
  }

  std::vector<std::string> words_;
  std::optional<std::string> word_;
  char quote_ = 0;
};

}  // namespace

Result<std::vector<std::string>> SplitCommand(std::string_view command) {
  return Splitter().Split(command);
}

Result<Subprocess> Subprocess::Start(std::span<const std::string> arguments,
                                     const std::string& program) {
  const std::array<Ends, 3> ends = {InputEnds(), OutputEnds(), OutputEnds()};
  Subprocess started;
  started.input_ = ends[0].ours;
  started.output_ = ends[1].ours;
  started.errors_ = ends[2].ours;
  const bool complete = std::all_of(
      ends.begin(), ends.end(), [](const Ends& end) { return end.ours >= 0 && end.theirs >= 0; });
  const std::string& started_from = program.empty() ? arguments[0] : program;
  const int code = complete ? Spawn(started_from, arguments, ends, started.pid_) : EMFILE;
  for (const Ends& end : ends) {
    if (end.theirs >= 0) close(end.theirs);
  }
  if (code != 0) {
    started.pid_ = 0;
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: cannot be started: {}", arguments[0], std::strerror(code)));
  }
  return started;
}

Subprocess::Subprocess(Subprocess&& other) noexcept { *this = std::move(other); }

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this == &other) return *this;
  Stop();
  Close();
  pid_ = std::exchange(other.pid_, 0);
  input_ = std::exchange(other.input_, -1);
  output_ = std::exchange(other.output_, -1);
  errors_ = std::exchange(other.errors_, -1);
  pending_ = std::move(other.pending_);
  error_text_ = std::move(other.error_text_);
  return *this;
}

Subprocess::~Subprocess() {
  Stop();
  Close();
}

void Subprocess::Close() {
  for (int* descriptor : {&input_, &output_, &errors_}) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
  }
}

bool Subprocess::WriteLine(std::string_view line) {
  const std::string text = fmt::format("{}\n", line);
  // Only one request is pending at a time, so a full buffer means that the program does not read.
  return SendBytes(input_, text, false) == static_cast<ssize_t>(text.size());
}

// Appends the available bytes to `text`. Returns false at the end of the stream.
bool Subprocess::Fill(int descriptor, std::string& text, size_t keep_last) {
  std::array<char, 65536> chunk;
  const ssize_t got = read(descriptor, chunk.data(), chunk.size());
  if (got == 0) return false;
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  text.append(chunk.data(), static_cast<size_t>(got));
  if (keep_last > 0 && text.size() > keep_last) text.erase(0, text.size() - keep_last);
  return true;
}

Subprocess::ReadState Subprocess::ReadLine(Clock::time_point deadline, size_t longest_line,
                                           uint64_t memory_limit, std::string& line) {
  bool errors_open = true;
  bool over = false;
  for (;;) {
    if (const size_t end = pending_.find('\n'); end != std::string::npos) {
      if (end > longest_line) return ReadState::kTooLong;
      line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return ReadState::kLine;
    }
    if (pending_.size() > longest_line) return ReadState::kTooLong;
    if (over) return ReadState::kTimeout;
    const auto left =
        std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()),
                 std::chrono::milliseconds(0));
    over = left.count() == 0;
    if (memory_limit > 0 && ResidentBytes(pid_) > memory_limit) return ReadState::kTooLarge;
    pollfd entries[] = {{output_, POLLIN, 0}, {errors_open ? errors_ : -1, POLLIN, 0}};
    const int ready = poll(entries, 2, static_cast<int>(std::min(left, kTick).count()));
    if (ready <= 0) continue;
    if (entries[1].revents != 0) errors_open = Fill(errors_, error_text_, kErrorTail);
    if (entries[0].revents != 0 && !Fill(output_, pending_, 0)) {
      line = std::exchange(pending_, {});
      return ReadState::kClosed;
    }
  }
}

std::string Subprocess::LastWords() const {
  std::string_view text = error_text_;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const size_t start = text.rfind('\n');
  if (start != std::string_view::npos) text.remove_prefix(start + 1);
  std::string words;
  for (const char c : text.substr(0, kLongestWords)) words += c >= ' ' && c <= '~' ? c : '?';
  return words;
}

std::string Subprocess::Stop(std::chrono::milliseconds grace) {
  if (pid_ <= 0) return {};
  int status = 0;
  const Clock::time_point deadline = Clock::now() + grace;
  bool ended = waitpid(pid_, &status, WNOHANG) == pid_;
  while (!ended && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ended = waitpid(pid_, &status, WNOHANG) == pid_;
  }
  // Every process that the program started belongs to its group, so this call kills them too.
  kill(-pid_, SIGKILL);
  while (!ended) ended = waitpid(pid_, &status, 0) == pid_ || errno != EINTR;
  pid_ = 0;
  // A few reads empty the pipe. A process outside the group may keep it open for ever.
  for (int i = 0; i < 4; ++i) Fill(errors_, error_text_, kErrorTail);
  const std::string words = LastWords();
  return Death(status) + (words.empty() ? "" : ": " + words);
}

}  // namespace anecheck
