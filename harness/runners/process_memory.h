// The memory that a process uses. It serves the limit that keeps a greedy case from exhausting the
// machine, and the detection of leaks.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace anecheck {

// Resident bytes of process `pid`, or 0 if the system does not tell.
uint64_t ResidentBytes(pid_t pid);

// As ResidentBytes, for this process and for callers that ask often.
uint64_t OwnResidentBytes();

}  // namespace anecheck
