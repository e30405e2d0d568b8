// How worker processes and external programs are started.
#pragma once

#include <spawn.h>

namespace anecheck {

// A process group of its own, because Ctrl-C at a terminal goes to a whole group. On macOS, where
// pipes and sockets cannot be made close-on-exec in one step, the new process gets the descriptors
// that its actions name and no other.
inline short SpawnFlags() {
#if defined(__APPLE__)
  return POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
  return POSIX_SPAWN_SETPGROUP;
#endif
}

}  // namespace anecheck
