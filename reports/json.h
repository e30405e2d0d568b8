// The report as JSON, form 1 (reports/schemas/report.schema.json): written to report.json and
// carried inside the page.
#pragma once

#include "harness/base/json.h"
#include "reports/matrix.h"
#include "reports/report_data.h"

namespace anecheck::reports {

Json ReportJson(const ReportData& data, const Matrix& matrix);

// One entry of the report's "findings".
Json FindingJson(const FindingInfo& finding, const RunInfo& run);

// The matrix alone: the members `ops`, `targets`, `cells` and `simulated` of the same form.
Json MatrixJson(const Matrix& matrix);

}  // namespace anecheck::reports
