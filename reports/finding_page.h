// The page of one finding: the graph as a picture, MIL, network description, inputs, expected
// interval and actual bits, the documented defect, results of other runs, and the commands to
// replay, shrink and test it again. One file that needs no network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// Gives each finding the place of its page. If an id means several findings, one that one run drew
// and one that another did from the same seed, the run's uuid stands in the name.
void NamePages(ReportData& data);

// The link back from the page of a finding; by default to its place in the report.
struct FindingFrame {
  std::string back, words;
};

// The page of data.findings[index]. `artifact` is the JSON of harness/findings/artifact.h; missing
// members are left out of the page, which then says why. Nothing in it is trusted.
std::string FindingHtml(const ReportData& data, size_t index, std::string_view artifact,
                        const FindingFrame& frame = {});

// Writes the pages below `out_folder`; of several runs' the latest one's case is shown.
// Pages that an earlier report left there go.
// Artifacts are read one at a time. Errors: those of Store, and kIo.
Status WriteFindingPages(const ReportData& data, const std::string& out_folder,
                         const ReportProgress& progress = {}, const FindingFrame& frame = {});

}  // namespace anecheck::reports
