// Packs weights as the engines read them: a stream per engine, output channels in groups of lanes.
// Source: layout.md of the H13 facts, "Coefficient stream of NE tasks".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck::encoder {

// Weights of a convolution as fp16 bits, [groups][out_channels][in_channels][height][width]. The
// numbers of channels are those of one group. A depthwise layer has one group and `in_channels` 1
// here, as in the engines.
struct Weights {
  uint32_t groups = 1;
  uint32_t out_channels = 1;
  uint32_t in_channels = 1;
  uint32_t height = 1, width = 1;
  std::span<const uint16_t> values;
  std::span<const uint16_t> bias;  // [groups * out_channels], or empty
};

struct StreamOrder {
  uint32_t lane_bits = 0;  // log2 of the number of output channels that an engine computes at once
  uint32_t engine_bits = 0;      // log2 of the number of engines
  bool packed_channels = false;  // depthwise: no padding between the channels of an engine
  // Strides above 1 use the zero-skip form. Its taps are ordered by phase.
  bool zero_skip = false;
  uint32_t stride_x = 1, stride_y = 1;
  uint32_t slots_of_mask = 8;  // of the zero-skip form: 8 on H13, 16 on H14
};

// Returns log2 of the number of engines that work on `out_channels` output channels: 0 to 4.
uint32_t EngineBits(uint32_t out_channels);
// Returns log2 of the number of lanes. The number of lanes is the largest power of two that divides
// `out_channels` and is at most 16 and at most a sixteenth of `out_channels`. It is 1 if no power
// fulfils this. No file shows the width of the rows of a set with fewer channels.
uint32_t LaneBits(uint32_t out_channels);

// Returns the streams in the order of the engines. The length of each stream is a multiple of 64
// bytes. Engines without a channel have no stream. kInvalid if the values do not fit the extents.
Result<std::vector<Bytes>> PackWeights(const Weights& weights, const StreamOrder& order);

}  // namespace anecheck::encoder
