// Weight tiles. The compiler splits a kernel over the engine's compute lanes, pads the share of
// each lane to the 64-byte tile granule, and places the shares at a fixed stride. So weights can be
// patched in place while the program stays. Used by the lowering and by tests of containers.
// Sources: specification 000, "Weight tiling and the per-lane naming", table 23.10; facts/hwx.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck::kernelweights {

inline constexpr uint64_t kTileGranule = 64;

enum class WeightKind : uint8_t { kConvolution, kMatrixMultiply };

// The strides of table 23.10: 0xC0 and 0x40. They come from the decoded samples; other real kernels
// use other multiples of kTileGranule (0x200 for the identity layer).
uint64_t PublishedTileStride(WeightKind kind);

// The number of tiles of a kernel of `output_channels`: min(16, channels), as in the real files.
// The specification states min(8, lanes).
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

// Errors: kInvalid if the offset or stride is no multiple of 64, if a tile is longer than the
// stride, or if the region extends beyond `file_size`.
Status CheckRegion(const TileRegion& region, uint64_t file_size);

// Places the lanes' shares `stride` bytes apart, with zeros between them. All shares must have the
// same length.
Result<Bytes> Tile(std::span<const Bytes> lanes, uint64_t stride);

// The used bytes of each tile of `container`.
Result<std::vector<Bytes>> Untile(ByteSpan container, const TileRegion& region);

// Overwrites the used bytes of the tiles, and no other byte of `container`.
Status PatchTiles(std::span<uint8_t> container, const TileRegion& region,
                  std::span<const Bytes> lanes);

}  // namespace anecheck::kernelweights
