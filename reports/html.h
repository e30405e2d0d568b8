// The report as one page that needs no network. It is the template, style and script of
// reports/page with the report's JSON. The script builds the page from the JSON and inserts all
// text as text nodes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/base/json.h"

namespace anecheck::reports {

// `report` is the result of ReportJson.
std::string ReportHtml(const Json& report);

// Makes a page from its template and the head that all pages share. Keeps its data's placeholders.
std::string AssemblePage(std::string_view body, std::initializer_list<std::string_view> styles,
                         std::initializer_list<std::string_view> scripts);

// Returns `text` with the first occurrence of `mark` replaced by `content`.
std::string FillMark(std::string_view text, std::string_view mark, std::string_view content);

// Returns JSON text that is safe inside a <script> element. It has no markup characters.
std::string ScriptSafe(std::string_view json);

}  // namespace anecheck::reports
