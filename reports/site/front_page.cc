// The front page. It shows chips by classes of operations, news, the worst findings, and gaps in
// the evidence.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tuple>

#include "harness/base/counted.h"
#include "reports/page_files.h"
#include "reports/site/site_html.h"
#include "reports/site/site_pages.h"
#include "reports/site/site_tables.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

constexpr size_t kFrontChanges = 40;
constexpr size_t kFrontDefects = 25;

std::vector<const SiteChange*> NewestChanges(const Site& site) {
  std::vector<const SiteChange*> all;
  for (size_t chip = 0; chip < site.chips.size(); ++chip) {
    for (const SiteChange* change : site.ChangesOf(chip, true)) {
      if (change->worse || change->better) all.push_back(change);
    }
  }
  std::ranges::sort(all, {}, [](const SiteChange* change) {
    return std::tuple(!change->worse, change->chip, change->cell, change->after.snapshot);
  });
  return all;
}

std::vector<const SiteDefect*> OpenDefects(const Site& site) {
  std::vector<const SiteDefect*> open;
  for (const SiteDefect& defect : site.defects) {
    if (!defect.gone) open.push_back(&defect);
  }
  return open;
}

// Returns findings that first occurred on the newest occasion of their chip.
std::vector<const SiteDefect*> NewsOf(const Site& site) {
  std::vector<const SiteDefect*> news;
  for (const SiteDefect& defect : site.defects) {
    if (!defect.chip) continue;
    const SiteChip& chip = site.chips[*defect.chip];
    const size_t newest = site.Newest(chip).occasion;
    if (defect.first_occasion == newest && newest > 0) news.push_back(&defect);
  }
  return news;
}

std::string FrontAnswer(const Site& site, std::span<const SiteChange* const> changes,
                        std::span<const SiteDefect* const> open) {
  const auto fresh = std::ranges::count_if(
      open, [&](const SiteDefect* defect) { return site.Shown(*defect).is_new; });
  return fmt::format(
      "<p class=\"answer\"><strong>{}</strong> {} open. {} {} of {} on {}, newest {}.</p>\n",
      Counted(fresh, "undocumented finding"), fresh == 1 ? "is" : "are",
      site.Compares() ? "On the newest date of each chip, compared with the date before: <strong>" +
                            ChangeSentence(changes) + "</strong>."
                      : std::string(kNothingToCompare),
      Counted(static_cast<int64_t>(site.data.runs.size()), "run"),
      Counted(static_cast<int64_t>(site.chips.size()), "chip"), Counted(site.data.Cases(), "case"),
      EscapeXml(site.NewestDate()));
}

std::string ClassCell(const MarkCounts& counts) {
  const auto percent = counts.Percent();
  if (!percent) return "<td class=\"share h0\">−</td>";
  const int64_t broken = counts.Of(Mark::kBroken);
  return fmt::format(
      "<td class=\"share h{}\">{}{}</td>", (*percent + 24) / 25, *percent,
      broken == 0 ? ""
                  : fmt::format(" <span class=\"broken\" title=\"broken\">✗{}</span>", broken));
}

std::string ChipRow(const Site& site, size_t index) {
  const SiteChip& chip = site.chips[index];
  const MarkCounts all = site.Count(chip);
  std::string row = "<tr><th scope=\"row\">" + ChipLink(site, index, 0) + "</th>";
  row += fmt::format("<td class=\"number\"><strong>{} %</strong></td><td>{}</td><td>{}</td>",
                     all.Percent().value_or(0), MarkBar(all), OccasionText(site.Newest(chip)));
  for (const std::string& op_class : site.classes) row += ClassCell(site.Count(chip, op_class));
  return row + "</tr>\n";
}

std::string ChipTable(const Site& site) {
  std::string html =
      "<div class=\"scroll sticky\" tabindex=\"0\" role=\"region\" aria-label=\"Chips by classes "
      "of "
      "operations\"><table><thead><tr><th scope=\"col\">chip</th><th scope=\"col\" "
      "class=\"number\">right</th><th scope=\"col\">operations</th><th scope=\"col\">newest</th>";
  for (const std::string& op_class : site.classes) {
    html += TurnedHead(op_class);
  }
  html += "</tr></thead><tbody>\n";
  for (size_t chip = 0; chip < site.chips.size(); ++chip) html += ChipRow(site, chip);
  return html + "</tbody></table></div>\n";
}

std::string EvidenceGaps(const Site& site) {
  std::string html;
  for (const MissingShards& missing : site.missing) {
    std::vector<int64_t> parts;
    parts.reserve(missing.indices.size());
    for (const int64_t index : missing.indices) parts.push_back(index + 1);
    html +=
        Paragraph(fmt::format("The campaign of seed {} lacks {} {} of {}. It began at {}.",
                              missing.seed, parts.size() == 1 ? "shard" : "shards",
                              fmt::join(parts, ", "), missing.count, EscapeXml(missing.started)));
  }
  for (const RunInfo& run : site.data.runs) {
    if (run.state == RunState::kFinished) continue;
    html += Paragraph(fmt::format("{} is not finished: {} after {}.", EscapeXml(run.name),
                                  ToText(run.state), Counted(run.cases, "case")));
  }
  if (html.empty()) html = Paragraph("No shard is missing, and every run is finished.");
  TableHtml table("Not tried", {"chip", "#attested", "#not tried", "#not judged"});
  for (size_t i = 0; i < site.chips.size(); ++i) {
    const MarkCounts counts = site.Count(site.chips[i]);
    table.Add({ChipLink(site, i, 0), std::to_string(counts.attested),
               std::to_string(counts.Of(Mark::kUntried)),
               std::to_string(counts.Of(Mark::kUnjudged))});
  }
  return html + table.Html();
}

// The HTML of a cell is short, because a page has about ten thousand cells.
std::string MarkCell(Mark mark) {
  return fmt::format("<td class=\"s-{}\">{}</td>", FactOf(mark).style, FactOf(mark).sign);
}

// Returns the section of the consecutive operations that have the class of `op`, and moves `op`
// past them. A browser lays out only the sections on the screen and assumes the stated height for
// other sections.
std::string ClassSection(const Site& site, const std::vector<std::string>& columns, size_t& op) {
  constexpr size_t kHead = 110, kRow = 30;  // pixels
  const std::string op_class = site.ops[op].op_class;
  TableHtml table(op_class, columns);
  for (; op < site.ops.size() && site.ops[op].op_class == op_class; ++op) {
    std::string marks;
    for (const SiteChip& chip : site.chips) marks += MarkCell(site.MarkOn(op, chip));
    table.AddWithCells({OpLink(site, op, 0)}, marks);
  }
  return fmt::format(
      "<section class=\"part\" style=\"contain-intrinsic-size: auto 60rem auto {}px\"><h2>{}</h2>\n"
      "{}</section>\n",
      kHead + kRow * table.size(), EscapeXml(op_class), table.Html());
}

}  // namespace

std::string FrontHtml(const Site& site) {
  const auto changes = NewestChanges(site);
  const auto open = OpenDefects(site);
  SitePage page{
      "anecheck: the Apple Neural Engine by chips and operations", 0, "index.json", {}, {}, "{}"};
  page.content =
      "<h1>The Apple Neural Engine by chips and operations</h1>\n" +
      FrontAnswer(site, changes, open) +
      Part("chips", "Chips",
           Hint("Per cent: the operations that ran with right values (reached), of those that the "
                "rules admit on the chip (attested). ✗ counts operations with an undocumented "
                "finding.") +
               ChipTable(site)) +
      Part("new", "New since the last date",
           Hint("Each chip's newest date compared with the dates before it. Runs of one day count "
                "as two dates if their labels or compilers differ. A mark is better if the newest "
                "cases of the operation do not show the finding.") +
               (site.Compares()
                    ? ChangeTable(site, "Changes", changes, 0, kFrontChanges) +
                          "<h3>New findings</h3>\n" +
                          DefectTable(site, "New findings", NewsOf(site), 0, kFrontDefects)
                    : Paragraph(kNothingToCompare))) +
      Part("worst", "Worst",
           Hint("Open findings: undocumented ones first, then by number of cases.") +
               DefectTable(site, "Open findings", open, 0, kFrontDefects)) +
      Part("gaps", "Not judged", EvidenceGaps(site)) + Part("signs", "Signs", MarkLegend());
  return SiteHtml(page, site.data.AnySimulated());
}

std::string OperationsHtml(const Site& site) {
  SitePage page{"anecheck: operations", 0, "index.json", {}, {}, "{}"};
  std::string html =
      "<h1>Operations</h1>\n<nav class=\"bar\" aria-label=\"Filters\"><label "
      "class=\"search\"><span>"
      "Search</span><input id=\"filter-search\" type=\"search\" placeholder=\"operation, class\" "
      "autocomplete=\"off\"></label><label><span>Some chip is</span><select id=\"filter-mark\">"
      "<option value=\"\">any</option>";
  for (size_t i = 0; i < kMarks; ++i) {
    const MarkFact& fact = FactOf(static_cast<Mark>(i));
    html += fmt::format("<option value=\"{}\">{}</option>", fact.style, fact.name);
  }
  html += "</select></label></nav>\n<p id=\"count\" role=\"status\"></p>\n";
  std::vector<std::string> columns = {"operation"};
  for (const SiteChip& chip : site.chips) {
    columns.push_back(chip.target + " " + EvidenceWord(chip.provenance));
  }
  for (size_t op = 0; op < site.ops.size();) html += ClassSection(site, columns, op);
  page.content = html + MarkLegend();
  page.script = page::kSiteFilter;
  return SiteHtml(page, site.data.AnySimulated());
}

}  // namespace anecheck::reports
