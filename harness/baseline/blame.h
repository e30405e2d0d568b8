// Finds the one of many stored baselines that brought a drift: bisection between the oldest and the
// newest.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/baseline/compare.h"

namespace anecheck {

// One entry that the newest baseline gives otherwise than the oldest.
struct Blame {
  EntryDrift drift;  // oldest against newest
  // Indices into the files: the first one found to differ from the oldest as gravely as the newest
  // does, and the last before it, which differs less or not at all. Files between them cannot be
  // compared (the cases are others, or the entry is missing).
  size_t last_before = 0;
  size_t first_after = 0;
  Drift first_drift = Drift::kDrifted;  // oldest against first_after
};

struct BlameReport {
  std::vector<Blame> entries;
  std::vector<std::string> recorded, tool_version, engine;  // of the files that were read, else ""
  size_t files_read = 0;
};

// Reads the file of an index; called once a file and only for those that bisection needs.
using BaselineLoader = std::function<Result<Baseline>(size_t index)>;

// `count` baselines in order of time, 2 or more. A drift that came, went and came again is blamed
// on one of its arrivals. Errors: those of `load`; kInvalid for fewer than two.
Result<BlameReport> BlameDrifts(size_t count, const BaselineLoader& load,
                                const DriftThresholds& thresholds);

// {"entries": [{op, configuration, target, route, class, detail, last_before: {...}, first_after:
// {...}}], "files_read"}.
Json BlameToJson(const BlameReport& report, std::span<const std::string> files);

}  // namespace anecheck
