// The progress of a running campaign: cases done, findings, the covered share of the space of
// cases, and counts by target.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/results/store.h"

namespace anecheck {

struct CampaignSummary;

// The recorded cases of one target.
struct TargetProgress {
  uint64_t cases = 0;
  uint64_t passed = 0;
  uint64_t findings = 0;       // distinct new findings
  uint64_t known_defects = 0;  // documented defects, each counted once per target
  uint64_t unconfirmed = 0;    // distinct deviations of Verdict::kUnconfirmed
  bool operator==(const TargetProgress&) const = default;
};

// Counts over a run, updated with each batch.
class ProgressCounts {
 public:
  // Loads the recorded state of a resumed run.
  Status Recall(Store& store, int64_t run, const CampaignSummary& summary);
  void Add(const RowBatch& batch);

  const std::map<std::string, TargetProgress>& targets() const { return targets_; }
  // The number of cells of CoverageSpace() that were met.
  uint64_t cells_covered() const;

 private:
  void Meet(std::string_view kind, std::string_view cell);
  void AddCase(const CaseRow& item);
  void AddFinding(const FindingRow& finding);

  std::map<std::string, TargetProgress> targets_;
  // The cells of CoverageSpace() that were met, and the cells not yet looked up there: making the
  // space costs as much as hundreds of cases, and only some callers read the number of cells.
  mutable std::set<std::pair<std::string, std::string>> cells_;
  mutable std::vector<std::pair<std::string, std::string>> not_looked_up_;
  // The addresses of the texts of cells that were already examined, since most batches meet cells
  // that earlier batches met.
  struct AddressHash {
    size_t operator()(const std::pair<const char*, const char*>& cell) const {
      const std::hash<const char*> hash;
      return hash(cell.second) * 31 + hash(cell.first);
    }
  };
  std::unordered_set<std::pair<const char*, const char*>, AddressHash> seen_;
};

// The progress that RunCampaign reports after every batch, on the thread that called it.
struct CampaignProgress {
  uint64_t done = 0;    // cases of the run, including those recorded before a resume
  uint64_t wanted = 0;  // kUnlimitedCases if only the time limits the campaign
  uint64_t findings = 0;
  double seconds = 0;  // since this process began to work on the run
  // The last batch, valid during the call; null if nothing is recorded by batches.
  const RowBatch* batch = nullptr;
  uint64_t known_defects = 0;
  uint64_t unconfirmed = 0;
  uint64_t before = 0;                     // cases of `done` that earlier processes recorded
  double limit_seconds = 0;                // the time given to this process; 0 for no limit
  const ProgressCounts* counts = nullptr;  // null if `batch` is null
};

// The estimated seconds for the remaining cases at the current rate, or until the time limit;
// negative if neither a rate nor a limit is known.
double SecondsLeft(const CampaignProgress& progress);

// A duration in hours, minutes and seconds: "0:07", "12:34", "1:02:03".
std::string ClockText(double seconds);

// ", about 1:10 left": the time for the rest of `of` things, if each takes the mean time of the
// first `done`. Empty for fewer than three, whose mean says little.
std::string TimeLeftText(double seconds, uint64_t done, uint64_t of);

// One line for the whole campaign and, if there are counts, one per target.
std::string CampaignProgressText(const CampaignProgress& progress);

}  // namespace anecheck
