// Ctrl-C and other requests to end: for commands that keep their results up to then.
#pragma once

#include <atomic>

namespace anecheck {

// From its construction on SIGINT, SIGTERM and SIGHUP do not end the process but are noted, SIGHUP
// unless it was ignored before (nohup).
class Interruption {
 public:
  Interruption();

  bool asked() const { return flag()->load(); }
  // Becomes true with the signal; outlives this.
  const std::atomic<bool>* flag() const;
};

}  // namespace anecheck
