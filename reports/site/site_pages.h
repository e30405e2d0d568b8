// The pages of a lab, with one function for each. write_site.h describes the paths.
#pragma once

#include <cstddef>
#include <string>

#include "harness/base/json.h"
#include "reports/site/site_data.h"

namespace anecheck::reports {

std::string FrontHtml(const Site& site);
std::string OperationsHtml(const Site& site);
std::string ChipHtml(const Site& site, size_t chip);
// `reference` is the operation's entry of OperationReferenceJson, or null.
std::string OpHtml(const Site& site, size_t op, const Json& reference);
std::string CompareHtml(const Site& site);

// The pages as JSON, form 1 (reports/schemas/site.schema.json).
Json FrontJson(const Site& site);
Json ChipJson(const Site& site, size_t chip);
Json OpJson(const Site& site, size_t op, const Json& reference);
Json CompareJson(const Site& site);
Json DefectJson(const Site& site, const SiteDefect& defect);

// Returns a badge such as "h13 | 93 % right, SIMULATED", in the usual size of badges.
std::string BadgeSvg(const Site& site, size_t chip);

}  // namespace anecheck::reports
