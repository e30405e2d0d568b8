#include "harness/power/power.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "harness/base/file.h"
#include "harness/base/near_words.h"
#include "harness/runners/e5rt_library.h"
#include "oracles/contract.h"
#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

// Returns the id in a name such as "exec:run-slow", which means a fault in one way. Ids have no
// colon.
std::string_view WithoutWay(std::string_view name) {
  const size_t colon = name.find(':');
  const bool way = colon != std::string_view::npos && FindWord<Way>(name.substr(0, colon));
  return way ? name.substr(colon + 1) : name;
}

class Measurement {
 public:
  Measurement(const PowerOptions& options, const std::function<void(const PowerReport&)>& progress,
              const std::atomic<bool>* stop)
      : options_(options), progress_(progress), stop_(stop) {
    report_.seed = options.hunt.seed;
    report_.cases = options.hunt.cases;
    report_.targets = options.targets;
  }

  Result<PowerReport> Run() {
    const std::string path =
        options_.hunt.library.empty() ? DefaultEspressoPath() : options_.hunt.library;
    ANECHECK_ASSIGN(const E5rtLibrary engine, OpenE5rtLibrary(path));
    report_.engine = engine.simulator.marker;
    ANECHECK_RETURN_IF_ERROR(CheckNames());
    if (!options_.magnitudes_of.empty()) {
      ANECHECK_RETURN_IF_ERROR(FindMagnitudes());
      return Finish();
    }
    ANECHECK_ASSIGN(const std::vector<Subject> all, ReadSubjects(engine, options_.targets));
    ANECHECK_RETURN_IF_ERROR(CheckNotFound(all));
    ANECHECK_ASSIGN(const std::vector<Subject> subjects, Wanted(all));
    for (const Subject& subject : subjects) {
      if (Stopped()) break;
      ANECHECK_RETURN_IF_ERROR(HuntInAllWays(subject));
    }
    if (!options_.only.empty()) return Finish();
    ANECHECK_RETURN_IF_ERROR(RunCleanOnes());
    if (options_.magnitudes) ANECHECK_RETURN_IF_ERROR(FindMagnitudes());
    return Finish();
  }

 private:
  Status HuntInAllWays(const Subject& subject) {
    for (const Way way : options_.ways) {
      HuntOptions hunt = options_.hunt;
      hunt.way = way;
      ANECHECK_ASSIGN(HuntResult result, Hunt(subject, hunt, stop_));
      if (Stopped() && !result.found) return {};  // an interrupted hunt shows nothing
      report_.hunts.push_back(std::move(result));
      Tell();
    }
    return {};
  }

  bool Stopped() const { return stop_ != nullptr && stop_->load(); }

  void Tell() {
    report_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (progress_) progress_(report_);
  }

  Result<PowerReport> Finish() {
    report_.interrupted = Stopped();
    if (options_.not_found) JudgeLosses(report_, options_.hunt, *options_.not_found);
    Tell();
    return std::move(report_);
  }

  Status CheckNotFound(const std::vector<Subject>& all) const {
    if (!options_.not_found) return {};
    for (const std::string& id : *options_.not_found) {
      if (std::ranges::find(all, WithoutWay(id), &Subject::id) != all.end()) continue;
      return MakeError(
          ErrorCode::kNotFound,
          fmt::format("{} is named as not found, but the engine has no fault of that id "
                      "and acts on no known defect of that id",
                      id));
    }
    return {};
  }

  static std::vector<std::string> IdsOf(const std::vector<Subject>& all) {
    std::vector<std::string> ids;
    ids.reserve(all.size());
    for (const Subject& subject : all) ids.push_back(subject.id);
    return ids;
  }

  Result<std::vector<Subject>> Wanted(const std::vector<Subject>& all) const {
    if (options_.only.empty()) return all;
    std::vector<Subject> wanted;
    for (const std::string& id : options_.only) {
      const auto found = std::ranges::find(all, id, &Subject::id);
      if (found == all.end()) {
        return MakeError(ErrorCode::kNotFound,
                         fmt::format("--fault {}: the engine has no fault and acts on no known "
                                     "defect of that id{}",
                                     id, DidYouMean(id, IdsOf(all))));
      }
      wanted.push_back(*found);
    }
    return wanted;
  }

  Status RunCleanOnes() {
    const bool own = !options_.clean_targets.empty();
    for (const CampaignTarget& target : own ? options_.clean_targets : options_.targets) {
      for (const bool quirks : {false, true}) {
        if (Stopped() || options_.clean_cases == 0) return {};
        ANECHECK_ASSIGN(CleanResult result,
                        RunClean(target, quirks, options_.clean_cases, options_.hunt, stop_));
        report_.clean.push_back(std::move(result));
        Tell();
      }
    }
    return {};
  }

  bool IsMeasured(const OpDefinition& op) const {
    const std::vector<std::string>& names = options_.magnitudes_of;
    // No engine computes a constant.
    return IsDrawn(op) && KindOf(op.schema) != OpKind::kConst &&
           (names.empty() ||
            std::ranges::any_of(names, [&](const std::string& name) { return Means(name, op); }));
  }

  // Returns whether `name` means the operation or its class. The name of a class may end before its
  // first comma, because commas separate the names of a list.
  static bool Means(std::string_view name, const OpDefinition& op) {
    const std::string_view of_class = OpClassName(op.op_class);
    return name == op.schema.name || name == of_class ||
           name == of_class.substr(0, of_class.find(','));
  }

  Status CheckNames() const {
    for (const std::string& name : options_.magnitudes_of) {
      const bool meant = std::ranges::any_of(
          AllOps(), [&](const OpDefinition* op) { return IsDrawn(*op) && Means(name, *op); });
      if (meant) continue;
      return MakeError(ErrorCode::kNotFound,
                       fmt::format("--magnitudes-of \"{}\": neither an operation that graphs are "
                                   "drawn from nor a class of them; `anecheck ops` lists both",
                                   name));
    }
    return {};
  }

  Status FindMagnitudes() {
    for (const OpDefinition* op : AllOps()) {
      if (!IsMeasured(*op) || !GivesHalves(*op, options_.targets.front())) continue;
      // An error that is found in few elements is also found in more elements.
      std::optional<int> before;
      for (const int permille : kShares) {
        if (Stopped()) return {};
        ANECHECK_ASSIGN(MagnitudeResult result, FindMagnitude(*op, permille, before));
        before = result.ulps;
        report_.magnitudes.push_back(std::move(result));
        Tell();
      }
    }
    return {};
  }

  Result<MagnitudeResult> FindMagnitude(const OpDefinition& op, int permille,
                                        std::optional<int> known) {
    MagnitudeResult result;
    result.op = op.schema.name;
    result.op_class = OpClassName(op.op_class);
    result.permille = permille;
    for (const Term term : AllReferenceKernels()[op.schema.id]->terms) {
      result.freedoms.emplace_back(TermFacts()[static_cast<size_t>(term)].name);
    }
    HuntOptions hunt = options_.hunt;
    hunt.shrink_tries = 0;
    for (const int ulps : kUlpsTried) {
      if (known && ulps >= *known) {
        result.ulps = known;
        result.implied = true;
        return result;
      }
      ANECHECK_ASSIGN(const HuntResult found,
                      Hunt(UlpSubject(op, ulps, permille, options_.targets), hunt, stop_));
      result.cases += found.cases;
      result.seconds += found.seconds;
      if (found.found) {
        result.ulps = ulps;
        return result;
      }
      if (Stopped()) return result;
    }
    return result;
  }

  using Clock = std::chrono::steady_clock;

  const PowerOptions& options_;
  const std::function<void(const PowerReport&)>& progress_;
  const std::atomic<bool>* stop_;
  const Clock::time_point start_ = Clock::now();
  PowerReport report_;
};

}  // namespace

uint64_t PowerReport::FalseFindings() const {
  uint64_t sum = 0;
  for (const CleanResult& result : clean) sum += result.false_findings;
  return sum;
}

WaySummary PowerReport::InWay(Way way) const {
  WaySummary sum;
  for (const HuntResult& hunt : hunts) {
    if (!hunt.acts || hunt.way != way) continue;
    const Subject& subject = hunt.subject;
    if (subject.group == SubjectGroup::kKnownDefect) {
      ++sum.known;
      sum.known_found += hunt.found ? 1 : 0;
      continue;
    }
    ++sum.planted;
    sum.planted_found += hunt.found ? 1 : 0;
    if (hunt.unconfirmed) sum.unconfirmed.push_back(subject.id);
    if (!hunt.found && !hunt.unconfirmed) sum.missed.push_back(subject.id);
    if (!hunt.found || hunt.by != "campaign" || FindOp(subject.op) == nullptr) continue;
    ++sum.of_one_op;
    if (hunt.op == subject.op) {
      ++sum.named;
    } else {
      sum.misnamed.push_back(fmt::format("{}: {}", subject.id, hunt.op));
    }
  }
  return sum;
}

void JudgeLosses(PowerReport& report, const HuntOptions& options,
                 const std::vector<std::string>& not_found) {
  report.lost.emplace();
  report.undecided = 0;
  const bool none =
      report.hunts.size() >= kManyHunts && std::ranges::none_of(report.hunts, &HuntResult::found);
  for (const HuntResult& hunt : report.hunts) {
    const std::string& id = hunt.subject.id;
    const auto known = [&](const std::string& name) {
      return name == id || name == fmt::format("{}:{}", hunt.way, id);
    };
    if (hunt.found || !hunt.acts || std::ranges::any_of(not_found, known)) continue;
    // A hunt with probes ends after a few probes, before its time limit.
    const bool cut = options.max_seconds > 0 && hunt.seconds >= options.max_seconds &&
                     hunt.cases < options.cases;
    report.undecided += cut ? 1 : 0;
    if (cut && !none) continue;
    report.lost->push_back(hunt.way == Way::kMarked ? id : fmt::format("{}:{}", hunt.way, id));
  }
}

Result<std::vector<std::string>> ReadNotFound(const std::string& path) {
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(path));
  std::vector<std::string> ids;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (!line.empty() && line[0] != '#') ids.push_back(line.substr(0, line.find('\t')));
    at = end + 1;
  }
  return ids;
}

Result<PowerReport> MeasurePower(const PowerOptions& options,
                                 const std::function<void(const PowerReport&)>& progress,
                                 const std::atomic<bool>* stop) {
  return Measurement(options, progress, stop).Run();
}

}  // namespace anecheck
