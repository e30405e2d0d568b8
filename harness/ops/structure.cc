// Operations that change a tensor's shape or make one: schemas and shape inference. Argument names
// and defaults are those of the public MIL operation set (iOS 15 to 18).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kIdentityParameters[] = {{.name = "x", .dtypes = kAnything}};

constexpr Parameter kReshapeLikeParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "ref_tensors", .kind = ParameterKind::kTensorList, .dtypes = kAnything},
    {.name = "begins", .kind = ParameterKind::kInts, .tuple = true},
    {.name = "ends", .kind = ParameterKind::kInts, .tuple = true},
    {.name = "end_masks", .kind = ParameterKind::kBools, .tuple = true},
};

// The result's shape is the concatenation of shape[begin:end] of all references.
Status InferReshapeLike(const NodeView& node, ResultTypes& results) {
  using P = params::ReshapeLike;
  const TensorType& x = node.InputType(P::kX);
  const auto references = node.InputList(P::kRefTensors);
  const auto begins = node.Ints(P::kBegins);
  const auto ends = node.Ints(P::kEnds);
  const auto masks = node.Ints(P::kEndMasks);
  if (begins.size() != references.size() || ends.size() != references.size() ||
      masks.size() != references.size()) {
    return Reject(node,
                  fmt::format("begins, ends and end_masks need {} entries", references.size()));
  }
  Shape shape;
  for (size_t i = 0; i < references.size(); ++i) {
    const Shape& reference = node.graph().type(references[i]).shape;
    const int64_t rank = reference.rank();
    const auto place = [&](int64_t given) {
      return std::clamp<int64_t>(given < 0 ? given + rank : given, 0, rank);
    };
    const int64_t end = masks[i] != 0 ? rank : place(ends[i]);
    for (int64_t axis = place(begins[i]); axis < end; ++axis) {
      if (shape.rank() == Shape::kMaxRank) return Reject(node, "the result has too many axes");
      shape.Append(reference[static_cast<int>(axis)]);
    }
  }
  if (shape.Elements() != x.shape.Elements()) {
    return Reject(node, fmt::format("{} has {} elements, x has {}", shape.ToString(),
                                    shape.Elements(), x.shape.Elements()));
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kExpandDimsParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "axes", .kind = ParameterKind::kInts},
};

// Axis numbers refer to the result's shape, not to the shape of x.
Status InferExpandDims(const NodeView& node, ResultTypes& results) {
  using P = params::OverAxes;
  const TensorType& x = node.InputType(P::kX);
  const int rank = x.shape.rank() + static_cast<int>(node.Ints(P::kAxes).size());
  if (rank > Shape::kMaxRank) return Reject(node, "the result has too many axes");
  ANECHECK_ASSIGN(const uint32_t mask, AxisMask(node, P::kAxes, rank));
  Shape shape;
  int from = 0;
  for (int axis = 0; axis < rank; ++axis) {
    shape.Append((mask >> axis & 1) != 0 ? 1 : x.shape[from++]);
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kSqueezeParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "axes",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Words("every axis of extent 1")},
};

Status InferSqueeze(const NodeView& node, ResultTypes& results) {
  using P = params::OverAxes;
  const TensorType& x = node.InputType(P::kX);
  ANECHECK_ASSIGN(const uint32_t named, AxisMask(node, P::kAxes, x.shape.rank()));
  const bool given = node.HasAttribute(P::kAxes);
  Shape shape;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const bool dropped = (named >> axis & 1) != 0 && (given || x.shape[axis] == 1);
    if (dropped && x.shape[axis] != 1) {
      return Reject(node, fmt::format("axis {} has extent {}, not 1", axis, x.shape[axis]));
    }
    if (!dropped) shape.Append(x.shape[axis]);
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kFlatten2dParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "axis",
     .kind = ParameterKind::kInt,
     .need = Need::kOptional,
     .fallback = Default::Number(1)},
};

Status InferFlatten2d(const NodeView& node, ResultTypes& results) {
  using P = params::Flatten2d;
  const TensorType& x = node.InputType(P::kX);
  const int64_t given = node.Int(P::kAxis, 1);
  const int64_t axis = given < 0 ? given + x.shape.rank() : given;
  if (axis < 0 || axis > x.shape.rank()) {
    return Reject(node, fmt::format("axis {} is outside rank {}", given, x.shape.rank()));
  }
  int64_t extents[] = {1, 1};
  for (int i = 0; i < x.shape.rank(); ++i) {
    extents[i < axis ? 0 : 1] *= x.shape[i];
  }
  results.Add(x.dtype, Shape{extents[0], extents[1]});
  return {};
}

constexpr Parameter kStackParameters[] = {
    {.name = "values", .kind = ParameterKind::kTensorList, .dtypes = kAnything},
    {.name = "axis", .kind = ParameterKind::kInt},
};

Status InferStack(const NodeView& node, ResultTypes& results) {
  using P = params::Stack;
  const auto values = node.InputList(P::kValues);
  const TensorType& first = node.graph().type(values[0]);
  if (first.shape.rank() == Shape::kMaxRank) return Reject(node, "the result has too many axes");
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, 0, first.shape.rank() + 1));
  for (const ValueId value : values) {
    if (node.graph().type(value) == first) continue;
    return Reject(node, fmt::format("{} and {} differ", first.ToString(),
                                    node.graph().type(value).ToString()));
  }
  Shape shape;
  for (int i = 0; i <= first.shape.rank(); ++i) {
    if (i == axis) shape.Append(static_cast<int64_t>(values.size()));
    if (i < first.shape.rank()) shape.Append(first.shape[i]);
  }
  results.Add(first.dtype, shape);
  return {};
}

constexpr Parameter kSplitParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "axis", .kind = ParameterKind::kInt},
    {.name = "num_splits",
     .kind = ParameterKind::kInt,
     .need = Need::kOptional,
     .fallback = Default::Words("as many as split_sizes has")},
    {.name = "split_sizes",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Words("num_splits equal parts")},
};

Status InferSplit(const NodeView& node, ResultTypes& results) {
  using P = params::Split;
  const TensorType& x = node.InputType(P::kX);
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, 0, x.shape.rank()));
  const auto sizes = node.Ints(P::kSplitSizes);
  const int64_t count = node.Int(P::kNumSplits, static_cast<int64_t>(sizes.size()));
  if (count < 1 || count > static_cast<int64_t>(ResultTypes::kMaxResults)) {
    return Reject(
        node, fmt::format("num_splits is {}, must be 1 to {}", count, ResultTypes::kMaxResults));
  }
  if (!sizes.empty() && static_cast<int64_t>(sizes.size()) != count) {
    return Reject(node,
                  fmt::format("split_sizes has {} entries, num_splits is {}", sizes.size(), count));
  }
  int64_t left = x.shape[axis];
  if (sizes.empty() && left % count != 0) {
    return Reject(node, fmt::format("{} does not divide into {} parts", left, count));
  }
  for (int64_t i = 0; i < count; ++i) {
    Shape shape = x.shape;
    shape[axis] = sizes.empty() ? x.shape[axis] / count : sizes[static_cast<size_t>(i)];
    if (shape[axis] < 1) return Reject(node, fmt::format("split_sizes[{}] is below 1", i));
    left -= shape[axis];
    results.Add(x.dtype, shape);
  }
  if (left != 0) {
    return Reject(node, fmt::format("split_sizes add up to {}, the axis has {}",
                                    x.shape[axis] - left, x.shape[axis]));
  }
  return {};
}

// Returns a parameter for a scalar that determines the element type of the result.
constexpr Parameter Filler(std::string_view name, std::string_view fallback) {
  return {.name = name,
          .need = Need::kOptional,
          .dtypes = kAnything,
          .constant = true,
          .fallback = Default::Words(fallback)};
}

constexpr Parameter kFillParameters[] = {
    {.name = "shape", .kind = ParameterKind::kInts},
    Filler("value", "fp32 0"),
};

// Returns the element type of an optional scalar operand.
Result<DType> FillerType(const NodeView& node, int parameter, DType fallback) {
  if (!node.HasInput(parameter)) return fallback;
  ANECHECK_RETURN_IF_ERROR(ConstantScalar(node, parameter));
  return node.InputType(parameter).dtype;
}

Status InferFill(const NodeView& node, ResultTypes& results) {
  using P = params::Fill;
  const auto dims = node.Ints(P::kShape);
  if (dims.size() > Shape::kMaxRank) return Reject(node, "the result has too many axes");
  int64_t elements = 1;
  for (const int64_t dim : dims) {
    if (dim < 1) return Reject(node, fmt::format("extent {} is below 1", dim));
    if (elements > kMaxElements / dim) return Reject(node, "shape has too many elements");
    elements *= dim;
  }
  ANECHECK_ASSIGN(const DType dtype, FillerType(node, P::kValue, DType::kFp32));
  results.Add(dtype, Shape::FromSpan(dims));
  return {};
}

constexpr Parameter kFillLikeParameters[] = {
    {.name = "ref_tensor", .dtypes = kAnything},
    Filler("value", "fp32 0"),
};

Status InferFillLike(const NodeView& node, ResultTypes& results) {
  using P = params::FillLike;
  ANECHECK_ASSIGN(const DType dtype, FillerType(node, P::kValue, DType::kFp32));
  results.Add(dtype, node.InputShape(P::kRefTensor));
  return {};
}

constexpr DTypeSet kRangeTypes = {DType::kFp16, DType::kFp32, DType::kInt32};
constexpr Parameter kRange1dParameters[] = {
    {.name = "end", .dtypes = kRangeTypes, .constant = true},
    {.name = "start", .dtypes = kRangeTypes, .constant = true},
    {.name = "step", .dtypes = kRangeTypes, .constant = true},
};

// The result has the numbers of [start, end) in steps of `step`. `end`, `start` and `step` must be
// constants, because the result's extent must be known.
Status InferRange1d(const NodeView& node, ResultTypes& results) {
  using P = params::Range1d;
  ANECHECK_ASSIGN(const double end, ConstantScalar(node, P::kEnd));
  ANECHECK_ASSIGN(const double start, ConstantScalar(node, P::kStart));
  ANECHECK_ASSIGN(const double step, ConstantScalar(node, P::kStep));
  const DType dtype = node.InputType(P::kEnd).dtype;
  if (node.InputType(P::kStart).dtype != dtype || node.InputType(P::kStep).dtype != dtype) {
    return Reject(node, "end, start and step must have one element type");
  }
  const double count = std::ceil((end - start) / step);
  if (!(count >= 1) || !(count <= static_cast<double>(kMaxElements))) {
    return Reject(node,
                  fmt::format("{} to {} in steps of {} is empty or endless", start, end, step));
  }
  results.Add(dtype, Shape{static_cast<int64_t>(count)});
  return {};
}

constexpr Parameter kOneHotParameters[] = {
    {.name = "indices", .dtypes = kIntegers},
    {.name = "one_hot_vector_size", .kind = ParameterKind::kInt},
    {.name = "axis",
     .kind = ParameterKind::kInt,
     .need = Need::kOptional,
     .fallback = Default::Number(-1)},
    Filler("on_value", "int32 1"),
    Filler("off_value", "int32 0"),
};

Status InferOneHot(const NodeView& node, ResultTypes& results) {
  using P = params::OneHot;
  const Shape& indices = node.InputShape(P::kIndices);
  if (indices.rank() == Shape::kMaxRank) return Reject(node, "the result has too many axes");
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, -1, indices.rank() + 1));
  const int64_t size = node.Int(P::kOneHotVectorSize, 0);
  if (size < 1) return Reject(node, fmt::format("one_hot_vector_size is {}", size));
  const bool on_given = node.HasInput(P::kOnValue);
  const int either = on_given ? P::kOnValue : P::kOffValue;
  ANECHECK_ASSIGN(const DType dtype, FillerType(node, either, DType::kInt32));
  ANECHECK_ASSIGN(const DType off,
                  FillerType(node, P::kOffValue, on_given ? DType::kInt32 : dtype));
  if (on_given ? off != dtype : dtype != DType::kInt32) {
    return Reject(node, "on_value and off_value must have one element type");
  }
  Shape shape;
  for (int i = 0; i <= indices.rank(); ++i) {
    if (i == axis) shape.Append(size);
    if (i < indices.rank()) shape.Append(indices[i]);
  }
  results.Add(dtype, shape);
  return {};
}

Status InferShape(const NodeView& node, ResultTypes& results) {
  const int rank = node.InputShape(params::Unary::kX).rank();
  if (rank == 0) return Reject(node, "a scalar has no extents to list");
  results.Add(DType::kInt32, Shape{rank});
  return {};
}

}  // namespace

constinit const OpDefinition kOpIdentity =
    Define(OpKind::kIdentity, kIdentityParameters, InferSameAsX);
constinit const OpDefinition kOpReshapeLike =
    Define(OpKind::kReshapeLike, kReshapeLikeParameters, InferReshapeLike);
constinit const OpDefinition kOpExpandDims =
    Define(OpKind::kExpandDims, kExpandDimsParameters, InferExpandDims);
constinit const OpDefinition kOpSqueeze =
    Define(OpKind::kSqueeze, kSqueezeParameters, InferSqueeze);
constinit const OpDefinition kOpFlatten2d =
    Define(OpKind::kFlatten2d, kFlatten2dParameters, InferFlatten2d);
constinit const OpDefinition kOpStack = Define(OpKind::kStack, kStackParameters, InferStack);
constinit const OpDefinition kOpSplit = Define(OpKind::kSplit, kSplitParameters, InferSplit);
constinit const OpDefinition kOpFill = Define(OpKind::kFill, kFillParameters, InferFill);
constinit const OpDefinition kOpFillLike =
    Define(OpKind::kFillLike, kFillLikeParameters, InferFillLike);
constinit const OpDefinition kOpRange1d =
    Define(OpKind::kRange1d, kRange1dParameters, InferRange1d);
constinit const OpDefinition kOpOneHot = Define(OpKind::kOneHot, kOneHotParameters, InferOneHot);
constinit const OpDefinition kOpShape = Define(OpKind::kShape, kIdentityParameters, InferShape);

}  // namespace anecheck
