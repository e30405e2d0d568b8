#include "harness/runners/exec_runner.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/lower_case.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/runners/analytics.h"
#include "harness/runners/engine_file.h"
#include "harness/runners/exec_case.h"

namespace anecheck {
namespace {

using Clock = Subprocess::Clock;
using ReadState = Subprocess::ReadState;

// A reply contains names and a message, never data.
constexpr size_t kLongestLine = size_t{1} << 20;
// After this many failed starts in a row, the runner gives up.
constexpr int kMostFailedStarts = 3;
// The time to wait for the exit code of a program that closed its output.
constexpr std::chrono::milliseconds kGrace(500);
// The largest number of consecutive lines that answer no request. A program that writes more such
// lines is assumed never to stop.
constexpr int kMostStrayLines = 64;
// The time to wait for a second reply to the last case of a run. Without this wait the next run
// would read that reply.
constexpr std::chrono::milliseconds kSettle(5);
// The waits for second replies: in each run after Linger(true), and after the last run.
constexpr std::chrono::milliseconds kLinger(1000);
constexpr std::chrono::milliseconds kLastWait(200);
// The interval at which a wait for the program checks whether the campaign was stopped.
constexpr std::chrono::milliseconds kStopTick(50);

constexpr std::string_view kTwice = "it was answered twice";
constexpr std::string_view kFollows = "a line follows the reply that answers no request";

Clock::time_point After(int milliseconds) {
  return Clock::now() + std::chrono::milliseconds(milliseconds);
}

}  // namespace

ExecRunner::ExecRunner(ExecOptions options) : options_(std::move(options)) {}
ExecRunner::~ExecRunner() = default;

Status ExecRunner::ReadHello() {
  std::string line;
  if (!process_->WriteLine(ExecHelloLine())) {
    return MakeError(ErrorCode::kInvalid, fmt::format("the runner {}", process_->Stop(kGrace)));
  }
  const ReadState state = process_->ReadLine(After(options_.start_timeout_ms), kLongestLine,
                                             options_.memory_limit, line);
  switch (state) {
    case ReadState::kLine:
      break;
    case ReadState::kTimeout:
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("no answer to the hello in {} ms", options_.start_timeout_ms));
    case ReadState::kClosed:
      return MakeError(ErrorCode::kInvalid, fmt::format("the runner {}", process_->Stop(kGrace)));
    case ReadState::kTooLong:
      return MakeError(ErrorCode::kInvalid, "the answer to the hello has no end");
    case ReadState::kTooLarge:
      return MakeError(ErrorCode::kInvalid, "the runner outgrew its memory limit");
  }
  auto hello = ReadExecHello(line);
  if (!hello.ok()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("the answer to the hello: {}", hello.error().message));
  }
  hello_ = std::move(hello).value();
  return {};
}

Status ExecRunner::EnsureStarted() {
  if (process_) return {};
  const auto named = [this](const Error& error) {
    return MakeError(error.code,
                     fmt::format("--runner exec:{}: {}", options_.command, error.message));
  };
  if (!folder_) {
    ANECHECK_ASSIGN(folder_, TempDirectory::Create("anecheck-exec-"));
  }
  const auto words = SplitCommand(options_.command);
  if (!words.ok()) return named(words.error());
  auto process = Subprocess::Start(*words);
  if (!process.ok()) return named(process.error());
  process_ = std::move(process).value();
  ++started_;
  answered_.reset();
  const Status hello = ReadHello();
  if (!hello.ok()) {
    process_.reset();
    return named(hello.error());
  }
  if (!first_hello_) first_hello_ = hello_;
  if (hello_ == *first_hello_) return {};
  process_.reset();
  return EngineReplaced("--runner exec:" + options_.command,
                        first_hello_->name + " " + first_hello_->version,
                        hello_.name + " " + hello_.version);
}

Result<RunnerIdentity> ExecRunner::Identify() {
  ANECHECK_RETURN_IF_ERROR(EnsureStarted());
  RunnerIdentity identity;
  identity.runner = "exec:" + options_.command;
  identity.provenance = Provenance::kReported;
  identity.engine = hello_.version.empty() ? hello_.name : hello_.name + " " + hello_.version;
  identity.chip = hello_.chip;
  identity.os = hello_.os;
  identity.compiler_version = hello_.compiler_version;
  identity.is_ane = hello_.is_ane;
  identity.ops = hello_.ops;
  identity.least_saving_us = hello_.least_saving_us;
  return identity;
}

Status ExecRunner::Restart() {
  process_.reset();
  return EnsureStarted();
}

RunReply ExecRunner::Ended(uint64_t id, ReadState state) {
  RunReply reply;
  switch (state) {
    case ReadState::kTimeout:
      reply = BadExecReply(id, RunStatus::kHung,
                           fmt::format("no answer in {} ms", options_.case_timeout_ms));
      break;
    case ReadState::kTooLong:
      reply = BadExecReply(id, RunStatus::kGarbled,
                           fmt::format("the reply is longer than {} bytes", kLongestLine));
      break;
    case ReadState::kTooLarge:
      reply =
          BadExecReply(id, RunStatus::kMemoryGrowth,
                       fmt::format("the runner was stopped: it holds more than {} MiB of memory",
                                   options_.memory_limit >> 20));
      break;
    case ReadState::kClosed:
    case ReadState::kLine:
      reply = BadExecReply(id, RunStatus::kCrashed,
                           fmt::format("the runner {}", process_->Stop(kGrace)));
      break;
  }
  process_.reset();
  return reply;
}

// Returns whether the line is a reply to an earlier request than `id`.
bool ExecRunner::IsFinished(std::string_view line, uint64_t id) const {
  const std::optional<uint64_t> given = ExecReplyId(line);
  return given && *given > 0 && *given < id;
}

// Charges a line that answers no pending request to a case. It is the case whose reply the line
// repeats, else the case that was answered last. If Run() has already returned the reply of that
// case, the line becomes a late reply. A line before any answer is charged to the next case.
void ExecRunner::NoteStray(std::string_view line) {
  const std::optional<uint64_t> id = ExecReplyId(line);
  const auto asked = id ? asked_.find(*id) : asked_.end();
  if (asked != asked_.end() && asked->second < replies_.size()) {
    RunReply& twice = replies_[asked->second];
    twice = BadExecReply(twice.id, RunStatus::kGarbled, std::string(kTwice));
    return;
  }
  if (asked != asked_.end()) {
    stray_.push_back({Verdict::kGarbled, std::string(kTwice)});  // at another shape
  } else if (id && *id > 0 && *id <= last_id_) {
    late_.push_back({numbers_[*id - 1], std::string(kTwice)});
  } else if (!replies_.empty()) {
    RunReply& last = replies_.back();
    last = BadExecReply(last.id, RunStatus::kGarbled, std::string(kFollows));
  } else if (answered_) {
    late_.push_back({*answered_, std::string(kFollows)});
  } else {
    stray_.push_back({Verdict::kGarbled, "a line came that answers no request"});
  }
}

std::vector<LateReply> ExecRunner::TakeLate(bool last) {
  asked_.clear();
  Drain(Clock::now() + (last ? kLastWait : std::chrono::milliseconds(0)));
  return std::exchange(late_, {});
}

// Waits for a line until `deadline`, or until the runner is stopped.
ReadState ExecRunner::ReadReply(Clock::time_point deadline, std::string& line) {
  for (;;) {
    const Clock::time_point until = std::min(deadline, Clock::now() + kStopTick);
    const ReadState state = process_->ReadLine(until, kLongestLine, options_.memory_limit, line);
    if (state != ReadState::kTimeout || until == deadline || IsStopped()) return state;
  }
}

bool ExecRunner::Ask(std::span<const ExecCase> cases) {
  return process_->WriteLine(ExecRequestLine(cases, hello_.protocol));
}

RunReply ExecRunner::Await(const ExecCase& item) {
  const uint64_t of_caller = item.request->id;
  const Clock::time_point deadline = After(options_.case_timeout_ms);
  std::string line;
  for (;;) {
    const ReadState state = ReadReply(deadline, line);
    if (state == ReadState::kClosed && !line.empty()) {
      process_.reset();
      return BadExecReply(of_caller, RunStatus::kGarbled,
                          "the reply breaks off before the end of its line");
    }
    if (state != ReadState::kLine) return Ended(of_caller, state);
    if (!IsFinished(line, item.id)) break;
    NoteStray(line);
  }
  auto reply = ReadExecReply(line, item.id);
  if (!reply.ok()) {
    // After an invalid line the runner cannot match later lines with requests.
    process_.reset();
    return BadExecReply(of_caller, RunStatus::kGarbled, reply.error().message);
  }
  return AcceptExecReply(*item.request, item.files, std::move(reply).value());
}

// Writes the files of a case whose reply will have the index `place`. Errors: kUnsupported if the
// files for this program cannot express the case, kIo.
Result<ExecCase> ExecRunner::Prepare(const RunRequest& request, size_t place) {
  ExecCase item{.request = &request, .id = ++last_id_, .files = {}};
  numbers_.push_back(request.id);
  asked_[item.id] = place;
  auto files = WriteExecFiles(request, hello_, folder_->File(fmt::format("case{}", item.id)));
  if (files.ok()) {
    item.files = std::move(files).value();
    return item;
  }
  RemoveFiles(item);
  if (files.error().code == ErrorCode::kUnsupported) return files.error();
  return MakeError(ErrorCode::kIo,
                   fmt::format("the files of a case cannot be written: {}", files.error().message));
}

void ExecRunner::RemoveFiles(const ExecCase& item) {
  std::error_code ignored;
  std::filesystem::remove_all(folder_->File(fmt::format("case{}", item.id)), ignored);
}

Result<RunReply> ExecRunner::RunOne(const RunRequest& request) {
  const Result<ExecCase> item = Prepare(request, replies_.size());
  if (!item.ok()) {
    if (item.error().code != ErrorCode::kUnsupported) return item.error();
    return BadExecReply(request.id, RunStatus::kNotRun, item.error().message);
  }
  RunReply reply = Ask({&*item, 1}) ? Await(*item) : Ended(request.id, ReadState::kClosed);
  RemoveFiles(*item);
  // If the runner was stopped, the line may be incomplete, so the reply is not used.
  if (IsStopped()) return Stopped();
  return reply;
}

// Asks the external program for each shape of a range, with the MIL text of that shape and the MIL
// text of the range. The function stops at the first shape without results.
Result<RunReply> ExecRunner::RunShapes(const RunRequest& request) {
  ANECHECK_ASSIGN(RunReply reply, RunOne(request));
  for (const RunShape& shape : request.further) {
    if (reply.status != RunStatus::kOk) break;
    const auto mil = GraphToMil(shape.graph);
    // The later shapes are left out too, because callers take the number of results for the number
    // of shapes that ran, counted from the first.
    if (!mil.ok()) break;
    RunRequest at = request;
    at.mil = *mil;
    at.graph = &shape.graph;
    at.inputs = shape.inputs;
    at.further = {};
    at.settings.repeat = false;
    ANECHECK_ASSIGN(RunReply other, RunOne(at));
    if (other.status != RunStatus::kOk) {
      other.message = fmt::format("at another shape of the range: {}", other.message);
      return other;
    }
    if (reply.backend == kEngineBackend) reply.backend = other.backend;
    reply.further.push_back(std::move(other.outputs));
  }
  return reply;
}

namespace {

// Returns whether the reply shows misconduct of the program.
bool Misbehaved(const RunReply& reply) {
  constexpr RunStatus kBroken[] = {RunStatus::kCrashed, RunStatus::kHung, RunStatus::kGarbled,
                                   RunStatus::kMemoryGrowth};
  return std::ranges::find(kBroken, reply.status) != std::end(kBroken) ||
         std::ranges::any_of(reply.misconduct, [](const Misconduct& misconduct) {
           return misconduct.verdict == Verdict::kGarbled;
         });
}

}  // namespace

Status ExecRunner::CheckTarget(const RunRequest& request) const {
  const auto& targets = hello_.targets;
  const bool known = targets.empty() || std::ranges::any_of(targets, [&](const std::string& t) {
                       return LowerCase(t) == LowerCase(request.target);
                     });
  if (known) return {};
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("--runner exec:{}: has no target {}; it has {}", options_.command,
                               request.target, fmt::join(targets, ", ")));
}

// Returns the number of the next cases that one request can contain. A case with a range of shapes
// needs one request per shape.
size_t ExecRunner::BatchSize(std::span<const RunRequest> rest) const {
  const auto limit = process_ ? static_cast<size_t>(hello_.batch) : 1;
  const auto ranged = std::ranges::find_if(
      rest, [](const RunRequest& request) { return !request.further.empty(); });
  return std::clamp<size_t>(static_cast<size_t>(ranged - rest.begin()), 1,
                            std::min(limit, rest.size()));
}

void ExecRunner::Keep(RunReply reply) {
  reply.misconduct.insert(reply.misconduct.end(), stray_.begin(), stray_.end());
  stray_.clear();
  answered_ = reply.id;
  replies_.push_back(std::move(reply));
}

Status ExecRunner::RunNext(const RunRequest& request) {
  if (IsStopped()) return Stopped();
  Drain(Clock::now());
  const Status started = EnsureStarted();
  if (!started.ok()) {
    // The first start must succeed. A later start may fail because of effects of the previous case.
    const bool replaced = started.error().code == ErrorCode::kInternal;
    if (started_ <= 1 || replaced || ++failed_starts_ >= kMostFailedStarts) return started.error();
    replies_.push_back(BadExecReply(request.id, RunStatus::kCrashed, started.error().message));
    return {};
  }
  failed_starts_ = 0;
  ANECHECK_RETURN_IF_ERROR(CheckTarget(request));
  ANECHECK_ASSIGN(RunReply reply, RunShapes(request));
  Keep(std::move(reply));
  return {};
}

// Sends several cases in one line and reads a reply to each, in their order.
Result<std::optional<ExecRunner::Broken>> ExecRunner::RunTogether(
    std::span<const RunRequest> requests) {
  const size_t first = replies_.size();
  std::vector<ExecCase> asked;
  std::vector<std::optional<RunReply>> unasked(requests.size());
  Status written;
  for (size_t i = 0; i < requests.size() && written.ok(); ++i) {
    auto item = Prepare(requests[i], first + i);
    if (item.ok()) {
      asked.push_back(std::move(item).value());
    } else if (item.error().code == ErrorCode::kUnsupported) {
      unasked[i] = BadExecReply(requests[i].id, RunStatus::kNotRun, item.error().message);
    } else {
      written = item.error();
    }
  }
  std::optional<Broken> broken;
  if (written.ok() && !asked.empty() && !Ask(asked)) {
    broken = {0, Ended(requests[0].id, ReadState::kClosed)};
  }
  for (size_t i = 0, next = 0; i < requests.size() && written.ok() && !broken && !IsStopped();
       ++i) {
    Keep(unasked[i] ? *std::move(unasked[i]) : Await(asked[next++]));
    if (Misbehaved(replies_.back())) broken = {i, replies_.back()};
  }
  for (const ExecCase& item : asked) RemoveFiles(item);
  ANECHECK_RETURN_IF_ERROR(written);
  if (IsStopped()) return Stopped();
  return broken;
}

// A reply in a batch may show the fault of an earlier case, so after misconduct all cases run again
// one by one. If they then show no misconduct, the first misconduct stays with its case.
Status ExecRunner::RunBatch(std::span<const RunRequest> requests) {
  const size_t first = replies_.size();
  ANECHECK_ASSIGN(std::optional<Broken> broken, RunTogether(requests));
  if (!broken) {
    // An extra line is charged to the last case, which may not have caused it.
    Drain(Clock::now() + kSettle);
    const auto bad = std::ranges::find_if(replies_.begin() + static_cast<ptrdiff_t>(first),
                                          replies_.end(), Misbehaved);
    if (bad == replies_.end()) return {};
    broken = {static_cast<size_t>(bad - replies_.begin()) - first, *bad};
  }
  process_.reset();
  replies_.resize(first);
  stray_.clear();
  for (const RunRequest& request : requests) ANECHECK_RETURN_IF_ERROR(RunNext(request));
  Drain(Clock::now() + kSettle);
  const auto again = std::span(replies_).subspan(first);
  if (std::ranges::none_of(again, Misbehaved)) again[broken->place] = std::move(broken->reply);
  return {};
}

Result<std::vector<RunReply>> ExecRunner::Run(std::span<const RunRequest> requests) {
  replies_.clear();
  replies_.reserve(requests.size());
  asked_.clear();
  stray_.clear();
  while (replies_.size() < requests.size()) {
    const auto rest = requests.subspan(replies_.size());
    Drain(Clock::now());
    const size_t count = BatchSize(rest);
    if (count == 1) {
      ANECHECK_RETURN_IF_ERROR(RunNext(rest.front()));
      continue;
    }
    for (const RunRequest& request : rest.first(count)) {
      ANECHECK_RETURN_IF_ERROR(CheckTarget(request));
    }
    ANECHECK_RETURN_IF_ERROR(RunBatch(rest.first(count)));
  }
  if (linger_) AwaitOneMore();
  Drain(Clock::now() + kSettle);
  return std::exchange(replies_, {});
}

// Waits for one more line, for at most kLinger.
void ExecRunner::AwaitOneMore() {
  if (!process_) return;
  std::string line;
  const ReadState state = process_->ReadLine(Clock::now() + kLinger, kLongestLine, 0, line);
  if (state == ReadState::kLine) NoteStray(line);
}

// Reads a program's output while no request is pending.
void ExecRunner::Drain(Clock::time_point deadline) {
  std::string line;
  for (int lines = 0; process_; ++lines) {
    const ReadState state = process_->ReadLine(deadline, kLongestLine, 0, line);
    if (state != ReadState::kLine && state != ReadState::kTooLong) return;
    NoteStray(line);
    if (state == ReadState::kTooLong || lines == kMostStrayLines) process_.reset();
  }
}

}  // namespace anecheck
