// Sparse weights: a bit mask and the elements whose bits are set.
#include <bit>

#include "harness/formats/kernelweights/codec.h"

namespace anecheck::kernelweights {

namespace internal {

Status ValidateOne(const Sparse& weights) {
  ANECHECK_RETURN_IF_ERROR(CheckExtent(weights.extent));
  const uint64_t count = weights.extent.Count();
  ANECHECK_RETURN_IF_ERROR(CheckLength("mask", weights.mask.size(), (count + 7) / 8));
  if (count % 8 != 0 && weights.mask.back() >> (count % 8) != 0) {
    return MakeError(ErrorCode::kInvalid, "weights: a mask bit past the last element is set");
  }
  uint64_t set = 0;
  for (const uint8_t byte : weights.mask) set += static_cast<uint64_t>(std::popcount(byte));
  return CheckLength("nonzeros", weights.nonzeros.size(), set);
}

std::vector<Half> ReconstructOne(const Sparse& weights) {
  std::vector<Half> values(weights.extent.Count());
  size_t next = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (UnpackBits(weights.mask, i, 1) != 0) values[i] = weights.nonzeros[next++];
  }
  return values;
}

}  // namespace internal

Result<Sparse> EncodeSparse(Extent extent, std::span<const Half> values) {
  ANECHECK_RETURN_IF_ERROR(internal::CheckValues(extent, values, false));
  Sparse weights{extent, std::vector<uint8_t>((values.size() + 7) / 8, 0), {}};
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].bits == 0) continue;
    weights.mask[i / 8] |= static_cast<uint8_t>(1U << (i % 8));
    weights.nonzeros.push_back(values[i]);
  }
  return weights;
}

}  // namespace anecheck::kernelweights
