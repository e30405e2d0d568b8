#include "harness/parserfuzz/persistent.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "harness/parserfuzz/captured_output.h"
#include "harness/parserfuzz/child_process.h"
#include "harness/parserfuzz/driver_protocol.h"
#include "harness/parserfuzz/hang_stack.h"
#include "harness/parserfuzz/process_group.h"

namespace anecheck::parserfuzz {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kToStart{30000};
constexpr milliseconds kFirstLook{5};
constexpr milliseconds kMostBetweenLooks{50};
constexpr int kFilesBetweenWeighings = 2048;

// A memory file that the driver maps too.
class SharedMemory {
 public:
  SharedMemory(std::string path, size_t size) : path_(std::move(path)), size_(size) {
    int file = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (ftruncate(file, static_cast<off_t>(size)) == 0) {
      void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (memory != MAP_FAILED) data_ = static_cast<uint8_t*>(memory);
    }
    CloseDescriptor(file);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  bool open_for_use() const { return data_ != nullptr; }
  const std::string& path() const { return path_; }
  DriverHead& head() const { return *reinterpret_cast<DriverHead*>(data_); }
  uint8_t* counters() const { return data_ + kDriverHead; }
  uint8_t* file() const { return counters() + kDriverCounters; }
  size_t MaxFile() const { return size_ - kDriverHead - kDriverCounters; }

 private:
  std::string path_;
  size_t size_ = 0;
  uint8_t* data_ = nullptr;
};

// The standard error of a driver and its workers.
class Words {
 public:
  explicit Words(const std::string& path)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)) {}
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  ~Words() { CloseDescriptor(file_); }

  int descriptor() const { return file_; }

  uint64_t Size() const {
    struct stat status{};
    return fstat(file_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
  }

  std::string TakeAll() {
    const uint64_t size = Size();
    if (size == 0) return "";
    CapturedOutput captured;
    std::array<char, 65536> chunk;
    for (uint64_t at = 0; at < size;) {
      const ssize_t part = pread(file_, chunk.data(), chunk.size(), static_cast<off_t>(at));
      if (part <= 0) break;
      captured.Append({chunk.data(), static_cast<size_t>(part)});
      at += static_cast<uint64_t>(part);
    }
    if (ftruncate(file_, 0) != 0) return captured.Text();
    return captured.Text();
  }

 private:
  int file_;
};

enum class Wait : uint8_t { kNothing, kAnswer, kEnd };

}  // namespace

class PersistentParser::Process {
 public:
  Process(std::vector<std::string> command, const std::string& folder, size_t max_file)
      : command_(std::move(command)),
        memory_(folder + "/shared", kDriverHead + kDriverCounters + std::max<size_t>(max_file, 1)),
        words_(folder + "/said") {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { End(); }

  Status Start() {
    if (!memory_.open_for_use() || words_.descriptor() < 0) {
      return MakeError(ErrorCode::kIo, fmt::format("{}: cannot be written", memory_.path()));
    }
    memory_.head() = {.magic = kDriverMagic, .size = 0, .counters = 0, .child = 0, .closed = 0};
    PipeEnds orders = MakePipe();
    PipeEnds answers = MakePipe();
    orders_ = orders.write;
    answers_ = answers.read;
    std::vector<std::string> environment = ChildEnvironment();
    environment.push_back(
        fmt::format("{}={}:{}:{}", kDriverVariable, memory_.path(), orders.read, answers.write));
    const auto pid = StartChild({.words = command_,
                                 .err = words_.descriptor(),
                                 .inherited = {orders.read, answers.write},
                                 .environment = std::move(environment)},
                                {});
    // keeps the pipe open, so that an order to a driver that ended raises no SIGPIPE
    orders_read_ = orders.read;
    CloseDescriptor(answers.write);
    if (!pid.ok()) return pid.error();
    pid_ = *pid;
    DriverAnswer hello;
    if (WaitFor(kToStart, hello) == Wait::kAnswer && hello.tag == 'H') return {};
    const std::string said = words_.TakeAll();
    End();
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format(
            "{}: does not answer as a persistent driver; build it with anecheck_fuzz.h, .py "
            "or .rs, or put @@ for a file into the command{}{}",
            command_[0], said.empty() ? "" : ": ", said.substr(0, said.find('\n'))));
  }

  Result<CommandOutcome> Run(ByteSpan file, const CommandLimits& limits,
                             const std::atomic<bool>* stop) {
    if (pid_ <= 0) ANECHECK_RETURN_IF_ERROR(Start());
    file = file.first(std::min(file.size(), memory_.MaxFile()));
    std::copy(file.begin(), file.end(), memory_.file());
    memory_.head().size = static_cast<uint32_t>(file.size());
    memory_.head().counters = 0;
    const char order = 'R';
    if (write(orders_, &order, 1) != 1) return Died();
    DriverAnswer answer;
    Wait wait = WaitFor(kFirstLook, answer);
    CommandOutcome outcome;
    if (wait == Wait::kNothing) wait = Watch(limits, stop, outcome, answer);
    if (wait == Wait::kEnd) return Died();
    (answer.tag == 'S' ? outcome.signal : outcome.exit_code) = answer.value;
    outcome.err = words_.TakeAll() + std::exchange(stack_, "");
    if (++files_ % kFilesBetweenWeighings == 0) Weigh(limits);
    return outcome;
  }

  std::span<const uint8_t> Counters() const {
    const size_t count = std::min<size_t>(memory_.head().counters, kDriverCounters);
    return {memory_.counters(), count};
  }

 private:
  // Waits for one answer, for at most `time`.
  Wait WaitFor(milliseconds time, DriverAnswer& answer) const {
    const auto end = Clock::now() + time;
    for (;;) {
      const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
      pollfd entry = {answers_, POLLIN, 0};
      const int ready = poll(&entry, 1, static_cast<int>(std::max<int64_t>(left, 0)));
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return Wait::kNothing;
      std::array<uint8_t, kDriverAnswerSize> bytes;
      if (read(answers_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        return Wait::kEnd;
      }
      answer.tag = static_cast<char>(bytes[0]);
      std::memcpy(&answer.value, bytes.data() + 1, sizeof answer.value);
      return Wait::kAnswer;
    }
  }

  // Watches a file that takes long, until an answer, a limit or the caller ends it.
  Wait Watch(const CommandLimits& limits, const std::atomic<bool>* stop, CommandOutcome& outcome,
             DriverAnswer& answer) {
    const auto start = Clock::now() - kFirstLook;
    const int64_t before = UsageOfGroup(pid_).processor_ms.value_or(0);
    for (;;) {
      const auto lasted = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
      const Wait wait = WaitFor(std::clamp(lasted, kFirstLook, kMostBetweenLooks), answer);
      if (wait != Wait::kNothing) return wait;
      outcome.stopped = stop != nullptr && stop->load();
      const GroupUsage usage = UsageOfGroup(pid_);
      outcome.peak_memory = std::max(outcome.peak_memory, usage.memory);
      const int64_t limit = limits.timeout_ms;
      const int64_t clock = lasted.count();
      const int64_t used = usage.processor_ms ? *usage.processor_ms - before : limit;
      outcome.timed_out = clock >= limit * kClockFactor || (clock >= limit && used >= limit);
      if (outcome.stopped || outcome.timed_out || outcome.peak_memory > limits.max_memory) {
        return EndWorker(limits, outcome, answer);
      }
    }
  }

  // Ends the worker. The driver reports this and starts another worker.
  Wait EndWorker(const CommandLimits& limits, CommandOutcome& outcome, DriverAnswer& answer) {
    const pid_t worker = memory_.head().child;
    if (worker <= 0) return Wait::kEnd;
    if (outcome.timed_out && limits.want_stack) {
      outcome.stack_asked = true;
      uint64_t size = words_.Size();
      stack_ = AskForStack(worker, [&] { return std::exchange(size, words_.Size()) != size; });
    }
    kill(worker, SIGKILL);
    return WaitFor(kToStart, answer) == Wait::kAnswer ? Wait::kAnswer : Wait::kEnd;
  }

  // Returns the outcome if the driver itself has ended. Its end counts as the end of the parser.
  Result<CommandOutcome> Died() {
    CommandOutcome outcome;
    int status = 0;
    if (pid_ > 0) {
      kill(-pid_, SIGKILL);
      while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
      pid_ = -1;
    }
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    outcome.err = words_.TakeAll() + std::exchange(stack_, "");
    End();
    return outcome;
  }

  // Ends the process at half of the memory limit, because parsers may leak memory.
  void Weigh(const CommandLimits& limits) {
    if (UsageOfGroup(pid_).memory > limits.max_memory / 2) End();
  }

  void End() {
    if (pid_ > 0) {
      kill(-pid_, SIGKILL);
      while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    pid_ = -1;
    CloseDescriptor(orders_);
    CloseDescriptor(orders_read_);
    CloseDescriptor(answers_);
  }

  const std::vector<std::string> command_;
  SharedMemory memory_;
  Words words_;
  int orders_ = -1;
  int orders_read_ = -1;
  int answers_ = -1;
  pid_t pid_ = -1;
  uint64_t files_ = 0;
  std::string stack_;  // gdb's stack of the file that hangs
};

PersistentParser::PersistentParser(std::unique_ptr<Process> process)
    : process_(std::move(process)) {}
PersistentParser::PersistentParser(PersistentParser&&) noexcept = default;
PersistentParser& PersistentParser::operator=(PersistentParser&&) noexcept = default;
PersistentParser::~PersistentParser() = default;

Result<PersistentParser> PersistentParser::Start(const std::vector<std::string>& command,
                                                 const std::string& folder, size_t max_file) {
  auto process = std::make_unique<Process>(command, folder, max_file);
  ANECHECK_RETURN_IF_ERROR(process->Start());
  return PersistentParser(std::move(process));
}

Result<CommandOutcome> PersistentParser::Run(ByteSpan file, const CommandLimits& limits,
                                             const std::atomic<bool>* stop) {
  return process_->Run(file, limits, stop);
}

std::span<const uint8_t> PersistentParser::Counters() const { return process_->Counters(); }

}  // namespace anecheck::parserfuzz
