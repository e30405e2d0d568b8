// Writes the pages of a lab. Implements `anecheck site`.
#pragma once

#include <span>
#include <string>

#include "harness/base/result.h"
#include "reports/site/site_data.h"

namespace anecheck::reports {

// Writes index.html, operations.html, compare.html, chips/, ops/, findings/ and badges/ to
// `out_folder`. The JSON of a page is in the same folder as the page. The bytes depend only on the
// content and paths of the results files. The name of a page depends only on its subject, so links
// to the page stay valid. Each file is replaced atomically. Errors: those of ReadSite, and kIo if a
// folder cannot be written.
Result<Site> WriteSite(std::span<const std::string> db_paths, const std::string& out_folder,
                       const ReportProgress& progress = {});

}  // namespace anecheck::reports
