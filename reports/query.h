// Reads results files into the data of a report. Used by WriteReports and the matrix command.
#pragma once

#include <span>
#include <string>

#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// The runs of all files. One run that stands in several files (same uuid) is taken once, from the
// file that holds the most of its cases. Work and memory follow the number of runs, of operation
// and target pairs and of findings, not the number of cases, but for one indexed count of verdicts.
// Errors: those of Store::OpenReadOnly, and kMalformed for a number that is none.
Result<ReportData> ReadReportData(std::span<const std::string> db_paths,
                                  const ReportProgress& progress = {});

}  // namespace anecheck::reports
