// Counts the bytes that the current thread holds on the heap, through the allocator hooks of the
// sanitizers. Builds without a sanitizer have no hooks, and there nothing is counted.
#pragma once

#include <cstddef>

namespace anecheck::fuzz {

// Between construction and Peak(), the most bytes that the thread held beyond those at
// construction; 0 without a sanitizer. One at a time on each thread.
class MemoryMeter {
 public:
#ifdef ANECHECK_SANITIZED
  static constexpr bool kCounts = true;
#else
  static constexpr bool kCounts = false;
#endif
  MemoryMeter();
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;
  size_t Peak() const;
};

}  // namespace anecheck::fuzz
