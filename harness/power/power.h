// The power of a campaign to find defects: a hunt for every planted fault and every switchable
// known defect, campaigns on the clean engine, and the smallest error found for each operation.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/power/hunt.h"

namespace anecheck {

// Sizes of error that are tried, in units in the last place, and parts of the elements touched.
inline constexpr int kUlpsTried[] = {1, 2, 4, 8, 16, 32, 64};
inline constexpr int kShares[] = {10, 100, 1000};  // permille

struct PowerOptions {
  HuntOptions hunt;
  std::vector<CampaignTarget> targets;
  std::vector<CampaignTarget> clean_targets;  // of campaigns without a fault; empty takes `targets`
  std::vector<Way> ways = {Way::kMarked};     // each subject is hunted in each of them
  std::vector<std::string> only;              // ids of faults and defects; empty takes all
  uint64_t clean_cases = 2000;  // on each of them with the defects off, and again with them on
  bool magnitudes = true;       // of the operations that give fp16
  // Operations ("add") and classes ("elementwise arithmetic", "convolution" for "convolution,
  // matrix multiply, and pooling") whose smallest errors alone are measured, without hunts and
  // clean campaigns; empty takes all.
  std::vector<std::string> magnitudes_of;
  // Ids of the faults and defects that hunts are known not to find, with the way in front where
  // that is so in one way alone ("exec:run-slow"): another one that is not found
  // is lost. Without it nothing is judged so.
  std::optional<std::vector<std::string>> not_found;
};

// The smallest error that was found in one operation.
struct MagnitudeResult {
  std::string op, op_class;
  int permille = 0;
  std::optional<int> ulps;  // nothing where even the largest was not found
  // The freedoms that the oracle grants the operation, by the names of its terms: why a smaller
  // error is admitted. Empty where none is granted.
  std::vector<std::string> freedoms;
  // The same error in fewer elements was found already, so this was not run.
  bool implied = false;
  uint64_t cases = 0;  // of all hunts for it
  double seconds = 0;
};

// The hunts of one way.
struct WaySummary {
  uint64_t planted = 0, planted_found = 0;  // of those that act
  uint64_t known = 0, known_found = 0;
  // Planted faults of one operation that a campaign found, and those whose finding names it.
  uint64_t of_one_op = 0, named = 0;
  std::vector<std::string> misnamed;     // the others of these, "id: operation"
  std::vector<std::string> unconfirmed;  // planted ones that only results without exit code 1 show
  std::vector<std::string> missed;       // planted ones that nothing shows
};

struct PowerReport {
  uint64_t seed = 0;
  uint64_t cases = 0;  // of one hunt at the most
  std::string engine;
  std::vector<CampaignTarget> targets;
  std::vector<HuntResult> hunts;
  std::vector<CleanResult> clean;
  std::vector<MagnitudeResult> magnitudes;
  double seconds = 0;
  bool interrupted = false;
  std::optional<std::vector<std::string>> lost;  // nothing where that was not judged
  uint64_t undecided = 0;  // hunts without a finding that the clock ended before their last case

  uint64_t FalseFindings() const;
  // Of all hunts that act, in one way.
  WaySummary InWay(Way way) const;
};

// From this number of hunts on something is lost where none of them found anything.
inline constexpr size_t kManyHunts = 10;

// Fills in `lost` and `undecided`: subjects outside `not_found` that a hunt over all of its cases
// did not find and, if many hunts found nothing at all, those that the clock ended as well.
void JudgeLosses(PowerReport& report, const HuntOptions& options,
                 const std::vector<std::string>& not_found);

// The ids of a file with one of them a line and behind a tab why it is not found; # begins a
// comment.
Result<std::vector<std::string>> ReadNotFound(const std::string& path);

// Measures; `progress` sees the report after every step. Errors: kNotFound for an id that the
// engine does not know, also among those not found, or a name that is neither an operation drawn
// nor a class of some; those of ReadSubjects and Hunt. With ids given only these are hunted.
Result<PowerReport> MeasurePower(const PowerOptions& options,
                                 const std::function<void(const PowerReport&)>& progress,
                                 const std::atomic<bool>* stop = nullptr);

// {"version", "seed", "cases", "engine", "targets", "seconds", "interrupted",
//  "ways": [{way, planted, planted_found, known, known_found, of_one_op, named, misnamed,
//    unconfirmed, missed}],
//  "summary": {planted, planted_found, known, known_found, found_by_campaign, found_by_probe,
//    median_nodes, median_elements, not_shrunk}: the two sums of the found ones, and the number of
//    findings that the medians lack because they could not be made small,
//  "faults": [{id, way, acts, unconfirmed, group, kind, op, class, ulps, share, description, found,
//  by, cases, seconds,
//    verdict, found_op, target, label, reproducer_nodes, reproducer_elements, not_shrunk,
//    unlabelled, reason}],
//  "false_findings": n,
//  "lost": [id] or null if that was not judged, "undecided": n,
//  "clean": [{target, quirks, cases, judged, inconclusive, false_findings, seconds, first}],
//  "magnitudes": [{op, class, share, ulps, implied, freedoms, cases, seconds}],
//  "classes": [{class, share, ops, ulps, one_ulp_ops, not_found_ops, freedoms}]}: `ulps` of a class
//  is the smallest error
// that is found in every operation of it; null if there is none. Medians are null without a
// reproducer.
Json PowerToJson(const PowerReport& report);
// The same as a table for people.
std::string PowerToText(const PowerReport& report);

}  // namespace anecheck
