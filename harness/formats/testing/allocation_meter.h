// Counts the bytes that a thread allocates through operator new, so that tests can bound the memory
// that hostile input costs. Linking it into a test replaces operator new and delete.
#pragma once

#include <cstddef>

namespace anecheck::testing {

// Between construction and Peak(), the largest number of bytes that this thread held at once beyond
// those at construction. One at a time on each thread.
class AllocationMeter {
 public:
  AllocationMeter();
  size_t Peak() const;
};

}  // namespace anecheck::testing
