// The report's findings in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS
// standard, 27 March 2020), for viewers and code scanning services.
#pragma once

#include "harness/base/json.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// The log has one SARIF run for each campaign. A new finding has level "error", and a finding that
// a documented defect explains has level "note". The rule is the verdict. The signature is the
// partial fingerprint by which viewers match a finding over time.
Json SarifLog(const ReportData& data);

}  // namespace anecheck::reports
