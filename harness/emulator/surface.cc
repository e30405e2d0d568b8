#include "harness/emulator/surface.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "harness/base/half.h"

namespace anecheck::emulator {
namespace {

constexpr float kMostOfByte = 255;

// The strides of a pattern along channels and columns, with the interleave of the channel axis.
struct Walk {
  explicit Walk(const Pattern& pattern)
      : channel(pattern.channel),
        column(uint64_t{pattern.element} * pattern.interleave),
        interleave(pattern.interleave),
        element(pattern.element) {}
  uint64_t ChannelOffset(uint64_t c) const {
    return c / interleave * channel + c % interleave * element;
  }
  uint64_t channel;
  uint64_t column;
  uint64_t interleave;
  uint64_t element;
};

// Calls visit(offset, index) for every element. Offsets are in bytes from the surface's start.
template <typename Visit>
void ForEachElement(const Pattern& pattern, const Extents& e, Visit visit) {
  const Walk walk(pattern);
  size_t index = 0;
  for (uint64_t g = 0; g < e.groups; ++g) {
    for (uint64_t d = 0; d < e.depth; ++d) {
      const uint64_t at = pattern.base + g * pattern.group + d * pattern.depth;
      for (uint64_t c = 0; c < e.channels; ++c) {
        const uint64_t plane = pattern.swapped ? c * walk.column : walk.ChannelOffset(c);
        for (uint64_t y = 0; y < e.height; ++y) {
          const uint64_t row = at + plane + y * pattern.row;
          for (uint64_t x = 0; x < e.width; ++x, ++index) {
            visit(row + (pattern.swapped ? walk.ChannelOffset(x) : x * walk.column), index);
          }
        }
      }
    }
  }
}

}  // namespace

uint64_t EndOf(const Pattern& pattern, const Extents& extents) {
  const uint64_t channels = pattern.swapped ? extents.width : extents.channels;
  const uint64_t columns = pattern.swapped ? extents.channels : extents.width;
  const Walk walk(pattern);
  // The greatest offset is that of the last channel, or of the last channel of the last full
  // interleaved set.
  uint64_t channel = walk.ChannelOffset(channels - 1);
  if (channels >= walk.interleave) {
    const uint64_t full = channels / walk.interleave * walk.interleave;
    channel = std::max(channel, walk.ChannelOffset(full - 1));
  }
  // Strides are below 2^32 and extents below 2^17, so each product is below 2^49.
  return pattern.base + (extents.groups - 1) * pattern.group + (extents.depth - 1) * pattern.depth +
         channel + (extents.height - 1) * pattern.row + (columns - 1) * walk.column + walk.element;
}

Status CheckPattern(const Pattern& pattern, const Extents& extents, uint64_t bytes,
                    const std::string& who) {
  if (extents.Count() > kMaxElements) {
    return MakeError(ErrorCode::kLimit, fmt::format("{}: {} elements; at most {} are emulated", who,
                                                    extents.Count(), kMaxElements));
  }
  const uint64_t end = EndOf(pattern, extents);
  if (end <= bytes) return {};
  return MakeError(
      ErrorCode::kInvalid,
      fmt::format("{}: reaches byte 0x{:x} of a surface of 0x{:x} bytes", who, end, bytes));
}

float NumberOf(uint16_t bits) {
  static const std::vector<float> table = [] {
    std::vector<float> numbers(65536);
    for (uint32_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = HalfToFloat(Half{static_cast<uint16_t>(i)});
    }
    return numbers;
  }();
  return table[bits];
}

Result<std::vector<uint64_t>> OffsetsOf(const Pattern& pattern, const Extents& extents,
                                        uint64_t bytes, const std::string& who) {
  ANECHECK_RETURN_IF_ERROR(CheckPattern(pattern, extents, bytes, who));
  std::vector<uint64_t> offsets(extents.Count());
  ForEachElement(pattern, extents, [&](uint64_t offset, size_t index) { offsets[index] = offset; });
  return offsets;
}

Result<std::vector<uint16_t>> GatherBits(std::span<const uint8_t> bytes, const Pattern& pattern,
                                         const Extents& extents, const std::string& who) {
  ANECHECK_RETURN_IF_ERROR(CheckPattern(pattern, extents, bytes.size(), who));
  std::vector<uint16_t> values(extents.Count());
  ForEachElement(pattern, extents, [&](uint64_t offset, size_t index) {
    std::memcpy(&values[index], bytes.data() + offset, pattern.element);
  });
  return values;
}

Result<std::vector<float>> Gather(std::span<const uint8_t> bytes, const Pattern& pattern,
                                  const Extents& extents, const std::string& who) {
  ANECHECK_ASSIGN(const std::vector<uint16_t> bits, GatherBits(bytes, pattern, extents, who));
  std::vector<float> values(bits.size());
  if (pattern.OfBytes()) {
    std::ranges::copy(bits, values.begin());
  } else {
    std::ranges::transform(bits, values.begin(), NumberOf);
  }
  return values;
}

Status Scatter(std::span<uint8_t> bytes, const Pattern& pattern, const Extents& extents,
               std::span<const uint16_t> values, const std::string& who) {
  ANECHECK_RETURN_IF_ERROR(CheckPattern(pattern, extents, bytes.size(), who));
  ForEachElement(pattern, extents, [&](uint64_t offset, size_t index) {
    std::memcpy(bytes.data() + offset, &values[index], pattern.element);
  });
  return {};
}

Result<std::vector<uint16_t>> AsBytes(std::span<const uint16_t> halves, const std::string& who) {
  std::vector<uint16_t> bytes(halves.size());
  for (size_t i = 0; i < halves.size(); ++i) {
    const float number = NumberOf(halves[i]);
    if (!(number >= 0 && number <= kMostOfByte) || number != std::trunc(number)) {
      return MakeError(ErrorCode::kUnsupported,
                       fmt::format("{}: element {} is {:g}; only whole numbers from 0 to 255 are"
                                   " known to become bytes",
                                   who, i, number));
    }
    bytes[i] = static_cast<uint16_t>(number);
  }
  return bytes;
}

}  // namespace anecheck::emulator
