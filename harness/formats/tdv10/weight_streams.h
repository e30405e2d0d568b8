// The four weight sub-streams of a version-10 task. Each has a register that enables it, a register
// with its offset in the kernel section, and a relocation slot. Sources: specification 000, table
// 23.5 and below; public guide, chapter 25 (facts/more/kernel_dma_streams.csv).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/base/result.h"
#include "harness/formats/tdv10/image.h"

namespace anecheck::tdv10 {

// In the order of their registers.
enum class WeightStream : uint8_t { kBias, kPostScale, kPalette, kActivation };
inline constexpr size_t kWeightStreams = 4;

struct WeightStreamRegisters {
  WeightStream stream = WeightStream::kBias;
  std::string_view name;  // "bias"
  // Byte addresses.
  uint32_t enable = 0;
  uint32_t base = 0;
  uint32_t slot = 0;
};
std::span<const WeightStreamRegisters, kWeightStreams> WeightStreams();

// The bit that enables a stream. No source states it. Bit 0 is assumed, as in the other DMA engines
// of H13.
inline constexpr uint32_t kStreamEnabled = 1;

// The sizes of a layer's streams in bytes, indexed by WeightStream. An absent stream has size 0.
using WeightStreamSizes = std::array<uint32_t, kWeightStreams>;

struct PlacedStream {
  WeightStream stream = WeightStream::kBias;
  uint32_t base = 0;  // from the start of the kernel section, a multiple of kStreamAlignment
  uint32_t size = 0;
};
// The alignment in the kernel section (facts/hwx.md: tiles are multiples of 64 bytes).
inline constexpr uint32_t kStreamAlignment = 64;

// Places the streams in order, from offset `first` on. Errors: kInvalid beyond 32 bits.
Result<std::vector<PlacedStream>> PlaceStreams(const WeightStreamSizes& sizes, uint32_t first);

// Enables the streams, writes their offsets, and writes `section`, the device address of the kernel
// section, into their slots. Sets the registers of other streams to 0.
Status WriteStreams(std::span<const PlacedStream> streams, uint32_t section, Image& image);

}  // namespace anecheck::tdv10
