// Replaces operator new and delete. The sizes come from the allocator, because not every form of
// delete receives one.
#include "harness/formats/testing/allocation_meter.h"

#include <cstdint>
#include <cstdlib>
#include <new>
#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

namespace {

size_t SizeOf(void* block) {
#if defined(__APPLE__)
  return malloc_size(block);
#else
  return malloc_usable_size(block);
#endif
}

thread_local int64_t live_bytes = 0;
thread_local int64_t peak_bytes = 0;

void* Allocate(size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) std::abort();
  live_bytes += static_cast<int64_t>(SizeOf(block));
  if (live_bytes > peak_bytes) peak_bytes = live_bytes;
  return block;
}

void Free(void* block) {
  if (block == nullptr) return;
  live_bytes -= static_cast<int64_t>(SizeOf(block));
  std::free(block);
}

}  // namespace

// NOLINTBEGIN(misc-definitions-in-headers)
void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, size_t) noexcept { Free(block); }
void operator delete[](void* block, size_t) noexcept { Free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { Free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { Free(block); }
// NOLINTEND(misc-definitions-in-headers)

namespace anecheck::testing {

AllocationMeter::AllocationMeter() {
  live_bytes = 0;
  peak_bytes = 0;
}

size_t AllocationMeter::Peak() const {
  return peak_bytes < 0 ? 0 : static_cast<size_t>(peak_bytes);
}

}  // namespace anecheck::testing
