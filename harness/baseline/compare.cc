#include "harness/baseline/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/base/json.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, kDriftCount> kNames = {
    "bit-identical", "not-comparable", "newly-accepted", "newly-reached", "drifted",
    "better",        "worse",          "now-rejected",   "out-of-bound"};

// How far a case got: refused, accepted, or run on the requested device.
enum class Depth : uint8_t { kStopped, kAccepted, kRan };
Depth DepthOf(const CaseFate& fate) {
  if (fate.misplaced || fate.status == RunStatus::kFailed) return Depth::kAccepted;
  return fate.status == RunStatus::kOk ? Depth::kRan : Depth::kStopped;
}

bool AnyRan(const BaselineEntry& entry) { return std::ranges::any_of(entry.cases, &CaseFate::ran); }

std::string TextOf(const CaseFate& fate) { return fate.ran() ? "ran" : ToText(fate); }

class Comparison {
 public:
  Comparison(const BaselineEntry& before, const BaselineEntry& after,
             const DriftThresholds& thresholds)
      : before_(before), after_(after), thresholds_(thresholds) {}

  EntryDrift Run() {
    if (before_.question != after_.question || before_.cases.size() != after_.cases.size()) {
      Note(Drift::kNotComparable, "the cases differ; record a new baseline");
      return Answer();
    }
    CompareCases();
    if (after_.outside > before_.outside + thresholds_.outside) NoteOutside(Drift::kOutOfBound);
    // The statistics are comparable only if the same cases ran; else fewer elements outside may
    // only mean fewer elements.
    if (other_bits_ && same_reach_) {
      if (before_.outside > after_.outside + thresholds_.outside) NoteOutside(Drift::kBetter);
      CompareStatistics();
    }
    return Answer();
  }

 private:
  void CompareCases() {
    const bool ran_before = AnyRan(before_);
    for (size_t i = 0; i < before_.cases.size(); ++i) {
      const CaseFate& old_one = before_.cases[i];
      const CaseFate& new_one = after_.cases[i];
      if (old_one == new_one) continue;
      const Depth from = DepthOf(old_one);
      const Depth to = DepthOf(new_one);
      if (from == Depth::kRan && to == Depth::kRan) {
        other_bits_ = true;
        continue;
      }
      same_reach_ = false;
      const std::string what =
          fmt::format("case {} {}, {} before", i, TextOf(new_one), TextOf(old_one));
      if (to <= from) {
        // A case that stops equally early in another way, for example by a crash instead of a
        // refusal, made no progress.
        Note(Drift::kNowRejected, what);
      } else {
        const bool reached = to == Depth::kRan && (from == Depth::kAccepted || !ran_before);
        Note(reached ? Drift::kNewlyReached : Drift::kNewlyAccepted, what);
      }
    }
    if (!other_bits_) return;
    size_t changed = 0;
    for (size_t i = 0; i < before_.cases.size(); ++i) {
      changed +=
          before_.cases[i].ran() && after_.cases[i].ran() && before_.cases[i] != after_.cases[i];
    }
    Note(Drift::kDrifted,
         fmt::format("{} of {} with other bits", changed, Counted(before_.cases.size(), "case")));
  }

  void CompareStatistics() {
    const OutputErrors& then = before_.errors;
    const OutputErrors& now = after_.errors;
    Statistic("mean ulp", then.MeanUlp(), now.MeanUlp(), thresholds_.mean_ulp);
    Statistic("bias", std::fabs(then.Bias()), std::fabs(now.Bias()), thresholds_.bias_ulp);
    Statistic("max ulp", static_cast<double>(then.max_ulp), static_cast<double>(now.max_ulp),
              thresholds_.max_ulp);
    Statistic("mean relative error", then.MeanRelative(), now.MeanRelative(),
              thresholds_.mean_relative);
  }

  void Statistic(std::string_view name, double then, double now, double allowance) {
    if (now <= then * (1 + thresholds_.share) + allowance) return;
    Note(Drift::kWorse, fmt::format("{} {:.4g}, {:.4g} before", name, now, then));
  }

  void NoteOutside(Drift drift) {
    Note(drift, fmt::format("{} outside of the interval, {} before",
                            Counted(after_.outside, "element"), before_.outside));
  }

  void Note(Drift drift, const std::string& what) {
    drift_ = std::max(drift_, drift);
    detail_ += (detail_.empty() ? "" : "; ") + what;
  }

  EntryDrift Answer() { return {before_, after_, drift_, std::move(detail_)}; }

  const BaselineEntry& before_;
  const BaselineEntry& after_;
  const DriftThresholds& thresholds_;
  bool other_bits_ = false;
  bool same_reach_ = true;
  Drift drift_ = Drift::kIdentical;
  std::string detail_;
};

}  // namespace

std::string_view DriftName(Drift drift) { return kNames[static_cast<size_t>(drift)]; }

std::optional<Drift> DriftFromName(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Drift>(found - kNames.begin());
}

EntryDrift CompareEntry(const BaselineEntry& before, const BaselineEntry& after,
                        const DriftThresholds& thresholds) {
  return Comparison(before, after, thresholds).Run();
}

BaselineComparison CompareBaselines(const Baseline& before, const Baseline& after,
                                    const DriftThresholds& thresholds) {
  BaselineComparison comparison;
  for (const BaselineEntry& entry : before.entries) {
    const BaselineEntry* now = after.Find(entry);
    comparison.entries.push_back(
        now != nullptr ? CompareEntry(entry, *now, thresholds)
                       : EntryDrift{entry, entry, Drift::kNotComparable, "is not there any more"});
  }
  for (const BaselineEntry& entry : after.entries) {
    if (before.Find(entry) != nullptr) continue;
    comparison.entries.push_back({entry, entry, Drift::kNotComparable, "was not there before"});
  }
  for (const EntryDrift& entry : comparison.entries) {
    ++comparison.counts[static_cast<size_t>(entry.drift)];
  }
  return comparison;
}

Json ComparisonToJson(const BaselineComparison& comparison) {
  Json json;
  json["version"] = 1;
  json["summary"] = Json::object();
  for (size_t i = 0; i < kDriftCount; ++i) {
    json["summary"][std::string(kNames[i])] = comparison.counts[i];
  }
  json["entries"] = Json::array();
  const auto figures = [](const BaselineEntry& entry) {
    return Json{{"outside", entry.outside},
                {"max_ulp", entry.errors.max_ulp},
                {"mean_ulp", entry.errors.MeanUlp()},
                {"bias_ulp", entry.errors.Bias()},
                {"mean_relative", entry.errors.MeanRelative()}};
  };
  for (const EntryDrift& entry : comparison.entries) {
    if (entry.drift == Drift::kIdentical) continue;
    Json row;
    row["op"] = entry.before.op;
    row["configuration"] = entry.before.configuration;
    row["target"] = entry.before.target;
    row["route"] = ToText(entry.before.route);
    row["class"] = DriftName(entry.drift);
    row["detail"] = entry.detail;
    row["before"] = figures(entry.before);
    row["after"] = figures(entry.after);
    json["entries"].push_back(std::move(row));
  }
  return json;
}

}  // namespace anecheck
