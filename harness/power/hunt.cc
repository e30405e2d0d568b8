#include "harness/power/hunt.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <thread>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/findings/run_again.h"
#include "harness/findings/shrink_finding.h"
#include "harness/judging/lean_watch.h"
#include "harness/probe/runtime_probe.h"

namespace anecheck {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kFirstCases = 12;

bool IsSet(const std::atomic<bool>* stop) { return stop != nullptr && stop->load(); }

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Sets the campaign's runner for the way. Precondition: campaign.worker is set.
void SetWay(Way way, CampaignOptions& campaign) {
  if (way == Way::kExec) campaign.runner = "exec:" + ExecCommandOf(campaign.worker);
}

CampaignOptions OptionsOf(const Subject& subject, const HuntOptions& options,
                          const std::string& db) {
  CampaignOptions campaign;
  campaign.seed = options.seed;
  campaign.cases = options.cases;
  campaign.max_seconds = options.max_seconds;
  campaign.jobs = options.jobs;
  campaign.targets = subject.targets;
  campaign.runner = subject.runner;
  campaign.ops = subject.ops;
  campaign.modes = subject.modes;
  campaign.worker.library = options.library;
  campaign.worker.faults = subject.faults;
  campaign.worker.quirks = subject.quirks;
  campaign.worker.case_timeout_ms = options.case_timeout_ms;
  campaign.worker.memory_limit = options.memory_limit;
  campaign.worker.keep_files = subject.kind == "encoding";
  campaign.worker.unmarked = options.way == Way::kUnmarked;
  campaign.db = db;
  campaign.command = "anecheck power --fault " + subject.id;
  SetWay(options.way, campaign);
  return campaign;
}

bool Answers(const Subject& subject, const FindingRow& finding) {
  if (subject.group == SubjectGroup::kPlanted) return IsNewFinding(finding.verdict);
  return std::ranges::any_of(subject.labels,
                             [&](const std::string& label) { return finding.defects.Has(label); });
}

// Like Answers, but for unconfirmed results, which are no new findings.
bool AnswersOpenly(const Subject& subject, const FindingRow& finding) {
  return subject.group == SubjectGroup::kPlanted && IsSuspect(finding.verdict) &&
         KindOfFinding(finding.verdict) == FindingKind::kUnconfirmed;
}

// Reads the findings that a running campaign has recorded so far.
Result<std::vector<FindingRow>> ReadFindings(const std::string& db) {
  ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(db));
  ANECHECK_ASSIGN(const std::vector<RunRow> runs, store.Runs());
  std::vector<FindingRow> findings;
  for (const RunRow& run : runs) {
    ANECHECK_ASSIGN(std::vector<FindingRow> of_run, store.Rows<FindingRow>(run.id));
    std::ranges::move(of_run, std::back_inserter(findings));
  }
  return findings;
}

Result<Artifact> ReadArtifact(const std::string& db, const std::string& id) {
  ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(db));
  ANECHECK_ASSIGN(const std::vector<RunRow> runs, store.Runs());
  for (const RunRow& run : runs) {
    ANECHECK_ASSIGN(const std::optional<FindingRow> finding, store.Finding(run.id, id));
    if (!finding) continue;
    ANECHECK_ASSIGN(const Json json, ParseJson(finding->artifact, id));
    return ArtifactFromJson(json);
  }
  return MakeError(ErrorCode::kInternal, db + ": lost finding " + id);
}

// Returns the settings of the hunt's engine without the subject.
WorkerOptions WithoutSubject(const Subject& subject, WorkerOptions worker) {
  worker.faults.clear();
  std::erase_if(worker.quirks, [&](const QuirkSetting& quirk) { return quirk.id == subject.id; });
  return worker;
}

CampaignOptions WithoutSubject(const Subject& subject, CampaignOptions campaign) {
  campaign.worker = WithoutSubject(subject, campaign.worker);
  const bool exec = campaign.runner.starts_with("exec:");
  SetWay(exec ? Way::kExec : Way::kMarked, campaign);
  return campaign;
}

// Returns whether the found case shows nothing on an engine without the subject. Only such a case
// proves that the hunt found the subject.
Result<bool> OwesToSubject(const Artifact& artifact, const Subject& subject,
                           const CampaignOptions& campaign, const std::atomic<bool>* stop) {
  const CampaignOptions clean = WithoutSubject(subject, campaign);
  ANECHECK_ASSIGN(const auto runner, MakeRunner(clean));
  runner->StopWhen(stop);
  Evaluation evaluation;
  ANECHECK_ASSIGN(const CaseOutcome outcome,
                  RunAgain(artifact.item, Verdict::kPass, *runner, evaluation));
  FindingRow without;
  without.verdict = outcome.verdict();
  without.defects = outcome.shown.defects();
  return !IsSuspect(without.verdict) ||
         !(Answers(subject, without) || AnswersOpenly(subject, without));
}

// Like OwesToSubject, for a lean, which only many cases together show. As many cases without the
// subject must not show it. Fewer cases, after an early stop, prove nothing.
Result<bool> LeansBySubject(const FindingRow& finding, const Subject& subject,
                            const CampaignOptions& campaign, uint64_t cases, const std::string& db,
                            const std::atomic<bool>* stop) {
  CampaignOptions clean = WithoutSubject(subject, campaign);
  clean.cases = cases;
  clean.db = db;
  ANECHECK_ASSIGN(const CampaignSummary summary,
                  RunCampaign(clean, [&] { return MakeRunner(clean); }, {}, stop));
  if (IsSet(stop)) return Stopped();
  return std::ranges::none_of(
      summary.list, [&](const FindingRow& other) { return other.signature == finding.signature; });
}

// Shrinks the finding. A finding that cannot be reproduced cannot be shrunk, which is no failure of
// the measurement.
Status MakeSmall(const FindingRow& finding, const Artifact& artifact,
                 const CampaignOptions& campaign, const HuntOptions& options,
                 const std::atomic<bool>* stop, HuntResult& result) {
  // Candidates with these verdicts are slow to run. A hang, a crash or a lack of memory ends a
  // worker, a hang also takes the whole time limit, and a slow compilation takes seconds.
  constexpr std::array kCostly = {Verdict::kHung, Verdict::kCrashed, Verdict::kMemoryGrowth,
                                  Verdict::kSlow};
  const bool costly = std::ranges::find(kCostly, finding.verdict) != kCostly.end();
  const uint64_t tries = costly ? options.shrink_tries / 25 : options.shrink_tries;
  if (tries == 0) return {};
  ANECHECK_ASSIGN(const auto runner, MakeRunner(campaign));
  runner->StopWhen(stop);
  const Result<ShrunkFinding> shrunk =
      ShrinkFinding(artifact, *runner, {.max_tries = tries, .stop = stop});
  if (!shrunk.ok()) {
    result.not_shrunk = shrunk.error().message;
    return {};
  }
  result.nodes = shrunk->after.nodes;
  result.elements = shrunk->after.elements;
  return {};
}

std::string Reason(const CampaignSummary& summary) {
  if (summary.list.empty()) {
    return fmt::format("no case departed from the contract ({} judged, {} inconclusive)",
                       summary.judged, summary.inconclusive);
  }
  std::vector<std::string> seen;
  for (const FindingRow& finding : summary.list) {
    std::string what =
        finding.defects.empty() ? std::string(ToText(finding.verdict)) : finding.defects.ToText();
    if (std::ranges::find(seen, what) == seen.end()) seen.push_back(std::move(what));
  }
  return fmt::format("findings show only: {}", fmt::join(seen, ","));
}

// Returns the probes that can show the subject.
std::vector<const RuntimeProbe*> ProbesFor(const Subject& subject) {
  std::vector<const RuntimeProbe*> probes;
  const bool planted = subject.group == SubjectGroup::kPlanted;
  for (const RuntimeProbe& probe : RuntimeProbes()) {
    if (planted) probes.push_back(&probe);
  }
  for (const std::string& label : subject.labels) {
    for (const RuntimeProbe& probe : RuntimeProbes()) {
      if (Concerns(probe, label)) probes.push_back(&probe);
    }
  }
  return probes;
}

// Returns whether a defect shows in calls or refusals, which probes test. All other defects show in
// values, which campaigns test.
bool ConcernsCalls(const Subject& subject) {
  if (subject.group == SubjectGroup::kKnownDefect) {
    return subject.kind != "numeric" && !ProbesFor(subject).empty();
  }
  const bool ends_process = subject.kind == "crash" || subject.kind == "hang";
  return !ends_process && (subject.op_class == "runtime" || subject.op_class == "compiler" ||
                           subject.op_class == "calls");
}

// Returns whether the probe's answer shows the subject. Sets the verdict and the label of `result`.
// If the answer fits several defects, other probes on the same engine decide.
Result<bool> Shows(const Subject& subject, const RuntimeProbe& probe, const RuntimeAnswer& answer,
                   const WorkerOptions& worker, const std::atomic<bool>* stop, HuntResult& result) {
  if (subject.group == SubjectGroup::kKnownDefect) {
    if (!answer.value) return false;
    ANECHECK_ASSIGN(const auto shown,
                    DefectsShown(probe, *answer.value, [&](const RuntimeProbe& other) {
                      return MeasureRuntime(other, subject.targets.front().name, worker, stop);
                    }));
    result.verdict = shown.empty() ? Verdict::kWrong : Verdict::kKnownDefect;
    result.label = fmt::format("{}", fmt::join(shown, ","));
    return shown.size() == 1 && std::ranges::find(subject.labels, shown[0]) != subject.labels.end();
  }
  const bool defect = ExpectsDefect(probe, subject.targets.front().family, subject.quirks);
  if (answer.value == (defect ? probe.documented : probe.conforming)) return false;
  result.verdict = answer.value ? Verdict::kWrong : Verdict::kFailed;
  return true;
}

// Runs the runtime probes until one shows the subject. Returns whether one did.
Result<bool> Probe(const Subject& subject, const HuntOptions& options,
                   const std::atomic<bool>* stop, HuntResult& result) {
  WorkerOptions worker;
  worker.library = options.library;
  worker.faults = subject.faults;
  worker.quirks = subject.quirks;
  worker.unmarked = options.way == Way::kUnmarked;
  // A probe does the work of up to a hundred cases.
  worker.case_timeout_ms = 20 * options.case_timeout_ms;
  // Only hunts for leaks use the low memory limit, because the probe of D39 needs more than a
  // gigabyte.
  if (subject.kind == "memory") worker.memory_limit = options.memory_limit;
  const std::string& target = subject.targets.front().name;
  for (const RuntimeProbe* probe : ProbesFor(subject)) {
    ANECHECK_ASSIGN(const RuntimeAnswer answer, MeasureRuntime(*probe, target, worker, stop));
    ++result.cases;
    HuntResult shown = result;
    ANECHECK_ASSIGN(const bool shows, Shows(subject, *probe, answer, worker, stop, shown));
    // Counts values that differ from those of a conforming engine and of the subject.
    const bool known = subject.group == SubjectGroup::kKnownDefect;
    if (known && !shows && answer.value && *answer.value != probe->conforming) ++result.unlabelled;
    if (!shows) continue;
    // The same probe on an engine without the subject must work and must not show the
    // subject. Otherwise the probe proves nothing: the target may lack the feature, or a busy
    // machine ended the probe.
    WorkerOptions clean = WithoutSubject(subject, worker);
    // Memory that the clean engine allocates is no leak.
    clean.memory_limit = WorkerOptions().memory_limit;
    ANECHECK_ASSIGN(const RuntimeAnswer control, MeasureRuntime(*probe, target, clean, stop));
    HuntResult ignored = result;
    ANECHECK_ASSIGN(const bool shows_without,
                    Shows(subject, *probe, control, clean, stop, ignored));
    if (!control.value || shows_without) {
      result.reason = fmt::format("probe {} answers the same without the defect", probe->name);
      continue;
    }
    result = std::move(shown);
    result.reason.clear();
    result.found = true;
    result.by = fmt::format("probe {}", probe->name);
    result.target = target;
    result.summary = fmt::format("{}: {}", probe->what,
                                 answer.value ? fmt::format("{}", *answer.value) : answer.message);
    return true;
  }
  return false;
}

// A stop flag for a campaign, which takes only one. Set() sets the flag, and this object sets it
// soon after `*stop` becomes true.
class Enough {
 public:
  explicit Enough(const std::atomic<bool>* stop) {
    if (stop != nullptr) follower_ = std::thread([this, stop] { Follow(*stop); });
  }
  ~Enough() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    ending_.notify_one();
    if (follower_.joinable()) follower_.join();
  }
  Enough(const Enough&) = delete;
  Enough& operator=(const Enough&) = delete;

  void Set() { flag_ = true; }
  const std::atomic<bool>* flag() const { return &flag_; }

 private:
  void Follow(const std::atomic<bool>& stop) {
    constexpr std::chrono::milliseconds kTick(20);
    std::unique_lock lock(mutex_);
    while (!stop && !ending_.wait_for(lock, kTick, [this] { return ended_; })) {
    }
    if (stop) flag_ = true;
  }

  std::atomic<bool> flag_{false};
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
  std::thread follower_;
};

// Runs a campaign of the first `cases` cases until a finding shows the subject.
Result<CampaignSummary> RunUpTo(CampaignOptions campaign, uint64_t cases, const Subject& subject,
                                const std::atomic<bool>* stop) {
  campaign.cases = cases;
  Enough enough(stop);
  const auto progress = [&](const CampaignProgress&) {
    const auto found = ReadFindings(campaign.db);
    const bool hit = found.ok() && std::ranges::any_of(*found, [&](const FindingRow& finding) {
                       return Answers(subject, finding);
                     });
    if (hit) enough.Set();
  };
  return RunCampaign(campaign, [&] { return MakeRunner(campaign); }, progress, enough.flag());
}

// Returns whether the subject causes the finding. If so, copies the finding into `result`.
Result<bool> Take(const FindingRow& finding, const Subject& subject,
                  const CampaignOptions& campaign, uint64_t cases, const std::atomic<bool>* stop,
                  HuntResult& result) {
  ANECHECK_ASSIGN(const Artifact artifact, ReadArtifact(campaign.db, finding.id));
  const bool leans = finding.verdict == Verdict::kBiased;
  ANECHECK_ASSIGN(const bool owes, leans ? LeansBySubject(finding, subject, campaign, cases,
                                                          campaign.db + ".control", stop)
                                         : OwesToSubject(artifact, subject, campaign, stop));
  if (!owes) {
    result.reason = fmt::format("case {} shows the same without the defect: {} {}",
                                finding.case_index, finding.verdict, finding.summary);
    return false;
  }
  result.reason.clear();
  result.by = "campaign";
  if (!leans) result.cases = finding.case_index + 1;
  result.verdict = finding.verdict;
  result.op = finding.op;
  result.target = finding.target;
  result.label = finding.defects.ToText();
  result.summary = finding.summary;
  return true;
}

// Looks for the subject with a campaign. `start` is the start of the whole hunt.
Status HuntByCampaign(const Subject& subject, const HuntOptions& options, Clock::time_point start,
                      const std::atomic<bool>* stop, HuntResult& result) {
  ANECHECK_ASSIGN(const TempDirectory folder, TempDirectory::Create("anecheck-power-"));
  // Most defects show within a few cases, so a short campaign runs first. The whole campaign begins
  // with the same cases.
  std::string db = folder.File("first.sqlite");
  CampaignOptions campaign = OptionsOf(subject, options, db);
  ANECHECK_ASSIGN(CampaignSummary summary,
                  RunUpTo(campaign, std::min(kFirstCases, options.cases), subject, stop));
  const auto answers = [&](const FindingRow& finding) { return Answers(subject, finding); };
  if (options.cases > kFirstCases && std::ranges::none_of(summary.list, answers)) {
    campaign.db = db = folder.File("hunt.sqlite");
    ANECHECK_ASSIGN(summary, RunUpTo(campaign, options.cases, subject, stop));
  }
  result.seconds = SecondsSince(start);
  result.cases = summary.cases;
  if (IsSet(stop)) return Stopped();
  if (subject.group == SubjectGroup::kKnownDefect) result.unlabelled = summary.findings;
  for (const FindingRow& finding : summary.list) {
    if (!answers(finding)) continue;
    ANECHECK_ASSIGN(result.found, Take(finding, subject, campaign, summary.cases, stop, result));
    if (!result.found) continue;
    ANECHECK_ASSIGN(const Artifact artifact, ReadArtifact(db, finding.id));
    return MakeSmall(finding, artifact, campaign, options, stop, result);
  }
  for (const FindingRow& finding : summary.list) {
    if (!AnswersOpenly(subject, finding)) continue;
    ANECHECK_ASSIGN(result.unconfirmed,
                    Take(finding, subject, campaign, summary.cases, stop, result));
    if (result.unconfirmed) break;
  }
  if (result.unconfirmed) {
    result.reason = fmt::format("only {}: {}", *result.verdict, result.summary);
  } else if (result.reason.empty()) {
    result.reason = subject.admitted.empty() ? Reason(summary) : "admitted: " + subject.admitted;
  }
  return {};
}

// Looks for the subject with a campaign and probes. Errors: kInterrupted if `*stop` became true
// before the search ended.
Status LookFor(const Subject& subject, const HuntOptions& options, const std::atomic<bool>* stop,
               HuntResult& result) {
  const auto start = Clock::now();
  // Probes make the calls of the runtime themselves, so they do not work through the exec protocol.
  const bool probes = options.way != Way::kExec;
  const bool calls = probes && ConcernsCalls(subject);
  if (calls) {
    ANECHECK_ASSIGN(const bool shown, Probe(subject, options, stop, result));
    result.seconds = SecondsSince(start);
    if (shown) return {};
  }
  ANECHECK_RETURN_IF_ERROR(HuntByCampaign(subject, options, start, stop, result));
  // Some defects concern single values that random graphs seldom contain; probes test these.
  const bool known = subject.group == SubjectGroup::kKnownDefect;
  if (result.found || calls || !known || !probes || ProbesFor(subject).empty()) return {};
  ANECHECK_ASSIGN(const bool shown, Probe(subject, options, stop, result));
  result.seconds = SecondsSince(start);
  if (shown) result.reason.clear();
  return {};
}

}  // namespace

Result<HuntResult> Hunt(const Subject& subject, const HuntOptions& options,
                        const std::atomic<bool>* stop) {
  HuntResult result;
  result.subject = subject;
  result.way = options.way;
  result.acts = ActsBy(subject, options.way);
  if (!result.acts) {
    result.reason = "has no effect in this way of running the engine";
    return result;
  }
  const Status looked = LookFor(subject, options, stop, result);
  if (!looked.ok() && looked.error().code != ErrorCode::kInterrupted) return looked.error();
  if (!looked.ok()) result.reason = "interrupted";
  return result;
}

namespace {

constexpr CleanPart kCleanParts[] = {
    {ToText(CaseMode::kMetamorphic), 8, CaseMode::kMetamorphic},
    {ToText(CaseMode::kCompressed), 16, CaseMode::kCompressed},
    {ToText(CaseMode::kState), 16, CaseMode::kState},
    {ToText(CaseMode::kShapeRanges), 32, CaseMode::kShapeRanges},
    {ToText(Route::kNetlist), 8, std::nullopt, RouteSet::kNetlist},
};

// Adds the results of a campaign without a defect.
Status RunCleanPart(const CampaignOptions& campaign, const std::atomic<bool>* stop,
                    CleanResult& result) {
  result.judged_of_part.push_back(0);
  if (campaign.cases == 0) return {};
  ANECHECK_ASSIGN(const CampaignSummary summary,
                  RunCampaign(campaign, [&] { return MakeRunner(campaign); }, {}, stop));
  result.cases += summary.cases;
  result.judged += summary.judged;
  result.judged_of_part.back() = summary.judged;
  result.inconclusive += summary.inconclusive;
  for (const FindingRow& finding : summary.list) {
    const bool named = finding.verdict != Verdict::kBiased && !IsNewFinding(finding.verdict);
    if (result.quirks && named) continue;
    if (result.false_findings++ > 0) continue;
    result.first = fmt::format("{} {} {}: {}", finding.verdict, finding.op,
                               finding.defects.ToText(), finding.summary);
  }
  return {};
}

}  // namespace

std::span<const CleanPart> CleanParts() { return kCleanParts; }

Result<CleanResult> RunClean(const CampaignTarget& target, bool quirks, uint64_t cases,
                             const HuntOptions& options, const std::atomic<bool>* stop) {
  ANECHECK_ASSIGN(const TempDirectory folder, TempDirectory::Create("anecheck-power-"));
  Subject nothing;
  nothing.targets = {target};
  if (!quirks) nothing.quirks = {{"all", false}};
  CampaignOptions campaign = OptionsOf(nothing, options, folder.File("clean.sqlite"));
  campaign.max_seconds = 0;
  const auto start = Clock::now();
  CleanResult result = {.target = target, .quirks = quirks};
  uint64_t of_parts = 0;
  for (const CleanPart& part : CleanParts()) of_parts += cases / part.one_in;
  campaign.cases = cases - of_parts;
  ANECHECK_RETURN_IF_ERROR(RunCleanPart(campaign, stop, result));
  for (const CleanPart& part : CleanParts()) {
    campaign.db = folder.File(fmt::format("{}.sqlite", part.name));
    campaign.cases = cases / part.one_in;
    campaign.modes.clear();
    if (part.mode) campaign.modes = {*part.mode};
    campaign.routes = part.routes;
    ANECHECK_RETURN_IF_ERROR(RunCleanPart(campaign, stop, result));
  }
  result.seconds = SecondsSince(start);
  return result;
}

}  // namespace anecheck
