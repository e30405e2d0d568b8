// Counts the bytes that a thread allocates through operator new, so that tests can check the memory
// for hostile input. Linking this file into a test replaces operator new and delete.
#pragma once

#include <cstddef>

namespace anecheck::testing {

// Peak() returns the maximum number of bytes that were allocated on this thread at one time since
// construction, minus the bytes at construction. At most one meter may exist on each thread.
class AllocationMeter {
 public:
  AllocationMeter();
  size_t Peak() const;
};

}  // namespace anecheck::testing
