#include "harness/baseline/blame.h"

#include <map>
#include <numeric>
#include <utility>

#include "harness/base/json.h"

namespace anecheck {
namespace {

class Bisection {
 public:
  Bisection(size_t count, const BaselineLoader& load, const DriftThresholds& thresholds)
      : count_(count), load_(load), thresholds_(thresholds) {}

  Result<BlameReport> Run() {
    if (count_ < 2) return MakeError(ErrorCode::kInvalid, "blame needs two baselines or more");
    report_.recorded.resize(count_);
    report_.tool_version.resize(count_);
    report_.engine.resize(count_);
    ANECHECK_ASSIGN(const Baseline* oldest, Get(0));
    ANECHECK_ASSIGN(const Baseline* newest, Get(count_ - 1));
    for (EntryDrift& drift : CompareBaselines(*oldest, *newest, thresholds_).entries) {
      if (drift.drift == Drift::kIdentical || drift.drift == Drift::kNotComparable) continue;
      ANECHECK_ASSIGN(Blame blame, Bisect(std::move(drift)));
      report_.entries.push_back(std::move(blame));
    }
    report_.files_read = baselines_.size();
    return std::move(report_);
  }

 private:
  Result<const Baseline*> Get(size_t index) {
    const auto found = baselines_.find(index);
    if (found != baselines_.end()) return &found->second;
    ANECHECK_ASSIGN(Baseline baseline, load_(index));
    report_.recorded[index] = baseline.recorded;
    report_.tool_version[index] = baseline.tool_version;
    report_.engine[index] = baseline.engine;
    return &baselines_.emplace(index, std::move(baseline)).first->second;
  }

  Result<Blame> Bisect(EntryDrift drift) {
    std::vector<size_t> files(count_);
    std::iota(files.begin(), files.end(), size_t{0});
    size_t low = 0;
    size_t high = files.size() - 1;
    const Drift newest = drift.drift;
    Drift first = newest;
    while (high - low > 1) {
      const size_t middle = low + (high - low) / 2;
      ANECHECK_ASSIGN(const Baseline* baseline, Get(files[middle]));
      const BaselineEntry* entry = baseline->Find(drift.before);
      const Drift found = entry == nullptr ? Drift::kNotComparable
                                           : CompareEntry(drift.before, *entry, thresholds_).drift;
      if (found == Drift::kNotComparable) {
        files.erase(files.begin() + static_cast<std::ptrdiff_t>(middle));
        --high;
      } else if (found < newest) {
        low = middle;
      } else {
        high = middle;
        first = found;
      }
    }
    return Blame{std::move(drift), files[low], files[high], first};
  }

  size_t count_;
  const BaselineLoader& load_;
  const DriftThresholds& thresholds_;
  std::map<size_t, Baseline> baselines_;
  BlameReport report_;
};

}  // namespace

Result<BlameReport> BlameDrifts(size_t count, const BaselineLoader& load,
                                const DriftThresholds& thresholds) {
  return Bisection(count, load, thresholds).Run();
}

Json BlameToJson(const BlameReport& report, std::span<const std::string> files) {
  Json json;
  json["version"] = 1;
  json["files_read"] = report.files_read;
  json["entries"] = Json::array();
  const auto file = [&](size_t index) {
    return Json{{"file", files[index]},
                {"recorded", report.recorded[index]},
                {"tool_version", report.tool_version[index]},
                {"engine", report.engine[index]}};
  };
  for (const Blame& blame : report.entries) {
    Json row;
    row["op"] = blame.drift.before.op;
    row["configuration"] = blame.drift.before.configuration;
    row["target"] = blame.drift.before.target;
    row["route"] = ToText(blame.drift.before.route);
    row["class"] = DriftName(blame.first_drift);
    row["detail"] = blame.drift.detail;
    row["last_before"] = file(blame.last_before);
    row["first_after"] = file(blame.first_after);
    json["entries"].push_back(std::move(row));
  }
  return json;
}

}  // namespace anecheck
