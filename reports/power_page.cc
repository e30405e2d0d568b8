#include "reports/power_page.h"

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "reports/html.h"
#include "reports/page_files.h"

namespace anecheck::reports {

std::string PowerHtml(const Json& power) {
  const std::string html = AssemblePage(page::kPowerTemplate, {page::kPageStyle},
                                        {page::kPageHelpers, page::kPowerPage});
  // Fills in the data last, so that text in the data is not mistaken for a placeholder.
  return FillMark(html, "{{data}}", ScriptSafe(DumpJson(power)));
}

}  // namespace anecheck::reports
