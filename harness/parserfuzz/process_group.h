// Returns the memory and processor time of the processes of a group. A program that a shell or
// wrapper starts is a grandchild, and wait4(2) reports its usage only after its end.
#pragma once

#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace anecheck::parserfuzz {

struct GroupUsage {
  uint64_t memory = 0;  // sum of resident bytes
  // of all processes and their ended children; nothing: unknown
  std::optional<int64_t> processor_ms;
};

// Returns the usage of the group that process `leader` leads. On macOS, only its memory.
GroupUsage UsageOfGroup(pid_t leader);

// Returns the process of the group that used the most processor time. For a shell that waits for
// its command, this is the command. On macOS, returns the leader.
pid_t BusiestOfGroup(pid_t leader);

}  // namespace anecheck::parserfuzz
