// Between units and the codecs' own weights.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/base/byte_writer.h"
#include "harness/formats/weightunit/unit.h"

namespace anecheck::weightunit {
namespace {

using kernelweights::Extent;

ByteSpan BytesAt(const Unit& unit, uint32_t id) {
  const Section* section = unit.Find(id);
  return section == nullptr ? ByteSpan() : ByteSpan(section->bytes);
}

std::vector<int16_t> ZeroPointsOf(const Unit& unit) {
  std::vector<int16_t> points;
  for (const Half half : HalvesOf(BytesAt(unit, kZero))) {
    points.push_back(static_cast<int16_t>(half.bits));
  }
  return points;
}

kernelweights::Sparse SparseOf(const Unit& unit, Extent extent) {
  const ByteSpan weights = BytesAt(unit, kWeights);
  const uint64_t mask = std::min<uint64_t>((extent.Count() + 7) / 8, weights.size());
  return {extent,
          {weights.begin(), weights.begin() + static_cast<ptrdiff_t>(mask)},
          HalvesOf(weights.subspan(mask))};
}

kernelweights::Weights WeightsOf(const Unit& unit) {
  const Extent extent{unit.channels, unit.elements};
  const ByteSpan weights = BytesAt(unit, kWeights);
  const std::vector<uint8_t> bytes(weights.begin(), weights.end());
  std::vector<Half> scales = HalvesOf(BytesAt(unit, kScale));
  switch (unit.form) {
    case kAffine:
      return kernelweights::AffineInt8{extent, unit.type != kUint8, bytes, std::move(scales),
                                       ZeroPointsOf(unit)};
    case kPalette:
      return kernelweights::Palette{extent,
                                    static_cast<uint8_t>(std::min(unit.index_bits, 255U)),
                                    static_cast<uint8_t>(std::min(unit.vector_size, 255U)),
                                    unit.codebooks,
                                    bytes,
                                    HalvesOf(BytesAt(unit, kPal))};
    case kSparse:
      return SparseOf(unit, extent);
    case kBlockwise:
      return kernelweights::BlockwiseInt8{extent, unit.block_channels, unit.block_elements, bytes,
                                          std::move(scales)};
    case kFloat8:
      return kernelweights::Float8{extent,
                                   unit.type == kE4m3 ? Float8Format::kE4M3 : Float8Format::kE5M2,
                                   bytes, std::move(scales)};
    default:
      return kernelweights::Dense{extent, HalvesOf(weights)};
  }
}

// Fills a unit's numbers and the sections that each form has.
struct UnitMaker {
  Unit unit;

  void Add(uint32_t id, Bytes bytes) {
    if (!bytes.empty()) unit.sections.push_back({.id = id, .bytes = std::move(bytes)});
  }
  void Start(uint32_t form, Extent extent, uint32_t type) {
    unit.form = form;
    unit.channels = extent.channels;
    unit.elements = extent.elements;
    unit.type = type;
  }

  void operator()(const kernelweights::Dense& weights) {
    Start(kDense, weights.extent, kHalf);
    Add(kWeights, BytesOfHalves(weights.values));
  }
  void operator()(const kernelweights::AffineInt8& weights) {
    Start(kAffine, weights.extent, weights.is_signed ? kInt8 : kUint8);
    Add(kScale, BytesOfHalves(weights.scales));
    Add(kWeights, weights.bytes);
    ByteWriter points;
    for (const int16_t point : weights.zero_points) points.U16(static_cast<uint16_t>(point));
    Add(kZero, std::move(points).Take());
  }
  void operator()(const kernelweights::Palette& weights) {
    Start(kPalette, weights.extent, kLutType);
    unit.index_bits = weights.index_bits;
    unit.vector_size = weights.vector_size;
    unit.codebooks = weights.codebook_count;
    Add(kPal, BytesOfHalves(weights.codebooks));
    Add(kWeights, weights.indices);
  }
  void operator()(const kernelweights::Sparse& weights) {
    Start(kSparse, weights.extent, kHalf);
    Bytes bytes = weights.mask;
    const Bytes nonzeros = BytesOfHalves(weights.nonzeros);
    bytes.insert(bytes.end(), nonzeros.begin(), nonzeros.end());
    Add(kWeights, std::move(bytes));
  }
  void operator()(const kernelweights::BlockwiseInt8& weights) {
    Start(kBlockwise, weights.extent, kInt8);
    unit.block_channels = weights.block_channels;
    unit.block_elements = weights.block_elements;
    Add(kScale, BytesOfHalves(weights.scales));
    Add(kWeights, weights.bytes);
  }
  void operator()(const kernelweights::Float8& weights) {
    Start(kFloat8, weights.extent, weights.format == Float8Format::kE4M3 ? kE4m3 : kE5m2Type);
    Add(kScale, BytesOfHalves(weights.scales));
    Add(kWeights, weights.bytes);
  }
};

}  // namespace

Result<kernelweights::Weights> ToWeights(const Unit& unit) {
  if (unit.form >= kFormCount) {
    return MakeError(ErrorCode::kInvalid, fmt::format("unit: {} is no form", unit.form));
  }
  for (const Section& section : unit.sections) {
    const bool of_bytes = section.id == kWeights && unit.form != kDense;
    if (section.id < kSectionCount && section.id != kLut && !of_bytes &&
        section.bytes.size() % 2 != 0) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("unit: {} bytes of {} are no whole elements",
                                   section.bytes.size(), SectionName(section.id)));
    }
  }
  kernelweights::Weights weights = WeightsOf(unit);
  ANECHECK_RETURN_IF_ERROR(kernelweights::Validate(weights));
  return weights;
}

Unit FromWeights(const kernelweights::Weights& weights) {
  UnitMaker maker;
  std::visit([&](const auto& one) { maker(one); }, weights);
  return std::move(maker.unit);
}

}  // namespace anecheck::weightunit
