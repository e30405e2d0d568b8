// How much memory another process holds: the limit that keeps one greedy case from taking the
// machine down with it.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace anecheck {

// Resident bytes of process `pid`, or 0 where the system does not tell.
uint64_t ResidentBytes(pid_t pid);

}  // namespace anecheck
