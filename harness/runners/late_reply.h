// Replies of external programs to requests that were answered before, and the calls of a runner of
// such programs, besides Runner's, that deal with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace anecheck {

// A program's late answer to a request whose reply an earlier Run() gave.
struct LateReply {
  uint64_t id = 0;      // the caller's number of that request
  std::string message;  // its fault, one line
};

class LateReplies {
 public:
  virtual ~LateReplies() = default;

  // Those that came since the last call. `last`: no Run() follows that would meet more, so that
  // they are waited for.
  virtual std::vector<LateReply> TakeLate(bool last) = 0;

  // From now on, whether each Run() waits for the program's words behind its last answer: for
  // runs of a case that was found by that.
  virtual void Linger(bool on) = 0;
};

}  // namespace anecheck
