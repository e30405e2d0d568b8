// The name of a file or a folder on the command line. A script with an unset variable passes an
// empty name. SQLite would take it for an unnamed file, and for a folder it would mean the root.
#pragma once

#include "harness/cli/command_line.h"

namespace anecheck {

// Refuses an empty name.
OptionCheck FileName();

}  // namespace anecheck
