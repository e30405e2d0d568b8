// Compressed constants. The compile step expands such constants in full precision and rounds once
// to the element type (facts/more/weight_codecs.csv; facts/numerics.md, dequantisation). Some
// families stream these constants and others fold them. Both methods give the same numbers.
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/base/float8.h"
#include "harness/device/half_block.h"
#include "harness/device/op_table.h"

namespace anecheck::device {
namespace {

using Built = std::unique_ptr<const Kernel>;

// Returns the bytes of a constant's element. An element of a packed type takes one byte.
int64_t Width(Element element) { return std::max<int64_t>(1, ElementSize(element)); }

double NumberAt(const Constant& constant, int64_t index) {
  const uint8_t byte = constant.data[static_cast<size_t>(index * Width(constant.type.element))];
  switch (constant.type.element) {
    case Element::kInt4:
      return ((byte & 15) ^ 8) - 8;
    case Element::kUint1:
    case Element::kUint2:
    case Element::kUint3:
    case Element::kUint4:
    case Element::kUint6:
      return byte;
    case Element::kFp8E4M3Fn:
      return Float8ToDouble(byte, Float8Format::kE4M3);
    case Element::kFp8E5M2:
      return Float8ToDouble(byte, Float8Format::kE5M2);
    default:
      return LoadNumber(constant.type.element, constant.data.data(), index);
  }
}

Constant MakeConstant(const TensorType& type) {
  Constant constant;
  constant.type = type;
  constant.data.resize(static_cast<size_t>(type.shape.Elements() * Width(type.element)));
  return constant;
}

// Precondition: the constant's element type is fp16 or fp32.
void PutNumber(Constant& constant, int64_t index, double value) {
  if (constant.type.element == Element::kFp16) {
    const uint16_t bits = DoubleToHalf(value).bits;
    std::memcpy(constant.data.data() + index * 2, &bits, 2);
    return;
  }
  const auto single = static_cast<float>(value);
  std::memcpy(constant.data.data() + index * 4, &single, 4);
}

void CopyElement(const Constant& from, int64_t source, Constant& to, int64_t index) {
  const int64_t width = Width(from.type.element);
  std::memcpy(to.data.data() + index * width, from.data.data() + source * width,
              static_cast<size_t>(width));
}

// Returns field `index` of a vector of `bits`-wide fields, packed in bytes with the lowest bit
// first.
int64_t PackedField(const Constant& bytes, int64_t index, int64_t bits) {
  int64_t field = 0;
  for (int64_t bit = 0; bit < bits; ++bit) {
    const int64_t at = index * bits + bit;
    field |= static_cast<int64_t>(bytes.data[static_cast<size_t>(at / 8)] >> (at % 8) & 1) << bit;
  }
  return field;
}

// The message comes from facts/more/reject_strings.csv, which lists it for E4M3.
void CheckFloat8(OpBuilder& builder, Element element) {
  const bool e4m3 = element == Element::kFp8E4M3Fn;
  if ((!e4m3 && element != Element::kFp8E5M2) || TakesFloat8(builder.target())) return;
  builder.RejectOnEngine(
      Stage::kHal, fmt::format("{} is not supported on this architecture", e4m3 ? "E4M3" : "E5M2"));
}

// Returns the constant of an argument, or null if the builder refuses.
const Constant* Read(OpBuilder& builder, std::string_view name) {
  if (!builder.ok()) return nullptr;
  const auto operand = builder.ConstantTensor(name);
  if (operand) CheckFloat8(builder, operand->type.element);
  return builder.ok() ? operand->constant : nullptr;
}
const Constant* ReadOptional(OpBuilder& builder, std::string_view name) {
  return builder.Has(name) ? Read(builder, name) : nullptr;
}

Built Misfit(OpBuilder& builder, std::string_view what, const TensorType& a, const TensorType& b) {
  builder.Reject(Stage::kFrontend,
                 fmt::format("{} {} does not fit {}", what, a.ToString(), b.ToString()));
  return nullptr;
}

Built Expanded(OpBuilder& builder, Constant constant) {
  const Element element = constant.type.element;
  if (ElementSize(element) == 0 && element != Element::kUint1) {
    builder.Reject(Stage::kValidator, fmt::format("no tensor can be {}", constant.type.ToString()));
    return nullptr;
  }
  builder.ConstantResult(std::move(constant));
  return nullptr;
}

// ---- scale and zero point -----------------------------------------------------------------------

Built BuildAffine(OpBuilder& builder) {
  const Constant* data = Read(builder, "quantized_data");
  const Constant* zero = ReadOptional(builder, "zero_point");
  const Constant* scale = Read(builder, "scale");
  const int64_t given = builder.Int("axis");
  if (!builder.ok()) return nullptr;
  const Shape& shape = data->type.shape;
  const int axis = builder.Axis("axis", given, shape.rank());
  if (!builder.ok()) return nullptr;
  for (const Constant* vector : {zero, scale}) {
    if (vector == nullptr || vector->type.shape.rank() == 0) continue;
    if (vector->type.shape != Shape{shape[axis]}) {
      return Misfit(builder, "scale or zero point", vector->type, data->type);
    }
  }
  if (!IsFloat(scale->type.element)) return Misfit(builder, "scale", scale->type, data->type);
  const int64_t inner = shape.Product(axis + 1, shape.rank());
  Constant result = MakeConstant({scale->type.element, shape});
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    const int64_t channel = i / inner % shape[axis];
    const auto of = [channel](const Constant& vector) {
      return NumberAt(vector, vector.type.shape.rank() == 0 ? 0 : channel);
    };
    const double shift = zero == nullptr ? 0 : of(*zero);
    PutNumber(result, i, (NumberAt(*data, i) - shift) * of(*scale));
  }
  return Expanded(builder, std::move(result));
}

// Returns the block of element `index`. `blocks` is the number of blocks along each axis.
int64_t BlockOf(const Shape& shape, const Shape& blocks, int64_t index) {
  const auto strides = DenseStrides(shape);
  const auto block_strides = DenseStrides(blocks);
  int64_t block = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto a = static_cast<size_t>(axis);
    const int64_t coordinate = index / strides[a] % shape[axis];
    block += coordinate * blocks[axis] / shape[axis] * block_strides[a];
  }
  return block;
}

bool Divides(const Shape& blocks, const Shape& shape) {
  bool divides = blocks.rank() >= shape.rank() && shape.rank() >= 1;
  for (int axis = 0; divides && axis < shape.rank(); ++axis) {
    divides = blocks[axis] >= 1 && shape[axis] % blocks[axis] == 0;
  }
  return divides;
}

struct BlockScale {
  const Constant* scale = nullptr;
  const Constant* offset = nullptr;

  double Apply(double number, int64_t block) const {
    const double shift = offset == nullptr ? 0 : NumberAt(*offset, block);
    return (number - shift) * NumberAt(*scale, block);
  }
};

// Reads the scales for data of that type. Returns nothing if the builder refuses.
std::optional<BlockScale> ReadBlockScale(OpBuilder& builder, const TensorType& data) {
  const BlockScale read = {Read(builder, "scale"), ReadOptional(builder, "offset")};
  if (!builder.ok()) return std::nullopt;
  const TensorType& scale = read.scale->type;
  const bool fits = scale.shape.rank() == data.shape.rank() && Divides(scale.shape, data.shape) &&
                    IsFloat(scale.element) &&
                    (read.offset == nullptr || read.offset->type.shape == scale.shape);
  if (fits) return read;
  Misfit(builder, "scale", scale, data);
  return std::nullopt;
}

Built BuildBlockwise(OpBuilder& builder) {
  const Constant* data = Read(builder, "data");
  if (!builder.ok()) return nullptr;
  const auto scale = ReadBlockScale(builder, data->type);
  if (!scale) return nullptr;
  const Shape& shape = data->type.shape;
  Constant result = MakeConstant({scale->scale->type.element, shape});
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    PutNumber(result, i,
              scale->Apply(NumberAt(*data, i), BlockOf(shape, scale->scale->type.shape, i)));
  }
  return Expanded(builder, std::move(result));
}

// ---- masks --------------------------------------------------------------------------------------

// Returns, for each element, the number of set elements before it, or -1 if the element is not set.
std::vector<int64_t> Ranks(const std::vector<bool>& set) {
  std::vector<int64_t> ranks;
  int64_t next = 0;
  for (const bool is : set) ranks.push_back(is ? next++ : -1);
  return ranks;
}

// Refuses data unless it has exactly one element for each set element of the mask.
bool HasOneEach(OpBuilder& builder, const std::vector<bool>& set, const Constant& data) {
  const int64_t count = std::count(set.begin(), set.end(), true);
  if (data.type.shape == Shape{count}) return true;
  builder.Reject(Stage::kFrontend, fmt::format("the mask has {} set bits, but the data is {}",
                                               count, data.type.ToString()));
  return false;
}

std::vector<bool> SetOf(const Constant& mask) {
  std::vector<bool> set;
  for (int64_t i = 0; i < mask.type.shape.Elements(); ++i) set.push_back(NumberAt(mask, i) != 0);
  return set;
}

Constant MaskOf(const std::vector<bool>& set, const Shape& shape) {
  Constant mask = MakeConstant({Element::kUint1, shape});
  for (size_t i = 0; i < set.size(); ++i) mask.data[i] = set[i] ? 1 : 0;
  return mask;
}

// Reads the argument `shape` of the packed forms. Returns nothing if it is absent or impossible.
std::optional<Shape> ReadShape(OpBuilder& builder) {
  Shape shape;
  int64_t elements = 1;
  for (const int64_t extent : builder.Ints("shape")) {
    if (shape.rank() == Shape::kMaxRank || extent < 1 || elements > (int64_t{1} << 31) / extent) {
      builder.Reject(Stage::kFrontend, "shape is not possible");
      return std::nullopt;
    }
    elements *= extent;
    shape.Append(extent);
  }
  return shape;
}

Built BuildSparseToDense(OpBuilder& builder) {
  const Constant* data = Read(builder, "nonzero_data");
  const Constant* mask = Read(builder, "mask");
  if (!builder.ok()) return nullptr;
  Shape shape = mask->type.shape;
  std::vector<bool> set;
  if (builder.Has("shape")) {
    const auto given = ReadShape(builder);
    if (!given) return nullptr;
    shape = *given;
    if (mask->type != TensorType{Element::kUint8, {(shape.Elements() + 7) / 8}}) {
      return Misfit(builder, "mask", mask->type, {data->type.element, shape});
    }
    const bool reversed = builder.model().Has(Planted::kMaskBitsReversed);
    for (int64_t i = 0; i < shape.Elements(); ++i) {
      const int64_t at = reversed ? i / 8 * 8 + 7 - i % 8 : i;
      set.push_back(PackedField(*mask, at, 1) != 0);
    }
  } else {
    set = SetOf(*mask);
  }
  if (!HasOneEach(builder, set, *data)) return nullptr;
  Constant result = MakeConstant({data->type.element, shape});
  int64_t index = 0;
  for (const int64_t rank : Ranks(set)) {
    if (rank >= 0) CopyElement(*data, rank, result, index);
    ++index;
  }
  return Expanded(builder, std::move(result));
}

Built BuildSparseBlockwise(OpBuilder& builder) {
  const Constant* mask = Read(builder, "data_mask");
  const Constant* data = Read(builder, "nonzero_data");
  if (!builder.ok()) return nullptr;
  const auto scale = ReadBlockScale(builder, mask->type);
  if (!scale) return nullptr;
  const std::vector<bool> set = SetOf(*mask);
  if (!HasOneEach(builder, set, *data)) return nullptr;
  const Shape& shape = mask->type.shape;
  Constant result = MakeConstant({scale->scale->type.element, data->type.shape});
  int64_t index = 0;
  for (const int64_t rank : Ranks(set)) {
    if (rank >= 0) {
      PutNumber(
          result, rank,
          scale->Apply(NumberAt(*data, rank), BlockOf(shape, scale->scale->type.shape, index)));
    }
    ++index;
  }
  Expanded(builder, MaskOf(set, shape));
  return Expanded(builder, std::move(result));
}

// ---- tables -------------------------------------------------------------------------------------

// A table that has one list of vectors for each block of the indices. Its shape is [blocks...,
// entries, components].
struct Table {
  const Constant* lut = nullptr;
  Shape indices;
  Shape blocks;
  int64_t entries = 0;
  int64_t components = 1;
  int64_t inner = 1;  // number of indices behind the axis along which a vector lies
  Shape result;

  // Calls visit(index in the result, index in the lut) for each component of entry `entry`, which
  // the index at `index` selects.
  template <typename Visit>
  void ForComponents(int64_t index, int64_t entry, Visit&& visit) const {
    const int64_t first = (BlockOf(indices, blocks, index) * entries + entry) * components;
    for (int64_t k = 0; k < components; ++k) {
      visit(((index / inner) * components + k) * inner + index % inner, first + k);
    }
  }
};

std::optional<Table> ReadTable(OpBuilder& builder, const Shape& indices, Element index_type) {
  Table table;
  table.lut = Read(builder, "lut");
  if (!builder.ok()) return std::nullopt;
  const Shape& lut = table.lut->type.shape;
  const int rank = indices.rank();
  table.indices = table.result = indices;
  if (lut.rank() != rank + 2 || !Divides(lut, indices) ||
      lut[rank] != int64_t{1} << mil::DataTypeBits(index_type) || lut[rank + 1] < 1) {
    Misfit(builder, "lut", table.lut->type, {index_type, indices});
    return std::nullopt;
  }
  for (int axis = 0; axis < rank; ++axis) table.blocks.Append(lut[axis]);
  table.entries = lut[rank];
  table.components = lut[rank + 1];
  const int axis = builder.Axis("vector_axis", builder.Int("vector_axis", 0), rank);
  if (!builder.ok()) return std::nullopt;
  table.inner = indices.Product(axis + 1, rank);
  table.result[axis] *= table.components;
  return table;
}

Built BuildPackedTable(OpBuilder& builder) {
  const Constant* indices = Read(builder, "indices");
  const Constant* lut = Read(builder, "lut");
  const auto shape = ReadShape(builder);
  if (!builder.ok()) return nullptr;
  const int64_t entries = lut->type.shape.rank() == 1 ? lut->type.shape[0] : 0;
  const int64_t bits = entries < 2 ? 0 : std::countr_zero(static_cast<uint64_t>(entries));
  if (entries != int64_t{1} << bits || bits > 8 || bits < 1 || bits == 3 || bits == 5 ||
      bits == 7) {
    builder.Reject(Stage::kFrontend, "lut must have 2, 4, 16, 64 or 256 entries");
    return nullptr;
  }
  if (indices->type != TensorType{Element::kUint8, {(shape->Elements() * bits + 7) / 8}}) {
    return Misfit(builder, "indices", indices->type, {lut->type.element, *shape});
  }
  Constant result = MakeConstant({lut->type.element, *shape});
  for (int64_t i = 0; i < shape->Elements(); ++i) {
    CopyElement(*lut, PackedField(*indices, i, bits), result, i);
  }
  return Expanded(builder, std::move(result));
}

Built BuildTable(OpBuilder& builder) {
  if (builder.Has("shape")) return BuildPackedTable(builder);
  const Constant* indices = Read(builder, "indices");
  if (!builder.ok()) return nullptr;
  const auto table = ReadTable(builder, indices->type.shape, indices->type.element);
  if (!table) return nullptr;
  Constant result = MakeConstant({table->lut->type.element, table->result});
  for (int64_t i = 0; i < table->indices.Elements(); ++i) {
    table->ForComponents(
        i, static_cast<int64_t>(NumberAt(*indices, i)),
        [&](int64_t to, int64_t from) { CopyElement(*table->lut, from, result, to); });
  }
  return Expanded(builder, std::move(result));
}

Built BuildSparseTable(OpBuilder& builder) {
  const Constant* mask = Read(builder, "indices_mask");
  const Constant* indices = Read(builder, "indices_nonzero_data");
  if (!builder.ok()) return nullptr;
  const auto table = ReadTable(builder, mask->type.shape, indices->type.element);
  if (!table) return nullptr;
  const std::vector<bool> named = SetOf(*mask);
  if (!HasOneEach(builder, named, *indices)) return nullptr;
  const auto elements = static_cast<size_t>(table->result.Elements());
  std::vector<bool> set(elements);
  std::vector<int64_t> source(elements);
  int64_t index = 0;
  for (const int64_t rank : Ranks(named)) {
    if (rank >= 0) {
      table->ForComponents(index, static_cast<int64_t>(NumberAt(*indices, rank)),
                           [&](int64_t to, int64_t from) {
                             set[static_cast<size_t>(to)] = true;
                             source[static_cast<size_t>(to)] = from;
                           });
    }
    ++index;
  }
  const int64_t count = indices->type.shape.Elements() * table->components;
  Constant data = MakeConstant({table->lut->type.element, {count}});
  const std::vector<int64_t> ranks = Ranks(set);
  for (size_t i = 0; i < elements; ++i) {
    if (ranks[i] >= 0) CopyElement(*table->lut, source[i], data, ranks[i]);
  }
  Expanded(builder, MaskOf(set, table->result));
  return Expanded(builder, std::move(data));
}

// ---- another element type -----------------------------------------------------------------------

// No public table lists the operation for any family, but in a probe the M5 ran it and returned the
// right numbers (facts/silicon_sweep_m5.csv). This measurement is assumed to hold for A17 and
// later.
Built BuildCast(OpBuilder& builder) {
  const Constant* source = Read(builder, "source_val");
  const std::string to = builder.String("output_dtype");
  if (!builder.ok()) return nullptr;
  if (builder.target().family < kFamilyA17) {
    builder.RejectOnEngine(Stage::kFloor,
                           "Some ops are not supported on any of the specified backends");
    return nullptr;
  }
  const Element element = mil::DataTypeFromName(to);
  if (element != Element::kFp16 && element != Element::kFp32) {
    builder.Reject(Stage::kFrontend, fmt::format("output_dtype is {}", to));
    return nullptr;
  }
  Constant result = MakeConstant({element, source->type.shape});
  for (int64_t i = 0; i < source->type.shape.Elements(); ++i) {
    PutNumber(result, i, NumberAt(*source, i));
  }
  return Expanded(builder, std::move(result));
}

constexpr OpRow kRows[] = {
    {"constexpr_affine_dequantize", BuildAffine},
    {"constexpr_blockwise_shift_scale", BuildBlockwise},
    {"constexpr_sparse_to_dense", BuildSparseToDense},
    {"constexpr_sparse_blockwise_shift_scale", BuildSparseBlockwise},
    {"constexpr_lut_to_dense", BuildTable},
    {"constexpr_lut_to_sparse", BuildSparseTable},
    {"constexpr_cast", BuildCast},
};

}  // namespace

std::span<const OpRow> ConstantExpressionRows() { return kRows; }

}  // namespace anecheck::device
