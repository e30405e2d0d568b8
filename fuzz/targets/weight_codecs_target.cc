// Fuzzes compressed constants. The parts of a compressed weight validate if and only if they can be
// reconstructed. Lossless codecs preserve every bit, and lossy codecs keep to their stated error.
// Weight tiles can be read and patched if and only if they lie inside the bytes, and patching
// changes no other byte. The input is a choice stream that draws correct and incorrect parts.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/choice_stream.h"
#include "harness/base/round_up.h"
#include "harness/formats/kernelweights/codec.h"
#include "harness/formats/kernelweights/tiling.h"

namespace anecheck::fuzz {
namespace {

using kernelweights::AffineInt8;
using kernelweights::BlockwiseInt8;
using kernelweights::CheckRegion;
using kernelweights::Dense;
using kernelweights::EncodeAffineInt8;
using kernelweights::EncodeFloat8;
using kernelweights::EncodePalette;
using kernelweights::EncodeSparse;
using kernelweights::Extent;
using kernelweights::Float8;
using kernelweights::kTileGranule;
using kernelweights::Palette;
using kernelweights::PatchTiles;
using kernelweights::Reconstruct;
using kernelweights::Sparse;
using kernelweights::StoredBytes;
using kernelweights::Tile;
using kernelweights::TileRegion;
using kernelweights::Untile;
using kernelweights::Validate;
using kernelweights::Weights;

constexpr auto kLaws =
    MoreLaws(kErrorLaws, "legal weights compress", "compressed weights reconstruct",
             "the error is at most half a scale", "finite weights compress",
             "weights that are not finite have no scale", "valid weights and no others reconstruct",
             "every element has a value", "sparse weights lose nothing",
             "few values lose nothing in a palette", "tiles that lie inside are read",
             "patched tiles are read back", "patching moves no byte between tiles",
             "tiled shares are read back");
using Laws = LawBook<kLaws>;

// Returns `right`, or in one of eight calls a number near it.
uint64_t Near(ChoiceStream& choices, uint64_t right) {
  if (!choices.Chance(1, 8)) return right;
  const uint64_t moved = right + choices.Below(5);
  return moved < 2 ? 0 : moved - 2;
}

std::vector<uint8_t> DrawBytes(ChoiceStream& choices, uint64_t right) {
  std::vector<uint8_t> bytes(Near(choices, right));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(choices.Below(256));
  return bytes;
}

std::vector<Half> DrawHalves(ChoiceStream& choices, uint64_t right) {
  std::vector<Half> halves(Near(choices, right));
  for (Half& half : halves) half = {static_cast<uint16_t>(choices.Below(65536))};
  return halves;
}

Extent DrawExtent(ChoiceStream& choices) {
  if (choices.Chance(1, 32)) return {UINT32_MAX, static_cast<uint32_t>(choices.Word())};
  return {static_cast<uint32_t>(choices.Below(11)), static_cast<uint32_t>(choices.Below(9))};
}

AffineInt8 DrawAffine(ChoiceStream& choices, Extent extent, uint64_t count) {
  AffineInt8 weights{
      .extent = extent, .is_signed = choices.Coin(), .bytes = {}, .scales = {}, .zero_points = {}};
  weights.bytes = DrawBytes(choices, count);
  weights.scales = DrawHalves(choices, choices.Coin() ? 1 : extent.channels);
  weights.zero_points.resize(Near(choices, std::array{0U, 1U, extent.channels}[choices.Below(3)]));
  for (int16_t& zero : weights.zero_points) zero = static_cast<int16_t>(choices.Range(-140, 300));
  return weights;
}

Palette DrawPalette(ChoiceStream& choices, Extent extent, uint64_t count) {
  static constexpr std::array<uint8_t, 6> kBits = {4, 2, 6, 8, 3, 0};
  static constexpr std::array<uint8_t, 6> kVectors = {1, 2, 4, 5, 3, 0};
  Palette weights{.extent = extent,
                  .index_bits = choices.Pick(kBits),
                  .vector_size = choices.Pick(kVectors),
                  .codebook_count = static_cast<uint32_t>(choices.Below(4)),
                  .indices = {},
                  .codebooks = {}};
  const uint64_t indices = count / std::max<uint64_t>(weights.vector_size, 1);
  weights.indices = DrawBytes(choices, (indices * weights.index_bits + 7) / 8);
  const uint64_t entries = uint64_t{1} << weights.index_bits;
  weights.codebooks = DrawHalves(choices, weights.codebook_count * entries * weights.vector_size);
  return weights;
}

Weights DrawWeights(ChoiceStream& choices) {
  const Extent extent = DrawExtent(choices);
  // The parts for an extent that is too large are small, because validation must refuse the extent
  // without reading the parts. An extent without elements has a count of 0 and keeps its channels.
  const uint64_t count = std::min<uint64_t>(extent.Count(), 128);
  const Extent small = extent.channels == UINT32_MAX ? Extent{8, 8} : extent;
  switch (choices.Below(6)) {
    case 0:
      return Dense{extent, DrawHalves(choices, count)};
    case 1: {
      AffineInt8 weights = DrawAffine(choices, small, count);
      weights.extent = extent;
      return weights;
    }
    case 2: {
      Palette weights = DrawPalette(choices, small, count);
      weights.extent = extent;
      return weights;
    }
    case 3: {
      Sparse weights{extent, DrawBytes(choices, (count + 7) / 8), {}};
      if (count % 8 != 0 && !weights.mask.empty() && !choices.Chance(1, 8)) {
        weights.mask.back() &= static_cast<uint8_t>((1U << (count % 8)) - 1);
      }
      uint64_t set = 0;
      for (const uint8_t byte : weights.mask) set += static_cast<uint64_t>(std::popcount(byte));
      weights.nonzeros = DrawHalves(choices, set);
      return weights;
    }
    case 4: {
      BlockwiseInt8 weights{extent,
                            static_cast<uint32_t>(choices.Below(4)),
                            static_cast<uint32_t>(choices.Below(4)),
                            DrawBytes(choices, count),
                            {}};
      const uint64_t block = std::max(weights.block_channels * weights.block_elements, 1U);
      weights.scales = DrawHalves(choices, count / block);
      return weights;
    }
    default: {
      const Float8Format format =
          choices.Coin() ? Float8Format::kE4M3 : static_cast<Float8Format>(choices.Below(2));
      return Float8{extent, format, DrawBytes(choices, count),
                    DrawHalves(choices, std::array{0U, 1U, small.channels}[choices.Below(3)])};
    }
  }
}

Extent ExtentOf(const Weights& weights) {
  return std::visit([](const auto& of) { return of.extent; }, weights);
}

template <typename T>
void RequireSame(const Result<T>& encoded, std::span<const Half> values, Laws::Law law) {
  Laws::Require(encoded.ok(), "legal weights compress",
                encoded.ok() ? "" : encoded.error().message);
  const auto again = Reconstruct(*encoded);
  Laws::Require(again.ok() && std::ranges::equal(*again, values), law);
}

template <typename T>
void RequireReconstructs(const Result<T>& encoded, size_t count) {
  if (!encoded.ok()) return RequireGoodError(encoded.error(), ~size_t{0});
  const auto again = Reconstruct(*encoded);
  Laws::Require(again.ok() && again->size() == count, "compressed weights reconstruct");
}

// Checks that |again - value| is at most scale / 2 plus the rounding of the result to fp16.
void RequireNear(Half value, Half again, Half scale) {
  if (again.IsInf()) return;  // the scale is rounded up, so 127 steps may exceed the largest half
  const double error = std::abs(HalfToDouble(again) - HalfToDouble(value));
  const double rounding = std::max(std::abs(HalfToDouble(again)) / 1024, 0x1p-24);
  Laws::Require(error <= HalfToDouble(scale) / 2 + rounding, "the error is at most half a scale",
                [&] {
                  return fmt::format("{} becomes {}, scale {}", HalfToDouble(value),
                                     HalfToDouble(again), HalfToDouble(scale));
                });
}

void CheckAffine(Extent extent, std::span<const Half> values, bool per_channel) {
  const auto encoded = EncodeAffineInt8(extent, values, per_channel);
  Laws::Require(encoded.ok(), "finite weights compress",
                encoded.ok() ? "" : encoded.error().message);
  const auto again = Reconstruct(*encoded);
  Laws::Require(again.ok() && again->size() == values.size(), "compressed weights reconstruct");
  for (size_t i = 0; i < values.size(); ++i) {
    RequireNear(values[i], (*again)[i], encoded->scales[per_channel ? i / extent.elements : 0]);
  }
}

void CheckCodecs(Extent extent, std::span<const Half> values) {
  RequireSame(EncodeSparse(extent, values), values, "sparse weights lose nothing");
  std::vector<uint16_t> distinct;
  for (const Half value : values) distinct.push_back(value.bits);
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() <= 16) {
    RequireSame(EncodePalette(extent, values, 4), values, "few values lose nothing in a palette");
  }
  const bool finite = std::ranges::all_of(values, &Half::IsFinite);
  if (distinct.size() > 4) RequireReconstructs(EncodePalette(extent, values, 2), values.size());
  RequireReconstructs(EncodeFloat8(extent, values, Float8Format::kE4M3, Float8Overflow::kSaturate),
                      values.size());
  if (!finite) {
    Laws::Require(!EncodeAffineInt8(extent, values, true).ok(),
                  "weights that are not finite have no scale");
    return;
  }
  CheckAffine(extent, values, true);
  CheckAffine(extent, values, false);
}

TileRegion DrawRegion(ChoiceStream& choices) {
  TileRegion region;
  region.count = static_cast<uint32_t>(choices.Below(5));
  region.tile_bytes = choices.Below(2 * kTileGranule);
  region.stride = Near(choices, RoundUp(region.tile_bytes, kTileGranule));
  region.offset = Near(choices, kTileGranule * choices.Below(3));
  return region;
}

// Whether byte `at` of a container belongs to a tile of the region.
bool IsInTile(const TileRegion& region, uint64_t at) {
  if (at < region.offset || at >= region.offset + region.Size()) return false;
  return (at - region.offset) % region.stride < region.tile_bytes;
}

void CheckTiles(ChoiceStream& choices) {
  const TileRegion region = DrawRegion(choices);
  const Bytes before(Near(choices, region.offset + region.Size()), uint8_t{0xA5});
  const auto lanes = Untile(before, region);
  Laws::Require(lanes.ok() == CheckRegion(region, before.size()).ok(),
                "tiles that lie inside are read");
  if (!lanes.ok()) return RequireGoodError(lanes.error(), ~size_t{0});
  std::vector<Bytes> shares(Near(choices, region.count), Bytes(region.tile_bytes));
  for (Bytes& share : shares) std::ranges::fill(share, static_cast<uint8_t>(choices.Below(256)));
  if (!shares.empty() && choices.Chance(1, 8)) shares.back().push_back(0);
  Bytes after = before;
  const Status patched = PatchTiles(after, region, shares);
  if (!patched.ok()) {
    RequireGoodError(patched.error(), ~size_t{0});
    return Laws::Require(after == before, "patching moves no byte between tiles");
  }
  const auto read = Untile(after, region);
  Laws::Require(read.ok() && *read == shares, "patched tiles are read back");
  for (uint64_t i = 0; i < after.size(); ++i) {
    Laws::Require(IsInTile(region, i) || after[i] == before[i],
                  "patching moves no byte between tiles");
  }
  const auto tiles = Tile(shares, region.stride);
  const TileRegion alone = {0, region.stride, region.count, region.tile_bytes};
  const auto untiled =
      tiles.ok() ? Untile(*tiles, alone) : Result<std::vector<Bytes>>(tiles.error());
  Laws::Require(untiled.ok() && *untiled == shares, "tiled shares are read back");
}

bool Check(ByteSpan input) {
  ChoiceStream tiles = ChoiceStream::FromBytes(input);
  CheckTiles(tiles);
  ChoiceStream choices = ChoiceStream::FromBytes(input);
  const Weights weights = DrawWeights(choices);
  const Status valid = Validate(weights);
  const auto values = Reconstruct(weights);
  Laws::Require(valid.ok() == values.ok(), "valid weights and no others reconstruct",
                valid.ok() ? "" : valid.error().message);
  if (!valid.ok()) {
    RequireGoodError(valid.error(), ~size_t{0});
    return true;
  }
  const Extent extent = ExtentOf(weights);
  Laws::Require(values->size() == extent.Count(), "every element has a value");
  (void)StoredBytes(weights);
  if (MeetsReaderLaws(input)) CheckCodecs(extent, *values);
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  Bytes bytes(8 + choices.Below(200));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(choices.Below(256));
  // The first bytes draw an ordinary extent and codec. Else most streams would be refused at once.
  bytes[0] = static_cast<uint8_t>(choices.Below(31));
  bytes[1] = static_cast<uint8_t>(1 + choices.Below(10));
  bytes[2] = static_cast<uint8_t>(1 + choices.Below(8));
  return bytes;
}

}  // namespace

extern const FuzzTarget kTarget_weight_codecs;
const FuzzTarget kTarget_weight_codecs = {
    .name = "weight_codecs",
    .check = Check,
    .laws = kLaws,
    .generate = Generate,
    .draw = [](ChoiceStream& choices) { (void)DrawWeights(choices); }};

}  // namespace anecheck::fuzz
