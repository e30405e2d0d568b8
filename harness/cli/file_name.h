// Checks names of files and folders on the command line. A script with an unset variable passes an
// empty name. With an empty name SQLite would open a temporary file, and a path inside the folder
// would begin at the root.
#pragma once

#include "harness/cli/command_line.h"

namespace anecheck {

// Refuses an empty name.
OptionCheck FileName();

}  // namespace anecheck
