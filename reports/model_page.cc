#include "reports/model_page.h"

#include <fmt/format.h>
#include <map>
#include <vector>

#include "harness/base/json.h"
#include "harness/check/operation_errors.h"
#include "reports/graph_picture.h"
#include "reports/html.h"
#include "reports/page_files.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

std::string Text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string Cell(const std::string& text) { return "<td>" + EscapeXml(text) + "</td>"; }

std::string ErrorOf(const Json& error) {
  if (error.is_null()) return "";
  return ErrorText(error["ulp"].get<uint64_t>(), error["relative"].get<double>(),
                   error["snr_db"].get<double>());
}

// Returns all facts about an operation, one on each line.
std::string Words(const Json& operation) {
  std::string words;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) words += fmt::format("{}: {}\n", name, text);
  };
  add("goes to", Text(operation, "placement"));
  add("layer", Text(operation, "layer"));
  add("why", Text(operation, "reason"));
  add("rule", Text(operation, "rule"));
  add("source", Text(operation, "source"));
  for (const Json& remark : operation.value("remarks", Json::array())) {
    add("remark", remark.get<std::string>());
  }
  add("Core ML would choose", Text(operation, "backend"));
  add("error", ErrorOf(operation.value("error", Json())));
  for (const Json& cliff : operation.value("cliffs", Json::array())) {
    add("cliff", cliff.get<std::string>());
  }
  return words;
}

std::string Picture(const Graph& graph, const Json& target) {
  std::map<std::string, const Json*> by_name;
  for (const Json& operation : target["operations"]) by_name[Text(operation, "name")] = &operation;
  std::vector<NodeMark> marks;
  for (const Node& node : graph.nodes()) {
    NodeMark& mark = marks.emplace_back();
    if (node.result_count == 0) continue;
    const auto found = by_name.find(graph.value(node.first_result).name);
    if (found == by_name.end()) continue;
    mark.style = Text(*found->second, "placement");
    mark.words = Words(*found->second);
    const Json& error = found->second->value("error", Json());
    mark.line = ErrorOf(error);
  }
  const std::string picture = MarkedPicture(graph, marks);
  if (picture.empty()) {
    return fmt::format("<p>Graphs with more than {} operations are not drawn.</p>\n", kMarkedNodes);
  }
  return "<div class=\"picture\" tabindex=\"0\">" + picture + "</div>\n";
}

std::string Table(const Json& target) {
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>operation</th><th>name</th>"
      "<th>goes to</th><th>why</th><th>rule and source</th><th>Core ML would choose</th>"
      "<th>error</th><th>cliffs</th></tr></thead><tbody>\n";
  for (const Json& operation : target["operations"]) {
    if (operation.value("added", false)) continue;
    std::string cliffs;
    for (const Json& cliff : operation.value("cliffs", Json::array())) {
      cliffs += (cliffs.empty() ? "" : ", ") + cliff.get<std::string>();
    }
    const std::string placement = EscapeXml(Text(operation, "placement"));
    std::string rule = Text(operation, "rule");
    if (!Text(operation, "source").empty()) rule += " (" + Text(operation, "source") + ")";
    std::string why = Text(operation, "reason");
    for (const Json& remark : operation.value("remarks", Json::array())) {
      why += (why.empty() ? "" : "; ") + remark.get<std::string>();
    }
    text += "<tr>" + Cell(Text(operation, "op")) + Cell(Text(operation, "name")) +
            fmt::format("<td class=\"{0}\">{0}</td>", placement) + Cell(why) + Cell(rule) +
            Cell(Text(operation, "backend")) + Cell(ErrorOf(operation.value("error", Json()))) +
            Cell(cliffs) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string TargetSection(const Graph& graph, const Json& target) {
  std::string text = fmt::format("<h3>{}: {}</h3>\n", EscapeXml(Text(target, "title")),
                                 EscapeXml(Text(target, "verdict")));
  if (!Text(target, "message").empty()) {
    text += "<p>" + EscapeXml(Text(target, "message")) + "</p>\n";
  }
  if (!Text(target, "caveat").empty()) {
    text += "<p>" + EscapeXml(Text(target, "caveat")) + "</p>\n";
  }
  text += fmt::format("<p>Values handed over between engine and host: {}</p>\n",
                      target.value("hand_overs", 0));
  text += Picture(graph, target) + Table(target);
  if (target.value("advice", Json::array()).empty()) return text;
  text += "<h4>Changes to make</h4><ul>\n";
  for (const Json& advice : target["advice"]) {
    text += fmt::format("<li>{} &quot;{}&quot;: {} <small>({})</small></li>\n",
                        EscapeXml(Text(advice, "op")), EscapeXml(Text(advice, "name")),
                        EscapeXml(Text(advice, "change")), EscapeXml(Text(advice, "source")));
  }
  return text + "</ul>\n";
}

constexpr std::string_view kLegend =
    "<p class=\"legend\"><span class=\"engine\">engine</span><span class=\"host\">host</span>"
    "<span class=\"refused\">refused</span></p>\n"
    "<p>An operation that goes to the engine may run there, by the rules. By its costs Core ML may "
    "still choose another processor: ane is the engine, bnns and classic_cpu are the CPU.</p>\n";

}  // namespace

std::string ModelHtml(std::span<const CheckedFunction> functions) {
  std::string content, model;
  for (const CheckedFunction& function : functions) {
    const Json& answer = *function.answer;
    if (model.empty()) {
      model = Text(answer, "model");
      content += "<h1>" + EscapeXml(model) + "</h1>\n";
      content +=
          fmt::format("<p class=\"summary\">{} on {}</p>\n", EscapeXml(Text(answer, "provenance")),
                      EscapeXml(Text(answer, "runner")));
      content += kLegend;
    }
    content += "<h2>function " + EscapeXml(Text(answer, "function")) + "</h2>\n";
    for (const Json& target : answer["targets"]) content += TargetSection(*function.graph, target);
  }
  const std::string page = AssemblePage(
      page::kModelTemplate, {page::kPageStyle, page::kFindingStyle, page::kModelStyle}, {});
  return FillMark(FillMark(page, "{{title}}", EscapeXml(model)), "{{content}}", content);
}

}  // namespace anecheck::reports
