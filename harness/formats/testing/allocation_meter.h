// Counts the bytes that a thread allocates through operator new, so that tests can bound the memory
// that hostile input costs. Linking it into a test replaces operator new and delete.
#pragma once

#include <cstddef>

namespace anecheck::testing {

// Peak() is the largest number of bytes that this thread held at once since construction, minus the
// bytes that it held at construction. At most one meter may exist on each thread.
class AllocationMeter {
 public:
  AllocationMeter();
  size_t Peak() const;
};

}  // namespace anecheck::testing
