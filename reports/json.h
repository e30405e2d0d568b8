// The report as JSON, form 1 (reports/schemas/report.schema.json). It is report.json, and part of
// the page.
#pragma once

#include "harness/base/json.h"
#include "reports/matrix.h"
#include "reports/report_data.h"

namespace anecheck::reports {

Json ReportJson(const ReportData& data, const Matrix& matrix);

// One entry of the report's "findings".
Json FindingJson(const FindingInfo& finding, const RunInfo& run);

// Returns the members `ops`, `targets`, `cells` and `simulated` of the matrix.
Json MatrixJson(const Matrix& matrix);

}  // namespace anecheck::reports
