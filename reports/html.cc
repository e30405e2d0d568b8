#include "reports/html.h"

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "reports/page_files.h"

namespace anecheck::reports {
std::string FillMark(std::string_view text, std::string_view mark, std::string_view content) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::string(text);
  std::string filled(text.substr(0, at));
  filled += content;
  filled += text.substr(at + mark.size());
  return filled;
}

std::string ScriptSafe(std::string_view json) {
  std::string safe;
  safe.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string AssemblePage(std::string_view body, std::initializer_list<std::string_view> styles,
                         std::initializer_list<std::string_view> scripts) {
  const auto joined = [](std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
  };
  const std::string page = FillMark(body, "{{head}}", page::kPageHead);
  return FillMark(FillMark(page, "{{style}}", joined(styles)), "{{script}}", joined(scripts));
}

std::string ReportHtml(const Json& report) {
  const std::string page =
      AssemblePage(page::kPageTemplate, {page::kPageStyle},
                   {page::kPageHelpers, page::kPageCore, page::kPageMatrix, page::kPageFindings,
                    page::kPageErrors, page::kPageAnswer, page::kPageStart});
  // Fills in the data last, so that text in the data is not mistaken for a placeholder.
  return FillMark(page, "{{data}}", ScriptSafe(DumpJson(report)));
}

}  // namespace anecheck::reports
