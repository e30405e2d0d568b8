// Tests that the encoder packs weights into the same bytes as recorded sections.
#include "harness/encoder/coefficients.h"

#include <gtest/gtest.h>

#include "harness/base/testing/test_data.h"
#include "harness/encoder/activation_table.h"
#include "harness/formats/npz/npz.h"

namespace anecheck::encoder {
namespace {

Bytes RecordedConstants(const std::string& program) {
  const auto arrays =
      npz::ReadNpzFile(anecheck::testing::VectorPath("h13_program/" + program + ".npz")).value();
  for (const npz::NamedArray& array : arrays) {
    if (array.name == "const") return array.array.data;
  }
  return {};
}

uint16_t HalfAt(const Bytes& bytes, size_t at) {
  return static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8);
}

Bytes Joined(const std::vector<Bytes>& streams) {
  Bytes joined;
  for (const Bytes& stream : streams) joined.insert(joined.end(), stream.begin(), stream.end());
  return joined;
}

// The streams of the section contain each weight once. The test reads every weight back into the
// order of the network and packs it into the same bytes.
TEST(Coefficients, DenseSectionsArePackedAsRecorded) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  const Bytes section = RecordedConstants("conv_known_k3_c64_n64_s16_st1_g1_bias0_same");
  constexpr size_t kLanes = 4, kReduced = 576, kStream = 0x1200;
  std::vector<uint16_t> weights(64 * kReduced);
  for (size_t channel = 0; channel < 64; ++channel) {
    const size_t stream = channel / kLanes * kStream;
    for (size_t row = 0; row < kReduced; ++row) {
      weights[channel * kReduced + row] =
          HalfAt(section, stream + (row * kLanes + channel % kLanes) * 2);
    }
  }
  const auto streams = PackWeights(
      {.out_channels = 64, .in_channels = 64, .height = 3, .width = 3, .values = weights},
      {.lane_bits = LaneBits(64), .engine_bits = EngineBits(64)});
  ASSERT_TRUE(streams.ok());
  EXPECT_EQ(Joined(*streams), section);
}

TEST(Coefficients, GroupsWithBiasArePackedAndPaddedAsRecorded) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  const Bytes section = RecordedConstants("conv_known_k3_c64_n64_s16_st1_g4_bias1_same");
  constexpr size_t kReduced = 144, kSet = 0x140, kStream = 0x500;
  std::vector<uint16_t> weights(64 * kReduced), bias(64);
  for (size_t channel = 0; channel < 64; ++channel) {
    const size_t set = channel % 16 * kStream + channel / 16 * kSet;
    bias[channel] = HalfAt(section, set);
    for (size_t row = 0; row < kReduced; ++row) {
      weights[channel * kReduced + row] = HalfAt(section, set + 2 + row * 2);
    }
  }
  const auto streams = PackWeights({.groups = 4,
                                    .out_channels = 16,
                                    .in_channels = 16,
                                    .height = 3,
                                    .width = 3,
                                    .values = weights,
                                    .bias = bias},
                                   {.lane_bits = LaneBits(16), .engine_bits = EngineBits(16)});
  ASSERT_TRUE(streams.ok());
  EXPECT_EQ(Joined(*streams), section);
}

// The only weight is the third tap of the second row. At stride 2, it is in the second column of
// phase (1, 0).
TEST(Coefficients, ZeroSkipStreamsOrderTapsByPhase) {
  std::vector<uint16_t> weights(9);
  weights[1 * 3 + 2] = 0x3c00;
  const auto streams = PackWeights({.height = 3, .width = 3, .values = weights},
                                   {.zero_skip = true, .stride_x = 2, .stride_y = 2});
  ASSERT_TRUE(streams.ok());
  // Each tap has two slots and each phase four taps, so the tap is number 9 of 16, at slot 18.
  const Bytes expected = {6, 0, 0, 0, 0, 1 << 2, 0, 0x3c, 0};
  ASSERT_EQ(streams->size(), 1u);
  EXPECT_EQ(streams->front().size(), 64u);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), streams->front().begin()));
}

TEST(ActivationTables, HoldTheRecordedWords) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  EXPECT_EQ(TableOf(Function::kExp2), RecordedConstants("unary_exp_c64"));
  EXPECT_EQ(LeakyTable(0x3000), RecordedConstants("unary_leaky_relu_c64_alpha_0_125"));
}

}  // namespace
}  // namespace anecheck::encoder
