// Errors and reachability over many runs, from results files and baselines of several dates,
// versions or chips. The work of `anecheck trend`.
#pragma once

#include <span>
#include <string>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// A trend has the maps of at most this many findings, new findings first.
inline constexpr size_t kMapsShown = 24;

// The trend as JSON (schema: reports/schemas/trend.schema.json). A campaign counts as one run,
// however many shards it has. Runs are in order of their start; a baseline counts as a run without
// cases. If two files contain the same run, the longer record counts. Evidence of different
// provenance is never added up or compared. Errors: those of opening a file.
Result<Json> ReadTrend(std::span<const std::string> db_paths,
                       std::span<const std::string> baseline_paths,
                       const ReportProgress& progress = {});

// The page: one file that needs no network.
std::string TrendHtml(const Json& trend);

}  // namespace anecheck::reports
