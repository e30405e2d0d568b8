// The path of the running executable: the simulated engine is beside it, and workers are started
// from it.
#pragma once

#include <string>

namespace anecheck {

// The absolute path of the running executable; empty if the system does not tell. The file may have
// been replaced or removed since.
std::string ExecutablePath();
// The path for starting another process of the running executable. On Linux it refers to the
// running file itself, even if that file was replaced or removed meanwhile; elsewhere it is
// ExecutablePath().
std::string OwnImage();
// The folder of the running executable, without a slash at the end; "." if it is unknown.
std::string ExecutableFolder();

}  // namespace anecheck
