// Completion of the tool's command line in shells, as scripts that the shells load.
#pragma once

#include <string>

#include "harness/cli/command_description.h"

namespace anecheck {

// Bash 4.4 and later: a function and its `complete` line.
std::string BashCompletion(const CommandDescription& tool);

// zsh 5: an autoloadable `_anecheck`, to be placed in a folder of fpath.
std::string ZshCompletion(const CommandDescription& tool);

}  // namespace anecheck
