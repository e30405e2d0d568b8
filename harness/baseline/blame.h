// Finds which of many stored baselines introduced a drift, by bisection between the oldest and the
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

// An entry that differs between the newest and the oldest baseline.
struct Blame {
  EntryDrift drift;  // from the oldest to the newest
  // Indices into the files. `first_after` is the first file found to differ from the oldest as
  // gravely as the newest does. `last_before` is the last comparable file before `first_after`; it
  // differs less from the oldest, or not at all. Files between them cannot be compared: their cases
  // differ, or they lack the entry.
  size_t last_before = 0;
  size_t first_after = 0;
  Drift first_drift = Drift::kDrifted;  // from the oldest to first_after
};

struct BlameReport {
  std::vector<Blame> entries;
  std::vector<std::string> recorded, tool_version, engine;  // of the files that were read, else ""
  size_t files_read = 0;
};

// Reads the file with an index; called at most once per file, and only for files that bisection
// needs.
using BaselineLoader = std::function<Result<Baseline>(size_t index)>;

// Finds the drifts among `count` baselines in order of time. A drift that disappeared and came
// again is blamed on one of the files that introduced it. Errors: those of `load`; kInvalid for
// fewer than two.
Result<BlameReport> BlameDrifts(size_t count, const BaselineLoader& load,
                                const DriftThresholds& thresholds);

// {"entries": [{op, configuration, target, route, class, detail, last_before: {...}, first_after:
// {...}}], "files_read"}.
Json BlameToJson(const BlameReport& report, std::span<const std::string> files);

}  // namespace anecheck
