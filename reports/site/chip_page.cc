// The page of a chip. It shows the number of right operations by date, changes, findings, errors,
// and the runs on which these are based.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "reports/site/site_html.h"
#include "reports/site/site_pages.h"
#include "reports/site/site_tables.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

constexpr size_t kChipChanges = 100;
constexpr size_t kChipDefects = 100;

std::vector<const SiteDefect*> DefectsOf(const Site& site, size_t chip) {
  std::vector<const SiteDefect*> list;
  for (const SiteDefect& defect : site.defects) {
    if (defect.chip == chip) list.push_back(&defect);
  }
  return list;
}

std::string HistoryPlot(const Site& site, const SiteChip& chip) {
  std::vector<DatePoint> points;
  for (const auto& [date, counts] : site.CountByDay(chip)) {
    points.push_back({date, counts.Percent().value_or(0)});
  }
  return DatePlot("Per cent of the attested operations that are right", points);
}

// Plots, for each class of operations, the shortest time of a run until its first finding.
std::string FindingPlot(const Site& site, size_t chip) {
  std::map<std::string, double> first;
  for (const SiteDefect* defect : DefectsOf(site, chip)) {
    for (const size_t index : defect->findings) {
      const FindingInfo& finding = site.data.findings[index];
      const auto op = std::ranges::find(site.ops, finding.op, &SiteOp::name);
      if (op == site.ops.end() || !finding.seconds) continue;
      const auto [entry, fresh] = first.emplace(op->op_class, *finding.seconds);
      if (!fresh) entry->second = std::min(entry->second, *finding.seconds);
    }
  }
  if (first.empty()) return "";
  return LengthPlot("Time to the first finding, by class", "s", {first.begin(), first.end()});
}

std::string ClassTable(const Site& site, const SiteChip& chip) {
  TableHtml table("Classes of operations", {"class", "#right", "bar", "operations"});
  for (const std::string& op_class : site.classes) {
    const MarkCounts counts = site.Count(chip, op_class);
    if (counts.attested == 0 && counts.beyond == 0) continue;
    const auto percent = counts.Percent();
    table.Add(
        {EscapeXml(op_class), percent ? fmt::format("{} %", *percent) : "−", MarkBar(counts),
         EscapeXml(MarkWords(counts)) +
             (counts.beyond == 0
                  ? ""
                  : fmt::format("; {} ran although the rules do not admit them", counts.beyond))});
  }
  return table.Html();
}

std::string OpsByMark(const Site& site, const SiteChip& chip) {
  std::string html;
  for (const Mark mark : {Mark::kBroken, Mark::kRefused, Mark::kUnconfirmed, Mark::kKnown,
                          Mark::kUnjudged, Mark::kRight, Mark::kUntried}) {
    std::string list;
    int64_t count = 0;
    for (size_t op = 0; op < site.ops.size(); ++op) {
      if (site.MarkOn(op, chip) != mark) continue;
      ++count;
      list += "<li>" + OpLink(site, op, 1) + "</li>";
    }
    if (count == 0) continue;
    const bool open = mark == Mark::kBroken || mark == Mark::kRefused;
    html +=
        fmt::format("<details{}><summary>{} {}: {}</summary><ul class=\"ops\">{}</ul></details>\n",
                    open ? " open" : "", MarkSign(mark), FactOf(mark).name, count, list);
  }
  return html;
}

// Returns the operations with the largest errors, including operations that are not wrong.
std::string WorstErrors(const Site& site, const SiteChip& chip) {
  std::vector<std::tuple<uint64_t, std::string, uint64_t>> worst;
  for (const auto& [key, by_magnitude] : site.data.magnitudes) {
    if (key.target != chip.target || key.provenance != chip.provenance) continue;
    uint64_t most = 0, elements = 0;
    for (const auto& [exponent, errors] : by_magnitude) {
      most = std::max(most, errors.max_ulp);
      elements += errors.elements;
    }
    if (most > 0) worst.emplace_back(most, key.op, elements);
  }
  std::ranges::sort(worst, std::greater());
  TableHtml table("Worst errors", {"operation", "#largest error in ulp", "#elements"});
  table.Limit(20);
  for (const auto& [most, name, elements] : worst) {
    const auto op = std::ranges::find(site.ops, name, &SiteOp::name);
    table.Add({op == site.ops.end() ? EscapeXml(name.empty() ? "(no operation)" : name)
                                    : OpLink(site, static_cast<size_t>(op - site.ops.begin()), 1),
               std::to_string(most), std::to_string(elements)});
  }
  return table.Html("Every element that was judged is exact.");
}

std::string RunTable(const Site& site, const SiteChip& chip) {
  TableHtml table("Runs",
                  {"run", "day", "chip", "system", "compiler", "#cases", "seed", "shard", "state"});
  table.Limit(100);
  for (size_t i = chip.snapshots.size(); i-- > 0;) {
    const Snapshot& snapshot = site.snapshots[chip.snapshots[i]];
    for (const size_t index : snapshot.runs) {
      const RunInfo& run = site.data.runs[index];
      table.Add({EscapeXml(run.name), EscapeXml(snapshot.date), EscapeXml(run.chip),
                 EscapeXml(run.os), EscapeXml(run.compiler_version), std::to_string(run.cases),
                 std::to_string(run.seed),
                 run.shards == 1 ? "" : fmt::format("{} of {}", run.shard + 1, run.shards),
                 std::string(ToText(run.state))});
    }
  }
  return table.Html();
}

std::string ChipLead(const Site& site, size_t index) {
  const SiteChip& chip = site.chips[index];
  const MarkCounts all = site.Count(chip);
  const auto changes = site.ChangesOf(index, true);
  const Snapshot& newest = site.Newest(chip);
  return fmt::format(
      "<h1>{} <small>{}</small></h1>\n<p class=\"answer\"><strong>{} %</strong> of {} attested "
      "operations are right: {}. {}</p>\n"
      "<p>{}</p>\n<p>{} · {}</p>\n",
      EscapeXml(chip.title), EvidenceWord(chip.provenance), all.Percent().value_or(0), all.attested,
      EscapeXml(MarkWords(all)),
      newest.occasion == 0
          ? std::string(kNothingToCompare)
          : fmt::format("On {}, compared with the date before: <strong>{}</strong>.",
                        OccasionText(newest), ChangeSentence(changes)),
      MarkBar(all), Anchor("../compare.html#chip=" + chip.slug, "Compare this chip's dates"),
      Anchor("../badges/" + chip.slug + ".svg", "Badge"));
}

}  // namespace

std::string ChipHtml(const Site& site, size_t index) {
  const SiteChip& chip = site.chips[index];
  const bool compares = site.Newest(chip).occasion > 0;
  const std::string all_changes =
      compares ? "<h3>All changes</h3>\n" + ChangeTable(site, "All changes",
                                                        site.ChangesOf(index, false), 1,
                                                        kChipChanges, ChipColumn::kLeftOut)
               : "";
  SitePage page{"anecheck: " + chip.title, 1, chip.slug + ".json", {}, {}, "{}"};
  page.content =
      ChipLead(site, index) +
      Part("new", "New since the last date",
           compares ? ChangeTable(site, "Newest changes", site.ChangesOf(index, true), 1,
                                  kChipChanges, ChipColumn::kLeftOut)
                    : Paragraph(kNothingToCompare)) +
      Part("findings", "Findings",
           DefectTable(site, "Findings", DefectsOf(site, index), 1, kChipDefects,
                       ChipColumn::kLeftOut)) +
      Part("classes", "Classes", ClassTable(site, chip)) +
      Part("operations", "Operations", OpsByMark(site, chip)) +
      Part("history", "History",
           "<div class=\"plots\">" + HistoryPlot(site, chip) + FindingPlot(site, index) +
               "</div>\n" + all_changes) +
      Part("errors", "Worst errors",
           Hint("Units in the last place of the output's type, over all runs. An error of more "
                "than 65536 counts as that.") +
               WorstErrors(site, chip)) +
      Part("runs", "Runs", RunTable(site, chip));
  return SiteHtml(page, site.data.AnySimulated());
}

std::string BadgeSvg(const Site& site, size_t index) {
  const SiteChip& chip = site.chips[index];
  const MarkCounts counts = site.Count(chip);
  const std::string left = chip.target;
  const std::string right =
      fmt::format("{} % right, {}", counts.Percent().value_or(0), EvidenceWord(chip.provenance));
  const size_t left_wide = 12 + 7 * left.size(), right_wide = 12 + 7 * right.size();
  // White text on these colours has a contrast of at least 4.5 to 1.
  const char* colour = counts.Of(Mark::kBroken) > 0 ? "#b3400a" : "#00609a";
  const std::string words = EscapeXml(left + ": " + right);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" "
      "aria-label=\"{4}\"><title>{4}</title><rect width=\"{1}\" height=\"20\" fill=\"#444c54\"/>"
      "<rect x=\"{1}\" width=\"{2}\" height=\"20\" fill=\"{3}\"/><g fill=\"#fff\" "
      "font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\"><text x=\"6\" y=\"14\">{5}"
      "</text><text x=\"{6}\" y=\"14\">{7}</text></g></svg>\n",
      left_wide + right_wide, left_wide, right_wide, colour, words, EscapeXml(left), left_wide + 6,
      EscapeXml(right));
}

}  // namespace anecheck::reports
