// Reads results files into the data of a report. Used by WriteReports and the matrix command.
#pragma once

#include <span>
#include <string>

#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// Reads the runs of all files. A run that is in several files (same uuid) is read once, from the
// file that contains the most of its cases. Work and memory grow with the numbers of runs, of pairs
// of operation and target, and of findings. Except for one indexed count of verdicts, they do not
// grow with the number of cases. Errors: those of Store::OpenReadOnly, and kMalformed for an
// invalid number.
Result<ReportData> ReadReportData(std::span<const std::string> db_paths,
                                  const ReportProgress& progress = {});

}  // namespace anecheck::reports
