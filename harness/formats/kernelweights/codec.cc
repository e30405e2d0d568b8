#include "harness/formats/kernelweights/codec.h"

#include <algorithm>
#include <fmt/format.h>

namespace anecheck::kernelweights {

namespace internal {

Status CheckExtent(Extent extent) {
  if (extent.channels == 0 || extent.elements == 0 || extent.Count() > kMaxElements) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("weights: extent {} x {} is empty or above 2^28 elements",
                                 extent.channels, extent.elements));
  }
  return {};
}

Status CheckLength(std::string_view what, uint64_t have, uint64_t need) {
  if (have == need) return {};
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("weights: {} has {} entries, needs {}", what, have, need));
}

Status CheckValues(Extent extent, std::span<const Half> values, bool finite) {
  ANECHECK_RETURN_IF_ERROR(CheckExtent(extent));
  ANECHECK_RETURN_IF_ERROR(CheckLength("values", values.size(), extent.Count()));
  if (finite && !std::ranges::all_of(values, &Half::IsFinite)) {
    return MakeError(ErrorCode::kInvalid, "weights: a value is not finite and has no code");
  }
  return {};
}

Status ValidateOne(const Dense& weights) {
  return CheckValues(weights.extent, weights.values, false);
}

std::vector<Half> ReconstructOne(const Dense& weights) { return weights.values; }

}  // namespace internal

Status Validate(const Weights& weights) {
  return std::visit([](const auto& one) { return internal::ValidateOne(one); }, weights);
}

Result<std::vector<Half>> Reconstruct(const Weights& weights) {
  ANECHECK_RETURN_IF_ERROR(Validate(weights));
  return std::visit([](const auto& one) { return internal::ReconstructOne(one); }, weights);
}

namespace {

struct SizeOf {
  uint64_t operator()(const Dense& w) const { return 2 * w.values.size(); }
  uint64_t operator()(const AffineInt8& w) const {
    return w.bytes.size() + 2 * w.scales.size() + w.zero_points.size();
  }
  uint64_t operator()(const Palette& w) const { return w.indices.size() + 2 * w.codebooks.size(); }
  uint64_t operator()(const Sparse& w) const { return w.mask.size() + 2 * w.nonzeros.size(); }
  uint64_t operator()(const BlockwiseInt8& w) const { return w.bytes.size() + 2 * w.scales.size(); }
  uint64_t operator()(const Float8& w) const { return w.bytes.size() + 2 * w.scales.size(); }
};

}  // namespace

uint64_t StoredBytes(const Weights& weights) { return std::visit(SizeOf{}, weights); }

std::vector<uint8_t> PackBits(std::span<const uint8_t> values, uint8_t bits) {
  std::vector<uint8_t> packed((values.size() * bits + 7) / 8, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t b = 0; b < bits; ++b) {
      const size_t at = i * bits + b;
      packed[at / 8] |= static_cast<uint8_t>(((values[i] >> b) & 1U) << (at % 8));
    }
  }
  return packed;
}

uint8_t UnpackBits(std::span<const uint8_t> packed, uint64_t index, uint8_t bits) {
  const uint64_t first = index * bits;
  uint32_t word = packed[first / 8];
  if (first / 8 + 1 < packed.size()) word |= static_cast<uint32_t>(packed[first / 8 + 1]) << 8;
  return static_cast<uint8_t>((word >> (first % 8)) & ((1U << bits) - 1));
}

}  // namespace anecheck::kernelweights
