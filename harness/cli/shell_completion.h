// Makes scripts that shells load to complete the tool's command line.
#pragma once

#include <string>

#include "harness/cli/command_description.h"

namespace anecheck {

// Returns a function and its `complete` line, for bash 4.4 and later.
std::string BashCompletion(const CommandDescription& tool);

// Returns the file `_anecheck` for zsh 5. zsh autoloads it from a folder of fpath.
std::string ZshCompletion(const CommandDescription& tool);

}  // namespace anecheck
