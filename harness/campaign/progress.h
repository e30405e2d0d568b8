// The progress of a running campaign: cases done, findings, covered cells, and counts by target.
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
  // The cells of CoverageSpace() that were met, and the met cells that were not yet looked up
  // there. They are looked up only when a caller reads the number of cells, because making the
  // space costs as much as hundreds of cases.
  mutable std::set<std::pair<std::string, std::string>> cells_;
  mutable std::vector<std::pair<std::string, std::string>> not_looked_up_;
  // The cells that were already examined, by the addresses of their texts. Most cells of a batch
  // were met by earlier batches.
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
  // The last batch, valid during the call; null if the caller does not record batches.
  const RowBatch* batch = nullptr;
  uint64_t known_defects = 0;
  uint64_t unconfirmed = 0;
  uint64_t before = 0;                     // cases of `done` that earlier processes recorded
  double limit_seconds = 0;                // the time given to this process; 0 for no limit
  const ProgressCounts* counts = nullptr;  // null if `batch` is null
};

// Returns the estimated seconds until the remaining cases are done at the current rate or the time
// limit is reached, whichever comes first. Negative if both are unknown.
double SecondsLeft(const CampaignProgress& progress);

// Returns a duration in hours, minutes and seconds, such as "0:07", "12:34" or "1:02:03".
std::string ClockText(double seconds);

// Returns a text such as ", about 1:10 left". `seconds` is the time that the first `done` of `of`
// items took, and each further item is assumed to take their mean time. Empty if `done` < 3.
std::string TimeLeftText(double seconds, uint64_t done, uint64_t of);

// One line for the whole campaign and, if there are counts, one per target.
std::string CampaignProgressText(const CampaignProgress& progress);

}  // namespace anecheck
