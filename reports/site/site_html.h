// The common parts of a lab's pages. They are the frame, marks, tables and plots as HTML and SVG.
// This file or the calling page escapes text of results by EscapeXml. Every picture has a text
// alternative.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/site/site_data.h"

namespace anecheck::reports {

// A page of the site. It is `depth` folders below the front page.
struct SitePage {
  std::string title;
  int depth = 0;
  std::string json;     // the name of the JSON file of the page, in the same folder
  std::string content;  // HTML
  std::string_view script;
  std::string data;  // JSON for the script
};
std::string SiteHtml(const SitePage& page, bool simulated);

// Returns "../" repeated `depth` times.
std::string Up(int depth);

// `html` is inserted unchanged, `text` is escaped.
std::string Anchor(std::string_view href, std::string_view text);
// Returns a part of a page with its heading. A browser lays out only the parts on the screen. For
// other parts it assumes a height, which this function computes from the rows and plots of `html`.
std::string Part(std::string_view id, std::string_view text, const std::string& html);
std::string Paragraph(std::string_view html);
std::string Hint(std::string_view text);

// Returns the sign of a mark, and the mark's name for readers who cannot see the sign.
std::string MarkSign(Mark mark);

// Returns the word that accompanies every mention of a chip: "SIMULATED", "reported" or "silicon".
std::string EvidenceWord(Provenance provenance);
std::string ChipLink(const Site& site, size_t chip, int depth);
std::string OpLink(const Site& site, size_t op, int depth);

// Returns the head of a narrow column, with vertical text.
std::string TurnedHead(std::string_view text);

// A table in its own scroll region. Cells are HTML. A column whose name begins with "#" has
// numbers, and a column whose name begins with "|" is narrow. If there are no rows, Html returns
// `empty` as a paragraph.
class TableHtml {
 public:
  TableHtml(std::string label, std::vector<std::string> columns)
      : label_(std::move(label)), columns_(std::move(columns)) {}
  void Add(std::vector<std::string> cells);
  // Adds a row as Add does. `whole` has further cells as complete "<td>...</td>" elements.
  void AddWithCells(std::vector<std::string> cells, std::string_view whole);
  size_t size() const { return rows_; }
  // Whether further rows are only counted. AddUnseen counts such a row without its cells.
  bool IsFull() const { return rows_ >= most_; }
  void AddUnseen() { ++rows_; }
  // Limits the number of rows that are shown. A line states the number of other rows.
  TableHtml& Limit(size_t most) {
    most_ = most;
    return *this;
  }
  // Leaves out a column and its cells. Precondition: no row was added.
  TableHtml& Without(std::string_view column);
  std::string Html(std::string_view empty = {}) const;

 private:
  std::string label_;
  std::vector<std::string> columns_;
  std::string body_;
  size_t rows_ = 0, most_ = SIZE_MAX, left_out_ = SIZE_MAX;
};

// Returns one bar, divided in proportion to the counts of the marks, with a text alternative.
std::string MarkBar(const MarkCounts& counts);
// "61 right, 3 broken, 120 not tried".
std::string MarkWords(const MarkCounts& counts);

// A line over dates, from 0 to 100 per cent.
struct DatePoint {
  std::string date;
  int percent = 0;
};
std::string DatePlot(std::string_view label, const std::vector<DatePoint>& points);

// Draws vertical bars on a logarithmic scale. As many bars as space permits have their name below
// them.
struct CountPlotWords {
  std::string label;
  std::string_view across, upward;  // the units of the axes
};
std::string CountPlot(const CountPlotWords& words, const std::vector<std::string>& names,
                      const std::vector<uint64_t>& counts);

// Horizontal bars. The name of a bar is above it, and its value in `unit` after it.
std::string LengthPlot(std::string_view label, std::string_view unit,
                       const std::vector<std::pair<std::string, double>>& bars);

}  // namespace anecheck::reports
