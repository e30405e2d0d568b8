// The interface through which a runner reports late replies. A late reply answers a request that
// the external program had already answered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace anecheck {

// A program's late answer to a request whose reply an earlier Run() returned.
struct LateReply {
  uint64_t id = 0;      // the caller's number of that request
  std::string message;  // the fault of the reply, one line
};

class LateReplies {
 public:
  virtual ~LateReplies() = default;

  // Returns the late replies since the last call. `last` means that no Run() follows; the call then
  // waits for more late replies.
  virtual std::vector<LateReply> TakeLate(bool last) = 0;

  // Sets whether each later Run() waits for output after the program's last answer. A finding that
  // such output caused can be reproduced only with this wait.
  virtual void Linger(bool on) = 0;
};

}  // namespace anecheck
