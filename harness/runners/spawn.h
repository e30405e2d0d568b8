// Flags for starting worker processes and external programs.
#pragma once

#include <spawn.h>

namespace anecheck {

// Returns flags that request a new process group, because Ctrl-C at a terminal goes to a whole
// group. macOS cannot make pipes and sockets close-on-exec in one step. So on macOS the flags also
// make the new process inherit only the descriptors that its spawn actions name.
inline short SpawnFlags() {
#if defined(__APPLE__)
  return POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
  return POSIX_SPAWN_SETPGROUP;
#endif
}

}  // namespace anecheck
