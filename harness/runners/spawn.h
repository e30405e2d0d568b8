// Flags for starting worker processes and external programs.
#pragma once

#include <spawn.h>

namespace anecheck {

// Requests a new process group, because Ctrl-C at a terminal goes to a whole group. macOS cannot
// make pipes and sockets close-on-exec in one step, so there the new process gets only the
// descriptors that its actions name.
inline short SpawnFlags() {
#if defined(__APPLE__)
  return POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
  return POSIX_SPAWN_SETPGROUP;
#endif
}

}  // namespace anecheck
