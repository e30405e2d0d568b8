// A kernel that copies rectangular regions from inputs to outputs, over an optional background.
// Every operation that only moves elements uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/device/kernel.h"
#include "harness/device/ops/strided_copy.h"

namespace anecheck::device {

struct Region {
  Shape extents;
  size_t input = 0;
  int64_t from_first = 0;  // element index
  Strides from{};
  size_t output = 0;
  int64_t to_first = 0;
  Strides to{};
};

// Makes a region that copies a whole tensor to a tensor with the same number of elements.
Region WholeRegion(int64_t elements, size_t input = 0, size_t output = 0);

class RegionKernel : public Kernel {
 public:
  // `size` is the size of an element in bytes. `background` must be empty or have that size. The
  // background fills the first output, which has `background_count` elements, before the regions
  // are copied.
  RegionKernel(int64_t size, std::vector<Region> regions, std::vector<uint8_t> background = {},
               int64_t background_count = 0);
  void Run(const Invocation& call) const override;

 private:
  int64_t size_;
  std::vector<Region> regions_;
  std::vector<uint8_t> background_;
  int64_t background_count_;
};

}  // namespace anecheck::device
