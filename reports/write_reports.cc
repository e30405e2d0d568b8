#include "reports/write_reports.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "reports/finding_page.h"
#include "reports/html.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/matrix.h"
#include "reports/query.h"
#include "reports/sarif.h"

namespace anecheck::reports {

Result<ReportData> WriteReports(std::span<const std::string> db_paths,
                                const std::string& out_folder, const ReportProgress& progress) {
  ANECHECK_ASSIGN(ReportData data, ReadReportData(db_paths, progress));
  ANECHECK_ASSIGN(const Matrix matrix, BuildMatrix(data));
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(out_folder));
  const auto write = [&](const char* name, const std::string& content) {
    return WriteFileAtomic(out_folder + "/" + name, content);
  };
  const Json report = ReportJson(data, matrix);
  ANECHECK_RETURN_IF_ERROR(write("report.html", ReportHtml(report)));
  ANECHECK_RETURN_IF_ERROR(write("report.json", DumpJson(report, 1) + "\n"));
  ANECHECK_RETURN_IF_ERROR(write("junit.xml", JUnitXml(data)));
  ANECHECK_RETURN_IF_ERROR(write("summary.md", SummaryMarkdown(data, matrix)));
  ANECHECK_RETURN_IF_ERROR(write("matrix.csv", MatrixCsv(matrix)));
  ANECHECK_RETURN_IF_ERROR(write("sarif.json", DumpJson(SarifLog(data), 1) + "\n"));
  ANECHECK_RETURN_IF_ERROR(WriteFindingPages(data, out_folder, progress));
  return data;
}

}  // namespace anecheck::reports
