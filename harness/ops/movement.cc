// Operations that move elements or change a shape: schemas and shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kReshapeParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "shape", .kind = ParameterKind::kInts},
};

// In MIL (iOS 17), -1 means the extent that the element count leaves. 0 means the input's extent of
// that axis, counted from the last axis, or 1 if the input has no such axis. Earlier versions allow
// 0 only if the input and the result have the same number of axes; its meaning is the same.
Status InferReshape(const NodeView& node, ResultTypes& results) {
  using P = params::Reshape;
  const TensorType& x = node.InputType(P::kX);
  const auto wanted = node.Ints(P::kShape);
  if (wanted.size() > Shape::kMaxRank) return Reject(node, "Cannot reshape a tensor of rank > 5");
  Shape shape;
  int open = -1;
  int64_t known = 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t dim = wanted[i];
    if (dim == 0) {
      const int from = x.shape.rank() - static_cast<int>(wanted.size() - i);
      dim = from < 0 ? 1 : x.shape[from];
    }
    if (dim < -1) return Reject(node, fmt::format("shape[{}] is {}", i, dim));
    if (dim == -1 && open >= 0) return Reject(node, "shape has more than one -1");
    if (dim == -1) open = static_cast<int>(i);
    if (dim > 0 && known > kMaxElements / dim) return Reject(node, "shape has too many elements");
    if (dim != -1) known *= dim;
    shape.Append(dim);
  }
  const int64_t elements = x.shape.Elements();
  if (open >= 0) {
    if (known == 0 || elements % known != 0) {
      return Reject(node,
                    fmt::format("{} elements do not divide into {}", elements, shape.ToString()));
    }
    shape[open] = elements / known;
  }
  if (shape.Elements() != elements) {
    return Reject(node, fmt::format("{} has {} elements, x has {}", shape.ToString(),
                                    shape.Elements(), elements));
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kTransposeParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "perm", .kind = ParameterKind::kInts},
};

Status InferTranspose(const NodeView& node, ResultTypes& results) {
  using P = params::Transpose;
  const TensorType& x = node.InputType(P::kX);
  const auto perm = node.Ints(P::kPerm);
  if (perm.size() != static_cast<size_t>(x.shape.rank())) {
    return Reject(node,
                  fmt::format("perm has {} entries, x has rank {}", perm.size(), x.shape.rank()));
  }
  Shape shape;
  uint32_t seen = 0;
  for (const int64_t entry : perm) {
    const auto axis = NormalizeAxis(entry, x.shape.rank());
    if (!axis || (seen >> *axis & 1) != 0) return Reject(node, "perm is not a permutation");
    seen |= uint32_t{1} << *axis;
    shape.Append(x.shape[*axis]);
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kConcatParameters[] = {
    {.name = "values", .kind = ParameterKind::kTensorList, .dtypes = kAnything},
    {.name = "axis", .kind = ParameterKind::kInt},
    {.name = "interleave",
     .kind = ParameterKind::kBool,
     .need = Need::kOptional,
     .fallback = Default::Flag(false)},
};

Status InferConcat(const NodeView& node, ResultTypes& results) {
  using P = params::Concat;
  const TensorType& first = node.InputType(P::kValues);
  const auto axis = NormalizeAxis(node.Int(P::kAxis, 0), first.shape.rank());
  if (!axis)
    return Reject(
        node, fmt::format("axis {} is outside rank {}", node.Int(P::kAxis, 0), first.shape.rank()));
  Shape shape = first.shape;
  int64_t total = 0;
  for (const Argument& argument : node.graph().arguments(node.node())) {
    const TensorType& type = node.graph().type(argument.value);
    Shape same = type.shape;
    if (same.rank() == shape.rank()) same[*axis] = shape[*axis];
    if (type.dtype != first.dtype || same != shape) {
      return Reject(node, fmt::format("{} and {} may differ only on axis {}", first.ToString(),
                                      type.ToString(), *axis));
    }
    if (node.Bool(P::kInterleave, false) && type.shape != first.shape) {
      return Reject(node, "interleave needs operands of one shape");
    }
    total += type.shape[*axis];
  }
  shape[*axis] = total;
  results.Add(first.dtype, shape);
  return {};
}

constexpr std::array<std::string_view, 4> kPadModes = {"constant", "reflect", "replicate",
                                                       "symmetric"};
constexpr Parameter kPadParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "pad", .kind = ParameterKind::kInts},
    {.name = "mode",
     .kind = ParameterKind::kString,
     .need = Need::kOptional,
     .choices = kPadModes,
     .fallback = Default::Name("constant")},
    {.name = "constant_val",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(0)},
};

// `pad` is [before, after] for each of the last pad.size() / 2 axes.
Status InferPad(const NodeView& node, ResultTypes& results) {
  using P = params::Pad;
  const TensorType& x = node.InputType(P::kX);
  const auto pad = node.Ints(P::kPad);
  const auto rank = static_cast<size_t>(x.shape.rank());
  if (pad.size() % 2 != 0 || pad.size() / 2 > rank) {
    return Reject(node, fmt::format("pad has {} entries, must have 2 an axis and at most {}",
                                    pad.size(), 2 * rank));
  }
  const std::string_view mode = node.String(P::kMode, "constant");
  const size_t first = rank - pad.size() / 2;
  Shape shape = x.shape;
  for (size_t i = 0; i < pad.size(); ++i) {
    const int axis = static_cast<int>(first + i / 2);
    if (pad[i] < 0) return Reject(node, "pad is negative");
    if (mode == "reflect" && pad[i] >= x.shape[axis]) {
      return Reject(node, fmt::format("reflect pads {} on an axis of {}", pad[i], x.shape[axis]));
    }
    if (mode == "symmetric" && pad[i] > x.shape[axis]) {
      return Reject(node, fmt::format("symmetric pads {} on an axis of {}", pad[i], x.shape[axis]));
    }
    shape[axis] += pad[i];
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kSliceBySizeParameters[] = {
    {.name = "x", .dtypes = kAnything},
    OptionalParameter("begin", ParameterKind::kInts, Default::Words("computed")),
    {.name = "size", .kind = ParameterKind::kInts},
    ComputedPlace("begin"),
};

// In MIL, a size of -1 takes all elements from begin to the end of the axis. If begin is computed,
// that extent depends on the data.
Status InferSliceBySize(const NodeView& node, ResultTypes& results) {
  using P = params::SliceBySize;
  const TensorType& x = node.InputType(P::kX);
  const auto begin = node.Ints(P::kBegin);
  const auto size = node.Ints(P::kSize);
  const auto rank = static_cast<size_t>(x.shape.rank());
  ANECHECK_RETURN_IF_ERROR(CheckPlaces(node, x.shape, P::kBegin, P::kComputedBegin, "begin"));
  if (size.size() != rank) return Reject(node, fmt::format("size: need {} entries", rank));
  const bool computed = node.HasInput(P::kComputedBegin);
  Shape shape;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = x.shape[static_cast<int>(i)];
    if (computed && size[i] == -1) {
      return Reject(node, fmt::format("axis {}: its extent depends on computed values", i));
    }
    const int64_t given = computed ? 0 : begin[i];
    const int64_t from = given < 0 ? given + extent : given;
    const int64_t count = size[i] == -1 ? extent - from : size[i];
    if (from < 0 || count < 1 || from + count > extent) {
      return Reject(node, fmt::format("axis {}: begin {} size {} is outside 0 to {}", i, given,
                                      size[i], extent));
    }
    shape.Append(count);
  }
  results.Add(x.dtype, shape);
  return {};
}

}  // namespace

constinit const OpDefinition kOpReshape =
    Define(OpKind::kReshape, kReshapeParameters, InferReshape);
constinit const OpDefinition kOpTranspose =
    Define(OpKind::kTranspose, kTransposeParameters, InferTranspose);
constinit const OpDefinition kOpConcat = Define(OpKind::kConcat, kConcatParameters, InferConcat);
constinit const OpDefinition kOpPad = Define(OpKind::kPad, kPadParameters, InferPad);
constinit const OpDefinition kOpSliceBySize =
    Define(OpKind::kSliceBySize, kSliceBySizeParameters, InferSliceBySize);

}  // namespace anecheck
