// Text for a terminal: lines that end at its last column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace anecheck {

// Columns of the terminal behind standard output; 0 if there is no terminal or its width is
// unknown.
size_t TerminalColumns();

// `text` with lines of at most `columns` columns, broken between words; 0 changes nothing. Cells
// are separated by two or more spaces. A cell that begins in the left part of the line is continued
// below itself; other cells move to further lines. A word longer than a line is not broken, nor is
// a line that begins with the name of the tool, which people copy. Escape sequences of colours take
// no column, and every code point of UTF-8 takes one.
std::string Folded(std::string_view text, size_t columns);

}  // namespace anecheck
