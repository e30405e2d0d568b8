// How much memory a process holds: the limit that keeps one greedy case from taking the machine
// down with it, and the growth that tells a leak.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace anecheck {

// Resident bytes of process `pid`, or 0 where the system does not tell.
uint64_t ResidentBytes(pid_t pid);

// The same for this process, for callers that ask often.
uint64_t OwnResidentBytes();

}  // namespace anecheck
