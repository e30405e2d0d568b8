// fp8 weights.
#include <algorithm>

#include "harness/formats/kernelweights/codec.h"

namespace anecheck::kernelweights {

namespace internal {

Status ValidateOne(const Float8& weights) {
  ANECHECK_RETURN_IF_ERROR(CheckExtent(weights.extent));
  ANECHECK_RETURN_IF_ERROR(CheckLength("bytes", weights.bytes.size(), weights.extent.Count()));
  if (weights.scales.size() > 1) {
    ANECHECK_RETURN_IF_ERROR(CheckLength("scales", weights.scales.size(), weights.extent.channels));
  }
  if (!std::ranges::all_of(weights.scales, &Half::IsFinite)) {
    return MakeError(ErrorCode::kInvalid, "weights: a scale is not finite");
  }
  return {};
}

std::vector<Half> ReconstructOne(const Float8& weights) {
  std::vector<Half> values(weights.bytes.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (weights.scales.empty()) {
      values[i] = Float8ToHalf(weights.bytes[i], weights.format);
      continue;
    }
    const size_t channel = i / weights.extent.elements;
    const Half scale = weights.scales[weights.scales.size() == 1 ? 0 : channel];
    // The product of a number of at most 4 bits and an 11-bit number is exact.
    values[i] =
        DoubleToHalf(Float8ToDouble(weights.bytes[i], weights.format) * HalfToDouble(scale));
  }
  return values;
}

}  // namespace internal

Result<Float8> EncodeFloat8(Extent extent, std::span<const Half> values, Float8Format format,
                            Float8Overflow overflow) {
  ANECHECK_RETURN_IF_ERROR(internal::CheckValues(extent, values, false));
  Float8 weights{extent, format, {}, {}};
  weights.bytes.reserve(values.size());
  for (const Half value : values) {
    weights.bytes.push_back(DoubleToFloat8(HalfToDouble(value), format, overflow));
  }
  return weights;
}

}  // namespace anecheck::kernelweights
