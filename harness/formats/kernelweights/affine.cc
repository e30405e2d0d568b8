// int8 weights with one scale per tensor, per channel or per block.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/formats/kernelweights/codec.h"

namespace anecheck::kernelweights {

namespace internal {

namespace {

Status CheckScales(std::span<const Half> scales, uint64_t channels) {
  if (scales.size() != 1) ANECHECK_RETURN_IF_ERROR(CheckLength("scales", scales.size(), channels));
  if (!std::ranges::all_of(scales, &Half::IsFinite)) {
    return MakeError(ErrorCode::kInvalid, "weights: a scale is not finite");
  }
  return {};
}

}  // namespace

Half ScaleFor(double largest) {
  if (largest == 0) return DoubleToHalf(1.0);
  return DoubleToHalf(largest / 127.0, Rounding::kUp);
}

uint8_t Quantize(Half value, Half scale) {
  const double steps = std::nearbyint(HalfToDouble(value) / HalfToDouble(scale));
  return static_cast<uint8_t>(static_cast<int8_t>(std::clamp(steps, -127.0, 127.0)));
}

Status ValidateOne(const AffineInt8& weights) {
  ANECHECK_RETURN_IF_ERROR(CheckExtent(weights.extent));
  ANECHECK_RETURN_IF_ERROR(CheckLength("bytes", weights.bytes.size(), weights.extent.Count()));
  ANECHECK_RETURN_IF_ERROR(CheckScales(weights.scales, weights.extent.channels));
  if (weights.zero_points.size() > 1) {
    ANECHECK_RETURN_IF_ERROR(
        CheckLength("zero_points", weights.zero_points.size(), weights.extent.channels));
  }
  const int low = weights.is_signed ? -128 : 0;
  for (const int16_t zero_point : weights.zero_points) {
    if (zero_point < low || zero_point > low + 255) {
      return MakeError(
          ErrorCode::kInvalid,
          fmt::format("weights: zero point {} is outside {} to {}", zero_point, low, low + 255));
    }
  }
  return {};
}

std::vector<Half> ReconstructOne(const AffineInt8& weights) {
  std::vector<Half> values(weights.bytes.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = i / weights.extent.elements;
    const Half scale = weights.scales[weights.scales.size() == 1 ? 0 : channel];
    const int zero = weights.zero_points.empty()
                         ? 0
                         : weights.zero_points[weights.zero_points.size() == 1 ? 0 : channel];
    const int q = weights.is_signed ? static_cast<int8_t>(weights.bytes[i]) : weights.bytes[i];
    // The product of a 9-bit and an 11-bit number is exact.
    values[i] = DoubleToHalf(HalfToDouble(scale) * (q - zero));
  }
  return values;
}

Status ValidateOne(const BlockwiseInt8& weights) {
  const Extent extent = weights.extent;
  ANECHECK_RETURN_IF_ERROR(CheckExtent(extent));
  if (weights.block_channels == 0 || weights.block_elements == 0 ||
      extent.channels % weights.block_channels != 0 ||
      extent.elements % weights.block_elements != 0) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("weights: blocks of {} x {} do not divide {} x {}", weights.block_channels,
                    weights.block_elements, extent.channels, extent.elements));
  }
  ANECHECK_RETURN_IF_ERROR(CheckLength("bytes", weights.bytes.size(), extent.Count()));
  const uint64_t blocks = uint64_t{extent.channels / weights.block_channels} *
                          (extent.elements / weights.block_elements);
  ANECHECK_RETURN_IF_ERROR(CheckLength("scales", weights.scales.size(), blocks));
  return CheckScales(weights.scales, blocks);
}

namespace {

uint64_t BlockOf(const BlockwiseInt8& weights, uint64_t index) {
  const uint64_t channel = index / weights.extent.elements;
  const uint64_t element = index % weights.extent.elements;
  return channel / weights.block_channels * (weights.extent.elements / weights.block_elements) +
         element / weights.block_elements;
}

}  // namespace

std::vector<Half> ReconstructOne(const BlockwiseInt8& weights) {
  std::vector<Half> values(weights.bytes.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Half scale = weights.scales[BlockOf(weights, i)];
    values[i] = DoubleToHalf(HalfToDouble(scale) * static_cast<int8_t>(weights.bytes[i]));
  }
  return values;
}

}  // namespace internal

Result<BlockwiseInt8> EncodeBlockwiseInt8(Extent extent, std::span<const Half> values,
                                          uint32_t block_channels, uint32_t block_elements) {
  ANECHECK_RETURN_IF_ERROR(internal::CheckValues(extent, values, true));
  BlockwiseInt8 weights{extent, block_channels, block_elements, {}, {}};
  if (block_channels == 0 || block_elements == 0) return internal::ValidateOne(weights).error();
  weights.bytes.resize(values.size());
  weights.scales.resize(uint64_t{extent.channels / block_channels} *
                        (extent.elements / block_elements));
  ANECHECK_RETURN_IF_ERROR(internal::ValidateOne(weights));
  std::vector<double> largest(weights.scales.size(), 0.0);
  for (size_t i = 0; i < values.size(); ++i) {
    double& most = largest[internal::BlockOf(weights, i)];
    most = std::max(most, std::fabs(HalfToDouble(values[i])));
  }
  std::ranges::transform(largest, weights.scales.begin(), internal::ScaleFor);
  for (size_t i = 0; i < values.size(); ++i) {
    weights.bytes[i] = internal::Quantize(values[i], weights.scales[internal::BlockOf(weights, i)]);
  }
  return weights;
}

Result<AffineInt8> EncodeAffineInt8(Extent extent, std::span<const Half> values, bool per_channel) {
  ANECHECK_RETURN_IF_ERROR(internal::CheckExtent(extent));
  // For one scale per channel a block is one channel. For one scale per tensor there is one block.
  ANECHECK_ASSIGN(
      BlockwiseInt8 blocks,
      EncodeBlockwiseInt8(extent, values, per_channel ? 1 : extent.channels, extent.elements));
  return AffineInt8{extent, true, std::move(blocks.bytes), std::move(blocks.scales), {}};
}

}  // namespace anecheck::kernelweights
