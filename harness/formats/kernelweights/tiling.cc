// Weight tiles.
#include "harness/formats/kernelweights/tiling.h"

#include <algorithm>
#include <fmt/format.h>

namespace anecheck::kernelweights {

namespace {

Error Bad(std::string message, uint64_t offset = Error::kNoOffset) {
  return MakeError(ErrorCode::kInvalid, "weight tiles: " + std::move(message), offset);
}

Status CheckLanes(std::span<const Bytes> lanes, uint64_t count, uint64_t bytes) {
  if (lanes.size() != count) {
    return Bad(fmt::format("the weights have {} shares of lanes, but there are {} tiles",
                           lanes.size(), count));
  }
  for (const Bytes& lane : lanes) {
    if (lane.size() != bytes) {
      return Bad(
          fmt::format("the share of a lane has {} bytes, but a tile has {}", lane.size(), bytes));
    }
  }
  return {};
}

}  // namespace

uint64_t PublishedTileStride(WeightKind kind) {
  return kind == WeightKind::kConvolution ? 0xC0 : 0x40;
}

uint32_t TileCount(uint32_t output_channels) { return std::min(16U, output_channels); }
uint32_t TileCountOfSpecification(uint32_t lanes) { return std::min(8U, lanes); }

Status CheckRegion(const TileRegion& region, uint64_t file_size) {
  if (region.offset % kTileGranule != 0 || region.stride % kTileGranule != 0 ||
      region.stride == 0) {
    return Bad(fmt::format("offset {:#x} or stride {:#x} is no multiple of 64", region.offset,
                           region.stride),
               region.offset);
  }
  if (region.tile_bytes > region.stride) {
    return Bad(
        fmt::format("{} bytes do not fit the stride {:#x}", region.tile_bytes, region.stride),
        region.offset);
  }
  if (region.offset > file_size || region.count > (file_size - region.offset) / region.stride) {
    return Bad(fmt::format("{} tiles of {:#x} at {:#x} extend beyond the end {:#x}", region.count,
                           region.stride, region.offset, file_size),
               region.offset);
  }
  return {};
}

Result<Bytes> Tile(std::span<const Bytes> lanes, uint64_t stride) {
  const uint64_t share = lanes.empty() ? 0 : lanes[0].size();
  ANECHECK_RETURN_IF_ERROR(CheckLanes(lanes, lanes.size(), share));
  TileRegion region{0, stride, static_cast<uint32_t>(lanes.size()), share};
  if (share > stride || stride > UINT32_MAX) {
    return Bad(fmt::format("{} bytes do not fit the stride {:#x}", share, stride));
  }
  Bytes tiles(region.Size(), 0);
  ANECHECK_RETURN_IF_ERROR(PatchTiles(tiles, region, lanes));
  return tiles;
}

Result<std::vector<Bytes>> Untile(ByteSpan container, const TileRegion& region) {
  ANECHECK_RETURN_IF_ERROR(CheckRegion(region, container.size()));
  std::vector<Bytes> lanes;
  for (uint64_t i = 0; i < region.count; ++i) {
    const ByteSpan tile = container.subspan(region.offset + i * region.stride, region.tile_bytes);
    lanes.emplace_back(tile.begin(), tile.end());
  }
  return lanes;
}

Status PatchTiles(std::span<uint8_t> container, const TileRegion& region,
                  std::span<const Bytes> lanes) {
  ANECHECK_RETURN_IF_ERROR(CheckRegion(region, container.size()));
  ANECHECK_RETURN_IF_ERROR(CheckLanes(lanes, region.count, region.tile_bytes));
  for (uint64_t i = 0; i < region.count; ++i) {
    std::ranges::copy(
        lanes[i], container.begin() + static_cast<ptrdiff_t>(region.offset + i * region.stride));
  }
  return {};
}

}  // namespace anecheck::kernelweights
