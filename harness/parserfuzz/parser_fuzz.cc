#include "harness/parserfuzz/parser_fuzz.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <span>
#include <utility>

#include "generators/formats/corpus/seed_corpus.h"
#include "harness/base/parallel_for.h"
#include "harness/parserfuzz/bench.h"
#include "harness/parserfuzz/kept_findings.h"
#include "harness/parserfuzz/schedule.h"
#include "harness/parserfuzz/workers.h"

namespace anecheck::parserfuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kOtherWords = "with other words";

// Reasons for no smaller file.
constexpr const char* kLate = "--minimise-seconds ended first";
constexpr const char* kAnyWords = "files of many messages are not made small";
constexpr const char* kNoneSmaller = "no smaller file failed in this way";

// The number of files of a round. They are planned together, run on any number of benches, and
// evaluated in the order of planning. Therefore findings do not depend on the number of benches.
constexpr uint64_t kFastRound = 64, kSlowRound = 16;
constexpr uint64_t kFirstFiles = 8;  // the files that show whether a command can be started
constexpr size_t kMostSeedSize = size_t{1} << 16;
// The number of further stacks by which a hang is named. If there are only few stacks, a helper
// function of the loop may be in all of them by chance. Therefore more stacks are taken if a known
// hang may be the same loop.
constexpr int kMoreStacks = 4, kMostStacks = 12;

struct Attempt {
  Plan plan;
  Bytes file;
  Trial trial;
  Status status;
};

std::vector<Bytes> SeedsOf(const ParserFuzzOptions& options) {
  CorpusLimits limits;
  limits.max_size = std::min(options.max_size, kMostSeedSize);
  std::vector<Bytes> seeds;
  for (CorpusFile& file :
       ChooseValidFiles(*options.parts.generator, *options.parts.format, options.seed, limits)) {
    seeds.push_back(std::move(file.bytes));
  }
  seeds.insert(seeds.end(), options.seeds.begin(), options.seeds.end());
  return seeds;
}

class Campaign {
 public:
  Campaign(const ParserFuzzOptions& options, std::vector<Bench> benches, KeptFindings kept,
           const std::atomic<bool>* stop,
           const std::function<void(const ParserFuzzProgress&)>& progress)
      : options_(options),
        stop_(stop),
        progress_(progress),
        workers_(benches.size()),
        benches_(std::move(benches)),
        kept_(std::move(kept)),
        schedule_({.parts = options.parts,
                   .max_size = options.max_size,
                   .seed = options.seed,
                   .fast_runs = IsDriver(options.command)},
                  SeedsOf(options)) {
    state_.of_files = options.files;
    TellHangs();
  }

  Status Run() {
    start_ = Clock::now();
    Status status;
    for (uint64_t first = 0; first < options_.files && status.ok() && !IsOver();) {
      const uint64_t round = IsDriver(options_.command) ? kFastRound : kSlowRound;
      const uint64_t count = std::min(round, options_.files - first);
      status = RunRound(first, count);
      first += count;
    }
    summary.seconds = Seconds();
    summary.kept = schedule_.kept();
    const Status small = MakeSmall();
    return status.ok() ? small : status;
  }

  ParserFuzzSummary summary;

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool IsStopped() const { return stop_ != nullptr && stop_->load(); }
  bool IsOver() const {
    return IsStopped() || (options_.max_seconds > 0 && Seconds() >= options_.max_seconds);
  }

  template <typename Change>
  void Tell(const Change& change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    change();
    if (progress_ != nullptr) progress_(state_);
  }

  // Runs `count` files, beginning with index `first`. Keeps findings even after an error.
  Status RunRound(uint64_t first, uint64_t count) {
    std::vector<Attempt> attempts(count);
    for (Attempt& attempt : attempts) attempt.plan = schedule_.Next();
    workers_.Run(count, [&](size_t worker, uint64_t i) {
      Attempt& attempt = attempts[i];
      // The time limit ends the round between files, but not within the first kFirstFiles files,
      // because they determine whether the command exists.
      if (IsStopped() || (IsOver() && first + i >= kFirstFiles)) return;
      attempt.file = schedule_.Make(attempt.plan);
      Result<Trial> trial = benches_[worker].Try(attempt.file);
      if (trial.ok()) {
        attempt.trial = *std::move(trial);
      } else {
        attempt.status = trial.error();
      }
      Tell([&] { state_.files += attempt.trial.stopped ? 0 : 1; });
    });
    Status status;
    for (const Attempt& attempt : attempts) {
      if (status.ok()) status = attempt.status;
    }
    if (status.ok() && first == 0) status = CheckStarts(attempts);
    for (uint64_t i = 0; i < count; ++i) {
      const Trial& trial = attempts[i].trial;
      const bool unstarted =
          trial.start == Start::kUnstarted || trial.start_of_second == Start::kUnstarted;
      if (!status.ok() && unstarted) continue;
      const Status noted = Note(attempts[i], first + i);
      if (status.ok()) status = noted;
    }
    return status;
  }

  Status CheckStarts(const std::vector<Attempt>& attempts) {
    ANECHECK_RETURN_IF_ERROR(CheckStarts(options_.command, attempts, &Trial::start));
    if (options_.second.empty()) return {};
    return CheckStarts(options_.second, attempts, &Trial::start_of_second);
  }

  // Checks that a command exists. It exists if on one of the first files it ends differently from a
  // missing command. The number of these files does not depend on the number of jobs. The files are
  // run again, because the command may not have run on all of them.
  Status CheckStarts(const std::vector<std::string>& command, const std::vector<Attempt>& attempts,
                     Start Trial::* start) {
    const auto asked = std::span(attempts).first(std::min<size_t>(attempts.size(), kFirstFiles));
    const auto is_there = [start](const Attempt& attempt) {
      return attempt.trial.stopped || attempt.trial.*start == Start::kStarted;
    };
    if (std::ranges::any_of(asked, is_there)) return {};
    Status status;
    for (const Attempt& attempt : asked) {
      status = benches_[0].TryToStart(command, attempt.file);
      if (status.ok() || status.error().code != ErrorCode::kNotFound) break;
    }
    return status;
  }

  Status Note(Attempt& attempt, uint64_t index) {
    Trial& trial = attempt.trial;
    if (trial.stopped) return {};
    ++summary.files;
    summary.accepted += trial.accepted ? 1 : 0;
    summary.accepted_by_second += trial.accepted_by_second ? 1 : 0;
    const bool failed = trial.failure.kind != FailureKind::kNone;
    const std::string origin = failed ? schedule_.Describe(attempt.plan) : "";
    schedule_.Learn(attempt.plan, attempt.file, trial.features, failed);
    if (!failed || CountAgain(trial.failure)) return {};
    if (!trial.failure.stack.empty()) {
      if (IsKnownByMoreStacks(trial.failure, attempt.file)) return {};
    }
    const bool other_words = IsOneTooMany(trial);
    if (other_words) {
      trial.failure.signature =
          trial.failure.group + kOtherWords + (trial.of_second ? kOfTheSecond : "");
      trial.failure.bug = trial.failure.signature;
      if (CountAgain(trial.failure)) return {};
    }
    return Keep({.failure = std::move(trial.failure),
                 .other_words = other_words,
                 .index = index,
                 .seconds = Seconds(),
                 .origin = origin,
                 .count = 1,
                 .first_size = attempt.file.size(),
                 .input = std::move(attempt.file),
                 .said = std::move(trial.said)});
  }

  bool CountAgain(const Failure& failure) {
    const auto known = std::ranges::find_if(summary.findings, [&](const Finding& finding) {
      return IsSameNarrowedBug(failure, finding.failure);
    });
    if (known == summary.findings.end()) return false;
    ++known->count;
    return true;
  }

  // One stack may end in any function that the loop calls. The part that several stacks share is
  // the stack of the loop. An earlier hang may be named after a function that the loop always
  // calls. It is the same hang if any of the stacks matches it.
  bool IsKnownByMoreStacks(Failure& failure, const Bytes& file) {
    const bool may_be_known = MayBeKnownHang(failure);
    const int stacks = may_be_known ? kMostStacks : kMoreStacks;
    for (int i = 0; i < stacks && !IsStopped(); ++i) {
      benches_[0].KnowHangs({{failure.stack.front()}});
      const auto again = benches_[0].Try(file);
      if (!again.ok() || again->failure.stack.empty()) continue;
      if (CountAgain(again->failure)) {
        TellHangs();
        return true;
      }
      NarrowHang(failure, again->failure.stack);
    }
    TellHangs();
    return CountAgain(failure) || (may_be_known && EndsInTime(file));
  }

  // Whether a known hang is narrowed to the outermost function of this stack. If so, the file did
  // not run for the whole time limit.
  bool MayBeKnownHang(const Failure& failure) const {
    return std::ranges::any_of(Hangs(), [&](const auto& known) {
      return known.size() == 1 && IsHangOf(failure.stack, known);
    });
  }

  bool EndsInTime(const Bytes& file) {
    benches_[0].KnowHangs({});
    const auto whole = benches_[0].Try(file);
    TellHangs();
    return whole.ok() && whole->failure.kind != FailureKind::kHang;
  }

  std::vector<std::vector<std::string>> Hangs() const {
    std::vector<std::vector<std::string>> hangs = kept_.Hangs();
    for (const Finding& finding : summary.findings) {
      if (!finding.failure.stack.empty()) hangs.push_back(finding.failure.stack);
    }
    return hangs;
  }

  void TellHangs() {
    const std::vector<std::vector<std::string>> hangs = Hangs();
    for (Bench& bench : benches_) bench.KnowHangs(hangs);
  }

  // Whether the failure's group already has kMostOfAGroup findings. A parser that quotes the file
  // prints different messages for each file, so a group could grow without limit.
  bool IsOneTooMany(const Trial& trial) const {
    const std::string& group = trial.failure.group;
    if (group.empty() || kept_.Has(trial.failure)) return false;
    const auto found = std::ranges::count_if(summary.findings, [&](const Finding& finding) {
      return finding.failure.group == group && !kept_.Has(finding.failure);
    });
    return static_cast<uint64_t>(found) + kept_.CountOf(group) >= kMostOfAGroup;
  }

  Status Keep(Finding finding) {
    const Status written =
        kept_.Has(finding.failure) ? kept_.Recall(finding) : kept_.Write(finding);
    summary.findings.push_back(std::move(finding));
    TellHangs();
    Tell([&] { state_.findings = summary.findings.size(); });
    return written;
  }

  // Makes a smaller file for each new finding, in the order of summary.findings, in limited time.
  Status MakeSmall() {
    const auto begin = Clock::now();
    const auto is_late = [&] {
      const std::chrono::duration<double> lasted = Clock::now() - begin;
      return lasted.count() >= options_.minimise_seconds;
    };
    const auto is_over = [&] { return IsStopped() || is_late(); };
    std::vector<Status> statuses(summary.findings.size());
    const auto ran = [this] { Tell([this] { ++state_.minimising_runs; }); };
    workers_.Run(summary.findings.size(), [&](size_t worker, uint64_t i) {
      Finding& finding = summary.findings[i];
      if (finding.known) return;
      Bytes small = finding.input;
      bool ended = is_over();
      if (!ended) {
        Bench& bench = benches_[worker];
        finding.again = bench.FailsAgain(finding.failure, finding.input, ran);
        // A finding "with other words" represents many messages, so a smaller file could cause
        // another message.
        const int runs = finding.again && !finding.other_words ? options_.minimise_runs : 0;
        small = bench.MakeSmall(finding.failure, finding.input, runs, is_over, ran);
        ended = runs > 0 && is_over();
      }
      const bool smaller = small.size() < finding.input.size();
      if (ended) {
        finding.not_minimised = is_late() ? kLate : "the run was stopped";
      } else if (!smaller && finding.again) {
        finding.not_minimised = finding.other_words ? kAnyWords : kNoneSmaller;
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      statuses[i] = kept_.WriteSmall(finding, small);
    });
    for (const Status& status : statuses) ANECHECK_RETURN_IF_ERROR(status);
    return {};
  }

  const ParserFuzzOptions& options_;
  const std::atomic<bool>* stop_;
  const std::function<void(const ParserFuzzProgress&)>& progress_;
  Workers workers_;
  std::vector<Bench> benches_;
  const KeptFindings kept_;
  Schedule schedule_;
  Clock::time_point start_;
  std::mutex mutex_;  // guards state_, progress_ and the folder
  ParserFuzzProgress state_;
};

}  // namespace

Result<ParserFuzzSummary> FuzzParser(
    const ParserFuzzOptions& options, const std::atomic<bool>* stop,
    const std::function<void(const ParserFuzzProgress&)>& progress) {
  ANECHECK_ASSIGN(KeptFindings kept, KeptFindings::Open(options));
  const int jobs = options.jobs < 1 ? DefaultJobs() : options.jobs;
  Symboliser symboliser;
  std::vector<Bench> benches;
  benches.reserve(static_cast<size_t>(jobs));
  for (int i = 0; i < jobs; ++i) {
    ANECHECK_ASSIGN(Bench bench, Bench::Create(options, stop, &symboliser));
    benches.push_back(std::move(bench));
  }
  Campaign campaign(options, std::move(benches), std::move(kept), stop, progress);
  const Status status = campaign.Run();
  if (!status.ok()) {
    if (campaign.summary.findings.empty()) return status.error();
    campaign.summary.failed = status.error();
  }
  campaign.summary.interrupted = stop != nullptr && stop->load();
  return std::move(campaign.summary);
}

}  // namespace anecheck::parserfuzz
