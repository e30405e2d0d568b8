// Words of a command line as a person would type them.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// `text` as one word of a POSIX shell (POSIX.1-2017, shell command language, 2.2): unchanged if
// none of its characters has a special meaning in the shell, else in single quotes.
std::string ShellWord(std::string_view text);

}  // namespace anecheck
