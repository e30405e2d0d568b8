// Compares two baselines: the change of each entry, and which changes count as a regression. Used
// by `anecheck baseline compare` and, through it, by CI.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/baseline/baseline.h"

namespace anecheck {

// The kinds of change of an entry, mildest first. If several apply, the last of them counts.
enum class Drift : uint8_t {
  kIdentical,      // every case gives the same bits, or the same refusal
  kNotComparable,  // only one side has the entry, or the cases differ
  kNewlyAccepted,  // a case that the compiler refused is accepted
  kNewlyReached,   // no case ran on the engine before, and one does after
  kDrifted,        // other bits, no more elements outside their interval, statistics no worse
  kBetter,         // as kDrifted, and fewer elements lie outside their conforming interval
  kWorse,          // as kDrifted, and a statistic rose beyond its threshold
  kNowRejected,    // a case that was accepted is refused, or a case that ran does not run
  kOutOfBound,     // more elements lie outside their conforming interval
};
inline constexpr size_t kDriftCount = 9;
std::string_view DriftName(Drift drift);  // "bit-identical", "drifted", "out-of-bound", ...
std::optional<Drift> DriftFromName(std::string_view name);

// A statistic is worse if the new value is above old * (1 + share) + the allowance of this
// statistic.
struct DriftThresholds {
  double share = 0.05;
  double mean_ulp = 0.01;
  double bias_ulp = 0.01;  // compared with the magnitude of the bias
  double max_ulp = 0;
  double mean_relative = 1e-6;
  // The number of elements outside may grow, or shrink, by so many without a change of the class.
  uint64_t outside = 0;
};

struct EntryDrift {
  BaselineEntry before, after;  // equal if one side lacks the entry
  Drift drift = Drift::kIdentical;
  std::string detail;  // one line: the cases and statistics that changed; empty for kIdentical
};

struct BaselineComparison {
  std::vector<EntryDrift> entries;  // in the order of `before`, then the entries of `after` alone
  std::array<uint64_t, kDriftCount> counts{};
};

// Returns whether and how an entry changed. Precondition: both entries have the same operation,
// configuration, target and route.
EntryDrift CompareEntry(const BaselineEntry& before, const BaselineEntry& after,
                        const DriftThresholds& thresholds);
BaselineComparison CompareBaselines(const Baseline& before, const Baseline& after,
                                    const DriftThresholds& thresholds);

// {"summary": {"bit-identical": n, ...}, "entries": [...]}; entries that are bit-identical are only
// counted.
Json ComparisonToJson(const BaselineComparison& comparison);

}  // namespace anecheck
