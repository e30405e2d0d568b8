#include "harness/campaign/campaign.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "harness/base/json_text.h"
#include "harness/campaign/coverage.h"
#include "harness/campaign/resume.h"
#include "harness/campaign/run_row.h"
#include "harness/cases/options_json.h"
#include "harness/findings/confirmer.h"
#include "harness/judging/isolate.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/lean_watch.h"
#include "harness/judging/reach_counter.h"
#include "harness/judging/unconfirmed_watch.h"
#include "harness/results/run_lock.h"
#include "harness/runners/chip_target.h"
#include "harness/runners/emulator_runner.h"
#include "harness/runners/engine_file.h"
#include "harness/runners/late_reply.h"
#include "oracles/contract.h"
#include "oracles/laws.h"

namespace anecheck {
namespace {

using Clock = std::chrono::steady_clock;

// The number of cases that a worker gets together. With fewer cases the transfer would cost too
// much, and with more the death of a worker would lose too much.
constexpr uint64_t kBatch = 64;
// Threads may be at most this many batches ahead of the writer.
constexpr uint64_t kAhead = 8;
// The maximum number of batches that wait to be recorded together, and the longest wait.
constexpr size_t kMostWaiting = 256;
constexpr double kLongestWait = 1;  // seconds
// Early in a run, the longest wait is this share of the time since its start, so that a run that is
// killed early has recorded results. The wait is at least kLeastWait, because each recording has a
// cost.
constexpr double kWaitShare = 0.25;
constexpr double kLeastWait = 0.03;  // seconds
// A batch without a finding adds a row of `pace` if the last row is at least kPaceSeconds seconds
// old, and at least kPaceShare of the time worked until that row.
constexpr double kPaceSeconds = 0.5;
constexpr double kPaceShare = 0.02;

// The state that a thread keeps from one batch to the next.
struct Workbench {
  Evaluation evaluation;
  CoverageCounter coverage;
  ReachCounter reach;
  CampaignOptions options;  // of the current case
  bool identified = false;  // whether the runner's engine was checked to be the run's
};

struct BatchResult {
  RowBatch record;
  std::vector<Suspect> suspects;
  std::optional<Error> error;
};

uint64_t BatchesOfShard(const CampaignOptions& options) {
  const uint64_t all = (options.cases + kBatch - 1) / kBatch;
  return (all + options.shards - 1 - options.shard) / options.shards;
}

// Returns an error if the runner's engine is not the engine of the run, because one run cannot
// contain results of two engines. The operating system counts as part of an engine, except for the
// simulated engine and for runners without an engine.
Status CheckSameEngine(const CampaignOptions& options, const ResumePoint& point,
                       const RunnerIdentity& identity) {
  // Results files of older versions of the tool lack the content of the engine's file.
  const bool told = !point.content.empty() && !identity.content.empty();
  const bool real =
      identity.provenance == Provenance::kSilicon || identity.provenance == Provenance::kReported;
  const std::tuple<std::string_view, std::string_view, std::string_view> kFields[] = {
      {"evidence", ToText(point.provenance), ToText(identity.provenance)},
      {"engine", point.engine, identity.engine},
      {"runner", point.runner, identity.runner},
      {"chip", point.chip, identity.chip},
      {"compiler version", point.compiler_version, identity.compiler_version},
      {"its file", told ? point.content : identity.content, identity.content},
      {"system", real ? point.os : identity.os, identity.os}};
  for (const auto& [what, recorded, now] : kFields) {
    if (recorded == now) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: the run began on another engine ({}: {}; now {}); one run "
                                 "cannot hold results of two engines",
                                 options.db, what, recorded, now));
  }
  return {};
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, const RunnerFactory& make_runner,
           const std::function<void(const CampaignProgress&)>& progress,
           const std::atomic<bool>* stop)
      : options_(options), make_runner_(make_runner), progress_(progress), stop_(stop) {
    summary_.seed = options.seed;
    if (options.steer && !options.targets.empty()) steering_.emplace();
  }

  Result<CampaignSummary> Run() {
    ANECHECK_ASSIGN(std::unique_ptr<Runner> runner, MakeRunner());
    ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
    ANECHECK_RETURN_IF_ERROR(CheckTargets(options_, identity));
    confirmer_.emplace(options_, std::move(runner), identity, std::set<std::string>());
    ANECHECK_ASSIGN(Store store, Store::Open(options_.db));
    ANECHECK_ASSIGN(const int64_t run, store.BeginRun(DescribeRun(options_, identity)));
    // If another process resumed the run in between, it owns the run, and this process stops.
    ANECHECK_ASSIGN(lock_, RunLock::Take(options_.db, run));
    return RunRest(store, run, identity);
  }

  Result<CampaignSummary> Resume(ResumePoint point) {
    lock_ = std::move(point.lock);
    summary_ = std::move(point.summary);
    // Batches are recorded whole and in order; only the campaign's last one may be short.
    first_ = next_ = settled_ = (summary_.cases + kBatch - 1) / kBatch;
    if (next_ >= BatchCount()) return Finish(point.run);
    ANECHECK_ASSIGN(std::unique_ptr<Runner> runner, MakeRunner());
    ANECHECK_ASSIGN(const RunnerIdentity identity, runner->Identify());
    ANECHECK_RETURN_IF_ERROR(CheckSameEngine(options_, point, identity));
    confirmer_.emplace(options_, std::move(runner), identity, std::move(point.signatures));
    ANECHECK_ASSIGN(Store store, Store::Open(options_.db));
    before_ = summary_.cases;
    worked_ = point.seconds;
    ANECHECK_RETURN_IF_ERROR(counts_.Recall(store, point.run, summary_));
    ANECHECK_RETURN_IF_ERROR(leans_.Recall(store, point.run));
    ANECHECK_RETURN_IF_ERROR(unconfirmed_.Recall(store, point.run));
    ANECHECK_RETURN_IF_ERROR(Recall(store, point.run));
    return RunRest(store, point.run, identity);
  }

  // Makes a case of a recorded run again.
  Result<Case> RemakeRecorded(Store& store, int64_t run, uint64_t index) {
    ANECHECK_RETURN_IF_ERROR(Recall(store, run));
    return Remake(index);
  }

 private:
  Result<std::unique_ptr<Runner>> MakeRunner() const {
    ANECHECK_ASSIGN(std::unique_ptr<Runner> runner, make_runner_());
    runner->StopWhen(stop_);
    return runner;
  }

  Result<CampaignSummary> Finish(int64_t run) {
    ANECHECK_ASSIGN(Store store, Store::Open(options_.db));
    ANECHECK_RETURN_IF_ERROR(store.FinishRun(run, RunState::kFinished, UtcNow()));
    ANECHECK_RETURN_IF_ERROR(NameEngine(store, run));
    return std::move(summary_);
  }

  // Sets the engine in the summary from the finished run in the file.
  Status NameEngine(Store& store, int64_t run) {
    ANECHECK_ASSIGN(const RunRow record, store.Run(run));
    summary_.provenance = record.provenance;
    summary_.engine = record.engine;
    return {};
  }

  Result<CampaignSummary> RunRest(Store& store, int64_t run, const RunnerIdentity& identity) {
    identity_ = identity;
    const int jobs = std::max(1, options_.jobs);
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(jobs));
    for (int i = 0; i < jobs; ++i) threads.emplace_back([this] { Work(); });
    const Status written = WriteAll(store, run);
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads) thread.join();
    const RunState state =
        written.ok() && !summary_.interrupted ? RunState::kFinished : RunState::kInterrupted;
    const Status finished = store.FinishRun(run, state, UtcNow());
    if (!written.ok()) return written.error();
    ANECHECK_RETURN_IF_ERROR(Status(finished));
    ANECHECK_RETURN_IF_ERROR(NameEngine(store, run));
    return std::move(summary_);
  }

  // The number of batches of this shard.
  uint64_t BatchCount() const { return BatchesOfShard(options_); }

  // Returns the longest time that batches may wait to be recorded.
  Clock::duration LongestWait() const {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
        std::clamp(kWaitShare * Seconds(), kLeastWait, kLongestWait)));
  }

  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  bool IsStopped() const { return stop_ != nullptr && stop_->load(); }

  bool OutOfTime() const {
    return IsStopped() || (options_.max_seconds > 0 && Seconds() >= options_.max_seconds);
  }

  // Adds a row of `pace` to the batch if the batch has a finding or is the last one. Also adds rows
  // at intervals that grow with the time worked, so that the table stays at some hundred rows.
  void NotePace(bool last, RowBatch& batch) {
    const double seconds = worked_ + Seconds();
    const bool found = std::ranges::any_of(
        batch.findings, [](const FindingRow& finding) { return !finding.id.empty(); });
    const bool due = seconds >= noted_ + std::max(kPaceSeconds, kPaceShare * noted_);
    if (!found && !last && !due) return;
    noted_ = seconds;
    batch.seconds = seconds;
  }

  // Runs batches in order until none are left, and stores their results for the writer.
  void Work() {
    auto runner = MakeRunner();
    Workbench bench;
    bench.options = options_;
    for (;;) {
      uint64_t batch = 0;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ending_ || next_ < settled_ + kAhead; });
        if (ending_ || next_ >= BatchCount() || OutOfTime()) {
          closed_ = true;
          break;
        }
        batch = next_++;
      }
      BatchResult result;
      if (runner.ok()) {
        result = RunBatch(batch, **runner, bench);
      } else {
        result.error = runner.error();
      }
      const std::lock_guard lock(mutex_);
      results_.emplace(batch, std::move(result));
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  uint64_t FirstCase(uint64_t batch) const {
    return (batch * options_.shards + options_.shard) * kBatch;
  }

  // Tells the steering which cells earlier processes of the run covered.
  Status Recall(Store& store, int64_t run) {
    if (!steering_) return {};
    ANECHECK_ASSIGN(const std::vector<CoverageRow> cells, store.Rows<CoverageRow>(run));
    for (const CoverageRow& row : cells) steering_->Meet(row.kind, row.cell, row.first_case);
    return {};
  }

  // The content required of case `index`. Steering uses only batches that the writer must already
  // have received, so that the content does not depend on the speed of the threads.
  Aim AimOf(uint64_t batch, uint64_t index) {
    if (!steering_) return {options_.ops, {}};
    const uint64_t known = batch + 1 < kAhead ? 0 : FirstCase(batch + 1 - kAhead);
    const int family = options_.targets[index % options_.targets.size()].family;
    const std::lock_guard lock(mutex_);
    const bool direct = RouteOfCase(options_, index) == Route::kNetlist;
    Aim aim = steering_->AimFor(index, options_.seed, known, family, direct);
    // Removes operations that the campaign excludes.
    const auto taken = [&](OpKind kind) { return options_.ops.test(static_cast<size_t>(kind)); };
    if (aim.chain && !(taken(aim.chain->producer) && taken(aim.chain->consumer))) aim.chain.reset();
    aim.ops &= options_.ops;
    if (aim.ops.none()) aim.ops = options_.ops;
    return aim;
  }

  // Checks that the thread's runner has the engine of the run. The runner starts processes of its
  // own, possibly long after the run began.
  Status CheckStillSame(Runner& runner, Workbench& bench) const {
    if (bench.identified) return {};
    ANECHECK_ASSIGN(const RunnerIdentity identity, runner.Identify());
    const bool same = identity.engine == identity_.engine && identity.content == identity_.content;
    if (!same) {
      return EngineReplaced(identity.runner,
                            fmt::format("{}, {}", identity_.engine, identity_.content),
                            fmt::format("{}, {}", identity.engine, identity.content));
    }
    bench.identified = true;
    return {};
  }

  BatchResult RunBatch(uint64_t batch, Runner& runner, Workbench& bench) {
    BatchResult result;
    if (const Status same = CheckStillSame(runner, bench); !same.ok()) {
      result.error = same.error();
      return result;
    }
    std::vector<Case> items;
    std::vector<std::vector<Estimate>> expected;
    const uint64_t first = FirstCase(batch);
    const uint64_t end = std::min(options_.cases, first + kBatch);
    items.reserve(kBatch);
    expected.reserve(kBatch);
    for (uint64_t index = first; index < end; ++index) {
      const Aim aim = AimOf(batch, index);
      bench.options.ops = aim.ops;
      bench.options.chain = aim.chain;
      Result<Case> item = MakeCase(bench.options, index, &expected.emplace_back());
      if (!item.ok()) {
        result.error = item.error();
        return result;
      }
      items.push_back(std::move(item).value());
    }
    std::vector<RunRequest> requests;
    requests.reserve(items.size());
    for (const Case& item : items) {
      requests.push_back(RequestOf(item));
    }
    Result<std::vector<RunReply>> replies = runner.Run(requests);
    if (!replies.ok()) {
      result.error = replies.error();
      return result;
    }
    for (size_t i = 0; i < items.size(); ++i) {
      CaseOutcome outcome = JudgeCase(items[i], (*replies)[i], bench.evaluation, expected[i]);
      Status refined = Refine(items[i], (*replies)[i], runner, bench.evaluation, outcome);
      if (refined.ok()) refined = Isolate(items[i], runner, outcome);
      if (!refined.ok()) {
        result.error = refined.error();
        return result;
      }
      bench.reach.Add(items[i], outcome, ProvedOn(identity_, outcome.target));
      bench.coverage.Add(items[i], outcome);
      result.record.cases.push_back(RecordOf(items[i], outcome));
      if (!IsSuspect(outcome.verdict())) continue;
      std::string signature = Signature(outcome);
      result.suspects.push_back({std::move(items[i]), std::move(outcome), std::move((*replies)[i]),
                                 std::move(signature)});
    }
    bench.coverage.Flush(result.record);
    bench.reach.Flush(result.record);
    const Status blamed = BlameLate(batch, runner, bench, result);
    if (!blamed.ok()) result.error = blamed.error();
    return result;
  }

  // Adds late replies as suspects. A late reply came after the end of its case's batch.
  Status BlameLate(uint64_t batch, Runner& runner, Workbench& bench, BatchResult& result) {
    auto* replies = dynamic_cast<LateReplies*>(&runner.Inner());
    if (replies == nullptr) return {};
    for (const LateReply& late : replies->TakeLate(batch + 1 == BatchCount())) {
      ANECHECK_ASSIGN(Suspect suspect, Blame(late, bench));
      result.suspects.push_back(std::move(suspect));
    }
    return {};
  }

  // Makes the case of a late reply again. The row of the case keeps its first verdict, since it may
  // already be recorded. The finding is the same as if the reply had come in time.
  Result<Suspect> Blame(const LateReply& late, Workbench& bench) {
    ANECHECK_ASSIGN(Case item, Remake(late.id));
    const RunReply reply = {.id = late.id, .status = RunStatus::kGarbled, .message = late.message};
    CaseOutcome outcome = JudgeCase(item, reply, bench.evaluation);
    std::string signature = Signature(outcome);
    return Suspect{std::move(item), std::move(outcome), reply, std::move(signature)};
  }

  // Takes batches in order of their index and records them in groups, because many small
  // transactions would cost more than making the cases.
  Status WriteAll(Store& store, int64_t run) {
    std::vector<RowBatch> waiting;
    Clock::time_point recorded = Clock::now();
    const auto record = [&]() -> Status {
      if (!waiting.empty()) ANECHECK_RETURN_IF_ERROR(store.Append(run, waiting));
      for (RowBatch& batch : waiting) {
        ANECHECK_RETURN_IF_ERROR(store.ReadReplays(run, batch.findings));
        Count(batch);
        Report(batch);
      }
      waiting.clear();
      recorded = Clock::now();
      return {};
    };
    Status status;
    for (uint64_t batch = first_;; ++batch) {
      BatchResult result;
      if (!WaitFor(batch, waiting.empty() ? Clock::time_point::max() : recorded + LongestWait())) {
        ANECHECK_RETURN_IF_ERROR(record());
        WaitFor(batch, Clock::time_point::max());
      }
      if (!Take(batch, result)) break;
      status = result.error ? Status(*result.error) : Settle(batch, result);
      if (!status.ok()) break;
      waiting.push_back(std::move(result.record));
      if (waiting.size() >= kMostWaiting || Clock::now() >= recorded + LongestWait()) {
        ANECHECK_RETURN_IF_ERROR(record());
      }
    }
    // Records the earlier results even if the last batch failed.
    ANECHECK_RETURN_IF_ERROR(record());
    // --resume repeats a batch that was interrupted or whose findings were not confirmed.
    if (!status.ok() && status.error().code != ErrorCode::kInterrupted) return status;
    summary_.interrupted = summary_.cases < CasesOfShard(options_) &&
                           (IsStopped() || options_.cases != kUnlimitedCases);
    return {};
  }

  // Waits until the batch has arrived or no batch will come. Returns false at `deadline`.
  bool WaitFor(uint64_t batch, Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    const auto come = [&] { return results_.contains(batch) || (closed_ && batch >= next_); };
    if (deadline != Clock::time_point::max()) return changed_.wait_until(lock, deadline, come);
    changed_.wait(lock, come);
    return true;
  }

  // Takes the result of a batch. Returns false if there is none.
  bool Take(uint64_t batch, BatchResult& result) {
    const std::lock_guard lock(mutex_);
    const auto found = results_.find(batch);
    if (found == results_.end()) return false;
    result = std::move(found->second);
    results_.erase(found);
    return true;
  }

  // Confirms findings and lets threads and steering continue.
  Status Settle(uint64_t batch, BatchResult& result) {
    for (Suspect& suspect : result.suspects) {
      ANECHECK_ASSIGN(std::vector<FindingRow> findings, confirmer_->Confirm(suspect));
      for (FindingRow& finding : findings) {
        result.record.finding_cases.push_back({finding.signature, finding.case_index});
        result.record.findings.push_back(std::move(finding));
      }
    }
    ANECHECK_RETURN_IF_ERROR(ReportManyCases(result.record));
    NotePace(batch + 1 == BatchCount(), result.record);
    {
      const std::lock_guard lock(mutex_);
      settled_ = batch + 1;
      if (steering_) Meet(result.record);
    }
    changed_.notify_all();
    return {};
  }

  // Reports operations that are often unconfirmed or whose errors lean (oracles/lean.h).
  Status ReportManyCases(RowBatch& batch) {
    std::vector<OfMany> all;
    for (const OftenUnconfirmed& often : unconfirmed_.Add(batch)) all.push_back(AsFinding(often));
    for (const Leaning& leaning : leans_.Add(batch)) all.push_back(AsFinding(leaning));
    for (const OfMany& many : all) {
      const auto remake = [&] { return Remake(many.example); };
      ANECHECK_ASSIGN(std::optional<FindingRow> finding, confirmer_->Report(many, remake));
      if (finding) batch.findings.push_back(std::move(*finding));
    }
    return {};
  }

  // Makes a case of this shard again.
  Result<Case> Remake(uint64_t index) {
    CampaignOptions options = options_;
    const Aim aim = AimOf((index / kBatch - options_.shard) / options_.shards, index);
    options.ops = aim.ops;
    options.chain = aim.chain;
    return MakeCase(options, index);
  }

  void Meet(const RowBatch& batch) {
    for (const auto& [cell, counts] : batch.coverage) {
      steering_->Meet(cell.first, cell.second, counts.first_case);
    }
  }

  void Count(const RowBatch& batch) {
    counts_.Add(batch);
    for (const CaseRow& record : batch.cases) CountCase(record, summary_);
    for (const FindingRow& finding : batch.findings) {
      if (finding.id.empty()) {
        for (FindingRow& listed : summary_.list) {
          if (listed.signature == finding.signature) ++listed.occurrences;
        }
        continue;
      }
      summary_.list.push_back(finding);
      summary_.list.back().artifact.clear();
      CountFinding(finding.verdict, summary_);
    }
  }

  void Report(const RowBatch& batch) const {
    if (!progress_) return;
    progress_({.done = summary_.cases,
               .wanted = CasesOfShard(options_),
               .findings = summary_.findings,
               .seconds = Seconds(),
               .batch = &batch,
               .known_defects = summary_.known_defects,
               .unconfirmed = summary_.unconfirmed,
               .before = before_,
               .limit_seconds = options_.max_seconds,
               .counts = &counts_});
  }

  const CampaignOptions& options_;
  const RunnerFactory& make_runner_;
  const std::function<void(const CampaignProgress&)>& progress_;
  const std::atomic<bool>* stop_;
  const Clock::time_point start_ = Clock::now();
  std::optional<RunLock> lock_;  // the lock of the run that is written
  std::optional<Confirmer> confirmer_;
  RunnerIdentity identity_;
  CampaignSummary summary_;
  ProgressCounts counts_;
  LeanWatch leans_;
  UnconfirmedWatch unconfirmed_;
  uint64_t before_ = 0;  // cases that earlier processes recorded
  double worked_ = 0;    // seconds that earlier processes worked
  double noted_ = 0;     // the seconds in the last row of `pace`

  std::optional<Steering> steering_;  // guarded by mutex_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, BatchResult> results_;
  uint64_t first_ = 0;  // first batch of this process
  uint64_t next_ = 0;
  uint64_t settled_ = 0;
  bool closed_ = false;
  bool ending_ = false;
};

}  // namespace

Result<Case> RemakeCase(Store& store, const RunRow& run, uint64_t index, CampaignOptions& options) {
  const std::string name = fmt::format("{}: options of run {}", store.path(), run.id);
  ANECHECK_ASSIGN(const Json json, ParseJson(run.options, name));
  Result<CampaignOptions> read = OptionsFromJson(json);
  if (!read.ok()) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: {}", name, read.error().message));
  }
  options = std::move(read).value();
  options.db = store.path();
  const RunnerFactory none;
  const std::function<void(const CampaignProgress&)> unheard;
  return Campaign(options, none, unheard, nullptr).RemakeRecorded(store, run.id, index);
}

Result<CampaignSummary> RunCampaign(const CampaignOptions& options,
                                    const RunnerFactory& make_runner,
                                    const std::function<void(const CampaignProgress&)>& progress,
                                    const std::atomic<bool>* stop) {
  return Campaign(options, make_runner, progress, stop).Run();
}

Result<CampaignSummary> ResumeCampaign(const CampaignOptions& options, ResumePoint point,
                                       const RunnerFactory& make_runner,
                                       const std::function<void(const CampaignProgress&)>& progress,
                                       const std::atomic<bool>* stop) {
  return Campaign(options, make_runner, progress, stop).Resume(std::move(point));
}

Status CheckTargets(const CampaignOptions& options, const RunnerIdentity& identity) {
  for (const CampaignTarget& target : options.targets) {
    ANECHECK_RETURN_IF_ERROR(CheckOwnTarget(identity, target.name));
    if (options.runner == kExactEmulatorRunner &&
        LawsOf(ConformingContract(target.family)).fixed_sums) {
      return MakeError(
          ErrorCode::kInvalid,
          fmt::format(
              "--runner {}: the array of {} does not round as exact sums do; give --runner {}",
              options.runner, target.name, kEmulatorRunner));
    }
    if (identity.is_ane || IsAnyEngine(target.family)) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--targets {}: the engine of {} is no ANE, by the \"engine\" of "
                                 "its hello, and no chip's contract applies; give --contract float",
                                 target.name, identity.runner));
  }
  return {};
}

uint64_t CasesOfShard(const CampaignOptions& options) {
  if (options.cases == kUnlimitedCases) return kUnlimitedCases;
  const uint64_t batches = BatchesOfShard(options);
  if (batches == 0) return 0;
  const uint64_t last = (batches - 1) * options.shards + options.shard;
  return (batches - 1) * kBatch + std::min(kBatch, options.cases - last * kBatch);
}

}  // namespace anecheck
