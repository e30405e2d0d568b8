// Breaks lines of text to fit the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace anecheck {

// Returns the columns of the terminal on standard output; 0 if there is none or its width is
// unknown.
size_t TerminalColumns();

// Breaks lines of `text` between words so that each has at most `columns` columns. If `columns` is
// 0, nothing changes; a number below 20 counts as 20. Two or more spaces separate the cells of a
// line. If a cell does not fit and begins in the left three fifths of the line, its further lines
// begin at the column of the cell. Any other cell that does not fit moves to a new line. A word
// longer than a line is not broken. A line that begins with the name of the tool is not broken
// either. Escape sequences of colours have no width, and every code point of UTF-8 has a width of
// one.
std::string Folded(std::string_view text, size_t columns);

}  // namespace anecheck
