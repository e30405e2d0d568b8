#include "reports/site/site_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "harness/base/counted.h"
#include "oracles/defect_words.h"
#include "reports/site/site_html.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

// Returns the date, label and system of a standing's evidence, for example "2026-01-02, nightly
// system 1".
std::string Place(const Site& site, const Standing& standing) {
  const Snapshot& snapshot = site.snapshots[standing.snapshot];
  return OccasionText(snapshot) + " <small>" + EscapeXml(snapshot.os) + "</small>";
}

std::string Direction(const SiteChange& change) {
  if (change.worse) return "<span class=\"broken\">worse</span>";
  if (change.better) return "<span class=\"better\">better</span>";
  return "other";
}

}  // namespace

std::string OccasionText(const Snapshot& snapshot) {
  return EscapeXml(snapshot.date + (snapshot.label.empty() ? "" : ", " + snapshot.label));
}

std::string ChangeTable(const Site& site, std::string_view label,
                        std::span<const SiteChange* const> changes, int depth, size_t most,
                        ChipColumn chip) {
  TableHtml table(std::string(label),
                  {"operation", "change", "chip", "route", "was", "is", "since", "before"});
  table.Limit(most);
  if (chip == ChipColumn::kLeftOut) table.Without("chip");
  for (const SiteChange* change : changes) {
    table.Add({OpLink(site, change->cell.op, depth), Direction(*change),
               ChipLink(site, change->chip, depth), std::string(ToText(change->cell.route)),
               MarkSign(change->before.mark) + " " + std::string(FactOf(change->before.mark).name),
               MarkSign(change->after.mark) + " " + std::string(FactOf(change->after.mark).name),
               Place(site, change->after), Place(site, change->before)});
  }
  return table.Html("Nothing changed.");
}

std::string DefectTable(const Site& site, std::string_view label,
                        std::span<const SiteDefect* const> defects, int depth, size_t most,
                        ChipColumn chip) {
  TableHtml table(std::string(label),
                  {"operation", "kind", "finding", "chip", "#cases", "first seen", "last seen"});
  table.Limit(most);
  if (chip == ChipColumn::kLeftOut) table.Without("chip");
  for (const SiteDefect* defect : defects) {
    const FindingInfo& finding = site.Shown(*defect);
    const auto op = std::ranges::find(site.ops, finding.op, &SiteOp::name);
    std::string kind(ToText(finding.verdict));
    if (finding.is_new) kind = fmt::format("<span class=\"broken\">{}</span>", kind);
    const std::string words = DefectWords(finding.defects, finding.op);
    table.Add({op == site.ops.end()
                   ? "(case)"
                   : OpLink(site, static_cast<size_t>(op - site.ops.begin()), depth),
               kind,
               "<span class=\"text\">" + Anchor(Up(depth) + defect->page, finding.summary) +
                   (words.empty() ? "" : "<br><small>" + EscapeXml(words) + "</small>") + "</span>",
               defect->chip ? ChipLink(site, *defect->chip, depth) : EscapeXml(finding.target),
               std::to_string(defect->cases), EscapeXml(defect->first),
               EscapeXml(defect->last) + (defect->gone ? " <small>not seen since</small>" : "")});
  }
  return table.Html("None.");
}

std::string MarkLegend() {
  std::string list = "<ul class=\"legend\" aria-label=\"Legend\">";
  for (size_t i = 0; i < kMarks; ++i) {
    const Mark mark = static_cast<Mark>(i);
    list +=
        fmt::format("<li>{} {}: {}</li>", MarkSign(mark), FactOf(mark).name, FactOf(mark).words);
  }
  return list + "</ul>\n";
}

std::string ChangeSentence(std::span<const SiteChange* const> changes) {
  std::set<std::pair<size_t, size_t>> worse, better;
  for (const SiteChange* change : changes) {
    if (change->worse) worse.emplace(change->chip, change->cell.op);
    if (change->better) better.emplace(change->chip, change->cell.op);
  }
  return fmt::format("{} worse and {} better",
                     Counted(static_cast<int64_t>(worse.size()), "operation"), better.size());
}

}  // namespace anecheck::reports
