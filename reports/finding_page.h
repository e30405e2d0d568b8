// The page of one finding: the graph as a picture, MIL, network description, inputs, expected
// interval and actual bits, the documented defect, results of other runs, and the commands to
// replay, shrink and test it again. The page is one file that needs no network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// Gives each finding the place of its page. If several findings have one id, because runs drew
// different cases from the same seed, the name includes the run's uuid.
void NamePages(ReportData& data);

// The link back from the page of a finding; by default it leads to the finding in the report.
struct FindingFrame {
  std::string back, words;
};

// The page of data.findings[index]. `artifact` is the JSON of harness/findings/artifact.h. The page
// leaves out missing members and states why. Nothing in the artifact is trusted.
std::string FindingHtml(const ReportData& data, size_t index, std::string_view artifact,
                        const FindingFrame& frame = {});

// Writes the pages below `out_folder`. If several runs have a finding, its page shows the case of
// the latest run. Pages of an earlier report are removed. Artifacts are read one at a time. Errors:
// those of Store, and kIo.
Status WriteFindingPages(const ReportData& data, const std::string& out_folder,
                         const ReportProgress& progress = {}, const FindingFrame& frame = {});

}  // namespace anecheck::reports
