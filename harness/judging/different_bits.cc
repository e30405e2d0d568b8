#include "harness/judging/different_bits.h"

#include <algorithm>
#include <cmath>

#include "harness/base/half.h"

namespace anecheck {
namespace {

bool IsNan(const uint8_t* bytes) {
  return std::isnan(HalfToFloat(Half{static_cast<uint16_t>(bytes[0] | bytes[1] << 8)}));
}

}  // namespace

bool AreAlike(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.bytes.size() == b.bytes.size();
}

DifferentBits FindDifferentBits(const Tensor& a, const Tensor& b) {
  DifferentBits different;
  const auto elements = static_cast<size_t>(a.type.shape.Elements());
  const size_t size = elements == 0 ? 0 : a.bytes.size() / elements;
  for (size_t i = 0; i < elements; ++i) {
    const uint8_t* const one = a.bytes.data() + i * size;
    const uint8_t* const other = b.bytes.data() + i * size;
    if (std::equal(one, one + size, other)) continue;
    if (a.type.dtype == DType::kFp16 && IsNan(one) && IsNan(other)) continue;
    if (different.count++ == 0) different.first = i;
  }
  return different;
}

}  // namespace anecheck
