// Weights as the engines read them: one stream for each engine, output channels in groups of lanes.
// Source: layout.md of the H13 facts, "Coefficient stream of NE tasks".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck::encoder {

// Weights of a convolution, fp16 bits, [groups][out_channels][in_channels][height][width]; channels
// are those of one group. A depthwise layer has one group here and `in_channels` 1, as in the
// engines.
struct Weights {
  uint32_t groups = 1;
  uint32_t out_channels = 1;
  uint32_t in_channels = 1;
  uint32_t height = 1, width = 1;
  std::span<const uint16_t> values;
  std::span<const uint16_t> bias;  // [groups * out_channels], or empty
};

struct StreamOrder {
  uint32_t lane_bits = 0;        // log2 of the number of output channels an engine computes at once
  uint32_t engine_bits = 0;      // log2 of the number of engines
  bool packed_channels = false;  // depthwise: no padding between the channels of an engine
  // Strides above 1 use the zero-skip form, with the taps in order of their phase.
  bool zero_skip = false;
  uint32_t stride_x = 1, stride_y = 1;
  uint32_t slots_of_mask = 8;  // of the zero-skip form: 8 on H13, 16 on H14
};

// log2 of the number of engines that work on `out_channels` output channels: 0 to 4.
uint32_t EngineBits(uint32_t out_channels);
// log2 of the number of lanes. The number of lanes is the largest power of two that divides
// `out_channels`, is at most 16, and is at most a sixteenth of `out_channels`. It is 1 if there is
// no such power. No file shows the width of the rows of a set with fewer channels.
uint32_t LaneBits(uint32_t out_channels);

// The streams in engine order, each a multiple of 64 bytes long. Engines without a channel have no
// stream. kInvalid if the number of values does not fit the extents.
Result<std::vector<Bytes>> PackWeights(const Weights& weights, const StreamOrder& order);

}  // namespace anecheck::encoder
