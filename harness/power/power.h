// Measures the power of a campaign to find defects. It hunts every planted fault and every
// switchable known defect, and runs campaigns on the engine without defects. It also measures the
// smallest error that campaigns find in each operation.
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

// The sizes of the tried errors in units in the last place, and the shares of elements with the
// error.
inline constexpr int kUlpsTried[] = {1, 2, 4, 8, 16, 32, 64};
inline constexpr int kShares[] = {10, 100, 1000};  // permille

struct PowerOptions {
  HuntOptions hunt;
  std::vector<CampaignTarget> targets;
  std::vector<CampaignTarget> clean_targets;  // of clean campaigns; if empty, `targets`
  std::vector<Way> ways = {Way::kMarked};     // each subject is hunted in each way
  std::vector<std::string> only;              // ids of faults and defects; if empty, all
  uint64_t clean_cases = 2000;  // per target, with the defects off and again with them on
  bool magnitudes = true;       // measure the smallest errors of operations with fp16 results
  // Operations ("add") and classes ("elementwise arithmetic", or "convolution" for "convolution,
  // matrix multiply, and pooling"). If the list is not empty, only their smallest errors are
  // measured, without hunts and clean campaigns. If it is empty, everything is measured.
  std::vector<std::string> magnitudes_of;
  // Ids of the faults and defects that hunts are known not to find. An id that begins with a way
  // ("exec:run-slow") applies only to that way. Any other subject that is not found counts as lost.
  // Without this list nothing counts as lost.
  std::optional<std::vector<std::string>> not_found;
};

// The smallest error that was found in one operation.
struct MagnitudeResult {
  std::string op, op_class;
  int permille = 0;
  std::optional<int> ulps;  // empty if even the largest error was not found
  // The names of the contract's terms that admit a smaller error in this operation, if any.
  std::vector<std::string> freedoms;
  // True if no hunt ran, because the same error was found in fewer elements.
  bool implied = false;
  uint64_t cases = 0;  // of all hunts for it
  double seconds = 0;
};

// The results of the hunts in one way.
struct WaySummary {
  uint64_t planted = 0, planted_found = 0;  // subjects that have an effect
  uint64_t known = 0, known_found = 0;
  // The planted faults of one operation that a campaign found. For `named` of them, the finding
  // names that operation.
  uint64_t of_one_op = 0, named = 0;
  std::vector<std::string> misnamed;     // the other ones of `of_one_op`, "id: operation"
  std::vector<std::string> unconfirmed;  // planted faults that only unconfirmed results show
  std::vector<std::string> missed;       // planted faults that nothing shows
};

struct PowerReport {
  uint64_t seed = 0;
  uint64_t cases = 0;  // limit of one hunt
  std::string engine;
  std::vector<CampaignTarget> targets;
  std::vector<HuntResult> hunts;
  std::vector<CleanResult> clean;
  std::vector<MagnitudeResult> magnitudes;
  double seconds = 0;
  bool interrupted = false;
  std::optional<std::vector<std::string>> lost;  // empty if losses were not judged
  uint64_t undecided = 0;  // hunts without a finding that the time limit ended

  uint64_t FalseFindings() const;
  // Counts the results of the hunts in this way, for the subjects that have an effect.
  WaySummary InWay(Way way) const;
};

// If at least this many hunts ran and found nothing, hunts that the time limit ended count as lost.
inline constexpr size_t kManyHunts = 10;

// Sets `lost` and `undecided`. A subject outside `not_found` is lost if a hunt ran all its cases
// and did not find it. If kManyHunts hunts or more found nothing, hunts that the time limit ended
// count as lost too.
void JudgeLosses(PowerReport& report, const HuntOptions& options,
                 const std::vector<std::string>& not_found);

// Reads the ids of a file. Each line has an id, a tab, and the reason why hunts do not find it. A #
// begins a comment.
Result<std::vector<std::string>> ReadNotFound(const std::string& path);

// Measures the power. Calls `progress` with the report after every step. Errors: kNotFound for an
// id in `only` or `not_found` that the engine does not know, and for a name in `magnitudes_of` that
// is no drawn operation and no class of such operations; those of ReadSubjects and Hunt.
Result<PowerReport> MeasurePower(const PowerOptions& options,
                                 const std::function<void(const PowerReport&)>& progress,
                                 const std::atomic<bool>* stop = nullptr);

// {"version", "seed", "cases", "engine", "targets", "seconds", "interrupted",
//  "ways": [{way, planted, planted_found, known, known_found, of_one_op, named, misnamed,
//            unconfirmed, missed}],
//  "summary": {planted, planted_found, known, known_found, found_by_campaign, found_by_probe,
//              median_nodes, median_elements, not_shrunk},
//  "faults": [{id, way, acts, unconfirmed, group, kind, op, class, ulps, share, description, found,
//              by, cases, seconds, verdict, found_op, target, label, reproducer_nodes,
//              reproducer_elements, not_shrunk, unlabelled, reason}],
//  "false_findings": n,
//  "lost": [id] or null if that was not judged, "undecided": n,
//  "clean": [{target, quirks, cases, judged, inconclusive, false_findings, seconds, first}],
//  "magnitudes": [{op, class, share, ulps, implied, freedoms, cases, seconds}],
//  "classes": [{class, share, ops, ulps, one_ulp_ops, not_found_ops, freedoms}]}
//
// In "summary", found_by_campaign and found_by_probe count found subjects. Its not_shrunk is the
// number of findings that could not be shrunk, which the medians leave out. Medians are null if no
// finding was shrunk. `ulps` of a class is the smallest error that is found in every operation of
// the class; null if there is none.
Json PowerToJson(const PowerReport& report);
// Returns the report as a table for people.
std::string PowerToText(const PowerReport& report);

}  // namespace anecheck
