// The files of reports/page, which are compiled into the tool.
#pragma once

#include <string_view>

namespace anecheck::page {

// The head of every page, and the shared part of their scripts.
extern const std::string_view kPageHead;
extern const std::string_view kPageHelpers;
// The report.
extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
// The script of the report's page, in this order.
extern const std::string_view kPageCore;
extern const std::string_view kPageMatrix;
extern const std::string_view kPageFindings;
extern const std::string_view kPageErrors;
extern const std::string_view kPageAnswer;
extern const std::string_view kPageStart;
// The page of the matrix of attested and reached operations. Its style follows kPageStyle. Its
// script is kAttestationGrid, then kAttestationPage.
extern const std::string_view kAttestationTemplate;
extern const std::string_view kAttestationStyle;
extern const std::string_view kAttestationGrid;
extern const std::string_view kAttestationPage;
// The page of a measurement of power. Its style is kPageStyle.
extern const std::string_view kPowerTemplate;
extern const std::string_view kPowerPage;
// The page of the operations and the pages of findings. Their styles follow kPageStyle.
extern const std::string_view kReferenceTemplate;
extern const std::string_view kReferenceStyle;
extern const std::string_view kReferencePage;
extern const std::string_view kFindingTemplate;
extern const std::string_view kFindingStyle;
extern const std::string_view kFindingPage;
// The page of a model. Its style follows kPageStyle and kFindingStyle.
extern const std::string_view kModelTemplate;
extern const std::string_view kModelStyle;
// The pages of a lab. Their style follows kPageStyle. kSiteCompare is the script of the comparison,
// and kSiteFilter that of the list of operations.
extern const std::string_view kSiteTemplate;
extern const std::string_view kSiteStyle;
extern const std::string_view kSiteCompare;
extern const std::string_view kSiteFilter;
// The page of trends. Its style follows kPageStyle, and its script follows kPageCore and
// kPageErrors.
extern const std::string_view kTrendTemplate;
extern const std::string_view kTrendStyle;
extern const std::string_view kTrendPlots;
extern const std::string_view kTrendPage;

}  // namespace anecheck::page
