// Text for a terminal: lines that end at its last column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace anecheck {

// Columns of the terminal behind standard output; 0 if there is no terminal or its width is
// unknown.
size_t TerminalColumns();

// Breaks lines of `text` between words so that each has at most `columns` columns. If `columns` is
// 0, nothing changes; a number below 20 counts as 20. Two or more spaces separate the cells of a
// line. A cell that does not fit is continued below its own beginning if it begins in the left
// three fifths of the line; otherwise the cell moves to a new line. A word longer than a line is
// not broken. A line that begins with the name of the tool is not broken either, because people
// copy it. Escape sequences of colours take no column, and every code point of UTF-8 takes one.
std::string Folded(std::string_view text, size_t columns);

}  // namespace anecheck
