// The report as JSON, form 1 (reports/schemas/report.schema.json): written to report.json and
// carried inside the page.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/matrix.h"
#include "reports/report_data.h"

namespace anecheck::reports {

nlohmann::ordered_json ReportJson(const ReportData& data, const Matrix& matrix);

// The matrix alone: the members `ops`, `targets`, `cells` and `simulated` of the same form.
nlohmann::ordered_json MatrixJson(const Matrix& matrix);

}  // namespace anecheck::reports
