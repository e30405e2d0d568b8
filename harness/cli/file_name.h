// Checks names of files and folders on the command line. A script with an unset variable passes an
// empty name. SQLite would then open an unnamed file, and an empty name of a folder would mean the
// root.
#pragma once

#include "harness/cli/command_line.h"

namespace anecheck {

// Refuses an empty name.
OptionCheck FileName();

}  // namespace anecheck
