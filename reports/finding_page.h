// The page of one finding: the graph as a picture, MIL, network description, inputs, expected
// interval and actual bits, the documented defect, what other runs saw, and the commands to replay,
// shrink and test it again. One file that needs no network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// "findings/f0123456789a.html": where the page stands, seen from the report. Empty for ids that are
// no name of a file; those have no page.
std::string FindingPagePath(std::string_view id);

// The page of data.findings[index]. `artifact` is the JSON of harness/campaign/artifact.h; what it
// lacks is left out of the page, which then says why. Nothing in it is trusted.
std::string FindingHtml(const ReportData& data, size_t index, std::string_view artifact);

// Writes a page for each id below `out_folder`; of several runs' the latest one's case is shown.
// Artifacts are read one at a time. Errors: those of Store, and kIo.
Status WriteFindingPages(const ReportData& data, const std::string& out_folder,
                         const ReportProgress& progress = {});

}  // namespace anecheck::reports
