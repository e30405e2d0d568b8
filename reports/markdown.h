// The report as a Markdown summary, for pull requests and job pages.
#pragma once

#include <string>

#include "reports/matrix.h"
#include "reports/report_data.h"

namespace anecheck::reports {

std::string SummaryMarkdown(const ReportData& data, const Matrix& matrix);

}  // namespace anecheck::reports
