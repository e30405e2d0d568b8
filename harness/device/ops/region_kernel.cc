#include "harness/device/ops/region_kernel.h"

#include <cstring>
#include <utility>

namespace anecheck::device {

Region WholeRegion(int64_t elements, size_t input, size_t output) {
  return {.extents = Shape{elements}, .input = input, .from = {1}, .output = output, .to = {1}};
}

RegionKernel::RegionKernel(int64_t size, std::vector<Region> regions,
                           std::vector<uint8_t> background, int64_t background_count)
    : size_(size),
      regions_(std::move(regions)),
      background_(std::move(background)),
      background_count_(background_count) {}

void RegionKernel::Run(const Invocation& call) const {
  if (!background_.empty()) {
    auto* to = static_cast<uint8_t*>(call.outputs[0]);
    for (int64_t i = 0; i < background_count_; ++i, to += size_) {
      std::memcpy(to, background_.data(), static_cast<size_t>(size_));
    }
  }
  for (const Region& region : regions_) {
    const auto* from = static_cast<const char*>(call.inputs[region.input]);
    auto* to = static_cast<char*>(call.outputs[region.output]);
    CopyStrided(region.extents, size_, from + region.from_first * size_, region.from,
                to + region.to_first * size_, region.to);
  }
}

}  // namespace anecheck::device
