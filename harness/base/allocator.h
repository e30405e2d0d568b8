// Settings of a process's allocator, for the main functions of programs.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace anecheck {

// For programs that make and drop many small objects beside larger ones, as campaigns and their
// workers do. glibc keeps freed small blocks in lists ("fast bins", mallopt(3)) that every request
// of a kilobyte empties again, which takes 6 % of a campaign's time; without these lists its
// caches of each thread serve as well. No effect with other C libraries. To be called before other
// threads are started.
inline void SuitAllocatorToSmallObjects() {
#if defined(__GLIBC__)
  mallopt(M_MXFAST, 0);
#endif
}

}  // namespace anecheck
