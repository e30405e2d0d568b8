// The report as one page that needs no network: the template, style and script of reports/page with
// the report's JSON inside. All drawing happens in the page, from text nodes alone.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/base/json.h"

namespace anecheck::reports {

// `report` is ReportJson's.
std::string ReportHtml(const Json& report);

// A page from its template, with the head that all pages share. The placeholders of its data stay.
std::string AssemblePage(std::string_view body, std::initializer_list<std::string_view> styles,
                         std::initializer_list<std::string_view> scripts);

// `text` with the first occurrence of `mark` replaced.
std::string FillMark(std::string_view text, std::string_view mark, std::string_view content);

// JSON text that is safe inside a <script> element: without characters that have a meaning in HTML.
std::string ScriptSafe(std::string_view json);

}  // namespace anecheck::reports
