// Counts the heap bytes of the current thread, through the allocator hooks of the sanitizers.
// Builds without a sanitizer have no hooks and count nothing.
#pragma once

#include <cstddef>

namespace anecheck::fuzz {

// Peak() returns the maximum of the thread's heap bytes minus their number at construction. It
// returns 0 without a sanitizer. A thread may have at most one meter at a time.
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
