// Writes the pages of a lab. The work of `anecheck site`.
#pragma once

#include <span>
#include <string>

#include "harness/base/result.h"
#include "reports/site/site_data.h"

namespace anecheck::reports {

// Into `out_folder`: index.html, operations.html, compare.html, chips/, ops/, findings/ and
// badges/, each page with its JSON beside it. The bytes depend only on the files' content and
// paths. The name of a page depends only on its subject, so that links to it stay valid. Each file
// is replaced as a whole. Errors: those of ReadSite, and kIo for a folder that cannot be written.
Result<Site> WriteSite(std::span<const std::string> db_paths, const std::string& out_folder,
                       const ReportProgress& progress = {});

}  // namespace anecheck::reports
