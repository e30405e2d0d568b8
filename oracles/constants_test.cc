// Compressed constants expand exactly as the codecs of the weight formats reconstruct them. The two
// implementations share no code.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/testing/generators.h"
#include "harness/formats/kernelweights/codec.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using kernelweights::Extent;
using testing::Case;

std::vector<uint8_t> HalfBytes(std::span<const Half> halves) {
  std::vector<uint8_t> bytes;
  for (const Half half : halves) {
    bytes.push_back(static_cast<uint8_t>(half.bits));
    bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
  }
  return bytes;
}

ValueId Halves(Case& c, const Shape& shape, std::span<const Half> halves) {
  return c.graph.AddConst({DType::kFp16, shape}, HalfBytes(halves));
}

// The expanded constant equals the reconstruction in every bit except those of a NaN, and each
// interval is a point.
void ExpectReconstruction(Case& c, ValueId id, const kernelweights::Weights& weights) {
  const Estimate estimate = c.Run(id);
  const auto expected = kernelweights::Reconstruct(weights);
  RC_ASSERT(expected.ok());
  RC_ASSERT(estimate.value.size() == expected->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    const double number = HalfToDouble((*expected)[i]);
    if (number != number) continue;
    RC_ASSERT(estimate.value[i] == number);
    RC_ASSERT(estimate.low[i] == number);
    RC_ASSERT(estimate.high[i] == number);
  }
}

Extent AnyExtent() { return {*rc::gen::inRange(1u, 6u), *rc::gen::inRange(1u, 9u)}; }
Shape ShapeOf(Extent extent) { return {extent.channels, extent.elements}; }

std::vector<Half> FiniteHalves(size_t count) {
  return *rc::gen::container<std::vector<Half>>(count, testing::FiniteHalf());
}

RC_GTEST_PROP(CompressedConstants, AffineEqualsTheCodecsInt8, ()) {
  using P = params::AffineDequantize;
  kernelweights::AffineInt8 weights;
  weights.extent = AnyExtent();
  weights.is_signed = *rc::gen::arbitrary<bool>();
  weights.bytes = *testing::BytesOfSize(weights.extent.Count());
  weights.scales = FiniteHalves(weights.extent.channels);
  const DType dtype = weights.is_signed ? DType::kInt8 : DType::kUint8;
  std::vector<uint8_t> zeros = *testing::BytesOfSize(weights.extent.channels);
  for (const uint8_t zero : zeros) {
    weights.zero_points.push_back(weights.is_signed ? static_cast<int8_t>(zero) : zero);
  }
  Case c;
  const Shape channels = {weights.extent.channels};
  const ValueId data = c.graph.AddConst({dtype, ShapeOf(weights.extent)}, weights.bytes);
  const ValueId zero = c.graph.AddConst({dtype, channels}, zeros);
  const ValueId scale = Halves(c, channels, weights.scales);
  c.Begin(OpKind::kConstexprAffineDequantize).Arg(P::kQuantizedData, data);
  c.Arg(P::kZeroPoint, zero).Arg(P::kScale, scale).Int(P::kAxis, 0);
  ExpectReconstruction(c, c.Finish(), weights);
}

// (127 - zero) * scale lies just above the middle of two numbers of fp32, so close that its double
// is the middle.
TEST(CompressedConstants, AffineWithAZeroPointOfSinglesIsRoundedOnce) {
  using P = params::AffineDequantize;
  Case c;
  const double zero = static_cast<double>(0.3F);
  c.Begin(OpKind::kConstexprAffineDequantize)
      .Arg(P::kQuantizedData, c.Const(testing::MakeTensor(DType::kInt8, {1}, {127})))
      .Arg(P::kZeroPoint, c.Const(testing::MakeTensor(DType::kFp32, {}, {zero})))
      .Arg(P::kScale, c.Const(testing::MakeTensor(DType::kFp32, {}, {16777206 * 0x1p-30})))
      .Int(P::kAxis, 0);
  EXPECT_EQ(c.Run(c.Finish()).value[0], 0x1.faccbap+0) << c.error;
}

RC_GTEST_PROP(CompressedConstants, PackedTableEqualsTheCodecsPalette, ()) {
  using P = params::LutToDense;
  kernelweights::Palette weights;
  weights.extent = AnyExtent();
  weights.index_bits = *rc::gen::element<uint8_t>(2, 4, 6, 8);
  weights.codebooks = FiniteHalves(size_t{1} << weights.index_bits);
  weights.indices = *testing::BytesOfSize((weights.extent.Count() * weights.index_bits + 7) / 8);
  Case c;
  const auto bytes = static_cast<int64_t>(weights.indices.size());
  const ValueId indices = c.graph.AddConst({DType::kUint8, {bytes}}, weights.indices);
  const ValueId lut = Halves(c, {int64_t{1} << weights.index_bits}, weights.codebooks);
  c.Begin(OpKind::kConstexprLutToDense).Arg(P::kIndices, indices).Arg(P::kLut, lut);
  c.Ints(P::kShape, {weights.extent.channels, weights.extent.elements});
  const ValueId id = c.Finish();
  // The codec refuses set bits past the last index; the operation does not read them.
  if (kernelweights::Validate(weights).ok()) ExpectReconstruction(c, id, weights);
}

RC_GTEST_PROP(CompressedConstants, MaskEqualsTheCodecsSparse, ()) {
  using P = params::SparseToDense;
  const Extent extent = AnyExtent();
  std::vector<Half> values = FiniteHalves(extent.Count());
  for (Half& value : values) {
    if (*rc::gen::arbitrary<bool>()) value = Half{0};
  }
  const auto weights = kernelweights::EncodeSparse(extent, values);
  RC_ASSERT(weights.ok());
  Case c;
  const ValueId data =
      Halves(c, {static_cast<int64_t>(weights->nonzeros.size())}, weights->nonzeros);
  const ValueId mask = c.graph.AddConst(
      {DType::kUint8, {static_cast<int64_t>(weights->mask.size())}}, weights->mask);
  c.Begin(OpKind::kConstexprSparseToDense).Arg(P::kNonzeroData, data).Arg(P::kMask, mask);
  c.Ints(P::kShape, {extent.channels, extent.elements});
  ExpectReconstruction(c, c.Finish(), *weights);
}

RC_GTEST_PROP(CompressedConstants, BlocksEqualTheCodecsBlocks, ()) {
  using P = params::BlockwiseShiftScale;
  kernelweights::BlockwiseInt8 weights;
  weights.block_channels = *rc::gen::inRange(1u, 4u);
  weights.block_elements = *rc::gen::inRange(1u, 4u);
  const uint32_t rows = *rc::gen::inRange(1u, 4u);
  const uint32_t columns = *rc::gen::inRange(1u, 4u);
  weights.extent = {rows * weights.block_channels, columns * weights.block_elements};
  weights.bytes = *testing::BytesOfSize(weights.extent.Count());
  weights.scales = FiniteHalves(size_t{rows} * columns);
  Case c;
  const ValueId data = c.graph.AddConst({DType::kInt8, ShapeOf(weights.extent)}, weights.bytes);
  const ValueId scale = Halves(c, {rows, columns}, weights.scales);
  c.Begin(OpKind::kConstexprBlockwiseShiftScale).Arg(P::kData, data).Arg(P::kScale, scale);
  ExpectReconstruction(c, c.Finish(), weights);
}

RC_GTEST_PROP(CompressedConstants, Float8EqualsTheCodecsFloat8, ()) {
  kernelweights::Float8 weights;
  weights.extent = AnyExtent();
  weights.format = *rc::gen::element(Float8Format::kE4M3, Float8Format::kE5M2);
  weights.bytes = *testing::BytesOfSize(weights.extent.Count());
  const DType dtype = weights.format == Float8Format::kE4M3 ? DType::kFp8E4M3 : DType::kFp8E5M2;
  Case plain;
  const ValueId source = plain.graph.AddConst({dtype, ShapeOf(weights.extent)}, weights.bytes);
  plain.Begin(OpKind::kConstexprCast).Arg(params::ConstexprCast::kSourceVal, source);
  plain.String(params::ConstexprCast::kOutputDtype, "fp16");
  ExpectReconstruction(plain, plain.Finish(), weights);

  using P = params::BlockwiseShiftScale;
  weights.scales = FiniteHalves(weights.extent.channels);
  Case scaled;
  const ValueId data = scaled.graph.AddConst({dtype, ShapeOf(weights.extent)}, weights.bytes);
  const ValueId scale = Halves(scaled, {weights.extent.channels, 1}, weights.scales);
  scaled.Begin(OpKind::kConstexprBlockwiseShiftScale).Arg(P::kData, data).Arg(P::kScale, scale);
  ExpectReconstruction(scaled, scaled.Finish(), weights);
}

// The examples of the operations' own documentation.
TEST(CompressedConstants, TablesOfGroupsAndOfVectors) {
  using P = params::LutToDense;
  Case c;
  const ValueId groups =
      c.Const(testing::MakeTensor(DType::kUint2, {6, 2}, {2, 3, 3, 0, 1, 0, 3, 0, 2, 1, 0, 3}));
  const ValueId lut =
      c.Const(testing::MakeTensor(DType::kFp16, {2, 1, 4, 1}, {1, 5, 9, 13, 2, 10, 18, 26}));
  c.Begin(OpKind::kConstexprLutToDense).Arg(P::kIndices, groups).Arg(P::kLut, lut);
  EXPECT_EQ(c.Run(c.Finish()).value,
            (std::vector<double>{9, 13, 13, 1, 5, 1, 26, 2, 18, 10, 2, 26}));
  const ValueId indices = c.Const(testing::MakeTensor(DType::kUint1, {2, 2}, {0, 1, 1, 0}));
  const ValueId vectors =
      c.Const(testing::MakeTensor(DType::kFp16, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}));
  c.Begin(OpKind::kConstexprLutToDense).Arg(P::kIndices, indices).Arg(P::kLut, vectors);
  c.Int(P::kVectorAxis, 0);
  EXPECT_EQ(c.Run(c.Finish()).value, (std::vector<double>{1, 4, 2, 5, 3, 6, 4, 1, 5, 2, 6, 3}));
}

TEST(CompressedConstants, AMaskOfAnotherCountIsRefused) {
  using P = params::SparseToDense;
  Case c;
  const ValueId data = c.Const(testing::MakeTensor(DType::kFp16, {2}, {1, 2}));
  const ValueId mask = c.Const(testing::MakeTensor(DType::kUint1, {4}, {1, 0, 0, 0}));
  c.Begin(OpKind::kConstexprSparseToDense).Arg(P::kNonzeroData, data).Arg(P::kMask, mask);
  c.Run(c.Finish());
  EXPECT_EQ(c.error, "constexpr_sparse_to_dense: the mask has 1 set bits, the data 2 elements");
}

}  // namespace
}  // namespace anecheck
