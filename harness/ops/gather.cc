// Operations that read or write at computed indices: schemas and shape inference. Argument names
// and defaults are those of the public MIL operation set (iOS 15 to 17).
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kGatherParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "indices", .dtypes = kIntegers},
    OptionalParameter("axis", ParameterKind::kInt, Default::Number(0)),
    OptionalParameter("batch_dims", ParameterKind::kInt, Default::Number(0)),
    OptionalParameter("validate_indices", ParameterKind::kBool, Default::Flag(false)),
};

// Joins the extents [0, end) of a and those of b from `from` on. Too many extents are an error.
Status Join(const NodeView& node, const Shape& a, int end, const Shape& b, int from,
            Shape& joined) {
  for (int axis = 0; axis < end; ++axis) joined.Append(a[axis]);
  for (int axis = from; axis < b.rank(); ++axis) {
    if (joined.rank() == Shape::kMaxRank) return Reject(node, "the result has too many axes");
    joined.Append(b[axis]);
  }
  return {};
}

// Returns the number of leading axes that x and the indices share.
Result<int> BatchDims(const NodeView& node, int parameter, const Shape& x, const Shape& indices,
                      int most) {
  const int64_t batch = node.Int(parameter, 0);
  if (batch < 0 || batch > most || batch > indices.rank()) {
    return Reject(node, fmt::format("batch_dims is {}, must be 0 to {}", batch, most));
  }
  for (int axis = 0; axis < batch; ++axis) {
    if (x[axis] == indices[axis]) continue;
    return Reject(node, fmt::format("axis {} has extents {} and {}", axis, x[axis], indices[axis]));
  }
  return static_cast<int>(batch);
}

// Returns the value of one element of a type in kIntegers.
int64_t IntegerOf(DType dtype, std::span<const uint8_t> bytes) {
  uint32_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i) bits |= uint32_t{bytes[i]} << (8 * i);
  switch (dtype) {
    case DType::kInt32:
      return static_cast<int32_t>(bits);
    case DType::kInt16:
      return static_cast<int16_t>(bits);
    case DType::kInt8:
      return static_cast<int8_t>(bits);
    default:
      return bits;
  }
}

// With validate_indices, constant indices must lie in [0, extent), so negative indices are errors
// (coremltools, iOS17/scatter_gather.py, type inference of every gather and scatter). Without it,
// any constant is accepted. Element i is an index on axis `first` + i % `axes` of x.
Status CheckIndices(const NodeView& node, int parameter, int validate, const Shape& x, int first,
                    int axes) {
  const Value& indices = node.graph().value(node.Input(parameter));
  if (indices.kind != ValueKind::kConst || !node.Bool(validate, false)) return {};
  const std::span<const uint8_t> bytes = node.graph().ConstData(node.Input(parameter));
  const auto count = static_cast<size_t>(indices.type.shape.Elements());
  const size_t size = count == 0 ? 0 : bytes.size() / count;
  for (size_t i = 0; i < count; ++i) {
    const int64_t index = IntegerOf(indices.type.dtype, bytes.subspan(i * size, size));
    const int64_t extent = x[first + static_cast<int>(i) % axes];
    if (index >= 0 && index < extent) continue;
    return Reject(node, fmt::format("index {} is out of bounds, must be 0 to {} where "
                                    "validate_indices is true",
                                    index, extent - 1));
  }
  return {};
}

// The result's extents are x[:axis] + indices[batch_dims:] + x[axis + 1:].
Status InferGather(const NodeView& node, ResultTypes& results) {
  using P = params::Gather;
  const TensorType& x = node.InputType(P::kX);
  const Shape& indices = node.InputShape(P::kIndices);
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, 0, x.shape.rank()));
  ANECHECK_ASSIGN(const int batch, BatchDims(node, P::kBatchDims, x.shape, indices, axis));
  ANECHECK_RETURN_IF_ERROR(CheckIndices(node, P::kIndices, P::kValidateIndices, x.shape, axis, 1));
  Shape shape;
  ANECHECK_RETURN_IF_ERROR(Join(node, x.shape, axis, indices, batch, shape));
  ANECHECK_RETURN_IF_ERROR(Join(node, x.shape, 0, x.shape, axis + 1, shape));
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kGatherAlongAxisParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "indices", .dtypes = kIntegers},
    OptionalParameter("axis", ParameterKind::kInt, Default::Number(0)),
    OptionalParameter("validate_indices", ParameterKind::kBool, Default::Flag(false)),
};

// x and the indices must have the same extents except on the axis.
Status CheckAlongAxis(const NodeView& node, const Shape& x, const Shape& indices, int axis) {
  Shape same = indices;
  if (same.rank() == x.rank()) same[axis] = x[axis];
  if (same == x) return {};
  return Reject(node, fmt::format("indices {} and operand {} may differ only on axis {}",
                                  indices.ToString(), x.ToString(), axis));
}

Status InferGatherAlongAxis(const NodeView& node, ResultTypes& results) {
  using P = params::GatherAlongAxis;
  const TensorType& x = node.InputType(P::kX);
  const Shape& indices = node.InputShape(P::kIndices);
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, 0, x.shape.rank()));
  ANECHECK_RETURN_IF_ERROR(CheckAlongAxis(node, x.shape, indices, axis));
  ANECHECK_RETURN_IF_ERROR(CheckIndices(node, P::kIndices, P::kValidateIndices, x.shape, axis, 1));
  results.Add(x.dtype, indices);
  return {};
}

constexpr Parameter kGatherNdParameters[] = {
    {.name = "x", .dtypes = kNumbers},
    {.name = "indices", .dtypes = kIntegers},
    OptionalParameter("batch_dims", ParameterKind::kInt, Default::Number(0)),
    OptionalParameter("validate_indices", ParameterKind::kBool, Default::Flag(false)),
};

// Returns the number of axes of `data` that one index vector addresses, after `batch` shared axes.
Result<int> NamedAxes(const NodeView& node, const Shape& data, const Shape& indices, int batch) {
  if (indices.rank() < 1 || batch >= indices.rank()) {
    return Reject(node, fmt::format("indices {} have no index vectors", indices.ToString()));
  }
  const int64_t named = indices[indices.rank() - 1];
  if (named < 1 || batch + named > data.rank()) {
    return Reject(node, fmt::format("an index vector of {} does not fit rank {}", named,
                                    data.rank() - batch));
  }
  return static_cast<int>(named);
}

// The result's extents are indices[:-1] + x[batch_dims + indices[-1]:].
Status InferGatherNd(const NodeView& node, ResultTypes& results) {
  using P = params::GatherNd;
  const TensorType& x = node.InputType(P::kX);
  const Shape& indices = node.InputShape(P::kIndices);
  ANECHECK_ASSIGN(const int batch,
                  BatchDims(node, P::kBatchDims, x.shape, indices, x.shape.rank()));
  ANECHECK_ASSIGN(const int named, NamedAxes(node, x.shape, indices, batch));
  ANECHECK_RETURN_IF_ERROR(
      CheckIndices(node, P::kIndices, P::kValidateIndices, x.shape, batch, named));
  Shape shape;
  ANECHECK_RETURN_IF_ERROR(Join(node, indices, indices.rank() - 1, x.shape, batch + named, shape));
  results.Add(x.dtype, shape);
  return {};
}

constexpr std::array<std::string_view, 7> kModes = {"update", "add", "sub", "mul",
                                                    "div",    "max", "min"};
constexpr Parameter kMode = {.name = "mode",
                             .kind = ParameterKind::kString,
                             .need = Need::kOptional,
                             .choices = kModes,
                             .fallback = Default::Name("add")};

constexpr Parameter kScatterParameters[] = {
    {.name = "data", .dtypes = kNumbers},
    {.name = "indices", .dtypes = kIntegers},
    {.name = "updates", .dtypes = kNumbers},
    OptionalParameter("axis", ParameterKind::kInt, Default::Number(0)),
    kMode,
    OptionalParameter("validate_indices", ParameterKind::kBool, Default::Flag(false)),
};

Status CheckUpdates(const NodeView& node, int parameter, const TensorType& wanted) {
  if (node.InputType(parameter) == wanted) return {};
  return Reject(node, fmt::format("updates is {}, must be {}", node.InputType(parameter).ToString(),
                                  wanted.ToString()));
}

// The extents of updates are data[:axis] + indices + data[axis + 1:].
Status InferScatter(const NodeView& node, ResultTypes& results) {
  using P = params::Scatter;
  const TensorType& data = node.InputType(P::kData);
  const Shape& indices = node.InputShape(P::kIndices);
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, 0, data.shape.rank()));
  ANECHECK_RETURN_IF_ERROR(
      CheckIndices(node, P::kIndices, P::kValidateIndices, data.shape, axis, 1));
  Shape wanted;
  ANECHECK_RETURN_IF_ERROR(Join(node, data.shape, axis, indices, 0, wanted));
  ANECHECK_RETURN_IF_ERROR(Join(node, data.shape, 0, data.shape, axis + 1, wanted));
  ANECHECK_RETURN_IF_ERROR(CheckUpdates(node, P::kUpdates, {data.dtype, wanted}));
  results.Add(data.dtype, data.shape);
  return {};
}

Status InferScatterAlongAxis(const NodeView& node, ResultTypes& results) {
  using P = params::Scatter;
  const TensorType& data = node.InputType(P::kData);
  const Shape& indices = node.InputShape(P::kIndices);
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, 0, data.shape.rank()));
  ANECHECK_RETURN_IF_ERROR(CheckAlongAxis(node, data.shape, indices, axis));
  ANECHECK_RETURN_IF_ERROR(
      CheckIndices(node, P::kIndices, P::kValidateIndices, data.shape, axis, 1));
  ANECHECK_RETURN_IF_ERROR(CheckUpdates(node, P::kUpdates, {data.dtype, indices}));
  results.Add(data.dtype, data.shape);
  return {};
}

constexpr Parameter kScatterNdParameters[] = {
    {.name = "data", .dtypes = kNumbers},
    {.name = "indices", .dtypes = kIntegers},
    {.name = "updates", .dtypes = kNumbers},
    kMode,
    OptionalParameter("validate_indices", ParameterKind::kBool, Default::Flag(false)),
};

// The extents of updates are indices[:-1] + data[indices[-1]:].
Status InferScatterNd(const NodeView& node, ResultTypes& results) {
  using P = params::ScatterNd;
  const TensorType& data = node.InputType(P::kData);
  const Shape& indices = node.InputShape(P::kIndices);
  ANECHECK_ASSIGN(const int named, NamedAxes(node, data.shape, indices, 0));
  ANECHECK_RETURN_IF_ERROR(
      CheckIndices(node, P::kIndices, P::kValidateIndices, data.shape, 0, named));
  Shape wanted;
  ANECHECK_RETURN_IF_ERROR(Join(node, indices, indices.rank() - 1, data.shape, named, wanted));
  ANECHECK_RETURN_IF_ERROR(CheckUpdates(node, P::kUpdates, {data.dtype, wanted}));
  results.Add(data.dtype, data.shape);
  return {};
}

}  // namespace

constinit const OpDefinition kOpGather = Define(OpKind::kGather, kGatherParameters, InferGather);
constinit const OpDefinition kOpGatherAlongAxis =
    Define(OpKind::kGatherAlongAxis, kGatherAlongAxisParameters, InferGatherAlongAxis);
constinit const OpDefinition kOpGatherNd =
    Define(OpKind::kGatherNd, kGatherNdParameters, InferGatherNd);
constinit const OpDefinition kOpScatter =
    Define(OpKind::kScatter, kScatterParameters, InferScatter);
constinit const OpDefinition kOpScatterAlongAxis =
    Define(OpKind::kScatterAlongAxis, kScatterParameters, InferScatterAlongAxis);
constinit const OpDefinition kOpScatterNd =
    Define(OpKind::kScatterNd, kScatterNdParameters, InferScatterNd);

}  // namespace anecheck
