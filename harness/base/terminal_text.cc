#include "harness/base/terminal_text.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace anecheck {
namespace {

constexpr size_t kFewestColumns = 20;
// The additional indentation of a line that continues the line before.
constexpr size_t kDeeper = 4;
// The least number of spaces between cells.
constexpr size_t kGap = 2;
constexpr std::string_view kTool = "anecheck ";

size_t ColumnsOf(std::string_view text) {
  size_t columns = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size());
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++columns;
    }
  }
  return columns;
}

struct Cell {
  std::string_view text;
  size_t column = 0;
};

// Returns the cells of a line, without the spaces around them.
std::vector<Cell> CellsOf(std::string_view line) {
  std::vector<Cell> cells;
  for (size_t at = line.find_first_not_of(' '); at < line.size();) {
    const size_t end = std::min(line.find("  ", at), line.size());
    cells.push_back({line.substr(at, end - at), ColumnsOf(line.substr(0, at))});
    at = line.find_first_not_of(' ', end);
  }
  return cells;
}

class FoldedLine {
 public:
  explicit FoldedLine(size_t columns) : columns_(columns) {}

  void Fold(std::string_view line) {
    const std::vector<Cell> cells = CellsOf(line);
    deeper_ = cells.front().column + kDeeper;
    for (const Cell& cell : cells) {
      const bool fits = cell.column + ColumnsOf(cell.text) <= columns_;
      const bool left = cell.column * 5 <= columns_ * 3;
      if (folded_ && hang_ == deeper_ && column_ + kGap + ColumnsOf(cell.text) <= columns_) {
        text_.append(kGap, ' ');
        column_ += kGap;
      } else if (folded_) {
        StartLine(hang_);
      } else if (fits || left) {
        text_.append(cell.column - column_, ' ');
        column_ = cell.column;
        hang_ = &cell == cells.data() ? deeper_ : cell.column;
      } else {
        hang_ = deeper_;
        StartLine(hang_);
      }
      folded_ = folded_ || !fits;
      AddWords(cell.text);
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void StartLine(size_t column) {
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
    text_.append(column, ' ');
    column_ = column;
  }

  void AddWords(std::string_view words) {
    for (bool first = true; !words.empty(); first = false) {
      const size_t end = std::min(words.find(' '), words.size());
      const std::string_view word = words.substr(0, end);
      words.remove_prefix(std::min(end + 1, words.size()));
      const size_t size = ColumnsOf(word);
      if (column_ + (first ? 0 : 1) + size > columns_) {
        if (hang_ + size > columns_) hang_ = deeper_;
        if (!first || column_ > hang_) StartLine(hang_);
      } else if (!first) {
        text_ += ' ';
        ++column_;
      }
      text_ += word;
      column_ += size;
    }
  }

  size_t columns_;
  size_t column_ = 0;    // the column of the next letter
  size_t hang_ = 0;      // the column at which continuation lines begin
  size_t deeper_ = 0;    // the column of continuation lines if the first cell is continued
  bool folded_ = false;  // whether a cell was too long
  std::string text_;
};

bool StaysWhole(std::string_view line, size_t columns) {
  const size_t start = line.find_first_not_of(' ');
  return start == std::string_view::npos || ColumnsOf(line) <= columns ||
         line.substr(start).starts_with(kTool);
}

}  // namespace

size_t TerminalColumns() {
  winsize size{};
  const bool known = isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known ? size.ws_col : 0;
}

std::string Folded(std::string_view text, size_t columns) {
  if (columns == 0) return std::string(text);
  columns = std::max(columns, kFewestColumns);
  std::string folded;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (StaysWhole(line, columns)) {
      folded += line;
    } else {
      FoldedLine parts(columns);
      parts.Fold(line);
      folded += parts.Take();
    }
    if (end < text.size()) folded += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return folded;
}

}  // namespace anecheck
