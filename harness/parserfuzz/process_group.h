// The memory and time of the processes of a group: of a command that a shell or a wrapper starts,
// the program itself is a grandchild, whose usage wait4(2) tells only after its end.
#pragma once

#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace anecheck::parserfuzz {

struct GroupUsage {
  uint64_t memory = 0;                  // resident bytes of all together
  std::optional<int64_t> processor_ms;  // of all and their ended children; nothing: unknown
};

// Of the group that process `leader` leads. On macOS the leader's memory alone.
GroupUsage UsageOfGroup(pid_t leader);

// The process of the group that used the processor most: of a waiting shell and its command, the
// latter. On macOS the leader.
pid_t BusiestOfGroup(pid_t leader);

}  // namespace anecheck::parserfuzz
