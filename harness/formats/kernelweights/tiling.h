// Weight tiles. The compiler splits a kernel over the engine's compute lanes, pads the part of each
// lane to a multiple of 64 bytes, and places the parts at a fixed stride. So weights can be
// replaced in a compiled program. Used by the lowering and by tests of containers. Sources:
// specification 000, "Weight tiling and the per-lane naming", table 23.10; facts/hwx.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck::kernelweights {

inline constexpr uint64_t kTileGranule = 64;

enum class WeightKind : uint8_t { kConvolution, kMatrixMultiply };

// Returns the stride of table 23.10, which is 0xC0 or 0x40. These strides are from decoded samples.
// Other real kernels have other multiples of kTileGranule (0x200 for the identity layer).
uint64_t PublishedTileStride(WeightKind kind);

// TileCount returns the number of tiles of a kernel in real files, min(16, output_channels).
// TileCountOfSpecification returns the number in the specification, min(8, lanes).
uint32_t TileCount(uint32_t output_channels);
uint32_t TileCountOfSpecification(uint32_t lanes);

// Tiles in one region of a container.
struct TileRegion {
  uint64_t offset = 0;      // absolute, of the first tile; a multiple of 64
  uint64_t stride = 0;      // a multiple of 64
  uint32_t count = 0;       // tiles
  uint64_t tile_bytes = 0;  // used bytes of each tile, at most the stride
  uint64_t Size() const { return stride * count; }
};

// Errors: kInvalid if the offset or stride is not a multiple of 64, if a tile is longer than the
// stride, or if the region extends beyond `file_size`.
Status CheckRegion(const TileRegion& region, uint64_t file_size);

// Places the parts of the lanes `stride` bytes apart, with zeros between. All have one length.
Result<Bytes> Tile(std::span<const Bytes> lanes, uint64_t stride);

// Returns the used bytes of each tile of `container`.
Result<std::vector<Bytes>> Untile(ByteSpan container, const TileRegion& region);

// Overwrites the used bytes of the tiles, and no other byte of `container`.
Status PatchTiles(std::span<uint8_t> container, const TileRegion& region,
                  std::span<const Bytes> lanes);

}  // namespace anecheck::kernelweights
