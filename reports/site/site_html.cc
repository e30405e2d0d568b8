#include "reports/site/site_html.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/html.h"
#include "reports/page_files.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

constexpr std::string_view kSimulatedNote =
    "<p class=\"simulated\" role=\"note\"><strong>SIMULATED</strong> Results marked SIMULATED come "
    "from the simulated engine. They say nothing about silicon.</p>\n";

std::string Figure(std::string_view label, std::string_view svg, std::string_view words) {
  return fmt::format(
      "<figure><figcaption><strong>{}</strong></figcaption>{}<details><summary>as text</summary>"
      "<p>{}</p></details></figure>\n",
      EscapeXml(label), svg, words);
}

std::string Svg(int width, int height, std::string_view label, std::string_view content) {
  return fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}</svg>", width,
      height, EscapeXml(label), content);
}

std::string SvgText(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     EscapeXml(text));
}

// Returns the exponent of the least power of ten that is at least `most`. Returns at least 1.
int DecadesOf(uint64_t most) {
  int decades = 1;
  for (uint64_t top = 10; top < most && decades < 19; top *= 10) ++decades;
  return decades;
}

// Returns a name such as "100", "10k" or "1M".
std::string DecadeName(int decade) {
  constexpr std::string_view kThousands[] = {"", "k", "M", "G", "T", "P", "E"};
  return fmt::format("1{:0>{}}{}", "", decade % 3, kThousands[decade / 3]);
}

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size()) {
    ++count;
  }
  return count;
}

}  // namespace

std::string Up(int depth) {
  std::string path;
  for (int i = 0; i < depth; ++i) path += "../";
  return path;
}

std::string SiteHtml(const SitePage& page, bool simulated) {
  std::string html =
      AssemblePage(page::kSiteTemplate, {page::kPageStyle, page::kSiteStyle}, {page.script});
  for (int i = 0; i < 3; ++i) html = FillMark(html, "{{root}}", Up(page.depth));
  html = FillMark(html, "{{title}}", EscapeXml(page.title));
  html = FillMark(html, "{{json}}", EscapeXml(page.json));
  // Fills in data and content last, so that text in them is not mistaken for a placeholder.
  const size_t data = html.find("{{data}}");
  html.replace(data, std::string_view("{{data}}").size(), ScriptSafe(page.data));
  return FillMark(html, "{{content}}",
                  (simulated ? std::string(kSimulatedNote) : "") + page.content);
}

std::string Anchor(std::string_view href, std::string_view text) {
  return fmt::format("<a href=\"{}\">{}</a>", EscapeXml(href), EscapeXml(text));
}

std::string Part(std::string_view id, std::string_view text, const std::string& html) {
  constexpr size_t kRow = 30, kPlot = 120;  // pixels
  const size_t height =
      kRow * (1 + CountOf(html, "<tr>")) + kPlot * CountOf(html, "<svg class=\"plot");
  return fmt::format(
      "<h2 id=\"{}\">{}</h2>\n"
      "<div class=\"part\" style=\"contain-intrinsic-size: auto 60rem auto {}px\">{}</div>\n",
      id, EscapeXml(text), height, html);
}

std::string Paragraph(std::string_view html) { return fmt::format("<p>{}</p>\n", html); }

std::string Hint(std::string_view text) {
  return fmt::format("<p class=\"hint\">{}</p>\n", EscapeXml(text));
}

std::string MarkSign(Mark mark) {
  const MarkFact& fact = FactOf(mark);
  return fmt::format(
      "<span class=\"chip s-{}\" title=\"{}\"><span aria-hidden=\"true\">{}</span>"
      "<span class=\"unseen\">{}</span></span>",
      fact.style, fact.name, fact.sign, fact.name);
}

std::string EvidenceWord(Provenance provenance) {
  return provenance == Provenance::kSimulated ? "SIMULATED" : std::string(ToText(provenance));
}

std::string ChipLink(const Site& site, size_t chip, int depth) {
  const SiteChip& one = site.chips[chip];
  return Anchor(Up(depth) + "chips/" + one.slug + ".html", one.title) + " <small>" +
         EvidenceWord(one.provenance) + "</small>";
}

std::string OpLink(const Site& site, size_t op, int depth) {
  return fmt::format("<a class=\"op\" href=\"{}ops/{}.html\">{}</a>", Up(depth), site.ops[op].slug,
                     EscapeXml(site.ops[op].name));
}

std::string TurnedHead(std::string_view text) {
  return "<th scope=\"col\" class=\"turned\"><span>" + EscapeXml(text) + "</span></th>";
}

TableHtml& TableHtml::Without(std::string_view column) {
  const auto found = std::ranges::find(columns_, column);
  left_out_ = static_cast<size_t>(found - columns_.begin());
  columns_.erase(found);
  return *this;
}

void TableHtml::Add(std::vector<std::string> cells) { AddWithCells(std::move(cells), {}); }

void TableHtml::AddWithCells(std::vector<std::string> cells, std::string_view whole) {
  if (++rows_ > most_) return;
  if (left_out_ < cells.size()) cells.erase(cells.begin() + static_cast<ptrdiff_t>(left_out_));
  body_ += "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool number = i < columns_.size() && columns_[i].starts_with('#');
    if (i == 0) {
      body_ += "<th scope=\"row\">" + cells[i] + "</th>";
    } else {
      body_ += (number ? "<td class=\"number\">" : "<td>") + cells[i] + "</td>";
    }
  }
  body_ += whole;
  body_ += "</tr>\n";
}

std::string TableHtml::Html(std::string_view empty) const {
  if (rows_ == 0) return empty.empty() ? "" : Paragraph(EscapeXml(empty));
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>",
      EscapeXml(label_));
  for (const std::string& column : columns_) {
    if (column.starts_with('|')) {
      html += TurnedHead(column.substr(1));
      continue;
    }
    const bool number = column.starts_with('#');
    html += fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"number\"" : "",
                        EscapeXml(number ? column.substr(1) : column));
  }
  html += "</tr></thead><tbody>\n" + body_ + "</tbody></table></div>\n";
  if (rows_ > most_) html += Hint(fmt::format("{} more are in the JSON.", rows_ - most_));
  return html;
}

std::string MarkWords(const MarkCounts& counts) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < kMarks; ++i) {
    if (counts.marks[i] == 0) continue;
    parts.push_back(fmt::format("{} {}", counts.marks[i], FactOf(static_cast<Mark>(i)).name));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string MarkBar(const MarkCounts& counts) {
  std::string bars;
  double at = 0;
  for (const Mark mark : {Mark::kRight, Mark::kKnown, Mark::kUnconfirmed, Mark::kRefused,
                          Mark::kBroken, Mark::kUnjudged, Mark::kUntried}) {
    if (counts.attested == 0 || counts.Of(mark) == 0) continue;
    const double wide =
        240.0 * static_cast<double>(counts.Of(mark)) / static_cast<double>(counts.attested);
    bars +=
        fmt::format("<rect class=\"f-{}\" x=\"{:.2f}\" y=\"0\" width=\"{:.2f}\" height=\"14\"/>",
                    FactOf(mark).style, at, wide);
    at += wide;
  }
  return fmt::format(
      "<svg class=\"bar-of-marks\" viewBox=\"0 0 240 14\" preserveAspectRatio=\"none\" "
      "role=\"img\" "
      "aria-label=\"{}\">{}</svg>",
      EscapeXml(MarkWords(counts)), bars);
}

std::string DatePlot(std::string_view label, const std::vector<DatePoint>& points) {
  constexpr int kWidth = 400, kHeight = 150, kLeft = 48, kRight = 12, kTop = 8, kBottom = 24;
  const auto across = [&](size_t i) {
    const double part =
        points.size() < 2 ? 0.5 : static_cast<double>(i) / static_cast<double>(points.size() - 1);
    return kLeft + 6 + part * (kWidth - kLeft - kRight - 12);
  };
  const auto up = [](int percent) {
    return kHeight - kBottom - percent * (kHeight - kTop - kBottom) / 100.0;
  };
  std::string content, path, marks;
  for (const int percent : {0, 50, 100}) {
    content += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft,
                           kWidth - kRight, up(percent), up(percent));
    content += SvgText(kLeft - 4, up(percent) + 4, "end", fmt::format("{} %", percent));
  }
  std::vector<std::string> words;
  const size_t every = (points.size() + 4) / 5;
  for (size_t i = 0; i < points.size(); ++i) {
    path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", across(i), up(points[i].percent));
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>", across(i),
                         up(points[i].percent));
    if (i % std::max<size_t>(every, 1) == 0) {
      const bool end = i > 0 && i + 1 == points.size();
      content += SvgText(end ? kWidth : across(i), kHeight - 8, end ? "end" : "middle",
                         points[i].date.substr(2));
    }
    words.push_back(fmt::format("{}: {} %", EscapeXml(points[i].date), points[i].percent));
  }
  content += fmt::format("<path class=\"series-0\" d=\"{}\"/>{}", path, marks);
  return Figure(label, Svg(kWidth, kHeight, label, content),
                fmt::format("{}", fmt::join(words, "; ")));
}

std::string CountPlot(const CountPlotWords& words, const std::vector<std::string>& names,
                      const std::vector<uint64_t>& counts) {
  constexpr int kWidth = 400, kHeight = 180, kLeft = 44, kRight = 16, kTop = 22, kBottom = 40;
  constexpr int kFloor = kHeight - kBottom, kMostLines = 5;
  constexpr double kLabelWidth = 46;
  const uint64_t most = counts.empty() ? 0 : *std::ranges::max_element(counts);
  const int decades = DecadesOf(most);
  // The height of a number is the logarithm of the number plus 1, so that 0 is on the axis and 1
  // above it.
  const auto up = [&](double value) {
    return kFloor - (kFloor - kTop) * std::log10(1 + value) / std::log10(1 + std::pow(10, decades));
  };
  std::string content = SvgText(0, 12, "start", words.upward);
  const auto add_line = [&](double value, std::string_view text) {
    content += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft,
                           kWidth - kRight, up(value), up(value));
    content += SvgText(kLeft - 5, up(value) + 4, "end", text);
  };
  add_line(0, "0");
  // On a long axis, the line of 1 would be too near to the line of 0.
  const int least = decades > 2 ? 1 : 0;
  for (int decade = decades; decade >= least; decade -= decades / kMostLines + 1) {
    add_line(std::pow(10, decade), DecadeName(decade));
  }
  const double slot =
      (kWidth - kLeft - kRight) / static_cast<double>(std::max<size_t>(counts.size(), 1));
  const auto every = static_cast<size_t>(std::ceil(kLabelWidth / slot));
  std::vector<std::string> texts;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double x = kLeft + slot * static_cast<double>(i);
    if (i % every == 0) content += SvgText(x + slot / 2, kFloor + 15, "middle", names[i]);
    if (counts[i] == 0) continue;
    const double y = up(static_cast<double>(counts[i]));
    content += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                           x + slot / 10, y, slot * 0.8, kFloor - y);
    texts.push_back(fmt::format("{}: {}", EscapeXml(names[i]), counts[i]));
  }
  content += SvgText((kLeft + kWidth - kRight) / 2.0, kHeight - 6, "middle", words.across);
  return Figure(words.label, Svg(kWidth, kHeight, words.label, content),
                fmt::format("{}", fmt::join(texts, "; ")));
}

std::string LengthPlot(std::string_view label, std::string_view unit,
                       const std::vector<std::pair<std::string, double>>& bars) {
  constexpr int kWidth = 400, kRow = 36, kMost = 320;
  double most = 0;
  for (const auto& [name, value] : bars) most = std::max(most, value);
  std::string content;
  std::vector<std::string> words;
  int y = 0;
  for (const auto& [name, value] : bars) {
    const double wide = most > 0 ? std::max(1.0, kMost * value / most) : 1.0;
    const std::string figure = fmt::format("{:.3g} {}", value, unit);
    content += SvgText(0, y + 13, "start", name);
    content += fmt::format("<rect x=\"0\" y=\"{}\" width=\"{:.1f}\" height=\"12\"/>", y + 18, wide);
    content += SvgText(wide + 5, y + 28, "start", figure);
    words.push_back(fmt::format("{}: {}", EscapeXml(name), figure));
    y += kRow;
  }
  return Figure(label, Svg(kWidth, std::max(y, kRow), label, content),
                fmt::format("{}", fmt::join(words, "; ")));
}

}  // namespace anecheck::reports
