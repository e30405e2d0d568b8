#include "harness/encoder/coefficients.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "harness/base/round_up.h"
#include "harness/encoder/task.h"

namespace anecheck::encoder {
namespace {

constexpr uint32_t kMaxLaneBits = 4;
constexpr size_t kCountBytes = 3;

void AppendHalf(Bytes& bytes, uint16_t half) {
  bytes.push_back(static_cast<uint8_t>(half));
  bytes.push_back(static_cast<uint8_t>(half >> 8));
}

void Pad(Bytes& bytes, size_t unit) { bytes.resize(RoundUp(bytes.size(), unit)); }

bool IsZero(uint16_t half) { return (half & 0x7fff) == 0; }

// Writes a mask for every 8 or 16 slots, then the halfwords of the slots whose bits are set.
class SlotWriter {
 public:
  SlotWriter(Bytes& body, uint32_t slots_of_mask) : body_(body), slots_of_mask_(slots_of_mask) {}
  ~SlotWriter() { Flush(); }
  SlotWriter(const SlotWriter&) = delete;
  SlotWriter& operator=(const SlotWriter&) = delete;

  void Add(uint16_t half) {
    if (!IsZero(half)) {
      mask_ |= 1u << slot_;
      present_.push_back(half);
    }
    if (++slot_ == slots_of_mask_) Flush();
  }

 private:
  void Flush() {
    if (slot_ == 0) return;
    for (uint32_t bit = 0; bit < slots_of_mask_; bit += 8) {
      body_.push_back(static_cast<uint8_t>(mask_ >> bit));
    }
    for (const uint16_t half : present_) AppendHalf(body_, half);
    slot_ = 0;
    mask_ = 0;
    present_.clear();
  }

  Bytes& body_;
  uint32_t slots_of_mask_;
  uint32_t slot_ = 0;
  uint32_t mask_ = 0;
  std::vector<uint16_t> present_;
};

class Packer {
 public:
  Packer(const Weights& weights, const StreamOrder& order)
      : w_(weights), order_(order), lanes_(1u << order.lane_bits) {}

  std::vector<Bytes> Pack() {
    const uint32_t engines = 1u << order_.engine_bits;
    std::vector<Bytes> streams(engines);
    for (uint32_t group = 0; group < w_.groups; ++group) {
      const uint32_t sets = (w_.out_channels + lanes_ - 1) / lanes_;
      for (uint32_t set = 0; set < sets; ++set) {
        Bytes& stream = streams[set % engines];
        AppendSet(group, set * lanes_, stream);
        if (w_.groups > 1 && !order_.packed_channels) Pad(stream, kLine);
      }
    }
    while (streams.back().empty()) streams.pop_back();
    for (Bytes& stream : streams) Pad(stream, kLine);
    return streams;
  }

 private:
  uint16_t At(uint32_t group, uint32_t channel, uint32_t in, uint32_t y, uint32_t x) const {
    if (channel >= w_.out_channels || y >= w_.height || x >= w_.width) return 0;
    const size_t row = (size_t{group} * w_.out_channels + channel) * w_.in_channels + in;
    return w_.values[(row * w_.height + y) * w_.width + x];
  }

  void AppendSet(uint32_t group, uint32_t first, Bytes& stream) {
    if (!w_.bias.empty()) {
      for (uint32_t lane = 0; lane < lanes_; ++lane) {
        const uint32_t channel = first + lane;
        AppendHalf(stream, channel < w_.out_channels ? w_.bias[group * w_.out_channels + channel]
                                                     : uint16_t{0});
      }
    }
    if (order_.zero_skip) {
      AppendSkipping(group, first, stream);
      return;
    }
    for (uint32_t in = 0; in < w_.in_channels; ++in) {
      for (uint32_t y = 0; y < w_.height; ++y) {
        for (uint32_t x = 0; x < w_.width; ++x) {
          for (uint32_t lane = 0; lane < lanes_; ++lane) {
            AppendHalf(stream, At(group, first + lane, in, y, x));
          }
        }
      }
    }
  }

  // Appends the size of the body, then the body. The taps are ordered by the phase of the stride.
  void AppendSkipping(uint32_t group, uint32_t first, Bytes& stream) {
    Bytes body;
    {
      SlotWriter slots(body, order_.slots_of_mask);
      for (uint32_t in = 0; in < w_.in_channels; ++in) AppendPhases(group, first, in, slots);
    }
    for (size_t i = 0; i < kCountBytes; ++i) {
      stream.push_back(static_cast<uint8_t>(body.size() >> (8 * i)));
    }
    stream.insert(stream.end(), body.begin(), body.end());
  }

  void AppendPhases(uint32_t group, uint32_t first, uint32_t in, SlotWriter& slots) const {
    const uint32_t down = (w_.height + order_.stride_y - 1) / order_.stride_y;
    const uint32_t across = (w_.width + order_.stride_x - 1) / order_.stride_x;
    const uint32_t slots_of_tap = std::max(lanes_, 2u);
    for (uint32_t phase_y = 0; phase_y < order_.stride_y; ++phase_y) {
      for (uint32_t phase_x = 0; phase_x < order_.stride_x; ++phase_x) {
        for (uint32_t a = 0; a < down; ++a) {
          for (uint32_t c = 0; c < across; ++c) {
            const uint32_t y = a * order_.stride_y + phase_y;
            const uint32_t x = c * order_.stride_x + phase_x;
            for (uint32_t lane = 0; lane < slots_of_tap; ++lane) {
              slots.Add(lane < lanes_ ? At(group, first + lane, in, y, x) : uint16_t{0});
            }
          }
        }
      }
    }
  }

  const Weights& w_;
  const StreamOrder& order_;
  uint32_t lanes_;
};

}  // namespace

uint32_t EngineBits(uint32_t out_channels) {
  return std::min(static_cast<uint32_t>(std::bit_width(out_channels - 1)),
                  static_cast<uint32_t>(std::bit_width(kEngineCount - 1)));
}

uint32_t LaneBits(uint32_t out_channels) {
  uint32_t bits = 0;
  while (bits < kMaxLaneBits && out_channels % (2u << bits) == 0 &&
         out_channels / kEngineCount >= (2u << bits)) {
    ++bits;
  }
  return bits;
}

Result<std::vector<Bytes>> PackWeights(const Weights& weights, const StreamOrder& order) {
  const size_t channels = size_t{weights.groups} * weights.out_channels;
  const size_t count = channels * weights.in_channels * weights.height * weights.width;
  if (weights.values.size() != count) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{} weights, but the extents require {}",
                                                      weights.values.size(), count));
  }
  if (!weights.bias.empty() && weights.bias.size() != channels) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{} biases for {} output channels",
                                                      weights.bias.size(), channels));
  }
  return Packer(weights, order).Pack();
}

}  // namespace anecheck::encoder
