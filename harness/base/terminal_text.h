// Text for a terminal: lines that end at its last column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace anecheck {

// Columns of the terminal behind standard output; 0 where there is none, or none that says.
size_t TerminalColumns();

// `text` with lines of at most `columns` columns, broken between words; 0 leaves it as it is. Cells
// stand apart by two spaces or more: one that begins in the left part of the line goes on below
// itself, others go to further lines. A word longer than a line, and a line that begins with
// the name of the tool, which people copy, stay whole. Escape sequences of colours take no column,
// and every code point of UTF-8 takes one.
std::string Folded(std::string_view text, size_t columns);

}  // namespace anecheck
