#include "harness/runners/worker.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/shell_word.h"
#include "harness/runners/chip_target.h"
#include "harness/runners/e5rt_library.h"
#include "harness/runners/executable_path.h"
#include "harness/runners/machine.h"
#include "harness/runners/process_memory.h"
#include "harness/runners/spawn.h"
#include "harness/runners/wire.h"
#include "harness/runners/worker_arguments.h"
#include "harness/runners/worker_channel.h"

extern char** environ;

namespace anecheck {
namespace {

constexpr int kStartTimeoutMs = 30000;
// The interval at which the memory of a busy worker is checked.
constexpr int kTickMs = 50;
// The time to wait for the exit code of a worker that closed its channel.
constexpr int kGraceMs = 500;

// Results of Process::Wait. Other results are a byte that the worker sent, 0 if no byte came in
// time, and -1 for the worker's end.
constexpr int kTooLarge = -2;
constexpr int kTooMuchOutput = -3;
constexpr int kStopped = -4;
// The largest size of a worker's standard output and error together; the files are in memory.
constexpr uint64_t kMostOutput = uint64_t{8} << 20;
// At most this many bytes of a worker's standard error are copied to that of this process.
constexpr uint64_t kMostPassedOn = uint64_t{1} << 20;

// Returns the last `most` bytes of a file; empty if the file cannot be read.
std::string LastOf(const std::string& path, uint64_t most) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  const std::streamoff count = std::min(size, static_cast<std::streamoff>(most));
  std::string text(static_cast<size_t>(std::max<std::streamoff>(count, 0)), '\0');
  file.seekg(size - count);
  file.read(text.data(), count);
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

Provenance ProvenanceOf(EngineKind kind) {
  switch (kind) {
    case EngineKind::kSystem:
      return Provenance::kSilicon;
    case EngineKind::kSimulated:
      return Provenance::kSimulated;
    case EngineKind::kOther:
      break;
  }
  return Provenance::kReported;
}

// Fills in the identity. `os` is always the system of this machine. `chip` is the chip of this
// machine only if the machine's own engine answers.
void Describe(EngineKind kind, const std::string& engine, RunnerIdentity& identity) {
  identity.runner = "e5rt";
  identity.provenance = ProvenanceOf(kind);
  identity.engine = engine;
  identity.os = SystemName();
  if (kind == EngineKind::kSystem) identity.chip = ChipName();
  if (kind == EngineKind::kSimulated) identity.chip = ToText(Provenance::kSimulated);
  if (kind != EngineKind::kOther) identity.compiler_version = engine;
}

std::string Death(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("the worker was killed by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  }
  return fmt::format("the worker exited with code {}", WEXITSTATUS(status));
}

}  // namespace

std::vector<std::string> WorkerArguments(const WorkerOptions& options) {
  std::vector<std::string> arguments = {
      ExecutablePath(), kWorkerArgument,
      options.library.empty() ? DefaultEspressoPath() : options.library};
  for (const QuirkSetting& quirk : options.quirks) {
    arguments.emplace_back(quirk.on ? "quirk-on" : "quirk-off");
    arguments.push_back(quirk.id);
  }
  for (const std::string& fault : options.faults) {
    arguments.emplace_back("fault");
    arguments.push_back(fault);
  }
  if (options.keep_files) arguments.insert(arguments.end(), {"files", "keep"});
  if (options.unmarked) arguments.insert(arguments.end(), {"mark", "hide"});
  return arguments;
}

std::string ExecCommandOf(const WorkerOptions& options) {
  std::vector<std::string> arguments = WorkerArguments(options);
  arguments.insert(arguments.end(), {"serve", "exec"});
  for (std::string& argument : arguments) argument = ShellWord(argument);
  return fmt::format("{}", fmt::join(arguments, " "));
}

// One running worker.
class E5rtRunner::Process {
 public:
  static Result<std::unique_ptr<Process>> Start(const WorkerOptions& options) {
    ANECHECK_ASSIGN(WorkerChannel channel, WorkerChannel::Create(options.area_size));
    ANECHECK_ASSIGN(TempDirectory folder, TempDirectory::CreateInMemory("anecheck-e5rt-"));
    std::vector<std::string> arguments = WorkerArguments(options);
    const std::string output = folder.File(kOutputFile);
    const std::string errors = folder.File(kErrorFile);
    arguments.insert(arguments.end(), {"folder", folder.path()});
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    // The descriptors are duplicated to numbers above those that the spawn actions write, so that
    // no action overwrites the source of a later action.
    const int memory = fcntl(channel.worker_memory(), F_DUPFD_CLOEXEC, 16);
    const int socket = fcntl(channel.worker_socket(), F_DUPFD_CLOEXEC, 16);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    // Output of an engine is misconduct of the current case (worker_conduct.h), so files receive
    // it.
    constexpr int kOwnFile = O_RDWR | O_CREAT | O_APPEND;
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), kOwnFile, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), kOwnFile, 0600);
    posix_spawn_file_actions_adddup2(&actions, memory, 3);
    posix_spawn_file_actions_adddup2(&actions, socket, 4);
    // Ctrl-C at a terminal goes to a whole process group. It must stop only the campaign, which
    // then lets its workers finish.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, SpawnFlags());
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t pid = 0;
    const std::string image = OwnImage();
    const int code = posix_spawn(&pid, image.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(memory);
    close(socket);
    if (code != 0) {
      return MakeError(ErrorCode::kInternal, fmt::format("cannot start a worker from {}: {}",
                                                         argv[0], std::strerror(code)));
    }
    channel.CloseWorkerEnd();
    return std::unique_ptr<Process>(new Process(std::move(channel), std::move(folder), pid));
  }

  ~Process() { Stop(); }

  WorkerChannel& channel() { return channel_; }

  // Kills the process and describes how it ended.
  std::string Stop() {
    if (pid_ <= 0) return {};
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) {
      kill(pid_, SIGKILL);
      while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
    }
    pid_ = 0;
    PassOn();
    return Death(status);
  }

  // Describes how a process that closed its channel ended. Kills it after kGraceMs.
  std::string Reap() {
    int status = 0;
    for (int waited = 0; waitpid(pid_, &status, WNOHANG) != pid_; ++waited) {
      if (waited == kGraceMs) {
        Stop();
        return "the worker closed its channel and was killed";
      }
      usleep(1000);
    }
    pid_ = 0;
    PassOn();
    return Death(status);
  }

  // Copies the end of the worker's standard error to this process's standard error. This is text
  // that is charged to no case, such as text before the first case or during a crash.
  void PassOn() {
    const std::string said = LastOf(folder_.File(kErrorFile), kMostPassedOn);
    std::fwrite(said.data(), 1, said.size(), stderr);
    for (const char* file : {kOutputFile, kErrorFile}) {
      std::error_code ignored;
      std::filesystem::resize_file(folder_.File(file), 0, ignored);
    }
  }

  // Returns the next byte of the worker, 0 after `milliseconds` without a byte, -1 at its end,
  // kTooLarge, kTooMuchOutput, or kStopped if `is_stopped` returns true.
  template <typename IsStopped>
  int Wait(int milliseconds, uint64_t memory_limit, const IsStopped& is_stopped) {
    for (int left = milliseconds; left > 0; left -= kTickMs) {
      if (memory_limit > 0 && ResidentBytes(pid_) > memory_limit) return kTooLarge;
      if (OutputBytes() > kMostOutput) return kTooMuchOutput;
      const int what = channel_.Wait(std::min(left, kTickMs));
      if (what != 0) return what;
      if (is_stopped()) return kStopped;
    }
    return 0;
  }

 private:
  static constexpr const char* kOutputFile = "output";
  static constexpr const char* kErrorFile = "errors";

  Process(WorkerChannel channel, TempDirectory folder, pid_t pid)
      : channel_(std::move(channel)), folder_(std::move(folder)), pid_(pid) {}

  uint64_t OutputBytes() const {
    uint64_t bytes = 0;
    for (const char* file : {kOutputFile, kErrorFile}) {
      struct stat info{};
      if (stat(folder_.File(file).c_str(), &info) == 0)
        bytes += static_cast<uint64_t>(info.st_size);
    }
    return bytes;
  }

  WorkerChannel channel_;
  TempDirectory folder_;  // the worker's files; outlives it
  pid_t pid_;
};

E5rtRunner::E5rtRunner(WorkerOptions options) : options_(std::move(options)) {}
E5rtRunner::~E5rtRunner() = default;

Status E5rtRunner::EnsureStarted() {
  if (process_ != nullptr) return {};
  ANECHECK_ASSIGN(process_, Process::Start(options_));
  ++workers_started_;
  WorkerChannel& channel = process_->channel();
  const int what = channel.Wait(kStartTimeoutMs);
  if (what != 'H') {
    const std::string end = what == 0
                                ? fmt::format("it sent nothing for {} s", kStartTimeoutMs / 1000)
                                : process_->Reap();
    process_.reset();
    return MakeError(ErrorCode::kInternal, fmt::format("a worker did not start: {}", end));
  }
  ByteReader reader(channel.replies().first(
      std::min<uint64_t>(channel.header().reply_bytes.load(), channel.area_size())));
  const bool well = reader.U8("well") != 0;
  const auto kind = static_cast<EngineKind>(reader.U8("kind"));
  const std::string text(reader.CString("text"));
  const EngineFile file = ReadEngineFile(reader);
  if (!well) {
    process_.reset();
    // If an earlier worker loaded the library, its file was removed since then or is being written.
    if (!identity_.runner.empty()) {
      return EngineReplaced(options_.library.empty() ? DefaultEspressoPath() : options_.library,
                            identity_.engine, text);
    }
    return MakeError(ErrorCode::kNotFound, text);
  }
  const Status same = TakeEngine(kind, text, file);
  if (!same.ok()) {
    process_.reset();
    return same.error();
  }
  process_->PassOn();
  return {};
}

// Records the engine of the first worker. Every later worker must have loaded the same library.
Status E5rtRunner::TakeEngine(EngineKind kind, const std::string& text, const EngineFile& file) {
  const bool first = identity_.runner.empty();
  if (!first && file == file_ && text == identity_.engine) return {};
  ANECHECK_ASSIGN(std::string content, ContentOf(file));
  if (!first && (content != identity_.content || text != identity_.engine)) {
    return EngineReplaced(options_.library.empty() ? DefaultEspressoPath() : options_.library,
                          fmt::format("{}, {}", identity_.engine, identity_.content),
                          fmt::format("{}, {}", text, content));
  }
  file_ = file;
  Describe(kind, text, identity_);
  identity_.content = std::move(content);
  return {};
}

Result<RunnerIdentity> E5rtRunner::Identify() {
  ANECHECK_RETURN_IF_ERROR(EnsureStarted());
  return identity_;
}

Status E5rtRunner::Restart() {
  process_.reset();
  return EnsureStarted();
}

RunReply E5rtRunner::Convert(const RunRequest& request, WireReply wire) const {
  RunReply reply;
  reply.id = wire.id;
  reply.status = wire.status;
  reply.step = wire.step;
  reply.no_kernel = wire.no_kernel;
  reply.message = std::move(wire.message);
  reply.backend = std::move(wire.backend);
  reply.proof = std::move(wire.proof);
  reply.compile_us = wire.compile_us;
  reply.run_us = wire.run_us;
  reply.misconduct = std::move(wire.misconduct);
  if (reply.status != RunStatus::kOk) return reply;
  const auto garbled = [&](std::string message) {
    return RunReply{.id = reply.id, .status = RunStatus::kGarbled, .message = std::move(message)};
  };
  const bool second = GivesSecond(request);
  size_t wanted = request.graph->outputs().size() * (second ? 2 : 1);
  for (const RunShape& shape : request.further) wanted += shape.graph.outputs().size();
  if (wire.outputs.size() != wanted) {
    return garbled(
        fmt::format("the reply has {} outputs, must have {}", wire.outputs.size(), wanted));
  }
  size_t next = 0;
  std::string wrong;
  const auto take = [&](const Graph& graph) {
    std::vector<Tensor> tensors;
    for (const ValueId output : graph.outputs()) {
      const TensorType& type = graph.type(output);
      std::vector<uint8_t>& bytes = wire.outputs[next];
      if (bytes.size() != static_cast<size_t>(type.ByteSize()) && wrong.empty()) {
        wrong = fmt::format("output {} has {} bytes, must have {}", next, bytes.size(),
                            type.ByteSize());
      }
      tensors.push_back({type, std::move(bytes)});
      ++next;
    }
    return tensors;
  };
  reply.outputs = take(*request.graph);
  if (second) reply.further.push_back(take(*request.graph));
  for (const RunShape& shape : request.further) reply.further.push_back(take(shape.graph));
  if (!wrong.empty()) return garbled(std::move(wrong));
  reply.files = std::move(wire.files);
  return reply;
}

RunReply E5rtRunner::Ended(uint64_t id, int what, Step step, const std::string& end) const {
  RunReply reply = {.id = id, .status = RunStatus::kCrashed, .step = step, .message = end};
  switch (what) {
    case -1:
      break;
    case 0:
      reply.status = RunStatus::kHung;
      reply.message = fmt::format("no answer in {} ms", options_.case_timeout_ms);
      break;
    case kTooMuchOutput:
      reply.status = RunStatus::kStrayOutput;
      reply.message = fmt::format("the worker was stopped: it wrote more than {} MiB of output",
                                  kMostOutput >> 20);
      break;
    case kTooLarge:
      reply.status = RunStatus::kMemoryGrowth;
      reply.message = fmt::format("the worker was stopped: it holds more than {} MiB of memory",
                                  options_.memory_limit >> 20);
      break;
    case 'R':
      reply.status = RunStatus::kNotRun;
      reply.message = fmt::format("the reply is larger than a worker's memory for replies, {} MiB",
                                  options_.area_size >> 20);
      break;
    default:
      reply.status = RunStatus::kGarbled;
      reply.step = Step::kNone;
      reply.message = "the worker wrote a message that cannot be read";
      break;
  }
  return reply;
}

// The state of a run of requests.
struct E5rtRunner::Batch {
  std::span<const RunRequest> requests;
  std::vector<RunReply> replies;  // of the first requests
  // Requests before this index are sent one at a time. A worker corrupted the memory of their
  // batch, and single runs show which request caused that.
  size_t alone_until = 0;
  // The error of the next request's load, if it failed in a process that had loaded many programs;
  // empty for none.
  std::string spent;

  void Add(RunReply reply) {
    const bool loaded = reply.status == RunStatus::kOk || reply.step == Step::kRun;
    if (!spent.empty() && loaded) {
      reply.misconduct.push_back({Verdict::kSlotLeak,
                                  "a load that succeeds in a fresh process failed in one that had "
                                  "loaded and released many programs: " +
                                      spent});
    }
    spent.clear();
    replies.push_back(std::move(reply));
  }
};

// Replaces the worker if the next case needs more memory and the limit allows it.
Status E5rtRunner::MakeRoom(const RunRequest& request) {
  const uint64_t wanted = std::max(RequestSize(request), ReplySize(request));
  if (wanted <= options_.area_size || wanted > options_.most_area) return {};
  options_.area_size = std::min(std::bit_ceil(wanted), options_.most_area);
  process_.reset();
  return EnsureStarted();
}

// Writes as many of the next requests as fit into the area. Returns their number.
size_t E5rtRunner::HandOver(const Batch& batch) {
  WorkerChannel& channel = process_->channel();
  ChannelHeader& header = channel.header();
  AreaWriter writer(channel.requests());
  const auto rest = batch.requests.subspan(batch.replies.size());
  const size_t most = batch.replies.size() < batch.alone_until ? 1 : rest.size();
  size_t count = 0;
  while (count < most && writer.size() + RequestSize(rest[count]) <= channel.area_size()) {
    WriteRequest(rest[count++], writer);
  }
  header.request_count.store(static_cast<uint32_t>(count));
  header.request_bytes.store(writer.size());
  header.completed.store(0);
  header.reply_bytes.store(0);
  header.step.store(Step::kNone);
  return count;
}

// Tells the worker to begin and waits until it ends the batch or stops replying. Returns the byte
// that the worker sent, or the reason why no byte came. The time limit applies to each reply.
int E5rtRunner::Await() {
  const ChannelHeader& header = process_->channel().header();
  int what = process_->channel().Signal('B') ? 0 : -1;
  uint32_t seen = 0;
  while (what == 0) {
    what = process_->Wait(options_.case_timeout_ms, options_.memory_limit,
                          [this] { return IsStopped(); });
    const uint32_t completed = header.completed.load();
    if (what == 0 && completed == seen) break;
    seen = completed;
  }
  return what;
}

// Reads the replies that the worker has completed, of `count` requests. Returns false if a reply
// cannot be read. Errors: kIo for a failure of the worker itself.
Result<bool> E5rtRunner::TakeReplies(size_t count, Batch& batch) {
  WorkerChannel& channel = process_->channel();
  const auto done = std::min<size_t>(channel.header().completed.load(), count);
  ByteReader reader(channel.replies().first(
      std::min<uint64_t>(channel.header().reply_bytes.load(), channel.area_size())));
  for (size_t i = 0; i < done; ++i) {
    const RunRequest& request = batch.requests[batch.replies.size()];
    Result<WireReply> reply = ReadReply(reader);
    if (!reply.ok() || reply->id != request.id) return false;
    if (reply->harness_fault) {
      return MakeError(ErrorCode::kIo, fmt::format("a worker: {}", reply->message));
    }
    // The case is tried once more, in a fresh process.
    if (reply->slots_spent && batch.spent.empty()) {
      batch.spent = reply->message;
      return true;
    }
    batch.Add(Convert(request, std::move(reply).value()));
  }
  return true;
}

Status E5rtRunner::RunSome(Batch& batch) {
  const size_t first = batch.replies.size();
  const uint64_t id = batch.requests[first].id;
  const size_t count = HandOver(batch);
  if (count == 0) {
    batch.Add({.id = id,
               .status = RunStatus::kNotRun,
               .message = fmt::format("the case is larger than a worker's memory for cases, {} MiB",
                                      options_.area_size >> 20)});
    return {};
  }
  const int what = Await();
  if (what == kStopped) {
    process_.reset();
    return Stopped();
  }
  ANECHECK_ASSIGN(const bool intact, TakeReplies(count, batch));
  if (!intact) {
    process_.reset();
    if (count > 1) {
      batch.alone_until = first + count;
    } else {
      batch.Add({.id = id,
                 .status = RunStatus::kGarbled,
                 .message = "the worker's reply cannot be read: its memory is spoiled"});
    }
    return {};
  }
  const size_t done = batch.replies.size() - first;
  if (what == 'D' && done == count) return {};
  const Step step = StepOf(process_->channel().header());
  const std::string end = what == -1 ? process_->Reap() : process_->Stop();
  process_.reset();
  const bool asked = !batch.spent.empty() || (what == 'R' && done > 0);
  if (done == count || asked) return {};
  batch.Add(Ended(batch.requests[first + done].id, what, step, end));
  return {};
}

Result<std::vector<RunReply>> E5rtRunner::Run(std::span<const RunRequest> requests) {
  ANECHECK_RETURN_IF_ERROR(EnsureStarted());
  for (const RunRequest& request : requests) {
    ANECHECK_RETURN_IF_ERROR(CheckOwnTarget(identity_, request.target));
  }
  Batch batch;
  batch.requests = requests;
  batch.replies.reserve(requests.size());
  while (batch.replies.size() < requests.size()) {
    if (IsStopped()) return Stopped();
    ANECHECK_RETURN_IF_ERROR(EnsureStarted());
    ANECHECK_RETURN_IF_ERROR(MakeRoom(requests[batch.replies.size()]));
    ANECHECK_RETURN_IF_ERROR(RunSome(batch));
  }
  return std::move(batch.replies);
}

}  // namespace anecheck
