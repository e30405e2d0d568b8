// The page of an operation. It shows the marks by chip, the signature, the rules with their
// sources, evidence, history and errors.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>

#include "harness/targets/chip_names.h"
#include "oracles/legality/legality.h"
#include "reports/site/site_html.h"
#include "reports/site/site_pages.h"
#include "reports/site/site_tables.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

constexpr size_t kShownEvidence = 120;
constexpr size_t kShownPlots = 16;

std::string EscapedMember(const Json& json, const char* name) {
  return json[name].is_string() ? EscapeXml(json[name].get<std::string>()) : "";
}

std::string OpSignature(const Json& reference) {
  if (!reference.is_object()) return "";
  TableHtml table("Arguments", {"argument", "kind", "element types", "default", "choices"});
  for (const Json& parameter : reference["parameters"]) {
    std::vector<std::string> choices;
    for (const Json& choice : parameter["choices"]) {
      choices.push_back(EscapeXml(choice.get<std::string>()));
    }
    table.Add(
        {"<span class=\"op\">" + EscapedMember(parameter, "name") + "</span>",
         EscapedMember(parameter, "kind") + (parameter["constant"].get<bool>() ? ", constant" : ""),
         EscapedMember(parameter, "dtypes"),
         parameter["required"].get<bool>() ? "required" : EscapedMember(parameter, "default"),
         fmt::format("<span class=\"text\">{}</span>", fmt::join(choices, ", "))});
  }
  std::string html = table.Html("No arguments are listed.");
  if (!reference["reference"].get<bool>()) {
    html += Paragraph("No numeric reference: " + EscapedMember(reference, "reason") + ".");
  }
  return html;
}

std::string LayerLines(const legality::Verdict& verdict) {
  std::string html;
  for (const legality::LayerVerdict& layer : verdict.layers) {
    if (layer.rule.empty() || !layer.reached) continue;
    html += fmt::format("<li>{}: {}. {} <small>{}</small></li>", legality::LayerName(layer.layer),
                        legality::RulingName(layer.ruling), EscapeXml(layer.reason),
                        EscapeXml(layer.source));
    for (const legality::OtherReading& other : layer.others) {
      html += fmt::format("<li>Otherwise: {} <small>{}</small></li>", EscapeXml(other.says),
                          EscapeXml(other.source));
    }
  }
  return html.empty() ? "" : "<ul>" + html + "</ul>";
}

// Returns the answers of the rules. Targets with the same answer share a row.
std::string OpRules(const Site& site, const SiteOp& op) {
  if (!op.row) return Paragraph("No table has an operation of this name.");
  std::string html;
  for (size_t route = 0; route < site.rules.routes.size(); ++route) {
    std::map<uint32_t, std::vector<std::string>> targets;
    for (size_t target = 0; target < site.rules.targets.size(); ++target) {
      targets[site.rules.at(*op.row, target, route).verdict].push_back(
          site.rules.targets[target]->compiler_name);
    }
    TableHtml table(fmt::format("Rules by {}", site.rules.routes[route]),
                    {"answer", "targets", "rules that apply, with their sources"});
    for (const auto& [verdict, names] : targets) {
      const legality::Verdict& said = site.rules.verdicts[verdict];
      table.Add({std::string(legality::OutcomeName(said.outcome)),
                 fmt::format("<span class=\"text\">{}</span>", fmt::join(names, ", ")),
                 LayerLines(said)});
    }
    html += fmt::format("<h3>Route {}</h3>\n", site.rules.routes[route]) + table.Html();
  }
  return html;
}

std::string OpEvidence(const Site& site, size_t op) {
  TableHtml table("Evidence of runs",
                  {"chip", "mark", "route", "day", "machine", "system", "compiler", "#cases",
                   "#ran", "#right", "#wrong", "#known defect", "#refused"});
  table.Limit(kShownEvidence);
  for (size_t chip = 0; chip < site.chips.size(); ++chip) {
    const std::vector<size_t>& snapshots = site.chips[chip].snapshots;
    for (size_t i = snapshots.size(); i-- > 0;) {
      const Snapshot& snapshot = site.snapshots[snapshots[i]];
      for (const Route route : {Route::kMil, Route::kNetlist}) {
        const Standing* found = snapshot.cells.Find({op, route});
        if (found == nullptr) continue;
        if (table.IsFull()) {
          table.AddUnseen();
          continue;
        }
        const ReachCounts& counts = found->counts;
        table.Add({ChipLink(site, chip, 1), MarkSign(found->mark), std::string(ToText(route)),
                   EscapeXml(snapshot.date), EscapeXml(snapshot.machine), EscapeXml(snapshot.os),
                   EscapeXml(snapshot.compiler), std::to_string(counts.cases),
                   std::to_string(counts.dispatched), std::to_string(counts.correct),
                   std::to_string(counts.wrong), std::to_string(counts.known_defect),
                   std::to_string(counts.rejected)});
      }
    }
  }
  return table.Html("No run had it.");
}

std::string PublishedEvidence(const Site& site, const SiteOp& op) {
  if (!op.row) return "";
  TableHtml table("Evidence of others",
                  {"target", "stage", "route", "evidence", "source", "chip", "system", "note"});
  table.Limit(kShownEvidence);
  std::vector<uint32_t> all;
  for (size_t target = 0; target < site.rules.targets.size(); ++target) {
    for (size_t route = 0; route < site.rules.routes.size(); ++route) {
      const auto& own = site.rules.at(*op.row, target, route).statements;
      all.insert(all.end(), own.begin(), own.end());
    }
  }
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  for (const uint32_t index : all) {
    const evidence::Statement& said = site.rules.statements[index];
    if (said.source == "campaign") continue;
    table.Add({EscapeXml(said.target), std::string(ToText(said.stage)),
               said.route ? std::string(ToText(*said.route)) : "",
               std::string(ToText(said.provenance)),
               "<span class=\"text\">" + EscapeXml(said.source) + "</span>", EscapeXml(said.chip),
               EscapeXml(said.os), "<span class=\"text\">" + EscapeXml(said.note) + "</span>"});
  }
  return table.size() == 0 ? "" : "<h3>Published and reported</h3>\n" + table.Html();
}

std::string OpHistory(const Site& site, size_t op) {
  std::vector<std::string> dates;
  dates.reserve(site.snapshots.size());
  for (const Snapshot& snapshot : site.snapshots) dates.push_back(snapshot.date);
  std::ranges::sort(dates, std::greater());
  const auto repeated = std::ranges::unique(dates);
  dates.erase(repeated.begin(), repeated.end());
  if (dates.size() > 24) dates.resize(24);
  std::vector<std::string> columns = {"chip"};
  for (const std::string& date : dates) columns.push_back("|" + date);
  TableHtml table("History", columns);
  for (size_t chip = 0; chip < site.chips.size(); ++chip) {
    std::map<std::string, Mark> marks;
    for (const size_t index : site.chips[chip].snapshots) {
      for (const Route route : {Route::kMil, Route::kNetlist}) {
        const Standing* found = site.snapshots[index].cells.Find({op, route});
        if (found == nullptr) continue;
        const auto [entry, fresh] = marks.emplace(site.snapshots[index].date, found->mark);
        if (!fresh) entry->second = std::max(entry->second, found->mark);
      }
    }
    if (marks.empty()) continue;
    std::vector<std::string> row = {ChipLink(site, chip, 1)};
    for (const std::string& date : dates) {
      const auto mark = marks.find(date);
      row.push_back(mark == marks.end() ? "" : MarkSign(mark->second));
    }
    table.Add(row);
  }
  return table.Html("No run had it.");
}

std::vector<std::string> BucketNames() {
  std::vector<std::string> names = {"0", "1", "2"};
  for (size_t i = 3; i + 1 < kUlpBuckets; ++i) {
    names.push_back(fmt::format("≤{}", uint64_t{1} << (i - 1)));
  }
  names.emplace_back("more");
  return names;
}

// Returns the bucket of the median. Precondition: `elements` is the sum of `counts`.
size_t MedianBucket(const UlpCounts& counts, uint64_t elements) {
  size_t bucket = 0;
  for (uint64_t seen = counts[0]; 2 * seen < elements; seen += counts[bucket]) ++bucket;
  return bucket;
}

std::string WidthTable(const Site& site, const SiteOp& op) {
  TableHtml table("Widths of the bounds in ulp",
                  {"chip", "elements", "one value is right", "median", "largest"});
  const std::vector<std::string> names = BucketNames();
  for (size_t chip = 0; chip < site.chips.size(); ++chip) {
    const auto found =
        site.data.widths.find({op.name, site.chips[chip].target, site.chips[chip].provenance});
    if (found == site.data.widths.end()) continue;
    const UlpCounts& counts = found->second;
    const uint64_t elements = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    const auto last = std::ranges::find_if(counts.rbegin(), counts.rend(),
                                           [](uint64_t number) { return number > 0; });
    if (last == counts.rend()) continue;
    table.Add({ChipLink(site, chip, 1), std::to_string(elements),
               fmt::format("{:.1f} %",
                           100.0 * static_cast<double>(counts[0]) / static_cast<double>(elements)),
               names[MedianBucket(counts, elements)],
               names[static_cast<size_t>(counts.rend() - last) - 1]});
  }
  return table.size() == 0 ? "" : "<h3>Widths of the bounds</h3>\n" + table.Html();
}

// Plots errors by magnitude. Magnitudes without elements leave a gap on the axis.
std::string MagnitudePlot(const ErrorsByMagnitude& errors, const std::string& where) {
  constexpr int kStep = 2;  // number of binary orders of magnitude that share a bar
  std::vector<std::string> names;
  std::vector<uint64_t> worst;
  for (const auto& [exponent, sums] : errors) {
    if (!names.empty()) {
      for (int between = std::stoi(names.back()) + kStep; between < exponent; between += kStep) {
        names.push_back(std::to_string(between));
        worst.push_back(0);
      }
    }
    names.push_back(std::to_string(exponent));
    worst.push_back(sums.max_ulp);
  }
  return CountPlot(
      {"Largest error by magnitude, " + where, "log2 of the value", "largest error in ulp"}, names,
      worst);
}

std::string ErrorPlots(const Site& site, const SiteOp& op) {
  std::string plots;
  size_t shown = 0;
  for (const SiteChip& chip : site.chips) {
    const HistogramKey key = {op.name, chip.target, chip.provenance};
    const auto histogram = site.data.histograms.find(key);
    if (histogram == site.data.histograms.end() || ++shown > kShownPlots) continue;
    const std::string where = fmt::format("{} {}", chip.target, EvidenceWord(chip.provenance));
    plots += CountPlot({"Elements by error, " + where, "error in ulp", "elements"}, BucketNames(),
                       {histogram->second.begin(), histogram->second.end()});
    const auto magnitudes = site.data.magnitudes.find(key);
    if (magnitudes == site.data.magnitudes.end()) continue;
    plots += MagnitudePlot(magnitudes->second, where);
  }
  if (plots.empty()) return Paragraph("No graph had this operation's result as an output.");
  return "<div class=\"plots\">" + plots + "</div>\n";
}

std::string OpLead(const Site& site, size_t op) {
  std::string html =
      fmt::format("<h1><span class=\"op\">{}</span></h1>\n<p>{}</p>\n<ul class=\"legend\">",
                  EscapeXml(site.ops[op].name), EscapeXml(site.ops[op].op_class));
  for (size_t chip = 0; chip < site.chips.size(); ++chip) {
    const Mark mark = site.MarkOn(op, site.chips[chip]);
    html += fmt::format("<li>{} {}: {}</li>", MarkSign(mark), ChipLink(site, chip, 1),
                        FactOf(mark).name);
  }
  return html + "</ul>\n";
}

}  // namespace

std::string OpHtml(const Site& site, size_t op, const Json& reference) {
  const SiteOp& one = site.ops[op];
  SitePage page{"anecheck: " + one.name, 1, one.slug + ".json", {}, {}, "{}"};
  std::vector<const SiteDefect*> defects;
  for (const SiteDefect& defect : site.defects) {
    if (site.Shown(defect).op == one.name) defects.push_back(&defect);
  }
  page.content = OpLead(site, op) +
                 Part("findings", "Findings", DefectTable(site, "Findings", defects, 1, 60)) +
                 Part("history", "History", OpHistory(site, op)) +
                 Part("errors", "Errors",
                      Hint("All runs of a chip together, on logarithmic axes.") +
                          ErrorPlots(site, one) + WidthTable(site, one)) +
                 Part("evidence", "Evidence",
                      Hint("Counts of the cases that contain the operation, by the verdict of the "
                           "whole case. The mark follows the operation that a finding names.") +
                          OpEvidence(site, op) + PublishedEvidence(site, one)) +
                 Part("signature", "Signature", OpSignature(reference)) +
                 Part("rules", "Rules", OpRules(site, one));
  return SiteHtml(page, site.data.AnySimulated());
}

}  // namespace anecheck::reports
