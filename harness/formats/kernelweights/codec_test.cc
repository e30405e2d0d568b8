// Tests the values of each compressed form, and that Reconstruct inverts the Encode functions.
#include "harness/formats/kernelweights/codec.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"

namespace anecheck::kernelweights {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Half> Halves(std::initializer_list<double> values) {
  std::vector<Half> halves;
  for (const double value : values) halves.push_back(DoubleToHalf(value));
  return halves;
}

Extent AnyExtent(uint32_t channel_unit = 1) {
  return {channel_unit * *rc::gen::inRange<uint32_t>(1, 6), *rc::gen::inRange<uint32_t>(1, 20)};
}

std::vector<Half> AnyValues(Extent extent, const rc::Gen<Half>& gen) {
  return *rc::gen::container<std::vector<Half>>(extent.Count(), gen);
}

TEST(Affine, DequantisesAsScaleTimesDifference) {
  AffineInt8 weights{{2, 2}, true, {0x01, 0xff, 0x80, 0x7f}, Halves({0.5, 2}), {3, -1}};
  EXPECT_EQ(Reconstruct(weights).value(), Halves({-1, -2, -254, 256}));
  weights.is_signed = false;
  weights.zero_points = {128};
  weights.scales = Halves({0.5});
  EXPECT_EQ(Reconstruct(weights).value(), Halves({-63.5, 63.5, 0, -0.5}));
}

// 3 * 0.1 is the exact product of 3 and the fp16 number nearest to 0.1, rounded once.
TEST(Affine, RoundsOnce) {
  const AffineInt8 weights{{1, 1}, true, {3}, Halves({0.1}), {}};
  EXPECT_EQ(Reconstruct(weights).value()[0], DoubleToHalf(3 * HalfToDouble(DoubleToHalf(0.1))));
}

TEST(Affine, WrongLengthsAndRangesAreRefused) {
  EXPECT_FALSE(Validate(AffineInt8{{2, 2}, true, Bytes(3), Halves({1}), {}}).ok());
  EXPECT_FALSE(Validate(AffineInt8{{2, 2}, true, Bytes(4), Halves({1, 1, 1}), {}}).ok());
  EXPECT_FALSE(Validate(AffineInt8{{2, 2}, true, Bytes(4), {}, {}}).ok());
  EXPECT_FALSE(Validate(AffineInt8{{2, 2}, true, Bytes(4), Halves({1}), {128}}).ok());
  EXPECT_FALSE(Validate(AffineInt8{{2, 2}, false, Bytes(4), Halves({1}), {-1}}).ok());
  EXPECT_FALSE(Validate(AffineInt8{{0, 2}, true, {}, Halves({1}), {}}).ok());
  EXPECT_FALSE(Validate(AffineInt8{{1U << 20, 1U << 20}, true, {}, Halves({1}), {}}).ok());
}

TEST(Palette, VectorsSpanConsecutiveChannels) {
  // 4 channels of 2 elements, vectors of size 2, 2 rows of 2 indices, one codebook of 4 vectors.
  Palette weights{
      {4, 2}, 2, 2, 1, PackBits(Bytes{0, 3, 2, 1}, 2), Halves({1, 2, 3, 4, 5, 6, 7, 8})};
  EXPECT_EQ(weights.indices, Bytes{0b01101100});
  EXPECT_EQ(Reconstruct(weights).value(), Halves({1, 7, 2, 8, 5, 3, 6, 4}));
  // One codebook for each row.
  weights.codebook_count = 2;
  weights.codebooks = Halves({1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18});
  EXPECT_EQ(Reconstruct(weights).value(), Halves({1, 7, 2, 8, 15, 13, 16, 14}));
}

TEST(Palette, IllegalShapesAreRefused) {
  for (const uint8_t bits : {0, 1, 3, 5, 7, 9}) {
    EXPECT_FALSE(EncodePalette({1, 1}, Halves({1}), bits).ok()) << int{bits};
  }
  for (const uint8_t size : {0, 3, 6, 8}) {
    EXPECT_FALSE(EncodePalette({24, 1}, std::vector<Half>(24), 4, size).ok()) << int{size};
  }
  EXPECT_FALSE(EncodePalette({3, 1}, Halves({1, 2, 3}), 4, 2).ok());
  EXPECT_FALSE(EncodePalette({4, 1}, Halves({1, 2, 3, 4}), 4, 2, 3).ok());
  EXPECT_FALSE(Validate(Palette{{1, 2}, 4, 1, 1, Bytes(2), std::vector<Half>(16)}).ok());
  EXPECT_FALSE(Validate(Palette{{1, 2}, 4, 1, 1, Bytes(1), std::vector<Half>(15)}).ok());
}

TEST(Palette, FourBitCodebooksTake32BytesAndEightBit512) {
  EXPECT_EQ(2 * EncodePalette({1, 1}, Halves({1}), 4)->codebooks.size(), 32U);
  EXPECT_EQ(2 * EncodePalette({1, 1}, Halves({1}), 8)->codebooks.size(), 512U);
}

TEST(Sparse, MaskIsLeastSignificantBitFirst) {
  const Sparse weights{{1, 10}, {0b00000101, 0b10}, Halves({5, 6, 7})};
  EXPECT_EQ(Reconstruct(weights).value(), Halves({5, 0, 6, 0, 0, 0, 0, 0, 0, 7}));
  EXPECT_FALSE(Validate(Sparse{{1, 10}, {0b101, 0b110}, Halves({5, 6, 7, 8})}).ok());
  EXPECT_FALSE(Validate(Sparse{{1, 10}, {0b101, 0b10}, Halves({5, 6})}).ok());
  EXPECT_FALSE(Validate(Sparse{{1, 10}, {0b101}, Halves({5, 6})}).ok());
}

// The size relative to dense fp16 is 1/16 plus the density (facts/more/weight_format_ranges.csv).
TEST(Sparse, StoredSizeIsAMaskAndTheNonzeros) {
  std::vector<Half> values(64);
  for (size_t i = 0; i < 16; ++i) values[4 * i] = DoubleToHalf(1);
  EXPECT_EQ(StoredBytes(EncodeSparse({1, 64}, values).value()), 64 * 2 / 16 + 64 * 2 / 4);
}

TEST(Blockwise, EachBlockHasItsScale) {
  const BlockwiseInt8 weights{{2, 4}, 1, 2, {1, 2, 3, 4, 5, 6, 7, 8}, Halves({1, 10, 100, 0.5})};
  EXPECT_EQ(Reconstruct(weights).value(), Halves({1, 2, 30, 40, 500, 600, 3.5, 4}));
  EXPECT_FALSE(Validate(BlockwiseInt8{{2, 4}, 1, 3, Bytes(8), Halves({1, 1})}).ok());
  EXPECT_FALSE(Validate(BlockwiseInt8{{2, 4}, 0, 1, Bytes(8), Halves({1, 1})}).ok());
}

TEST(Float8Weights, BytesExpandToHalf) {
  const Float8 e4m3{{1, 4}, Float8Format::kE4M3, {0x38, 0x7e, 0x01, 0xb8}, {}};
  EXPECT_EQ(Reconstruct(e4m3).value(), Halves({1, 448, 0x1p-9, -1}));
  const Float8 e5m2{{2, 1}, Float8Format::kE5M2, {0x3c, 0x7b}, Halves({2, 1})};
  EXPECT_EQ(Reconstruct(e5m2).value(), Halves({2, 57344}));
  EXPECT_FALSE(Validate(Float8{{2, 2}, Float8Format::kE4M3, Bytes(4), Halves({1, 1, 1})}).ok());
}

TEST(Float8Weights, OverflowSaturatesOrBecomesNan) {
  const std::vector<Half> large = Halves({500});
  EXPECT_EQ(EncodeFloat8({1, 1}, large, Float8Format::kE4M3, Float8Overflow::kSaturate)->bytes[0],
            0x7e);
  EXPECT_EQ(EncodeFloat8({1, 1}, large, Float8Format::kE4M3, Float8Overflow::kNonFinite)->bytes[0],
            0x7f);
}

RC_GTEST_PROP(Codecs, PackedBitsReadBack, ()) {
  const auto bits = *rc::gen::inRange<uint8_t>(1, 9);
  std::vector<uint8_t> values = *testing::AnyBytes();
  for (uint8_t& value : values) value &= static_cast<uint8_t>((1U << bits) - 1);
  const std::vector<uint8_t> packed = PackBits(values, bits);
  RC_ASSERT(packed.size() == (values.size() * bits + 7) / 8);
  for (size_t i = 0; i < values.size(); ++i) RC_ASSERT(UnpackBits(packed, i, bits) == values[i]);
}

RC_GTEST_PROP(Codecs, DenseAndSparseAreExact, ()) {
  const Extent extent = AnyExtent();
  const std::vector<Half> values =
      AnyValues(extent, rc::gen::oneOf(testing::AnyHalf(), rc::gen::just(Half{0})));
  RC_ASSERT(Reconstruct(Dense{extent, values}).value() == values);
  RC_ASSERT(Reconstruct(EncodeSparse(extent, values).value()).value() == values);
}

RC_GTEST_PROP(Codecs, Int8StaysWithinHalfAScale, (bool per_channel)) {
  const Extent extent = AnyExtent();
  const std::vector<Half> values = AnyValues(extent, testing::FiniteHalf());
  const AffineInt8 weights = EncodeAffineInt8(extent, values, per_channel).value();
  RC_ASSERT(weights.scales.size() == (per_channel ? extent.channels : 1U));
  const std::vector<Half> back = Reconstruct(weights).value();
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t s = per_channel ? i / extent.elements : 0;
    const double scale = HalfToDouble(weights.scales[s]);
    if (back[i].IsInf()) continue;  // 127 times a scale that was rounded up may exceed 65504
    const double error = std::fabs(HalfToDouble(back[i]) - HalfToDouble(values[i]));
    RC_ASSERT(error <= 0.5 * scale + 0.5 * HalfUlp(HalfToDouble(back[i])));
  }
}

// Encoding reconstructed values again gives the same values.
RC_GTEST_PROP(Codecs, Int8IsExactOnItsOwnGrid, ()) {
  const Extent extent = AnyExtent();
  BlockwiseInt8 weights{extent, extent.channels, 1, {}, {}};
  for (uint32_t e = 0; e < extent.elements; ++e) {
    weights.scales.push_back(DoubleToHalf(std::ldexp(1.0, *rc::gen::inRange(-8, 5))));
  }
  for (uint64_t i = 0; i < extent.Count(); ++i) {
    const int q = i < extent.elements ? 127 : *rc::gen::inRange(-127, 128);
    weights.bytes.push_back(static_cast<uint8_t>(q));
  }
  const std::vector<Half> values = Reconstruct(weights).value();
  const BlockwiseInt8 again = EncodeBlockwiseInt8(extent, values, extent.channels, 1).value();
  RC_ASSERT(again.scales == weights.scales);
  RC_ASSERT(again.bytes == weights.bytes);
}

RC_GTEST_PROP(Codecs, PalettesAreExactIfTheVectorsFit, ()) {
  const auto size = *rc::gen::element<uint8_t>(1, 2, 4, 5);
  const auto bits = *rc::gen::element<uint8_t>(2, 4, 6, 8);
  const auto books = *rc::gen::inRange<uint32_t>(1, 4);
  const Extent extent = AnyExtent(size * books);
  Palette weights{extent, bits, size, books, {}, {}};
  weights.codebooks = *rc::gen::container<std::vector<Half>>(books * (size_t{1} << bits) * size,
                                                             testing::AnyHalf());
  std::vector<uint8_t> indices;
  for (uint64_t i = 0; i < extent.Count() / size; ++i) {
    indices.push_back(*rc::gen::inRange<uint16_t>(0, static_cast<uint16_t>(1U << bits)) & 0xff);
  }
  weights.indices = PackBits(indices, bits);
  const std::vector<Half> values = Reconstruct(weights).value();
  const Palette again = EncodePalette(extent, values, bits, size, books).value();
  RC_ASSERT(Reconstruct(again).value() == values);
}

// Each value becomes an entry of the codebook. If the values form few clusters, they change little.
RC_GTEST_PROP(Codecs, PalettesOfManyValuesStayNear, ()) {
  const Extent extent{2, 40};
  std::vector<Half> values;
  for (uint64_t i = 0; i < extent.Count(); ++i) {
    const double centre = 16.0 * *rc::gen::inRange(-8, 8);
    values.push_back(DoubleToHalf(centre + 0.125 * *rc::gen::inRange(-4, 5)));
  }
  const Palette weights = EncodePalette(extent, values, 8).value();
  const std::vector<Half> back = Reconstruct(weights).value();
  for (size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(std::ranges::find(weights.codebooks, back[i]) != weights.codebooks.end());
    RC_ASSERT(std::fabs(HalfToDouble(back[i]) - HalfToDouble(values[i])) <= 1.0);
  }
}

TEST(Codecs, LloydHandlesMoreValuesThanEntries) {
  std::vector<Half> values;
  for (int i = 0; i < 400; ++i) values.push_back(DoubleToHalf(i));
  const Palette weights = EncodePalette({4, 100}, values, 4).value();
  const std::vector<Half> back = Reconstruct(weights).value();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(HalfToDouble(back[i]), static_cast<double>(i), 400.0 / 16);
  }
  values[0] = kHalfNan;
  EXPECT_FALSE(EncodePalette({4, 100}, values, 4).ok());
}

RC_GTEST_PROP(Codecs, Float8IsExactOnItsOwnValues, ()) {
  const auto format = *rc::gen::element(Float8Format::kE4M3, Float8Format::kE5M2);
  const Extent extent = AnyExtent();
  Float8 weights{extent, format, *testing::BytesOfSize(extent.Count()), {}};
  for (uint8_t& byte : weights.bytes) {
    if (Float8ToHalf(byte, format).IsNan()) byte = 0;
  }
  const std::vector<Half> values = Reconstruct(weights).value();
  RC_ASSERT(EncodeFloat8(extent, values, format, Float8Overflow::kNonFinite)->bytes ==
            weights.bytes);
}

}  // namespace
}  // namespace anecheck::kernelweights
