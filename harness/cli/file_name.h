// The name of a file or a folder on the command line. An empty name, as of a variable that a script
// never set, would mean a file without a name to SQLite and the root to a folder's files.
#pragma once

#include "harness/cli/command_line.h"

namespace anecheck {

// Refuses an empty name.
OptionCheck FileName();

}  // namespace anecheck
