#include "fuzz/laws/memory_meter.h"

#include <cstddef>
#include <cstdint>

#ifdef ANECHECK_SANITIZED
#if __has_include(<sanitizer/allocator_interface.h>)
#include <sanitizer/allocator_interface.h>
#else  // g++ comes with the runtime and without this header
extern "C" {
size_t __sanitizer_get_allocated_size(const volatile void* block);
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, size_t),
                                              void (*freed)(const volatile void*));
}
#endif
#endif

namespace anecheck::fuzz {
namespace {

// Finding the size of a block takes as long as freeing the block, so the hooks count only while a
// meter exists.
thread_local bool metering = false;
thread_local int64_t live_bytes = 0;
thread_local int64_t peak_bytes = 0;

#ifdef ANECHECK_SANITIZED
void OnAllocate(const volatile void*, size_t size) {
  if (!metering) return;
  live_bytes += static_cast<int64_t>(size);
  if (live_bytes > peak_bytes) peak_bytes = live_bytes;
}

void OnFree(const volatile void* block) {
  if (!metering || block == nullptr) return;
  live_bytes -= static_cast<int64_t>(__sanitizer_get_allocated_size(block));
}

const int kInstalled = __sanitizer_install_malloc_and_free_hooks(&OnAllocate, &OnFree);
#endif

}  // namespace

MemoryMeter::MemoryMeter() {
#ifdef ANECHECK_SANITIZED
  static_cast<void>(kInstalled);
#endif
  live_bytes = 0;
  peak_bytes = 0;
  metering = true;
}

MemoryMeter::~MemoryMeter() { metering = false; }

size_t MemoryMeter::Peak() const { return peak_bytes < 0 ? 0 : static_cast<size_t>(peak_bytes); }

}  // namespace anecheck::fuzz
