// The page of one finding. It shows the graph as a picture, the MIL text, the network description,
// the inputs, the expected interval and actual bits, the documented defect, results of other runs,
// and the commands that replay, shrink and test the finding again. The page is one file that needs
// no network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// Sets the path of each finding's page. Several findings can have the same id if runs drew
// different cases from the same seed. The names of their pages include the run's uuid.
void NamePages(ReportData& data);

// The link back from the page of a finding. By default it leads to the finding in the report.
struct FindingFrame {
  std::string back, words;
};

// Returns the page of data.findings[index]. `artifact` is the JSON of harness/findings/artifact.h
// and is not trusted. The page leaves out missing members and states why.
std::string FindingHtml(const ReportData& data, size_t index, std::string_view artifact,
                        const FindingFrame& frame = {});

// Writes the pages below `out_folder`. If several runs have a finding, its page shows the case of
// the latest run. Removes the pages of an earlier report. Each thread reads one artifact at a time.
// Errors: those of Store, and kIo.
Status WriteFindingPages(const ReportData& data, const std::string& out_folder,
                         const ReportProgress& progress = {}, const FindingFrame& frame = {});

}  // namespace anecheck::reports
