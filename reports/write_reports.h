// Writes a folder of reports from results files. Implements `anecheck report`.
#pragma once

#include <span>
#include <string>

#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// Writes report.html, report.json, junit.xml, summary.md, matrix.csv, sarif.json and a page for
// each finding (findings/) to `out_folder`. Makes the folder if it is missing. Returns the data of
// the reports. Each file is replaced atomically. Errors: those of ReadReportData, and kIo for a
// folder that cannot be written.
Result<ReportData> WriteReports(std::span<const std::string> db_paths,
                                const std::string& out_folder, const ReportProgress& progress = {});

}  // namespace anecheck::reports
