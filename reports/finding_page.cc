#include "reports/finding_page.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/parallel_for.h"
#include "harness/base/shell_word.h"
#include "harness/findings/artifact.h"
#include "harness/lowering/graph_to_netlist.h"
#include "oracles/contract.h"
#include "reports/finding_tensors.h"
#include "reports/graph_picture.h"
#include "reports/html.h"
#include "reports/page_files.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

// The maximum number of bytes shown of one text. The finding contains the whole text.
constexpr size_t kShownText = size_t{256} << 10;
// The maximum number of runs that the history lists. They are the latest runs.
constexpr size_t kShownRuns = 200;

std::string Member(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>()
                                                                       : std::string();
}

Json Part(const Json& json, const char* name) {
  return json.is_object() && json.contains(name) ? json[name] : Json();
}

std::string Section(const char* title, const std::string& content) {
  return content.empty() ? "" : fmt::format("<h2>{}</h2>\n{}", title, content);
}

std::string Pre(std::string_view text) {
  const bool cut = text.size() > kShownText;
  return "<pre tabindex=\"0\">" + EscapeXml(text.substr(0, kShownText)) + "</pre>\n" +
         (cut ? "<p>The text is cut off here; the finding contains all of it.</p>\n" : "");
}

std::string Fact(const char* word, std::string_view fact) {
  return fact.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>", word, EscapeXml(fact));
}

std::string Facts(const FindingInfo& finding, const RunInfo& run, const Json& artifact) {
  const Json item = Part(artifact, "case");
  const Json seed = Part(item, "case_seed");
  std::string text = "<dl class=\"facts\">";
  text += Fact("finding", finding.id) + Fact("verdict", ToText(finding.verdict));
  const std::string node = Member(artifact, "node");
  text += Fact(node.empty() ? "operation" : "first wrong", finding.op) + Fact("its result", node);
  text += Fact("known defect", finding.defects.ToText()) + Fact("target", finding.target);
  text += Fact("route", ToText(finding.route)) + Fact("mode", Member(item, "mode"));
  const Json relation = Part(artifact, "relation");
  text +=
      Fact("relation", Member(relation, "name")) + Fact("rewritten at", Member(relation, "site"));
  text += Fact("case", fmt::format("{} of seed {}", finding.case_index, run.seed));
  text += Fact("seed of the case", seed.is_number() ? DumpJson(seed) : "");
  text += Fact("cases alike", std::to_string(finding.occurrences));
  text += Fact("signature", finding.signature) + Fact("evidence", ToText(run.provenance));
  text += Fact("engine", run.engine) + Fact("chip", run.chip) + Fact("system", run.os);
  text += Fact("compiler", run.compiler_version) + Fact("runner", run.runner);
  return text + "</dl>\n";
}

// Returns the documented defects with their descriptions.
std::string Defects(const DefectSet& defects) {
  std::string text;
  for (const Departure& departure : KnownDepartures()) {
    if (!defects.Has(departure.id)) continue;
    text += fmt::format("<p><strong>{}</strong>: {}. Source: {}.</p>\n", departure.id,
                        EscapeXml(departure.what), EscapeXml(departure.source));
  }
  return text;
}

NodeId FindNode(const Graph& graph, const std::string& result) {
  const auto value = result.empty() ? std::nullopt : graph.FindValue(result);
  return value.has_value() ? graph.value(*value).producer : kNoNode;
}

std::string Drawing(const Graph& graph, const std::string& result) {
  const std::string picture = GraphPicture(graph, FindNode(graph, result));
  std::string text = picture.empty()
                         ? fmt::format("<p>The graph has {} and is not drawn.</p>\n",
                                       Counted(graph.nodes().size(), "operation"))
                         : "<div class=\"scroll\" tabindex=\"0\">" + picture + "</div>\n";
  return text + "<details><summary>as text</summary>" + Pre(GraphSentence(graph)) + "</details>\n";
}

std::string NetworkDescription(const Graph& graph) {
  const Result<NetlistProgram> program = GraphToNetlist(graph);
  if (!program.ok()) {
    return "<p>The graph has none: " + EscapeXml(program.error().message) + "</p>\n";
  }
  const Bytes text = netlist::Write(program->description);
  return "<details><summary>property list</summary>" +
         Pre({reinterpret_cast<const char*>(text.data()), text.size()}) + "</details>\n";
}

std::string Command(const std::string& what, const std::string& command) {
  return fmt::format(
      "<p>{}</p><div class=\"command\"><pre tabindex=\"0\">{}</pre><button type=\"button\" "
      "class=\"copy\" hidden>Copy</button></div>\n",
      what, EscapeXml(command));
}

std::string Commands(const FindingInfo& finding, const RunInfo& run) {
  const std::string& id = finding.id;
  const std::string file =
      " --db " + ShellWord(run.db) + (finding.shares_id ? " --run " + ShellWord(run.uuid) : "");
  return Command("Run the case again:", "anecheck replay " + id + file) +
         Command("Shrink it:", "anecheck shrink " + id + file + " --out " + id + ".json") +
         Command("Run the small case again after a change:", "anecheck replay " + id + ".json") +
         Command("Write a folder for a bug report:",
                 "anecheck finding export " + id + file + " --out " + id);
}

// Returns "f0123456789a" for "findings/f0123456789a.html".
std::string PageName(const std::string& page) {
  const size_t begin = page.find('/') + 1;
  return page.substr(begin, page.rfind('.') - begin);
}

std::string HistoryRow(const ReportData& data, size_t run,
                       const std::vector<const FindingInfo*>& same) {
  std::string seen;
  for (const FindingInfo* finding : same) {
    const FindingInfo& other = *finding;
    if (other.run != run) continue;
    const std::string name = PageName(other.page);
    seen += fmt::format("{}{} in {} case{}", seen.empty() ? "" : ", ",
                        name.empty() ? EscapeXml(other.id)
                                     : fmt::format("<a href=\"{}.html\">{}</a>", name, other.id),
                        other.occurrences, other.occurrences == 1 ? "" : "s");
  }
  const RunInfo& info = data.runs[run];
  std::string row = "<tr>";
  for (const std::string& field :
       {info.name, info.started, info.tool_version, info.engine, info.chip,
        std::string(ToText(info.provenance)), std::to_string(info.cases)}) {
    row += "<td class=\"clip\">" + EscapeXml(field) + "</td>";
  }
  return row + "<td>" + (seen.empty() ? "not seen" : seen) + "</td></tr>\n";
}

std::string History(const ReportData& data, const std::string& signature) {
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">run</th>"
      "<th scope=\"col\">started</th>"
      "<th scope=\"col\">tool</th><th scope=\"col\">engine</th><th scope=\"col\">chip</th>"
      "<th scope=\"col\">evidence</th><th scope=\"col\">cases</th><th scope=\"col\">this "
      "signature</th></tr></thead><tbody>\n";
  std::vector<const FindingInfo*> same;
  for (const FindingInfo& finding : data.findings) {
    if (finding.signature == signature) same.push_back(&finding);
  }
  const size_t first = data.runs.size() - std::min(data.runs.size(), kShownRuns);
  for (size_t run = data.runs.size(); run-- > first;) text += HistoryRow(data, run, same);
  text += "</tbody></table></div>\n";
  if (first > 0) text += fmt::format("<p>{} not listed.</p>\n", Counted(first, "earlier run"));
  return text;
}

// For a program with an open axis, returns the results at the other shape at which the finding
// occurs. The tables of the graph's own shape lack these results.
std::string OtherShape(const Json& artifact) {
  const Json shown = Part(artifact, "at_shape");
  if (!shown.is_object()) return "";
  const Json extent = Part(shown, "extent");
  return fmt::format(
             "<p>The extent of one axis of the program is open. This section shows the values at "
             "{}, where the finding occurs. The next sections show the values at the graph's own "
             "shape, which may all be right. <code>finding export</code> writes the values that "
             "are expected in this section.</p>\n",
             extent.is_number_integer() ? "an extent of " + DumpJson(extent) : "another extent") +
         OutputTables(Part(shown, "actual"), Json()) + InputTables(Part(shown, "inputs")) +
         "<details><summary>MIL of the program</summary>" + Pre(Member(shown, "mil")) +
         "</details>\n";
}

std::string BackLink(const FindingInfo& finding, const FindingFrame& frame) {
  const bool report = frame.back.empty();
  return fmt::format(
      "<p><a href=\"{}\">{}</a></p>\n",
      report ? "../report.html#finding=" + PageName(finding.page) : EscapeXml(frame.back),
      report ? EscapeXml(finding.id) + " in the report" : EscapeXml(frame.words));
}

std::string Content(const ReportData& data, const FindingInfo& finding, std::string_view text,
                    const FindingFrame& frame) {
  const RunInfo& run = data.runs[finding.run];
  const Result<Json> parsed = ParseJson(text, "artifact");
  const Json artifact = parsed.ok() ? *parsed : Json();
  const Result<Artifact> whole = ArtifactFromJson(artifact);
  std::string content =
      fmt::format("<h1>{} on {}: {}</h1>\n<p class=\"summary\">{}</p>\n",
                  EscapeXml(finding.op.empty() ? "no operation named" : finding.op),
                  EscapeXml(finding.target), ToText(finding.verdict), EscapeXml(finding.summary));
  if (run.provenance == Provenance::kSimulated) {
    content +=
        "<p class=\"simulated\" role=\"note\"><strong>SIMULATED</strong> The engine is the "
        "simulated one. This says nothing about silicon.</p>\n";
  }
  content += BackLink(finding, frame);
  content += Facts(finding, run, artifact);
  content += Section("Documented defect", Defects(finding.defects));
  content += "<h2>Graph</h2>\n";
  content += whole.ok()
                 ? Drawing(whole->item.graph, Member(artifact, "node"))
                 : "<p>The case cannot be read: " + EscapeXml(whole.error().message) + "</p>\n";
  content += Section("Values at the shape that shows the finding", OtherShape(artifact));
  content += Section("Expected and actual",
                     OutputTables(Part(artifact, "actual"), Part(artifact, "expected")));
  content += Section("Inputs", InputTables(Part(artifact, "inputs")));
  content += Section("Commands", Commands(finding, run));
  content += Section("Runs", History(data, finding.signature));
  content += Section("MIL", Pre(Member(artifact, "mil")));
  const std::string rewritten = Member(Part(artifact, "relation"), "mil");
  content += Section("Rewritten MIL", rewritten.empty() ? "" : Pre(rewritten));
  if (whole.ok()) content += Section("Network description", NetworkDescription(whole->item.graph));
  return content;
}

// The key of a page. Findings of one id may differ in these members.
using PageKey = std::tuple<std::string, std::string, std::string, std::string>;
PageKey KeyOf(const FindingInfo& finding) {
  return {finding.op, finding.target, std::string(ToText(finding.route)), finding.summary};
}

// Returns the path of the page, or an empty text if the name is not a valid file name.
std::string PagePath(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (name.empty() || name.size() > 97 || !std::ranges::all_of(name, plain)) return {};
  return fmt::format("findings/{}.html", name);
}

// Whether this tool wrote the page.
bool IsFindingPage(const std::string& path) {
  const auto text = ReadTextFile(path);
  return text.ok() && text->find("<title>anecheck finding ") != std::string::npos;
}

// Removes the pages of an earlier report that are not in `kept`, because nothing links to them.
Status RemoveOtherPages(const std::string& out_folder, const std::set<std::string>& kept) {
  const auto names = ListFiles(out_folder + "/findings");
  if (!names.ok()) return {};
  for (const std::string& name : *names) {
    const std::string page = "findings/" + name;
    const std::string path = fmt::format("{}/{}", out_folder, page);
    if (!name.ends_with(".html") || kept.contains(page) || !IsFindingPage(path)) continue;
    std::error_code error;
    if (std::filesystem::remove(path, error) || !error) continue;
    return MakeError(ErrorCode::kIo,
                     fmt::format("{}: cannot be removed: {}", path, error.message()));
  }
  return {};
}

}  // namespace

void NamePages(ReportData& data) {
  std::map<std::string, std::map<PageKey, size_t>> shown;
  for (const FindingInfo& finding : data.findings) {
    size_t& latest = shown[finding.id].emplace(KeyOf(finding), finding.run).first->second;
    latest = std::max(latest, finding.run);
  }
  for (FindingInfo& finding : data.findings) {
    const auto& of_id = shown[finding.id];
    const RunInfo& run = data.runs[of_id.at(KeyOf(finding))];
    finding.page = PagePath(of_id.size() == 1 ? finding.id : finding.id + "-" + run.uuid);
  }
}

std::string FindingHtml(const ReportData& data, size_t index, std::string_view artifact,
                        const FindingFrame& frame) {
  const FindingInfo& finding = data.findings[index];
  std::string page = AssemblePage(page::kFindingTemplate, {page::kPageStyle, page::kFindingStyle},
                                  {page::kFindingPage});
  page = FillMark(page, "{{title}}", EscapeXml(finding.id));
  return FillMark(page, "{{content}}", Content(data, finding, artifact, frame));
}

Status WriteFindingPages(const ReportData& data, const std::string& out_folder,
                         const ReportProgress& progress, const FindingFrame& frame) {
  std::map<std::string, size_t> latest;
  for (size_t i = 0; i < data.findings.size(); ++i) {
    const auto [entry, added] = latest.emplace(data.findings[i].page, i);
    if (!added && data.findings[entry->second].run < data.findings[i].run) entry->second = i;
  }
  std::set<std::string> pages;
  for (const auto& [path, index] : latest) pages.insert(path);
  ANECHECK_RETURN_IF_ERROR(RemoveOtherPages(out_folder, pages));
  latest.erase("");
  if (latest.empty()) return {};
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(fmt::format("{}/findings", out_folder)));
  std::map<std::string, std::vector<size_t>> by_file;
  for (const auto& [path, index] : latest) {
    by_file[data.runs[data.findings[index].run].db].push_back(index);
  }
  const std::vector<std::pair<std::string, std::vector<size_t>>> files(by_file.begin(),
                                                                       by_file.end());
  size_t done = 0;
  std::mutex mutex;  // guards `done` and the progress
  return ParallelFor(files.size(), 0, [&](uint64_t file) -> Status {
    ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(files[file].first));
    for (const size_t index : files[file].second) {
      const FindingInfo& finding = data.findings[index];
      ANECHECK_ASSIGN(const auto whole, store.Finding(data.runs[finding.run].id, finding.id));
      const std::string artifact = whole ? whole->artifact : std::string();
      ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(fmt::format("{}/{}", out_folder, finding.page),
                                               FindingHtml(data, index, artifact, frame)));
      const std::lock_guard lock(mutex);
      if (progress) progress("pages of findings", ++done, latest.size());
    }
    return {};
  });
}

}  // namespace anecheck::reports
