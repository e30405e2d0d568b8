// Transposed convolution, einsum, the affine activation, L2 pooling and attention: schemas and
// shape inference. Argument names and rules are MIL's (coremltools op reference); floors are
// specification 003, table 24.2.
#include <algorithm>
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"
#include "harness/ops/window_parameters.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, 3> kTransposePadTypes = {"valid", "same", "custom"};
constexpr Parameter kConvTransposeParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "weight", .dtypes = kFloats, .constant = true},
    {.name = "bias", .need = Need::kOptional, .dtypes = kFloats},  // constant before iOS 17
    {.name = "pad",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Number(0)},
    {.name = "output_shape",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Words("as the padding gives it")},
    {.name = "pad_type",
     .kind = ParameterKind::kString,
     .need = Need::kOptional,
     .choices = kTransposePadTypes,
     .fallback = Default::Name("valid")},
    {.name = "strides",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Number(1)},
    {.name = "dilations",
     .kind = ParameterKind::kInts,
     .need = Need::kOptional,
     .fallback = Default::Number(1)},
    {.name = "groups",
     .kind = ParameterKind::kInt,
     .need = Need::kOptional,
     .fallback = Default::Number(1)},
};

Status CheckPerAxis(const NodeView& node, int parameter, std::string_view name, int spatial) {
  const auto given = node.Ints(parameter);
  if (given.empty()) return {};
  if (given.size() != static_cast<size_t>(spatial)) {
    return Reject(node,
                  fmt::format("{} has {} entries, must have {}", name, given.size(), spatial));
  }
  if (std::ranges::any_of(given, [](int64_t v) { return v < 1; })) {
    return Reject(node, fmt::format("{} must be at least 1", name));
  }
  return {};
}

// Returns the result's extent on one spatial axis if output_shape is absent.
int64_t TransposedExtent(const NodeView& node, size_t axis, int64_t input, int64_t kernel) {
  using P = params::ConvTranspose;
  const auto at = [&](int parameter) {
    const auto given = node.Ints(parameter);
    return given.empty() ? int64_t{1} : given[axis];
  };
  const std::string_view type = node.String(P::kPadType, "valid");
  const int64_t stride = at(P::kStrides);
  if (type == "same") return input * stride;
  int64_t extent = (input - 1) * stride + (kernel - 1) * at(P::kDilations) + 1;
  if (type == "custom") {
    extent -= node.Ints(P::kPad)[2 * axis] + node.Ints(P::kPad)[2 * axis + 1];
  }
  return extent;
}

Status CheckTransposeOperands(const NodeView& node) {
  using P = params::ConvTranspose;
  const Shape& x = node.InputShape(P::kX);
  const Shape& weight = node.InputShape(P::kWeight);
  if (x.rank() < 3 || x.rank() > 5) {
    return Reject(node, fmt::format("x has rank {}, must have 3 to 5", x.rank()));
  }
  if (weight.rank() != x.rank()) {
    return Reject(node, fmt::format("weight has rank {}, x has {}", weight.rank(), x.rank()));
  }
  const int64_t groups = node.Int(P::kGroups, 1);
  if (groups < 1 || x[1] % groups != 0 || weight[0] != x[1]) {
    return Reject(node, fmt::format("weight {} and {} groups do not fit {} input channels",
                                    weight.ToString(), groups, x[1]));
  }
  const int64_t outputs = weight[1] * groups;
  if (node.HasInput(P::kBias) && node.InputShape(P::kBias) != Shape{outputs}) {
    return Reject(node, fmt::format("bias is {}, must be [{}]",
                                    node.InputShape(P::kBias).ToString(), outputs));
  }
  const int spatial = x.rank() - 2;
  ANECHECK_RETURN_IF_ERROR(CheckPerAxis(node, P::kStrides, "strides", spatial));
  ANECHECK_RETURN_IF_ERROR(CheckPerAxis(node, P::kDilations, "dilations", spatial));
  if (node.String(P::kPadType, "valid") != "custom") return {};
  const auto pad = node.Ints(P::kPad);
  if (pad.size() != static_cast<size_t>(2 * spatial)) {
    return Reject(node, fmt::format("pad has {} entries, must have {}", pad.size(), 2 * spatial));
  }
  if (std::ranges::any_of(pad, [](int64_t v) { return v < 0; })) {
    return Reject(node, "pad is negative");
  }
  return {};
}

Status InferConvTranspose(const NodeView& node, ResultTypes& results) {
  using P = params::ConvTranspose;
  ANECHECK_RETURN_IF_ERROR(CheckTransposeOperands(node));
  const TensorType& x = node.InputType(P::kX);
  const Shape& weight = node.InputShape(P::kWeight);
  Shape shape = {x.shape[0], weight[1] * node.Int(P::kGroups, 1)};
  for (int axis = 2; axis < x.shape.rank(); ++axis) {
    if (weight[axis] < 1) return Reject(node, "kernel extent is below 1");
    shape.Append(
        TransposedExtent(node, static_cast<size_t>(axis - 2), x.shape[axis], weight[axis]));
  }
  if (const auto given = node.Ints(P::kOutputShape); !given.empty()) {
    const Shape wanted = Shape::FromSpan(given);
    if (wanted.rank() != shape.rank() || wanted[0] != shape[0] || wanted[1] != shape[1]) {
      return Reject(node, fmt::format("output_shape is {}, must begin with [{}, {}]",
                                      wanted.ToString(), shape[0], shape[1]));
    }
    shape = wanted;
  }
  for (int axis = 2; axis < shape.rank(); ++axis) {
    if (shape[axis] < 1)
      return Reject(node, fmt::format("the result {} is empty", shape.ToString()));
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kLinearActivationParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "alpha", .kind = ParameterKind::kFloat},
    {.name = "beta",
     .kind = ParameterKind::kFloat,
     .need = Need::kOptional,
     .fallback = Default::Number(0)},
};

constexpr Parameter kEinsumParameters[] = {
    {.name = "values", .kind = ParameterKind::kTensorList, .dtypes = kFloats},
    {.name = "equation", .kind = ParameterKind::kString},
};

// Whether `equation` is `pattern` with letters renamed one to one.
bool IsRenamed(std::string_view equation, std::string_view pattern) {
  std::array<char, 128> name{};
  std::array<bool, 128> taken{};
  size_t at = 0;
  for (const char c : equation) {
    if (c == ' ') continue;
    if (at == pattern.size() || c < 0) return false;
    const char wanted = pattern[at++];
    const bool letter = wanted >= 'a' && wanted <= 'z';
    if (!letter) {
      if (c != wanted) return false;
      continue;
    }
    char& known = name[static_cast<unsigned char>(wanted)];
    if (known == 0) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!is_letter || taken[static_cast<unsigned char>(c)]) return false;
      taken[static_cast<unsigned char>(c)] = true;
      known = c;
    } else if (known != c) {
      return false;
    }
  }
  return at == pattern.size();
}

Status InferEinsum(const NodeView& node, ResultTypes& results) {
  using P = params::Einsum;
  const auto values = node.InputList(P::kValues);
  if (values.size() != 2) return Reject(node, "takes two values");
  const TensorType& x = node.graph().type(values[0]);
  const TensorType& y = node.graph().type(values[1]);
  const int rank = x.shape.rank();
  if (x.dtype != y.dtype || rank != y.shape.rank() || rank < 3 || rank > 4) {
    return Reject(node, "the values need one element type and one rank, 3 or 4");
  }
  const std::string_view equation = node.String(P::kEquation, "");
  if (!IsRenamed(equation, rank == 4 ? "nchw,nwhu->nchu" : "chw,whr->chr")) {
    return Reject(node, fmt::format("equation \"{}\" is not \"{}\" in other letters", equation,
                                    rank == 4 ? "nchw,nwhu->nchu" : "chw,whr->chr"));
  }
  if (x.shape[rank - 1] != y.shape[rank - 3]) {
    return Reject(
        node, fmt::format("inner extents {} and {} differ", x.shape[rank - 1], y.shape[rank - 3]));
  }
  Shape shape = x.shape;
  shape[rank - 1] = y.shape[rank - 1];
  for (const int axis : {rank - 2, rank - 4}) {
    if (axis < 0) continue;
    const int64_t a = x.shape[axis];
    const int64_t b = y.shape[axis];
    if (a != b && a != 1 && b != 1) return Reject(node, "batch axes do not broadcast");
    shape[axis] = std::max(a, b);
  }
  results.Add(x.dtype, shape);
  return {};
}

Status InferL2Pool(const NodeView& node, ResultTypes& results) {
  if (node.InputShape(params::Pool::kX).rank() > 4) {
    return Reject(node, "takes one or two spatial axes");
  }
  return InferPool(node, results);
}

constexpr DTypeSet kMasks = {DType::kFp16, DType::kFp32, DType::kBool};
constexpr Parameter kAttentionParameters[] = {
    {.name = "query", .dtypes = kFloats},
    {.name = "key", .dtypes = kFloats},
    {.name = "value", .dtypes = kFloats},
    {.name = "attn_mask", .need = Need::kOptional, .dtypes = kMasks},
};

Status InferAttention(const NodeView& node, ResultTypes& results) {
  using P = params::Attention;
  const TensorType& query = node.InputType(P::kQuery);
  const TensorType& key = node.InputType(P::kKey);
  const TensorType& value = node.InputType(P::kValue);
  const int rank = query.shape.rank();
  if (rank < 3 || key.shape.rank() != rank || value.shape.rank() != rank) {
    return Reject(node, "query, key and value need one rank of 3 or more");
  }
  if (query.dtype != key.dtype || query.dtype != value.dtype) {
    return Reject(node, "query, key and value need one element type");
  }
  for (int axis = 0; axis < rank - 2; ++axis) {
    if (query.shape[axis] != key.shape[axis] || query.shape[axis] != value.shape[axis]) {
      return Reject(node, "query, key and value need the same batch axes");
    }
  }
  if (query.shape[rank - 1] != key.shape[rank - 1] ||
      key.shape[rank - 2] != value.shape[rank - 2]) {
    return Reject(node,
                  fmt::format("query {}, key {} and value {} do not fit", query.shape.ToString(),
                              key.shape.ToString(), value.shape.ToString()));
  }
  if (node.HasInput(P::kAttnMask)) {
    const TensorType& mask = node.InputType(P::kAttnMask);
    Shape scores = query.shape;
    scores[rank - 1] = key.shape[rank - 2];
    if (mask.dtype != DType::kBool && mask.dtype != query.dtype) {
      return Reject(node, "attn_mask must be bool or of the query's element type");
    }
    const auto both = BroadcastShapes(mask.shape, scores);
    if (!both || *both != scores) {
      return Reject(node, fmt::format("attn_mask {} does not broadcast to {}",
                                      mask.shape.ToString(), scores.ToString()));
    }
  }
  Shape shape = query.shape;
  shape[rank - 1] = value.shape[rank - 1];
  results.Add(query.dtype, shape);
  return {};
}

}  // namespace

constinit const OpDefinition kOpConvTranspose =
    Define(OpKind::kConvTranspose, kConvTransposeParameters, InferConvTranspose);
constinit const OpDefinition kOpLinearActivation =
    Define(OpKind::kLinearActivation, kLinearActivationParameters, InferSameAsX);
constinit const OpDefinition kOpEinsum = Define(OpKind::kEinsum, kEinsumParameters, InferEinsum);
constinit const OpDefinition kOpL2Pool = Define(OpKind::kL2Pool, kPoolParameters, InferL2Pool);
constinit const OpDefinition kOpScaledDotProductAttention =
    Define(OpKind::kScaledDotProductAttention, kAttentionParameters, InferAttention);

}  // namespace anecheck
