// The page that compares any two chips, dates, systems or routes. It contains all marks, from which
// a script shows the differences.
#include <fmt/format.h>

#include "harness/base/json_text.h"
#include "reports/page_files.h"
#include "reports/site/site_html.h"
#include "reports/site/site_pages.h"

namespace anecheck::reports {
namespace {

// The maximum number of snapshots of each chip on the page. They are the newest ones.
constexpr size_t kSnapshotsOfChip = 40;

// Returns one letter for each operation. The letter is "." if the operation was not tried. A run of
// equal letters is written as its length and the letter.
std::string PackMarks(const Site& site, const CellMap<Standing>& cells, Route route) {
  std::string packed;
  char last = 0;
  size_t count = 0;
  const auto flush = [&] {
    if (count > 1) packed += std::to_string(count);
    if (count > 0) packed += last;
  };
  for (size_t op = 0; op < site.ops.size(); ++op) {
    const Standing* found = cells.Find({op, route});
    const char mark =
        found == nullptr ? '.' : static_cast<char>('a' + static_cast<int>(found->mark));
    if (mark != last) {
      flush();
      last = mark;
      count = 0;
    }
    ++count;
  }
  flush();
  return packed;
}

Json SideJson(const Site& site, const SiteChip& chip, const CellMap<Standing>& cells) {
  return {{"chip", chip.slug},
          {"title", chip.title + ", " + EvidenceWord(chip.provenance)},
          {"mil", PackMarks(site, cells, Route::kMil)},
          {"netlist", PackMarks(site, cells, Route::kNetlist)}};
}

}  // namespace

Json CompareJson(const Site& site) {
  Json json = {{"version", 1},
               {"simulated", site.data.AnySimulated()},
               {"marks", Json::array()},
               {"ops", Json::array()},
               {"sides", Json::array()}};
  for (size_t i = 0; i < kMarks; ++i) {
    const MarkFact& fact = FactOf(static_cast<Mark>(i));
    json["marks"].push_back({{"name", fact.name}, {"sign", fact.sign}, {"style", fact.style}});
  }
  for (const SiteOp& op : site.ops) {
    json["ops"].push_back({{"name", op.name}, {"class", op.op_class}, {"page", op.slug}});
  }
  for (const SiteChip& chip : site.chips) {
    Json now = SideJson(site, chip, chip.now);
    now["id"] = chip.slug;
    now["name"] = "newest of each operation";
    json["sides"].push_back(std::move(now));
    const size_t count = std::min(chip.snapshots.size(), kSnapshotsOfChip);
    for (size_t i = 0; i < count; ++i) {
      const Snapshot& at = site.snapshots[chip.snapshots[chip.snapshots.size() - 1 - i]];
      Json side = SideJson(site, chip, at.cells);
      side["id"] = at.slug;
      side["name"] = fmt::format("{}{}{}, {}, {}", at.date, at.label.empty() ? "" : ", ", at.label,
                                 at.os, at.compiler);
      json["sides"].push_back(std::move(side));
    }
  }
  return json;
}

std::string CompareHtml(const Site& site) {
  SitePage page{"anecheck: comparison", 0, "compare.json", {}, page::kSiteCompare, {}};
  page.data = DumpJson(CompareJson(site));
  page.content =
      "<h1>Comparison</h1>\n<p class=\"answer\" id=\"answer\" role=\"status\"></p>\n"
      "<noscript><p>This page needs JavaScript. The same marks are in compare.json.</p>"
      "</noscript>\n<nav class=\"bar\" aria-label=\"The two sides\">"
      "<label class=\"side\"><span>Before</span><b id=\"name-a\" aria-hidden=\"true\"></b>"
      "<select id=\"side-a\"></select></label>"
      "<label><span>Route</span><select id=\"route-a\"></select></label>"
      "<label class=\"side\"><span>After</span><b id=\"name-b\" aria-hidden=\"true\"></b>"
      "<select id=\"side-b\"></select></label>"
      "<label><span>Route</span><select id=\"route-b\"></select></label>"
      "<label><span>Shown</span><select id=\"shown\"><option value=\"\">differences</option>"
      "<option value=\"worse\">worse</option><option value=\"better\">better</option>"
      "<option value=\"all\">all that both tried</option></select></label></nav>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Differences\">"
      "<table id=\"differences\"></table></div>\n";
  return SiteHtml(page, site.data.AnySimulated());
}

}  // namespace anecheck::reports
