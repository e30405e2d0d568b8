// Shows the progress of commands that read results files, on standard error.
#pragma once

#include <fmt/format.h>
#include <memory>

#include "harness/base/log.h"
#include "reports/report_data.h"

namespace anecheck {

// Returns a function that shows a line such as "12/80 findings" on standard error. The line exists
// as long as a copy of the function.
inline reports::ReportProgress ReportProgressLine() {
  return
      [line = std::make_shared<ProgressLine>()](std::string_view things, size_t done, size_t of) {
        if (line->due()) line->Update(fmt::format("{}/{} {}", done, of, things));
      };
}

}  // namespace anecheck
