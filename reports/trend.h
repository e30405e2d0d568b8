// Error and reachability over many runs, which `anecheck trend` writes from results files and
// baselines of several dates, versions or chips.
#pragma once

#include <span>
#include <string>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// Maps of at most this many findings stand in a trend, new ones first.
inline constexpr size_t kMapsShown = 24;

// The trend as JSON (schema: reports/schemas/trend.schema.json). Runs are in order of their start;
// a baseline counts as a run without cases. If two files hold one run, the longer record counts.
// Evidence of different provenance is never added up or compared. Errors: those of opening a file.
Result<Json> ReadTrend(std::span<const std::string> db_paths,
                       std::span<const std::string> baseline_paths,
                       const ReportProgress& progress = {});

// The page: one file that needs nothing from outside.
std::string TrendHtml(const Json& trend);

}  // namespace anecheck::reports
