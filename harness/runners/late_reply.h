// Late replies of external programs to requests that were already answered, and the calls by which
// a runner reports them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace anecheck {

// A program's late answer to a request whose reply an earlier Run() returned.
struct LateReply {
  uint64_t id = 0;      // the caller's number of that request
  std::string message;  // its fault, one line
};

class LateReplies {
 public:
  virtual ~LateReplies() = default;

  // Returns the late replies since the last call. If `last` is true, no Run() follows, so the call
  // waits for more late replies.
  virtual std::vector<LateReply> TakeLate(bool last) = 0;

  // Sets whether each later Run() waits for output after the program's last answer. A finding that
  // rests on such output shows again only with this wait.
  virtual void Linger(bool on) = 0;
};

}  // namespace anecheck
