// Shows errors and reachability over many runs, from results files and baselines of several dates,
// versions or chips. Implements `anecheck trend`.
#pragma once

#include <span>
#include <string>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// The maximum number of findings whose error maps a trend has. New findings come first.
inline constexpr size_t kMapsShown = 24;

// Returns the trend as JSON (schema: reports/schemas/trend.schema.json). All shards of a campaign
// together count as one run. A baseline counts as a run without cases. Runs are in order of their
// start. If two files contain the same run, the record with more cases counts. Evidence of
// different provenance is never added up or compared. Errors: those of opening a file.
Result<Json> ReadTrend(std::span<const std::string> db_paths,
                       std::span<const std::string> baseline_paths,
                       const ReportProgress& progress = {});

// Returns the page, which is one file that needs no network.
std::string TrendHtml(const Json& trend);

}  // namespace anecheck::reports
