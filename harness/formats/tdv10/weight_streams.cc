#include "harness/formats/tdv10/weight_streams.h"

#include <fmt/format.h>
#include <limits>
#include <vector>

#include "harness/base/round_up.h"

namespace anecheck::tdv10 {
namespace {

constexpr std::array<WeightStreamRegisters, kWeightStreams> kStreams = {{
    {WeightStream::kBias, "bias", 0x5548, 0x554c, 0x5550},
    {WeightStream::kPostScale, "post-scale", 0x5558, 0x555c, 0x5560},
    {WeightStream::kPalette, "palette", 0x5568, 0x556c, 0x5570},
    {WeightStream::kActivation, "activation", 0x5578, 0x557c, 0x5580},
}};

}  // namespace

std::span<const WeightStreamRegisters, kWeightStreams> WeightStreams() { return kStreams; }

Result<std::vector<PlacedStream>> PlaceStreams(const WeightStreamSizes& sizes, uint32_t first) {
  std::vector<PlacedStream> placed;
  uint64_t end = first;
  for (const WeightStreamRegisters& row : kStreams) {
    const uint32_t size = sizes[static_cast<size_t>(row.stream)];
    if (size == 0) continue;
    const uint64_t base = RoundUp(end, kStreamAlignment);
    end = base + size;
    if (end > std::numeric_limits<uint32_t>::max()) {
      return MakeError(
          ErrorCode::kInvalid,
          fmt::format("the {} stream ends beyond 32 bits of the kernel section", row.name));
    }
    placed.push_back({row.stream, static_cast<uint32_t>(base), size});
  }
  return placed;
}

Status WriteStreams(std::span<const PlacedStream> streams, uint32_t section, Image& image) {
  Image changed = image;
  for (const WeightStreamRegisters& row : kStreams) {
    for (const uint32_t address : {row.enable, row.base, row.slot}) {
      ANECHECK_RETURN_IF_ERROR(changed.SetRegister(address, 0));
    }
  }
  for (const PlacedStream& placed : streams) {
    const WeightStreamRegisters& row = kStreams[static_cast<size_t>(placed.stream)];
    ANECHECK_RETURN_IF_ERROR(changed.SetRegister(row.enable, kStreamEnabled));
    ANECHECK_RETURN_IF_ERROR(changed.SetRegister(row.base, placed.base));
    ANECHECK_RETURN_IF_ERROR(changed.SetRegister(row.slot, section));
  }
  image = std::move(changed);
  return {};
}

}  // namespace anecheck::tdv10
