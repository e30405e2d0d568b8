// Quotes words of a command line.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// Returns `text` as one word of a POSIX shell (POSIX.1-2017, shell command language, 2.2). The text
// is unchanged if no character of it has a special meaning in the shell, else in single quotes.
std::string ShellWord(std::string_view text);

}  // namespace anecheck
