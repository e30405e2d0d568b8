// The report as JUnit XML, for continuous integration.
#pragma once

#include <string>

#include "reports/report_data.h"

namespace anecheck::reports {

// There is one suite for each target, route and kind of evidence. A suite has one test case for
// each operation that its cases contain and one for each finding. A new finding is a <failure>
// (wrong values) or an <error> (the engine refused, crashed, hung ...). A finding that a documented
// defect explains passes, with its text in <system-out>. An operation whose cases were all
// inconclusive is <skipped>. The form is defined by reports/schemas/junit.xsd.
std::string JUnitXml(const ReportData& data);

}  // namespace anecheck::reports
