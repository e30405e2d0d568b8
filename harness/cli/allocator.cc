#include "harness/cli/allocator.h"

#ifdef ANECHECK_MIMALLOC
#include <mimalloc.h>
#endif

namespace anecheck {

void TuneAllocator() {
#if defined(ANECHECK_MIMALLOC) && MI_MALLOC_VERSION >= 200 && MI_MALLOC_VERSION < 210
  constexpr int kKeptMs = 1000;
  mi_option_set_default(mi_option_large_os_pages, 1);
  // Otherwise the first segments of each thread are committed in small pages.
  mi_option_set_default(mi_option_eager_commit_delay, 0);
  mi_option_set_default(mi_option_decommit_delay, kKeptMs);
  mi_option_set_default(mi_option_segment_decommit_delay, kKeptMs);
#endif
}

}  // namespace anecheck
