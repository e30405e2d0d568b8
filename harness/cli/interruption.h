// Handles Ctrl-C and other requests to end, for commands that keep the results recorded so far.
#pragma once

#include <atomic>

namespace anecheck {

// Once an Interruption is constructed, SIGINT, SIGTERM and SIGHUP set a flag and do not end the
// process. SIGHUP stays ignored if it was ignored before (nohup).
class Interruption {
 public:
  Interruption();

  bool asked() const { return flag()->load(); }
  // The flag that a signal sets. It outlives this object.
  const std::atomic<bool>* flag() const;
};

}  // namespace anecheck
