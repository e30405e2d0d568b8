// Kernels of constants and compressed constants. Compilers expand these in full precision and round
// them once to the element type, so every result is a point (facts/more/weight_codecs.csv).
#include <fmt/format.h>

#include "harness/ops/params.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"
#include "oracles/reference/wide.h"

namespace anecheck {
namespace reference {
namespace {

// Allocates the array of `result` like that of a constant: a point with signed zeros.
void PrepareConstant(KernelContext& context, BoundedTensor& result) {
  result.value = context.arena().Allocate<double>(result.size);
  result.low = result.high = result.value;
  result.nan = nullptr;
  result.signed_zero = true;
  result.whole = !IsFloat(result.type.dtype);
}

void FinishConstant(BoundedTensor& result) {
  result.special = false;
  if (!IsFloat(result.type.dtype)) return;
  for (size_t i = 0; i < result.size; ++i) {
    result.special |= !(std::fabs(result.value[i]) < kInfinity);
  }
}

// Rounds a number to a float element type. Integer tables already contain integers.
double RoundTo(DType dtype, double x) {
  const bool rounds = dtype == DType::kFp16 || dtype == DType::kFp32;
  return rounds ? Grid(dtype).Round(x) : x;
}

// Returns field `index` of `bits` bits. Each number of `bytes` is one byte, and fields begin at its
// least significant bit.
size_t PackedField(const BoundedTensor& bytes, size_t index, size_t bits) {
  size_t field = 0;
  for (size_t bit = 0; bit < bits; ++bit) {
    const size_t at = index * bits + bit;
    const auto byte = static_cast<unsigned>(bytes.value[at / 8]);
    field |= static_cast<size_t>(byte >> (at % 8) & 1u) << bit;
  }
  return field;
}

// Returns the row-major index of the block that contains element `index` of `shape`. `blocks` is
// the number of blocks on each axis.
size_t BlockOf(const Shape& shape, const Shape& blocks, size_t index) {
  size_t block = 0;
  size_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const auto extent = static_cast<size_t>(shape[axis]);
    const auto count = static_cast<size_t>(blocks[axis]);
    block += index % extent / (extent / count) * step;
    index /= extent;
    step *= count;
  }
  return block;
}

Status Const(KernelContext& context) {
  Alias(context.Input(params::Const::kVal), context.Result());
  return {};
}

// Returns scale * (data - offset), rounded once. Difference and product are sums of two doubles.
double ShiftScale(DType dtype, double data, double offset, double scale) {
  const double difference = data - offset;
  const double product = difference * scale;
  if (product == 0 || !(std::fabs(product) < kInfinity)) return RoundTo(dtype, product);
  const Wide exact = Wide(difference, SumError(data, -offset, difference)) * Wide(scale);
  return RoundTo(dtype, ToOdd(exact.high(), exact.low()));
}

Status AffineDequantize(KernelContext& context) {
  using P = params::AffineDequantize;
  const BoundedTensor& data = context.Input(P::kQuantizedData);
  const BoundedTensor& zero = context.Input(P::kZeroPoint);
  const BoundedTensor& scale = context.Input(P::kScale);
  BoundedTensor& result = context.Result();
  const Shape& shape = data.type.shape;
  const int64_t given = context.node().Int(P::kAxis, 0);
  const int axis = static_cast<int>(given < 0 ? given + shape.rank() : given);
  size_t inner = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= static_cast<size_t>(shape[i]);
  PrepareConstant(context, result);
  for (size_t i = 0; i < result.size; ++i) {
    const size_t at = i / inner % static_cast<size_t>(shape[axis]);
    const double step = scale.value[scale.size == 1 ? 0 : at];
    const double offset = zero.value[zero.size == 1 ? 0 : at];
    result.value[i] = ShiftScale(result.type.dtype, data.value[i], offset, step);
  }
  FinishConstant(result);
  return {};
}

// ---- tables -------------------------------------------------------------------------------------

Status PackedLut(KernelContext& context) {
  using P = params::LutToDense;
  const BoundedTensor& indices = context.Input(P::kIndices);
  const BoundedTensor& lut = context.Input(P::kLut);
  BoundedTensor& result = context.Result();
  size_t bits = 0;
  while (size_t{1} << bits < lut.size) ++bits;
  PrepareConstant(context, result);
  for (size_t i = 0; i < result.size; ++i) {
    result.value[i] = lut.value[PackedField(indices, i, bits)];
  }
  FinishConstant(result);
  return {};
}

// Maps a dense result to a blocked table of vectors. Element (.., a * v + k, ..) is component k of
// the table entry that the index at (.., a, ..) selects.
class BlockedLut {
 public:
  BlockedLut(const NodeView& node, int vector_axis, const Shape& indices, const BoundedTensor& lut)
      : indices_(indices), lut_(lut) {
    const int rank = indices.rank();
    for (int axis = 0; axis < rank; ++axis) blocks_.Append(lut.type.shape[axis]);
    entries_ = static_cast<size_t>(lut.type.shape[rank]);
    vector_ = static_cast<size_t>(lut.type.shape[rank + 1]);
    axis_ = static_cast<int>(node.Int(vector_axis, 0));
    if (axis_ < 0) axis_ += rank;
    for (int axis = axis_ + 1; axis < rank; ++axis) inner_ *= static_cast<size_t>(indices[axis]);
  }

  // Returns the position of the index that selects the table entry of result element `at`.
  size_t IndexOf(size_t at) const {
    const size_t row = at / inner_;
    return row / vector_ * inner_ + at % inner_;
  }
  double Value(size_t at, size_t index, double entry) const {
    const size_t component = at / inner_ % vector_;
    const size_t block = BlockOf(indices_, blocks_, index);
    return lut_.value[(block * entries_ + static_cast<size_t>(entry)) * vector_ + component];
  }

 private:
  const Shape& indices_;
  const BoundedTensor& lut_;
  Shape blocks_;
  size_t entries_ = 0;
  size_t vector_ = 1;
  size_t inner_ = 1;
  int axis_ = 0;
};

Status LutToDense(KernelContext& context) {
  using P = params::LutToDense;
  if (context.node().HasAttribute(P::kShape)) return PackedLut(context);
  const BoundedTensor& indices = context.Input(P::kIndices);
  const BlockedLut lut(context.node(), P::kVectorAxis, indices.type.shape, context.Input(P::kLut));
  BoundedTensor& result = context.Result();
  PrepareConstant(context, result);
  for (size_t i = 0; i < result.size; ++i) {
    const size_t index = lut.IndexOf(i);
    result.value[i] = lut.Value(i, index, indices.value[index]);
  }
  FinishConstant(result);
  return {};
}

// ---- masks --------------------------------------------------------------------------------------

// Returns for each element of a mask its ordinal among the set elements, or -1 if it is not set.
// Returns an error if the number of set elements is not `data`.
Result<std::span<int64_t>> Places(KernelContext& context, const BoundedTensor& mask, size_t count,
                                  bool packed, size_t data) {
  const std::span<int64_t> places(context.arena().Allocate<int64_t>(count), count);
  int64_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool set = packed ? PackedField(mask, i, 1) != 0 : mask.value[i] != 0;
    places[i] = set ? next++ : -1;
  }
  if (static_cast<size_t>(next) != data) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: the mask has {} set bits, the data {} elements",
                                 context.node().op(), next, data));
  }
  return places;
}

Status SparseToDense(KernelContext& context) {
  using P = params::SparseToDense;
  const BoundedTensor& data = context.Input(P::kNonzeroData);
  BoundedTensor& result = context.Result();
  ANECHECK_ASSIGN(const std::span<int64_t> places,
                  Places(context, context.Input(P::kMask), result.size,
                         context.node().HasAttribute(P::kShape), data.size));
  PrepareConstant(context, result);
  for (size_t i = 0; i < result.size; ++i) {
    result.value[i] = places[i] < 0 ? 0 : data.value[places[i]];
  }
  FinishConstant(result);
  return {};
}

Status LutToSparse(KernelContext& context) {
  using P = params::LutToSparse;
  const BoundedTensor& mask = context.Input(P::kIndicesMask);
  const BoundedTensor& indices = context.Input(P::kIndicesNonzeroData);
  const BlockedLut lut(context.node(), P::kVectorAxis, mask.type.shape, context.Input(P::kLut));
  BoundedTensor& out_mask = context.Result(0);
  BoundedTensor& out_data = context.Result(1);
  ANECHECK_ASSIGN(const std::span<int64_t> places,
                  Places(context, mask, mask.size, false, indices.size));
  PrepareConstant(context, out_mask);
  PrepareConstant(context, out_data);
  size_t next = 0;
  for (size_t i = 0; i < out_mask.size; ++i) {
    const size_t index = lut.IndexOf(i);
    const bool set = places[index] >= 0;
    out_mask.value[i] = set ? 1 : 0;
    if (set) out_data.value[next++] = lut.Value(i, index, indices.value[places[index]]);
  }
  FinishConstant(out_data);
  return {};
}

// ---- blocks -------------------------------------------------------------------------------------

Status BlockwiseShiftScale(KernelContext& context) {
  using P = params::BlockwiseShiftScale;
  const BoundedTensor& data = context.Input(P::kData);
  const BoundedTensor& scale = context.Input(P::kScale);
  const BoundedTensor* offset = context.OptionalInput(P::kOffset);
  BoundedTensor& result = context.Result();
  PrepareConstant(context, result);
  for (size_t i = 0; i < result.size; ++i) {
    const size_t block = BlockOf(data.type.shape, scale.type.shape, i);
    result.value[i] = ShiftScale(result.type.dtype, data.value[i],
                                 offset == nullptr ? 0 : offset->value[block], scale.value[block]);
  }
  FinishConstant(result);
  return {};
}

Status SparseBlockwiseShiftScale(KernelContext& context) {
  using P = params::SparseBlockwiseShiftScale;
  const BoundedTensor& mask = context.Input(P::kDataMask);
  const BoundedTensor& data = context.Input(P::kNonzeroData);
  const BoundedTensor& scale = context.Input(P::kScale);
  const BoundedTensor* offset = context.OptionalInput(P::kOffset);
  ANECHECK_ASSIGN(const std::span<int64_t> places,
                  Places(context, mask, mask.size, false, data.size));
  Alias(mask, context.Result(0));
  BoundedTensor& result = context.Result(1);
  PrepareConstant(context, result);
  for (size_t i = 0; i < mask.size; ++i) {
    if (places[i] < 0) continue;
    const size_t block = BlockOf(mask.type.shape, scale.type.shape, i);
    result.value[places[i]] =
        ShiftScale(result.type.dtype, data.value[places[i]],
                   offset == nullptr ? 0 : offset->value[block], scale.value[block]);
  }
  FinishConstant(result);
  return {};
}

Status ConstexprCast(KernelContext& context) {
  const BoundedTensor& source = context.Input(params::ConstexprCast::kSourceVal);
  BoundedTensor& result = context.Result();
  PrepareConstant(context, result);
  for (size_t i = 0; i < result.size; ++i) {
    result.value[i] = RoundTo(result.type.dtype, source.value[i]);
  }
  FinishConstant(result);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceConst = {.evaluate = reference::Const};
constinit const ReferenceKernel kReferenceConstexprAffineDequantize = {
    .evaluate = reference::AffineDequantize};
constinit const ReferenceKernel kReferenceConstexprLutToDense = {.evaluate = reference::LutToDense};
constinit const ReferenceKernel kReferenceConstexprLutToSparse = {.evaluate =
                                                                      reference::LutToSparse};
constinit const ReferenceKernel kReferenceConstexprBlockwiseShiftScale = {
    .evaluate = reference::BlockwiseShiftScale};
constinit const ReferenceKernel kReferenceConstexprSparseBlockwiseShiftScale = {
    .evaluate = reference::SparseBlockwiseShiftScale};
constinit const ReferenceKernel kReferenceConstexprSparseToDense = {.evaluate =
                                                                        reference::SparseToDense};
constinit const ReferenceKernel kReferenceConstexprCast = {.evaluate = reference::ConstexprCast};

}  // namespace anecheck
