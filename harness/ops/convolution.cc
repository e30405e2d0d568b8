// Convolution, matrix multiply and pooling: schemas and shape inference. Argument names and rules
// are MIL's (coremltools op reference); floors are specification 003, table 24.2.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"
#include "harness/ops/window_parameters.h"

namespace anecheck {
Status InferConv(const NodeView& node, ResultTypes& results) {
  using P = params::Conv;
  const TensorType& x = node.InputType(P::kX);
  const Shape& weight = node.InputShape(P::kWeight);
  if (weight.rank() != x.shape.rank()) {
    return Reject(node, fmt::format("weight has rank {}, x has {}", weight.rank(), x.shape.rank()));
  }
  ANECHECK_ASSIGN(const Window window,
                  ComputeWindow(node, x.shape, weight.dims().subspan(std::min(2, weight.rank())),
                                {P::kStrides, P::kPadType, P::kPad, P::kDilations}));
  const int64_t groups = node.Int(P::kGroups, 1);
  if (groups < 1 || x.shape[1] % groups != 0 || weight[0] % groups != 0) {
    return Reject(node,
                  fmt::format("input/output channels should be divisible by num group: {}, {} "
                              "and {} groups",
                              x.shape[1], weight[0], groups));
  }
  if (weight[1] != x.shape[1] / groups) {
    return Reject(node, fmt::format("KernelChannels ({}) != InputChannels ({}) / Group ({})",
                                    weight[1], x.shape[1], groups));
  }
  if (node.HasInput(P::kBias) && node.InputShape(P::kBias) != Shape{weight[0]}) {
    return Reject(node, fmt::format("bias is {}, must be [{}]",
                                    node.InputShape(P::kBias).ToString(), weight[0]));
  }
  Shape shape = {x.shape[0], weight[0]};
  for (int i = 0; i < window.spatial; ++i) shape.Append(window.output[static_cast<size_t>(i)]);
  results.Add(x.dtype, shape);
  return {};
}

namespace {

constexpr Parameter kLinearParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "weight", .dtypes = kFloats, .constant = true},
    {.name = "bias", .need = Need::kOptional, .dtypes = kFloats, .constant = true},
};

Status InferLinear(const NodeView& node, ResultTypes& results) {
  using P = params::Linear;
  const TensorType& x = node.InputType(P::kX);
  const Shape& weight = node.InputShape(P::kWeight);
  if (x.shape.rank() < 1 || weight.rank() != 2) {
    return Reject(node, "x needs rank 1 or more and weight rank 2");
  }
  if (weight[1] != x.shape[x.shape.rank() - 1]) {
    return Reject(node, fmt::format("weight {} does not fit the last axis of x {}",
                                    weight.ToString(), x.shape.ToString()));
  }
  if (node.HasInput(P::kBias) && node.InputShape(P::kBias) != Shape{weight[0]}) {
    return Reject(node, fmt::format("bias is {}, must be [{}]",
                                    node.InputShape(P::kBias).ToString(), weight[0]));
  }
  Shape shape = x.shape;
  shape[shape.rank() - 1] = weight[0];
  results.Add(x.dtype, shape);
  return {};
}

}  // namespace

Status InferMatmul(const NodeView& node, ResultTypes& results) {
  using P = params::Matmul;
  const TensorType& x = node.InputType(P::kX);
  const TensorType& y = node.InputType(P::kY);
  const int x_rank = x.shape.rank();
  const int y_rank = y.shape.rank();
  if (x_rank < 2 || y_rank < 2) return Reject(node, "both operands need rank 2 or more");
  if (x.dtype != y.dtype) return Reject(node, "x and y must have one element type");
  const bool tx = node.Bool(P::kTransposeX, false);
  const bool ty = node.Bool(P::kTransposeY, false);
  const int64_t rows = x.shape[tx ? x_rank - 1 : x_rank - 2];
  const int64_t x_inner = x.shape[tx ? x_rank - 2 : x_rank - 1];
  const int64_t y_inner = y.shape[ty ? y_rank - 1 : y_rank - 2];
  const int64_t columns = y.shape[ty ? y_rank - 2 : y_rank - 1];
  if (x_inner != y_inner) {
    return Reject(node, fmt::format("inner extents {} and {} differ", x_inner, y_inner));
  }
  const auto batch =
      BroadcastShapes(Shape::FromSpan(x.shape.dims().first(static_cast<size_t>(x_rank - 2))),
                      Shape::FromSpan(y.shape.dims().first(static_cast<size_t>(y_rank - 2))));
  if (!batch) return Reject(node, "leading axes do not broadcast");
  Shape shape = *batch;
  shape.Append(rows);
  shape.Append(columns);
  results.Add(x.dtype, shape);
  return {};
}

Status InferPool(const NodeView& node, ResultTypes& results) {
  using P = params::Pool;
  const TensorType& x = node.InputType(P::kX);
  ANECHECK_ASSIGN(const Window window,
                  ComputeWindow(node, x.shape, node.Ints(P::kKernelSizes),
                                {P::kStrides, P::kPadType, P::kPad, -1, P::kCeilMode}));
  Shape shape = {x.shape[0], x.shape[1]};
  for (int i = 0; i < window.spatial; ++i) {
    const auto axis = static_cast<size_t>(i);
    if (window.pad_before[axis] >= window.kernel[axis] ||
        window.pad_after[axis] >= window.kernel[axis]) {
      return Reject(node, "padding must be below the kernel");
    }
    shape.Append(window.output[axis]);
  }
  results.Add(x.dtype, shape);
  return {};
}

constinit const OpDefinition kOpConv =
    Row(OpClass::kConvolution, "conv", OpKind::kConv, kConvParameters, InferConv, "Conv");
constinit const OpDefinition kOpLinear =
    Row(OpClass::kConvolution, "linear", OpKind::kLinear, kLinearParameters, InferLinear, "Linear");
constinit const OpDefinition kOpMatmul =
    Row(OpClass::kConvolution, "matmul", OpKind::kMatmul, kMatmulParameters, InferMatmul,
        "MatrixMultiplication");
constinit const OpDefinition kOpAvgPool = Row(OpClass::kConvolution, "avg_pool", OpKind::kAvgPool,
                                              kAvgPoolParameters, InferPool, "Pooling");
constinit const OpDefinition kOpMaxPool =
    Row(OpClass::kConvolution, "max_pool", OpKind::kMaxPool, kPoolParameters, InferPool, "Pooling");

}  // namespace anecheck
