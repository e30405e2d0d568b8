// The memory and time of the processes of a group. If a shell or wrapper starts the program, the
// program is a grandchild, whose usage wait4(2) reports only after its end.
#pragma once

#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace anecheck::parserfuzz {

struct GroupUsage {
  uint64_t memory = 0;                  // resident bytes of all together
  std::optional<int64_t> processor_ms;  // of all and their ended children; nothing: unknown
};

// The usage of the group that process `leader` leads; on macOS, only the leader's memory.
GroupUsage UsageOfGroup(pid_t leader);

// The process of the group that used the processor most: for a waiting shell and its command, the
// command. On macOS, the leader.
pid_t BusiestOfGroup(pid_t leader);

}  // namespace anecheck::parserfuzz
