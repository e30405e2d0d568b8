// Constants and compressed constants: schemas and shape inference (coremltools op reference, iOS16
// constexpr_ops and iOS18 compression). The forms of table and mask in both versions are supported.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr DTypeSet kAllTypes = {DType::kFp16,  DType::kFp32,   DType::kInt8,    DType::kUint8,
                                DType::kInt16, DType::kUint16, DType::kInt32,   DType::kBool,
                                DType::kInt4,  DType::kUint4,  DType::kFp8E4M3, DType::kFp8E5M2,
                                DType::kUint1, DType::kUint2,  DType::kUint3,   DType::kUint6};
constexpr DTypeSet kBytes = {DType::kInt8, DType::kUint8};
constexpr DTypeSet kZeroPoints = {DType::kInt8, DType::kUint8, DType::kFp16, DType::kFp32};
constexpr DTypeSet kTableTypes = {DType::kInt8, DType::kUint8,   DType::kFp16,
                                  DType::kFp32, DType::kFp8E4M3, DType::kFp8E5M2};
constexpr DTypeSet kIndexTypes = {DType::kUint1, DType::kUint2, DType::kUint3,
                                  DType::kUint4, DType::kUint6, DType::kUint8};
constexpr DTypeSet kDataTypes = {DType::kInt4, DType::kUint4, DType::kInt8,    DType::kUint8,
                                 DType::kFp16, DType::kFp32,  DType::kFp8E4M3, DType::kFp8E5M2};
constexpr DTypeSet kMaskTypes = {DType::kUint1, DType::kUint8};
constexpr DTypeSet kOneBit = {DType::kUint1};
// fp8 constants expand to the 16-bit and 32-bit floats (facts/more/fp8_formats.csv).
constexpr DTypeSet kCastSources = {DType::kFp16, DType::kFp8E4M3, DType::kFp8E5M2};

constexpr Parameter kConstParameters[] = {
    {.name = "val", .dtypes = kAllTypes, .constant = true},
};

Status InferConst(const NodeView& node, ResultTypes& results) {
  return InferSameAsX(node, results);
}

constexpr Parameter kAffineParameters[] = {
    {.name = "quantized_data", .dtypes = kBytes, .constant = true},
    {.name = "zero_point", .dtypes = kZeroPoints, .constant = true},
    {.name = "scale", .dtypes = kFloats, .constant = true},
    {.name = "axis", .kind = ParameterKind::kInt},
};

Status InferAffine(const NodeView& node, ResultTypes& results) {
  using P = params::AffineDequantize;
  const Shape& data = node.InputShape(P::kQuantizedData);
  const auto axis = NormalizeAxis(node.Int(P::kAxis, 0), data.rank());
  if (!axis) return Reject(node, fmt::format("axis is outside rank {}", data.rank()));
  for (const int parameter : {P::kZeroPoint, P::kScale}) {
    const Shape& given = node.InputShape(parameter);
    if (given.rank() == 0 || given == Shape{data[*axis]}) continue;
    return Reject(node, fmt::format("{} is {}, must be a scalar or [{}]",
                                    node.schema().parameters[static_cast<size_t>(parameter)].name,
                                    given.ToString(), data[*axis]));
  }
  results.Add(node.InputType(P::kScale).dtype, data);
  return {};
}

constexpr Parameter kLutToDenseParameters[] = {
    {.name = "indices", .dtypes = kIndexTypes, .constant = true},
    {.name = "lut", .dtypes = kTableTypes, .constant = true},
    {.name = "shape",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .unsigned_integers = true,
     .fallback = Default::Words("the indices' own: they are not packed in bytes")},
    {.name = "vector_axis", .kind = ParameterKind::kInt, .need = Need::kOptional},
};

Result<Shape> ShapeFrom(const NodeView& node, int parameter) {
  const auto given = node.Ints(parameter);
  Shape shape;
  if (given.size() > Shape::kMaxRank) return Reject(node, "shape has too many extents");
  int64_t elements = 1;
  for (const int64_t extent : given) {
    if (extent < 1 || elements > kMaxElements / extent) {
      return Reject(node, fmt::format("shape has an extent of {}", extent));
    }
    elements *= extent;
    shape.Append(extent);
  }
  return shape;
}

// Returns the bits of an index into `palettes` entries; 0 if no format has so many.
int PackedIndexBits(int64_t palettes) {
  for (const int bits : {1, 2, 4, 6, 8}) {
    if (palettes == int64_t{1} << bits) return bits;
  }
  return 0;
}

Status InferPackedLut(const NodeView& node, ResultTypes& results) {
  using P = params::LutToDense;
  const TensorType& indices = node.InputType(P::kIndices);
  const TensorType& lut = node.InputType(P::kLut);
  ANECHECK_ASSIGN(const Shape shape, ShapeFrom(node, P::kShape));
  if (indices.dtype != DType::kUint8 || indices.shape.rank() != 1 || lut.shape.rank() != 1) {
    return Reject(node, "with shape, indices are packed in a uint8 vector and lut is a vector");
  }
  const int bits = PackedIndexBits(lut.shape[0]);
  if (bits == 0) return Reject(node, "lut must have 2, 4, 16, 64 or 256 entries");
  const int64_t bytes = (shape.Elements() * bits + 7) / 8;
  if (indices.shape[0] != bytes) {
    return Reject(node, fmt::format("indices have {} bytes, {} elements of {} bits need {}",
                                    indices.shape[0], shape.Elements(), bits, bytes));
  }
  results.Add(lut.dtype, shape);
  return {};
}

// `lut` must have one table for each block of the indices: [blocks of each axis..., 2^bits,
// vector].
Status CheckLut(const NodeView& node, const Shape& indices, DType index_type, const Shape& lut,
                int vector_axis) {
  const int rank = indices.rank();
  if (rank < 1 || lut.rank() != rank + 2) {
    return Reject(node, fmt::format("lut {} needs two axes more than the indices {}",
                                    lut.ToString(), indices.ToString()));
  }
  for (int axis = 0; axis < rank; ++axis) {
    if (lut[axis] < 1 || indices[axis] % lut[axis] != 0) {
      return Reject(node, fmt::format("lut {} does not divide the indices {} on axis {}",
                                      lut.ToString(), indices.ToString(), axis));
    }
  }
  if (lut[rank] != int64_t{1} << DTypeBits(index_type)) {
    return Reject(node, fmt::format("lut has {} entries, {} indices need {}", lut[rank],
                                    DTypeName(index_type), 1 << DTypeBits(index_type)));
  }
  if (lut[rank + 1] < 1) return Reject(node, "lut has empty vectors");
  if (!node.HasAttribute(vector_axis)) {
    return lut[rank + 1] == 1 ? Status{} : Reject(node, "a lut of vectors needs vector_axis");
  }
  if (!NormalizeAxis(node.Int(vector_axis, 0), rank)) {
    return Reject(node, fmt::format("vector_axis is outside rank {}", rank));
  }
  return {};
}

// Returns the shape of the indices with the vector's axis multiplied by the vector's length.
Shape ExpandedShape(const NodeView& node, Shape shape, int64_t vector, int vector_axis) {
  if (vector > 1) shape[*NormalizeAxis(node.Int(vector_axis, 0), shape.rank())] *= vector;
  return shape;
}

Status InferLutToDense(const NodeView& node, ResultTypes& results) {
  using P = params::LutToDense;
  if (node.HasAttribute(P::kShape)) return InferPackedLut(node, results);
  const TensorType& indices = node.InputType(P::kIndices);
  const TensorType& lut = node.InputType(P::kLut);
  ANECHECK_RETURN_IF_ERROR(CheckLut(node, indices.shape, indices.dtype, lut.shape, P::kVectorAxis));
  results.Add(lut.dtype,
              ExpandedShape(node, indices.shape, lut.shape[lut.shape.rank() - 1], P::kVectorAxis));
  return {};
}

constexpr Parameter kLutToSparseParameters[] = {
    {.name = "indices_mask", .dtypes = kOneBit, .constant = true},
    {.name = "indices_nonzero_data", .dtypes = kIndexTypes, .constant = true},
    {.name = "lut", .dtypes = kTableTypes, .constant = true},
    {.name = "vector_axis", .kind = ParameterKind::kInt, .need = Need::kOptional},
};

Status InferLutToSparse(const NodeView& node, ResultTypes& results) {
  using P = params::LutToSparse;
  const Shape& mask = node.InputShape(P::kIndicesMask);
  const TensorType& indices = node.InputType(P::kIndicesNonzeroData);
  const TensorType& lut = node.InputType(P::kLut);
  if (indices.shape.rank() != 1) return Reject(node, "indices_nonzero_data must be a vector");
  ANECHECK_RETURN_IF_ERROR(CheckLut(node, mask, indices.dtype, lut.shape, P::kVectorAxis));
  const int64_t vector = lut.shape[lut.shape.rank() - 1];
  results.Add(DType::kUint1, ExpandedShape(node, mask, vector, P::kVectorAxis));
  results.Add(lut.dtype, {indices.shape[0] * vector});
  return {};
}

constexpr Parameter kBlockwiseParameters[] = {
    {.name = "data", .dtypes = kDataTypes, .constant = true},
    {.name = "scale", .dtypes = kFloats, .constant = true},
    {.name = "offset", .need = Need::kOptional, .dtypes = kDataTypes, .constant = true},
};

Status CheckBlocks(const NodeView& node, const Shape& data, DType data_type, int scale_index,
                   int offset_index) {
  const Shape& scale = node.InputShape(scale_index);
  if (data.rank() < 1 || scale.rank() != data.rank()) {
    return Reject(node, fmt::format("scale {} must have the rank of the data {}", scale.ToString(),
                                    data.ToString()));
  }
  for (int axis = 0; axis < data.rank(); ++axis) {
    if (scale[axis] < 1 || data[axis] % scale[axis] != 0) {
      return Reject(node, fmt::format("scale {} does not divide the data {} on axis {}",
                                      scale.ToString(), data.ToString(), axis));
    }
  }
  if (!node.HasInput(offset_index)) return {};
  const TensorType& offset = node.InputType(offset_index);
  if (offset.shape != scale) {
    return Reject(
        node, fmt::format("offset is {}, scale is {}", offset.shape.ToString(), scale.ToString()));
  }
  if (!IsFloat(offset.dtype) && offset.dtype != data_type) {
    return Reject(node, "offset must be a float or of the data's element type");
  }
  return {};
}

Status InferBlockwise(const NodeView& node, ResultTypes& results) {
  using P = params::BlockwiseShiftScale;
  const TensorType& data = node.InputType(P::kData);
  ANECHECK_RETURN_IF_ERROR(CheckBlocks(node, data.shape, data.dtype, P::kScale, P::kOffset));
  results.Add(node.InputType(P::kScale).dtype, data.shape);
  return {};
}

constexpr Parameter kSparseBlockwiseParameters[] = {
    {.name = "data_mask", .dtypes = kOneBit, .constant = true},
    {.name = "nonzero_data", .dtypes = kDataTypes, .constant = true},
    {.name = "scale", .dtypes = kFloats, .constant = true},
    {.name = "offset", .need = Need::kOptional, .dtypes = kDataTypes, .constant = true},
};

Status InferSparseBlockwise(const NodeView& node, ResultTypes& results) {
  using P = params::SparseBlockwiseShiftScale;
  const Shape& mask = node.InputShape(P::kDataMask);
  const TensorType& data = node.InputType(P::kNonzeroData);
  if (data.shape.rank() != 1) return Reject(node, "nonzero_data must be a vector");
  ANECHECK_RETURN_IF_ERROR(CheckBlocks(node, mask, data.dtype, P::kScale, P::kOffset));
  results.Add(DType::kUint1, mask);
  results.Add(node.InputType(P::kScale).dtype, data.shape);
  return {};
}

constexpr Parameter kSparseToDenseParameters[] = {
    {.name = "nonzero_data", .dtypes = kDataTypes, .constant = true},
    {.name = "mask", .dtypes = kMaskTypes, .constant = true},
    {.name = "shape",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .unsigned_integers = true,
     .fallback = Default::Words("the mask's own: it is not packed in bytes")},
};

Status InferSparseToDense(const NodeView& node, ResultTypes& results) {
  using P = params::SparseToDense;
  const TensorType& data = node.InputType(P::kNonzeroData);
  const TensorType& mask = node.InputType(P::kMask);
  if (data.shape.rank() != 1) return Reject(node, "nonzero_data must be a vector");
  if (!node.HasAttribute(P::kShape)) {
    if (mask.dtype != DType::kUint1) return Reject(node, "without shape the mask must be uint1");
    results.Add(data.dtype, mask.shape);
    return {};
  }
  ANECHECK_ASSIGN(const Shape shape, ShapeFrom(node, P::kShape));
  const int64_t bytes = (shape.Elements() + 7) / 8;
  if (mask.dtype != DType::kUint8 || mask.shape != Shape{bytes}) {
    return Reject(node, fmt::format("mask is {}, {} elements need a uint8 vector of {}",
                                    mask.ToString(), shape.Elements(), bytes));
  }
  results.Add(data.dtype, shape);
  return {};
}

constexpr std::array<std::string_view, 2> kCastNames = {"fp32", "fp16"};
constexpr Parameter kCastParameters[] = {
    {.name = "source_val", .dtypes = kCastSources, .constant = true},
    {.name = "output_dtype", .kind = ParameterKind::kString, .choices = kCastNames},
};

Status InferConstexprCast(const NodeView& node, ResultTypes& results) {
  using P = params::ConstexprCast;
  results.Add(*DTypeFromName(node.String(P::kOutputDtype, "fp32")), node.InputShape(P::kSourceVal));
  return {};
}

}  // namespace

constinit const OpDefinition kOpConst = Define(OpKind::kConst, kConstParameters, InferConst);
constinit const OpDefinition kOpConstexprAffineDequantize =
    Define(OpKind::kConstexprAffineDequantize, kAffineParameters, InferAffine);
constinit const OpDefinition kOpConstexprLutToDense =
    Define(OpKind::kConstexprLutToDense, kLutToDenseParameters, InferLutToDense);
constinit const OpDefinition kOpConstexprLutToSparse =
    Define(OpKind::kConstexprLutToSparse, kLutToSparseParameters, InferLutToSparse);
constinit const OpDefinition kOpConstexprBlockwiseShiftScale =
    Define(OpKind::kConstexprBlockwiseShiftScale, kBlockwiseParameters, InferBlockwise);
constinit const OpDefinition kOpConstexprSparseBlockwiseShiftScale = Define(
    OpKind::kConstexprSparseBlockwiseShiftScale, kSparseBlockwiseParameters, InferSparseBlockwise);
constinit const OpDefinition kOpConstexprSparseToDense =
    Define(OpKind::kConstexprSparseToDense, kSparseToDenseParameters, InferSparseToDense);
// Every engine rejects constexpr_cast (facts/more/op_notes.csv).
constinit const OpDefinition kOpConstexprCast =
    Define(OpKind::kConstexprCast, kCastParameters, InferConstexprCast);

}  // namespace anecheck
