// The memory that a process uses. It is needed to limit the memory of a case and to detect leaks.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace anecheck {

// Returns the resident bytes of process `pid`, or 0 if the system does not report them.
uint64_t ResidentBytes(pid_t pid);

// Like ResidentBytes for this process, but faster.
uint64_t OwnResidentBytes();

}  // namespace anecheck
