// The path of the running executable. The simulated engine is in the same folder, and workers are
// started from this file.
#pragma once

#include <string>

namespace anecheck {

// Returns the absolute path of the running executable; empty if the system does not report it. The
// file may have been replaced or removed since the start.
std::string ExecutablePath();
// Returns the path from which to start another process of the running executable. On Linux the path
// refers to the running file even if that file was replaced or removed. On other systems it is
// ExecutablePath().
std::string OwnImage();
// The folder of the running executable, without a slash at the end; "." if it is unknown.
std::string ExecutableFolder();

}  // namespace anecheck
