#include "oracles/testing/expand.h"

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Numbers = std::vector<double>;
using Operands = std::span<const Numbers>;
using Results = std::vector<Numbers>;

// Returns the numbers at a parameter, or null if the argument is absent.
const Numbers* At(const NodeView& node, Operands operands, int parameter) {
  const auto arguments = node.graph().arguments(node.node());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].parameter == parameter) return &operands[i];
  }
  return nullptr;
}

// Returns all bits of a byte vector, least significant bit first.
std::vector<bool> BitsOf(const Numbers& bytes) {
  std::vector<bool> bits;
  for (const double byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) bits.push_back((static_cast<int>(byte) >> bit & 1) != 0);
  }
  return bits;
}

// Returns the index of the block that contains `at`, in a tensor with one element for each block.
size_t BlockIndex(const Shape& shape, const Shape& blocks, Coordinates at) {
  for (size_t axis = 0; axis < at.size(); ++axis) {
    at[axis] /= shape[static_cast<int>(axis)] / blocks[static_cast<int>(axis)];
  }
  return IndexOf(blocks, at);
}

Numbers Affine(const NodeView& node, Operands operands) {
  using P = params::AffineDequantize;
  const Numbers& data = *At(node, operands, P::kQuantizedData);
  const Numbers& zero = *At(node, operands, P::kZeroPoint);
  const Numbers& scale = *At(node, operands, P::kScale);
  const Shape& shape = node.InputShape(P::kQuantizedData);
  const int64_t axis = node.Int(P::kAxis, 0) + (node.Int(P::kAxis, 0) < 0 ? shape.rank() : 0);
  const bool one_zero = node.InputShape(P::kZeroPoint).rank() == 0;
  const bool one_scale = node.InputShape(P::kScale).rank() == 0;
  Numbers result;
  for (size_t i = 0; i < data.size(); ++i) {
    const auto k = static_cast<size_t>(CoordinatesOf(shape, i)[static_cast<size_t>(axis)]);
    result.push_back((data[i] - zero[one_zero ? 0 : k]) * scale[one_scale ? 0 : k]);
  }
  return result;
}

Numbers PackedLut(const NodeView& node, Operands operands) {
  using P = params::LutToDense;
  const Numbers& lut = *At(node, operands, P::kLut);
  const std::vector<bool> bits = BitsOf(*At(node, operands, P::kIndices));
  size_t width = 1;
  while ((1u << width) != lut.size()) ++width;
  Numbers result;
  for (size_t i = 0; i < static_cast<size_t>(node.ResultType().shape.Elements()); ++i) {
    size_t entry = 0;
    for (size_t bit = width; bit-- > 0;) entry = entry * 2 + (bits[i * width + bit] ? 1 : 0);
    result.push_back(lut[entry]);
  }
  return result;
}

// For an element of the expanded tensor, the element of the indices and the position in the table.
struct TableRead {
  size_t index = 0;
  Coordinates table;  // the block on each axis; the entry and the component are appended later
  int64_t component = 0;
};

std::vector<TableRead> TableReads(const NodeView& node, int vector_axis, const Shape& indices,
                                  const Shape& lut) {
  const int rank = indices.rank();
  const int64_t vector = lut[rank + 1];
  int64_t axis = node.Int(vector_axis, 0);
  if (axis < 0) axis += rank;
  Shape expanded = indices;
  expanded[static_cast<int>(axis)] *= vector;
  std::vector<TableRead> reads;
  for (size_t i = 0; i < static_cast<size_t>(expanded.Elements()); ++i) {
    Coordinates at = CoordinatesOf(expanded, i);
    TableRead read;
    read.component = at[static_cast<size_t>(axis)] % vector;
    at[static_cast<size_t>(axis)] /= vector;
    read.index = IndexOf(indices, at);
    for (int k = 0; k < rank; ++k) {
      read.table.push_back(at[static_cast<size_t>(k)] / (indices[k] / lut[k]));
    }
    reads.push_back(std::move(read));
  }
  return reads;
}

double ReadTable(const Numbers& lut, const Shape& shape, TableRead read, double entry) {
  read.table.push_back(static_cast<int64_t>(entry));
  read.table.push_back(read.component);
  return lut[IndexOf(shape, read.table)];
}

Numbers DenseLut(const NodeView& node, Operands operands) {
  using P = params::LutToDense;
  if (node.HasAttribute(P::kShape)) return PackedLut(node, operands);
  const Numbers& indices = *At(node, operands, P::kIndices);
  const Shape& lut = node.InputShape(P::kLut);
  Numbers result;
  for (const TableRead& read :
       TableReads(node, P::kVectorAxis, node.InputShape(P::kIndices), lut)) {
    result.push_back(ReadTable(*At(node, operands, P::kLut), lut, read, indices[read.index]));
  }
  return result;
}

// Returns for each set element of a mask the index of its data element.
std::vector<size_t> Ranks(const Numbers& mask) {
  std::vector<size_t> ranks;
  size_t next = 0;
  for (const double bit : mask) ranks.push_back(bit != 0 ? next++ : next);
  return ranks;
}

Results SparseLut(const NodeView& node, Operands operands) {
  using P = params::LutToSparse;
  const Numbers& mask = *At(node, operands, P::kIndicesMask);
  const Numbers& indices = *At(node, operands, P::kIndicesNonzeroData);
  const std::vector<size_t> ranks = Ranks(mask);
  const Shape& lut = node.InputShape(P::kLut);
  Results results(2);
  for (const TableRead& read :
       TableReads(node, P::kVectorAxis, node.InputShape(P::kIndicesMask), lut)) {
    results[0].push_back(mask[read.index]);
    if (mask[read.index] == 0) continue;
    results[1].push_back(
        ReadTable(*At(node, operands, P::kLut), lut, read, indices[ranks[read.index]]));
  }
  return results;
}

Numbers Blockwise(const NodeView& node, Operands operands) {
  using P = params::BlockwiseShiftScale;
  const Numbers& data = *At(node, operands, P::kData);
  const Numbers& scale = *At(node, operands, P::kScale);
  const Numbers* offset = At(node, operands, P::kOffset);
  const Shape& shape = node.InputShape(P::kData);
  Numbers result;
  for (size_t i = 0; i < data.size(); ++i) {
    const size_t block = BlockIndex(shape, node.InputShape(P::kScale), CoordinatesOf(shape, i));
    result.push_back((data[i] - (offset == nullptr ? 0 : (*offset)[block])) * scale[block]);
  }
  return result;
}

Results SparseBlockwise(const NodeView& node, Operands operands) {
  using P = params::SparseBlockwiseShiftScale;
  const Numbers& mask = *At(node, operands, P::kDataMask);
  const Numbers& data = *At(node, operands, P::kNonzeroData);
  const Numbers& scale = *At(node, operands, P::kScale);
  const Numbers* offset = At(node, operands, P::kOffset);
  const Shape& shape = node.InputShape(P::kDataMask);
  Results results = {mask, {}};
  for (size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0) continue;
    const size_t block = BlockIndex(shape, node.InputShape(P::kScale), CoordinatesOf(shape, i));
    const double datum = data[results[1].size()];
    results[1].push_back((datum - (offset == nullptr ? 0 : (*offset)[block])) * scale[block]);
  }
  return results;
}

Numbers SparseToDense(const NodeView& node, Operands operands) {
  using P = params::SparseToDense;
  const Numbers& data = *At(node, operands, P::kNonzeroData);
  const Numbers& mask = *At(node, operands, P::kMask);
  std::vector<bool> bits;
  if (node.HasAttribute(P::kShape)) bits = BitsOf(mask);
  for (size_t i = 0; !node.HasAttribute(P::kShape) && i < mask.size(); ++i) {
    bits.push_back(mask[i] != 0);
  }
  Numbers result;
  size_t next = 0;
  for (size_t i = 0; i < static_cast<size_t>(node.ResultType().shape.Elements()); ++i) {
    result.push_back(bits[i] ? data[next++] : 0);
  }
  return result;
}

// Scale and offset have one number for all output channels, or one number for each channel.
Numbers QuantizedKernel(const NodeView& node, Operands operands, const Held& step,
                        const Held& last) {
  using P = params::ConvQuantized;
  const Numbers& scale = *At(node, operands, P::kQuantScale);
  const Numbers& offset = *At(node, operands, P::kQuantBias);
  const Numbers& bytes = *At(node, operands, P::kWeight);
  Numbers result;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto channel = static_cast<size_t>(CoordinatesOf(node.InputShape(P::kWeight), i)[0]);
    const double product = bytes[i] * scale[channel % scale.size()];
    result.push_back(last(step(product) + offset[channel % offset.size()]));
  }
  return result;
}

}  // namespace

std::optional<Numbers> ExpandedWeight(const NodeView& node, Operands operands, const Held& step,
                                      const Held& last) {
  switch (KindOf(node.schema())) {
    case OpKind::kConvQuantized:
      return QuantizedKernel(node, operands, step, last);
    default:
      return std::nullopt;
  }
}

std::optional<Results> ExpandedConstant(const NodeView& node, Operands operands) {
  switch (KindOf(node.schema())) {
    case OpKind::kConst:
    case OpKind::kConstexprCast:
      return Results{operands[0]};
    case OpKind::kConstexprAffineDequantize:
      return Results{Affine(node, operands)};
    case OpKind::kConstexprLutToDense:
      return Results{DenseLut(node, operands)};
    case OpKind::kConstexprLutToSparse:
      return SparseLut(node, operands);
    case OpKind::kConstexprBlockwiseShiftScale:
      return Results{Blockwise(node, operands)};
    case OpKind::kConstexprSparseBlockwiseShiftScale:
      return SparseBlockwise(node, operands);
    case OpKind::kConstexprSparseToDense:
      return Results{SparseToDense(node, operands)};
    default:
      return std::nullopt;
  }
}

}  // namespace anecheck::testing
