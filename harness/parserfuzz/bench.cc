#include "harness/parserfuzz/bench.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "harness/parserfuzz/kept_findings.h"
#include "harness/parserfuzz/signature.h"
#include "harness/parserfuzz/stack_text.h"

namespace anecheck::parserfuzz {
namespace {

using Clock = std::chrono::steady_clock;

// maximum time of the runs that make one finding small
constexpr std::chrono::seconds kMostOfHangs{20};
constexpr int kMostTries = 3;
// after 1 / kKnownHangPart of the limit, a hang is compared with known hangs
constexpr int kKnownHangPart = 10;
constexpr int kShortestLook = 200;  // milliseconds

// Replaces the path of the bench's file, which differs between runs and jobs, by kFileWord.
void ForgetPath(const std::string& path, std::string& text) {
  for (size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1)) {
    text.replace(at, path.size(), kFileWord);
  }
}

// Whether the exit code may mean that the program was not started. Shells, env, timeout and similar
// programs return these codes if their program is missing or cannot be run. But some parsers return
// them for a file that they refuse.
bool IsUnstarted(const CommandOutcome& outcome) {
  return outcome.signal == 0 && (outcome.exit_code == 126 || outcome.exit_code == 127);
}

Start StartOf(const CommandOutcome& outcome) {
  return IsUnstarted(outcome) ? Start::kUnstarted : Start::kStarted;
}

bool Accepts(const CommandOutcome& outcome) {
  return outcome.signal == 0 && outcome.exit_code == 0;
}

// Returns the first rule of the format that the file breaks, or the reason why it does not parse.
std::string BrokenRule(const Format& format, const Bytes& file) {
  if (format.verify == nullptr) return "";
  const auto violations = format.verify(file);
  if (!violations.ok()) return WithoutNumbers(violations.error().message);
  if (violations->empty()) return "";
  auto broken =
      std::ranges::find_if(*violations, [](const Violation& one) { return !one.IsWarning(); });
  if (broken == violations->end()) broken = violations->begin();
  return std::string(broken->rule->id);
}

// Makes the failure of two commands that disagree. `refusal` is the outcome of the command that
// refused the file. Commands such as `inspect --verify` explain a refusal on standard output and
// often end with the same line for each file. For such commands, the rule that the file breaks
// distinguishes the findings.
Failure Disagreement(std::string_view accepted_by, const CommandOutcome& refusal,
                     const Format& format, const Bytes& file) {
  const std::string start = fmt::format("accepted by the {} only: ", accepted_by);
  if (!LastLine(refusal.err).empty()) {
    return MakeFailure(FailureKind::kDisagreement, start, refusal.err);
  }
  const std::string rule = BrokenRule(format, file);
  if (rule.empty()) return MakeFailure(FailureKind::kDisagreement, start, refusal.out);
  return MakeFailure(FailureKind::kDisagreement, start + rule);
}

bool HasFileWord(const std::string& word) { return word.find(kFileWord) != std::string::npos; }

}  // namespace

bool IsDriver(const std::vector<std::string>& command) {
  return std::ranges::none_of(command, HasFileWord);
}

Result<Bench> Bench::Create(const ParserFuzzOptions& options, const std::atomic<bool>* stop,
                            Symboliser* symboliser) {
  ANECHECK_ASSIGN(TempDirectory folder, TempDirectory::CreateInMemory("anecheck-parser-"));
  Bench bench(options, stop, symboliser, std::move(folder));
  if (IsDriver(options.command)) {
    ANECHECK_ASSIGN(
        PersistentParser driver,
        PersistentParser::Start(options.command, bench.folder_.path(), options.max_size));
    bench.driver_ = std::move(driver);
  }
  return bench;
}

Result<Trial> Bench::Try(const Bytes& file) {
  const ParserFuzzOptions& options = *options_;
  ANECHECK_ASSIGN(CommandOutcome first, Run(options.command, file));
  Trial trial = {.failure = Classify(first, options.limits, options.crash_signs),
                 .accepted = Accepts(first),
                 .stopped = first.stopped,
                 .start = StartOf(first)};
  if (driver_ && !driver_->Counters().empty()) {
    trial.features = FeaturesOfCounters(driver_->Counters());
  } else {
    trial.features = FeaturesOfWords(first.exit_code, first.out, first.err);
  }
  if (trial.stopped || trial.failure.kind != FailureKind::kNone || options.second.empty()) {
    trial.said = std::move(first.err);
    return trial;
  }
  ANECHECK_ASSIGN(CommandOutcome second, Run(options.second, file));
  trial.stopped = second.stopped;
  trial.start_of_second = StartOf(second);
  trial.accepted_by_second = Accepts(second);
  trial.failure = Classify(second, options.limits, options.crash_signs);
  const bool refused_by_first = trial.failure.kind == FailureKind::kNone && second.exit_code == 0;
  if (trial.failure.kind != FailureKind::kNone) {
    trial.failure.signature += kOfTheSecond;
    trial.failure.bug += kOfTheSecond;
    trial.of_second = true;
  } else if (Accepts(first) != (second.exit_code == 0)) {
    trial.failure = Disagreement(refused_by_first ? "second" : "first",
                                 refused_by_first ? first : second, *options.parts.format, file);
  }
  CommandOutcome& shown = refused_by_first ? first : second;
  trial.said = std::move(shown.err.empty() ? shown.out : shown.err);
  return trial;
}

Status Bench::TryToStart(const std::vector<std::string>& command, const Bytes& file) {
  ANECHECK_ASSIGN(const CommandOutcome outcome, Run(command, file));
  if (outcome.stopped || !IsUnstarted(outcome)) return {};
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("{}: exit code {} for each of the first files, which means that a "
                               "program cannot start another one: {}",
                               CommandText(command), outcome.exit_code, LastLine(outcome.err)));
}

bool Bench::FailsAgain(const Failure& failure, const Bytes& file,
                       const std::function<void()>& ran) {
  for (int i = 0; i < kMostTries; ++i) {
    const auto again = Try(file);
    ran();
    if (!again.ok() || again->stopped) return true;
    if (IsSameBug(again->failure, failure)) return true;
  }
  return false;
}

Bytes Bench::MakeSmall(const Failure& failure, const Bytes& file, int runs,
                       const std::function<bool()>& is_over, const std::function<void()>& ran) {
  Clock::duration hung{};
  return Minimise(
      *options_->parts.format, file, runs,
      [&](const Bytes& candidate) {
        const auto begin = Clock::now();
        const auto again = Try(candidate);
        ran();
        if (!again.ok() || again->stopped) return false;
        if (again->failure.kind == FailureKind::kHang) hung += Clock::now() - begin;
        return IsSameBug(again->failure, failure);
      },
      [&] { return hung >= kMostOfHangs || is_over(); });
}

Result<CommandOutcome> Bench::Run(const std::vector<std::string>& command, const Bytes& file) {
  // Starts no command after a stop was requested.
  if (stop_ != nullptr && stop_->load()) return CommandOutcome{.stopped = true};
  CommandLimits limits = options_->limits;
  limits.want_stack = true;
  if (!hangs_.empty()) {
    CommandLimits look = limits;
    look.timeout_ms =
        std::min(limits.timeout_ms, std::max(limits.timeout_ms / kKnownHangPart, kShortestLook));
    ANECHECK_ASSIGN(CommandOutcome outcome, RunWith(command, file, look));
    if (!outcome.timed_out || look.timeout_ms == limits.timeout_ms) return outcome;
    const Failure failure = Classify(outcome, limits);
    const auto is_known = [&](const auto& known) { return IsHangOf(failure.stack, known); };
    if (std::ranges::any_of(hangs_, is_known)) return outcome;
  }
  return RunWith(command, file, limits);
}

Result<CommandOutcome> Bench::RunWith(const std::vector<std::string>& command, const Bytes& file,
                                      const CommandLimits& limits) {
  const bool drives = driver_ && &command == &options_->command;
  const std::string path = InputPath();
  if (!drives) ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, std::span<const uint8_t>(file)));
  ANECHECK_ASSIGN(CommandOutcome outcome, drives ? driver_->Run(file, limits, stop_)
                                                 : RunCommand(command, path, limits, stop_));
  ForgetPath(path, outcome.out);
  ForgetPath(path, outcome.err);
  if (outcome.err.find("#0 0x") != std::string::npos) {
    outcome.err = symboliser_->Symbolise(outcome.err);
  }
  return outcome;
}

}  // namespace anecheck::parserfuzz
