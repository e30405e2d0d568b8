#include "harness/parserfuzz/parser_fuzz.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/parallel_for.h"
#include "harness/parserfuzz/kept_findings.h"
#include "harness/parserfuzz/panic.h"
#include "harness/parserfuzz/signature.h"

namespace anecheck::parserfuzz {
namespace {

// What a report or a place tells from others.
Failure MakeFailure(FailureKind kind, std::string_view detail) {
  return {kind, fmt::format("{} {}", FailureKindName(kind), detail), ""};
}

// What the words of the parser tell from others, in the last line that it wrote.
Failure MakeFailure(FailureKind kind, std::string_view detail, std::string_view err) {
  std::string group = fmt::format("{} {}", FailureKindName(kind), detail);
  return {kind, group + LastLine(err), group};
}

constexpr const char* kOfTheSecond = " (of the second command)";
constexpr const char* kOtherWords = "with other words";

// The bench's path is another in each run and for each job.
void ForgetPath(const std::string& path, std::string& text) {
  for (size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1)) {
    text.replace(at, path.size(), kFileWord);
  }
}

// Shells, env, timeout and the like exit so where the program that they were given is not there or
// cannot be run; some programs do for a file that they do not like.
bool IsUnstarted(const CommandOutcome& outcome) {
  return outcome.signal == 0 && (outcome.exit_code == 126 || outcome.exit_code == 127);
}

// The signal that a program died of, or that a shell says by its exit code that its program did.
int FatalSignal(const CommandOutcome& outcome) {
  constexpr int kFatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
  const int told = outcome.exit_code - 128;
  const bool fatal = std::ranges::find(kFatal, told) != std::end(kFatal);
  return outcome.signal == 0 && fatal ? told : outcome.signal;
}

enum class Start : uint8_t { kNotRun, kUnstarted, kStarted };

Start StartOf(const CommandOutcome& outcome) {
  return IsUnstarted(outcome) ? Start::kUnstarted : Start::kStarted;
}

// What became of one file.
struct Trial {
  Failure failure;
  bool accepted = false;
  bool accepted_by_second = false;
  bool of_second = false;  // the failure is the second command's
  bool stopped = true;     // nothing did, as of one that was never tried
  Start start = Start::kNotRun, start_of_second = Start::kNotRun;
  std::string said;  // on standard error, by the command that failed
};

// The command on one file at a time, in a folder of its own for the file.
class Bench {
 public:
  static Result<Bench> Create(const ParserFuzzOptions& options, const std::atomic<bool>* stop) {
    ANECHECK_ASSIGN(TempDirectory folder, TempDirectory::Create("anecheck-parser-"));
    return Bench(options, stop, std::move(folder));
  }

  Result<Trial> Try(const Bytes& file) const {
    const ParserFuzzOptions& options = *options_;
    const std::string path = folder_.path() + "/input";
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, std::span<const uint8_t>(file)));
    ANECHECK_ASSIGN(CommandOutcome first, Run(options.command, path));
    Trial trial = {.failure = Classify(first, options.limits, options.crash_signs),
                   .accepted = first.signal == 0 && first.exit_code == 0,
                   .stopped = first.stopped,
                   .start = StartOf(first)};
    if (trial.stopped || trial.failure.kind != FailureKind::kNone || options.second.empty()) {
      trial.said = std::move(first.err);
      return trial;
    }
    ANECHECK_ASSIGN(CommandOutcome second, Run(options.second, path));
    trial.stopped = second.stopped;
    trial.start_of_second = StartOf(second);
    trial.accepted_by_second = second.signal == 0 && second.exit_code == 0;
    trial.failure = Classify(second, options.limits, options.crash_signs);
    const bool refused_by_first = trial.failure.kind == FailureKind::kNone && second.exit_code == 0;
    if (trial.failure.kind != FailureKind::kNone) {
      trial.failure.signature += kOfTheSecond;
      trial.of_second = true;
    } else if ((first.exit_code == 0) != (second.exit_code == 0)) {
      trial.failure = MakeFailure(
          FailureKind::kDisagreement,
          fmt::format("accepted by the {} only: ", refused_by_first ? "second" : "first"),
          refused_by_first ? first.err : second.err);
    }
    trial.said = std::move(refused_by_first ? first.err : second.err);
    return trial;
  }

  // kNotFound where the command says of the file that it cannot be started.
  Status TryToStart(const std::vector<std::string>& command, const Bytes& file) const {
    const std::string path = folder_.path() + "/input";
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, std::span<const uint8_t>(file)));
    ANECHECK_ASSIGN(const CommandOutcome outcome, Run(command, path));
    if (outcome.stopped || !IsUnstarted(outcome)) return {};
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: exit code {} for each of the first files, by which a program "
                                 "says that it cannot start another: {}",
                                 CommandText(command), outcome.exit_code, LastLine(outcome.err)));
  }

  // Whether the file fails so once more: a busy machine, chance and what other runs left behind may
  // make one fail. True where the run is stopped before that is known.
  bool FailsAgain(const Failure& failure, const Bytes& file,
                  const std::function<void()>& ran) const {
    for (int i = 0; i < kMostTries; ++i) {
      const auto again = Try(file);
      ran();
      if (!again.ok() || again->stopped) return true;
      if (again->failure.signature == failure.signature) return true;
    }
    return false;
  }

  // A smaller file that fails in the same way. `ran` is called after each run.
  Bytes MakeSmall(const Failure& failure, const Bytes& file,
                  const std::function<void()>& ran) const {
    using Clock = std::chrono::steady_clock;
    Clock::duration hung{};
    return Minimise(
        *options_->parts.format, file, options_->minimise_runs,
        [&](const Bytes& candidate) {
          const auto begin = Clock::now();
          const auto again = Try(candidate);
          ran();
          if (!again.ok() || again->stopped) return false;
          if (again->failure.kind == FailureKind::kHang) hung += Clock::now() - begin;
          return again->failure.signature == failure.signature;
        },
        [&] { return hung >= kMostOfHangs || (stop_ != nullptr && stop_->load()); });
  }

 private:
  static constexpr std::chrono::minutes kMostOfHangs{1};
  static constexpr int kMostTries = 3;

  Result<CommandOutcome> Run(const std::vector<std::string>& command,
                             const std::string& path) const {
    // Nothing is begun to be ended at once.
    if (stop_ != nullptr && stop_->load()) return CommandOutcome{.stopped = true};
    ANECHECK_ASSIGN(CommandOutcome outcome, RunCommand(command, path, options_->limits, stop_));
    ForgetPath(path, outcome.out);
    ForgetPath(path, outcome.err);
    return outcome;
  }

  Bench(const ParserFuzzOptions& options, const std::atomic<bool>* stop, TempDirectory folder)
      : options_(&options), stop_(stop), folder_(std::move(folder)) {}

  const ParserFuzzOptions* options_;
  const std::atomic<bool>* stop_;
  TempDirectory folder_;
};

// Files go through the benches in blocks. Within one they are independent of each other; what is
// told of them is told in their order.
class Campaign {
 public:
  Campaign(const ParserFuzzOptions& options, std::vector<Bench> benches, KeptFindings kept,
           const std::function<void(const ParserFuzzProgress&)>& progress)
      : options_(options),
        benches_(std::move(benches)),
        kept_(std::move(kept)),
        progress_(progress) {
    state_.of_files = options.files;
  }

  uint64_t BlockSize() const { return kFilesOfABench * benches_.size(); }

  // Files `first` to `first` + `count` - 1. Findings are kept though an error ends it.
  Status Run(uint64_t first, uint64_t count) {
    std::vector<Trial> trials(count);
    Status status = OnBenches(count, [&](const Bench& bench, uint64_t i) -> Status {
      ANECHECK_ASSIGN(trials[i], bench.Try(MakeFile(options_, first + i)));
      Tell([&] { state_.files += trials[i].stopped ? 0 : 1; });
      return {};
    });
    if (status.ok() && first == 0) status = CheckStarts(trials);
    const size_t known = summary.findings.size();
    for (uint64_t i = 0; i < count; ++i) {
      const Trial& trial = trials[i];
      const bool unstarted =
          trial.start == Start::kUnstarted || trial.start_of_second == Start::kUnstarted;
      if (status.ok() || !unstarted) Note(trials[i], first + i);
    }
    Tell([&] { state_.findings = summary.findings.size(); });
    const Status kept = Keep(known);
    return status.ok() ? kept : status;
  }

  ParserFuzzSummary summary;

 private:
  static constexpr uint64_t kFilesOfABench = 8;

  // Calls body(bench, i) for [0, count), no bench being used twice at once.
  template <typename Body>
  Status OnBenches(uint64_t count, const Body& body) {
    std::atomic<uint64_t> next = 0;
    return ParallelFor(benches_.size(), static_cast<int>(benches_.size()),
                       [&](uint64_t bench) -> Status {
                         for (uint64_t i = next++; i < count; i = next++) {
                           ANECHECK_RETURN_IF_ERROR(body(benches_[bench], i));
                         }
                         return {};
                       });
  }

  template <typename Change>
  void Tell(const Change& change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    change();
    if (progress_ != nullptr) progress_(state_);
  }

  Status CheckStarts(const std::vector<Trial>& trials) const {
    ANECHECK_RETURN_IF_ERROR(CheckStarts(options_.command, trials, &Trial::start));
    if (options_.second.empty()) return {};
    return CheckStarts(options_.second, trials, &Trial::start_of_second);
  }

  // A command is there where one of the first files, as many whatever the jobs, makes it end
  // otherwise than as one that is not. Those are run again, since it need not have run on each.
  Status CheckStarts(const std::vector<std::string>& command, const std::vector<Trial>& trials,
                     Start Trial::* start) const {
    const auto asked = std::span(trials).first(std::min<size_t>(trials.size(), kFilesOfABench));
    const auto is_there = [start](const Trial& trial) {
      return trial.stopped || trial.*start == Start::kStarted;
    };
    if (std::ranges::any_of(asked, is_there)) return {};
    Status status;
    for (uint64_t i = 0; i < asked.size(); ++i) {
      status = benches_[0].TryToStart(command, MakeFile(options_, i));
      if (status.ok() || status.error().code != ErrorCode::kNotFound) break;
    }
    return status;
  }

  void Note(Trial& trial, uint64_t index) {
    if (trial.stopped) return;
    ++summary.files;
    summary.accepted += trial.accepted ? 1 : 0;
    summary.accepted_by_second += trial.accepted_by_second ? 1 : 0;
    if (trial.failure.kind == FailureKind::kNone || CountAgain(trial.failure.signature)) return;
    const bool other_words = IsOneTooMany(trial);
    if (other_words) {
      trial.failure.signature =
          trial.failure.group + kOtherWords + (trial.of_second ? kOfTheSecond : "");
      if (CountAgain(trial.failure.signature)) return;
    }
    summary.findings.push_back({.failure = std::move(trial.failure),
                                .other_words = other_words,
                                .index = index,
                                .count = 1,
                                .said = std::move(trial.said)});
  }

  bool CountAgain(const std::string& signature) {
    const auto known = std::ranges::find_if(summary.findings, [&](const Finding& finding) {
      return finding.failure.signature == signature;
    });
    if (known == summary.findings.end()) return false;
    ++known->count;
    return true;
  }

  // A parser that tells in its words what stands in the file has other ones for each file.
  bool IsOneTooMany(const Trial& trial) const {
    const std::string& group = trial.failure.group;
    if (group.empty() || kept_.Has(trial.failure.signature)) return false;
    const auto found = std::ranges::count_if(summary.findings, [&](const Finding& finding) {
      return finding.failure.group == group && !kept_.Has(finding.failure.signature);
    });
    return static_cast<uint64_t>(found) + kept_.CountOf(group) >= kMostOfAGroup;
  }

  // Writes a small file for each finding from number `known` on.
  Status Keep(size_t known) {
    return OnBenches(
        summary.findings.size() - known, [&](const Bench& bench, uint64_t i) -> Status {
          Finding& finding = summary.findings[known + i];
          const Bytes file = MakeFile(options_, finding.index);
          finding.first_size = file.size();
          if (kept_.Has(finding.failure.signature)) return kept_.Recall(finding);
          // A smaller file may have any of the other words.
          const Bytes small = finding.other_words ? file : MakeSmall(bench, finding, file);
          finding.size = small.size();
          const std::lock_guard<std::mutex> lock(mutex_);
          return kept_.Write(finding, small);
        });
  }

  Bytes MakeSmall(const Bench& bench, Finding& finding, const Bytes& file) {
    const auto ran = [this] { Tell([this] { ++state_.minimising_runs; }); };
    finding.again = bench.FailsAgain(finding.failure, file, ran);
    return finding.again ? bench.MakeSmall(finding.failure, file, ran) : file;
  }

  const ParserFuzzOptions& options_;
  std::vector<Bench> benches_;
  const KeptFindings kept_;
  const std::function<void(const ParserFuzzProgress&)>& progress_;
  std::mutex mutex_;  // for state_, progress_ and the folder
  ParserFuzzProgress state_;
};

}  // namespace

std::string_view FailureKindName(FailureKind kind) {
  switch (kind) {
    case FailureKind::kNone:
      return "none";
    case FailureKind::kCrash:
      return "crash";
    case FailureKind::kSanitizer:
      return "sanitizer";
    case FailureKind::kHang:
      return "hang";
    case FailureKind::kMemory:
      return "memory";
    case FailureKind::kDisagreement:
      return "disagreement";
  }
  return "none";
}

namespace {

bool IsTold(const CommandOutcome& outcome, const CrashSigns& signs) {
  const auto said = [&](const std::string& text) {
    return outcome.err.find(text) != std::string::npos;
  };
  return std::ranges::find(signs.exit_codes, outcome.exit_code) != signs.exit_codes.end() ||
         std::ranges::any_of(signs.texts, said);
}

// By a signal, or one that the program tells of by itself.
Failure Crash(const CommandOutcome& outcome, const CrashSigns& signs) {
  const int signal = FatalSignal(outcome);
  const int code = signal != 0 ? 128 + signal : outcome.exit_code;
  if (const auto panic = PanicSignature(outcome.err, code)) {
    return MakeFailure(FailureKind::kCrash, *panic);
  }
  if (signal != 0) {
    return MakeFailure(FailureKind::kCrash, fmt::format("signal {} ", signal), outcome.err);
  }
  if (!IsTold(outcome, signs)) return {};
  if (const auto exception = ExceptionSignature(outcome.err)) {
    return MakeFailure(FailureKind::kCrash, *exception);
  }
  return MakeFailure(FailureKind::kCrash, fmt::format("exit code {} ", outcome.exit_code),
                     outcome.err);
}

}  // namespace

// What a program said or took is no less so because the clock or the limit ended it. What was
// undefined ends a program only where it is told to; else it goes on, and may fail in another way.
Failure Classify(const CommandOutcome& outcome, const CommandLimits& limits,
                 const CrashSigns& signs) {
  if (auto report = ReportSignature(outcome.err)) {
    return MakeFailure(FailureKind::kSanitizer, *report);
  }
  if (outcome.peak_memory > limits.max_memory) {
    return MakeFailure(FailureKind::kMemory, "", outcome.err);
  }
  if (outcome.timed_out) return MakeFailure(FailureKind::kHang, "", outcome.err);
  const auto undefined = UndefinedSignature(outcome.err);
  const int signal = FatalSignal(outcome);
  const bool ended_for_it =
      undefined && (signal == 0 || signal == SIGABRT) && EndsWithUndefined(outcome.err);
  if (!ended_for_it) {
    Failure crash = Crash(outcome, signs);
    if (crash.kind != FailureKind::kNone) return crash;
  }
  if (undefined) return MakeFailure(FailureKind::kSanitizer, *undefined);
  return {};
}

Bytes MakeFile(const ParserFuzzOptions& options, uint64_t index) {
  ChoiceStream choices =
      ChoiceStream::FromSeed(options.seed * kGoldenRatio64 + index * 0xd1342543de82ef95);
  Bytes file = options.parts.generator->generate(choices);
  const uint64_t way = choices.Below(8);
  if (way == 0) return file;
  if (way == 1) {
    const Bytes other = options.parts.generator->generate(choices);
    return CrossFiles(options.parts, file, other, options.max_size, choices.Word());
  }
  for (uint64_t edits = 1 + choices.Below(3); edits > 0; --edits) {
    file = MutateFile(options.parts, file, options.max_size, choices.Word());
  }
  return file;
}

Result<ParserFuzzSummary> FuzzParser(
    const ParserFuzzOptions& options, const std::atomic<bool>* stop,
    const std::function<void(const ParserFuzzProgress&)>& progress) {
  ANECHECK_ASSIGN(KeptFindings kept, KeptFindings::Open(options));
  const int jobs = options.jobs < 1 ? DefaultJobs() : options.jobs;
  std::vector<Bench> benches;
  benches.reserve(static_cast<size_t>(jobs));
  for (int i = 0; i < jobs; ++i) {
    ANECHECK_ASSIGN(Bench bench, Bench::Create(options, stop));
    benches.push_back(std::move(bench));
  }
  Campaign campaign(options, std::move(benches), std::move(kept), progress);
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin;
    return options.max_seconds > 0 && lasted.count() >= options.max_seconds;
  };
  Status status;
  for (uint64_t first = 0; first < options.files && status.ok(); first += campaign.BlockSize()) {
    if (is_over() || (stop != nullptr && stop->load())) break;
    status = campaign.Run(first, std::min(campaign.BlockSize(), options.files - first));
  }
  if (!status.ok()) {
    if (campaign.summary.findings.empty()) return status.error();
    campaign.summary.failed = status.error();
  }
  campaign.summary.interrupted = stop != nullptr && stop->load();
  return std::move(campaign.summary);
}

}  // namespace anecheck::parserfuzz
