// The place of the running executable: the simulated engine lies beside it, and workers are started
// from it.
#pragma once

#include <string>

namespace anecheck {

// The absolute path of the running executable; empty where the system does not tell. Another file
// may stand there by now, or none.
std::string ExecutablePath();
// The file that starts another process of the running executable: on Linux the file that runs,
// which has that name in no folder any more if the tool was replaced meanwhile; elsewhere
// ExecutablePath().
std::string OwnImage();
// Its folder, without a slash at the end; "." where it is not known.
std::string ExecutableFolder();

}  // namespace anecheck
