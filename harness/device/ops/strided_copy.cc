#include "harness/device/ops/strided_copy.h"

#include <cstring>

namespace anecheck::device {
namespace {

// The axes with more than one index. Neighbouring axes are merged if both source and destination
// traverse them as one axis.
struct Region {
  int axes = 0;
  std::array<int64_t, Shape::kMaxRank> extents{};
  Strides from{};
  Strides to{};
};

Region Merge(const Shape& extents, const Strides& from, const Strides& to) {
  Region region;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    const auto a = static_cast<size_t>(axis);
    const int64_t extent = extents[axis];
    if (extent == 1) continue;
    if (region.axes > 0) {
      const auto last = static_cast<size_t>(region.axes - 1);
      if (region.from[last] == from[a] * extent && region.to[last] == to[a] * extent) {
        region.extents[last] *= extent;
        region.from[last] = from[a];
        region.to[last] = to[a];
        continue;
      }
    }
    const auto at = static_cast<size_t>(region.axes++);
    region.extents[at] = extent;
    region.from[at] = from[a];
    region.to[at] = to[a];
  }
  return region;
}

template <size_t kSize>
void CopyRun(const char* from, int64_t from_step, char* to, int64_t to_step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_step, from + i * from_step, kSize);
  }
}

void CopyLine(int64_t size, const char* from, int64_t from_step, char* to, int64_t to_step,
              int64_t count) {
  if (from_step == size && to_step == size) {
    std::memcpy(to, from, static_cast<size_t>(count * size));
    return;
  }
  switch (size) {
    case 1:
      return CopyRun<1>(from, from_step, to, to_step, count);
    case 2:
      return CopyRun<2>(from, from_step, to, to_step, count);
    case 4:
      return CopyRun<4>(from, from_step, to, to_step, count);
    default:
      return CopyRun<8>(from, from_step, to, to_step, count);
  }
}

void CopyAxis(const Region& region, int axis, int64_t size, const char* from, char* to) {
  if (region.axes == 0) {
    std::memcpy(to, from, static_cast<size_t>(size));
    return;
  }
  const auto a = static_cast<size_t>(axis);
  const int64_t from_step = region.from[a] * size;
  const int64_t to_step = region.to[a] * size;
  if (axis == region.axes - 1) {
    return CopyLine(size, from, from_step, to, to_step, region.extents[a]);
  }
  for (int64_t i = 0; i < region.extents[a]; ++i) {
    CopyAxis(region, axis + 1, size, from + i * from_step, to + i * to_step);
  }
}

}  // namespace

void CopyStrided(const Shape& extents, int64_t size, const void* from, const Strides& from_strides,
                 void* to, const Strides& to_strides) {
  if (extents.Elements() == 0) return;
  CopyAxis(Merge(extents, from_strides, to_strides), 0, size, static_cast<const char*>(from),
           static_cast<char*>(to));
}

}  // namespace anecheck::device
