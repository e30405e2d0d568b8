// Convolution, matrix multiply and pooling: schemas and shape inference. Argument names and rules
// are MIL's (coremltools op reference); floors are specification 003, table 24.2.
#include <array>
#include <fmt/format.h>
#include <string_view>

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

// coremltools admits float constants beside int32 from iOS 17 on, but does not state how the
// products become integers.
constexpr std::string_view kFractionsBesideIntegers =
    "no source tells how int32 and float constants give int32 results";
// MIL also multiplies int32 (coremltools); the native layers take only floats.
constexpr DTypeSet kProductTypes = {DType::kFp16, DType::kFp32, DType::kInt32};
constexpr Parameter kLinearParameters[] = {
    {.name = "x", .dtypes = kProductTypes},
    {.name = "weight", .dtypes = kProductTypes, .constant = true},
    {.name = "bias", .need = Need::kOptional, .dtypes = kProductTypes, .constant = true},
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
  const bool fractions = IsFloat(node.InputType(P::kWeight).dtype) ||
                         (node.HasInput(P::kBias) && IsFloat(node.InputType(P::kBias).dtype));
  if (!IsFloat(x.dtype) && fractions) return Reject(node, kFractionsBesideIntegers);
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

MatmulShape MatmulShapeOf(const NodeView& node) {
  using P = params::Matmul;
  const Shape& x = node.InputShape(P::kX);
  const Shape& y = node.InputShape(P::kY);
  MatmulShape shape;
  shape.x_vector = x.rank() == 1;
  shape.y_vector = y.rank() == 1;
  shape.x = shape.x_vector ? Shape{1, x[0]} : x;
  shape.y = shape.y_vector ? Shape{y[0], 1} : y;
  shape.transpose_x = !shape.x_vector && node.Bool(P::kTransposeX, false);
  shape.transpose_y = !shape.y_vector && node.Bool(P::kTransposeY, false);
  return shape;
}

namespace {

// Returns the element type of a matrix product. It is the common type of both operands or, if one
// operand is constant, the type of the other operand (coremltools, matmul from iOS 17 on).
Result<DType> ProductType(const NodeView& node) {
  using P = params::Matmul;
  const Value& x = node.graph().value(node.Input(P::kX));
  const Value& y = node.graph().value(node.Input(P::kY));
  if (x.type.dtype == y.type.dtype) return x.type.dtype;
  const bool x_gives_way = x.kind == ValueKind::kConst;
  const bool y_gives_way = y.kind == ValueKind::kConst;
  if (KindOf(node.schema()) != OpKind::kMatmul || x_gives_way == y_gives_way) {
    return Reject(node, "x and y must have one element type, or one of them must be constant");
  }
  const DType dtype = x_gives_way ? y.type.dtype : x.type.dtype;
  if (!IsFloat(dtype)) return Reject(node, kFractionsBesideIntegers);
  return dtype;
}

}  // namespace

Status InferMatmul(const NodeView& node, ResultTypes& results) {
  using P = params::Matmul;
  if (node.InputShape(P::kX).rank() < 1 || node.InputShape(P::kY).rank() < 1) {
    return Reject(node, "both operands need rank 1 or more");
  }
  ANECHECK_ASSIGN(const DType dtype, ProductType(node));
  const MatmulShape matrices = MatmulShapeOf(node);
  if (matrices.x_vector && node.Bool(P::kTransposeX, false)) {
    return Reject(node, "transpose_x needs x of rank 2 or more");
  }
  const Shape& x = matrices.x;
  const Shape& y = matrices.y;
  const int64_t rows = x[x.rank() - (matrices.transpose_x ? 1 : 2)];
  const int64_t x_inner = x[x.rank() - (matrices.transpose_x ? 2 : 1)];
  const int64_t y_inner = y[y.rank() - (matrices.transpose_y ? 1 : 2)];
  const int64_t columns = y[y.rank() - (matrices.transpose_y ? 2 : 1)];
  if (x_inner != y_inner) {
    return Reject(node, fmt::format("inner extents {} and {} differ", x_inner, y_inner));
  }
  const auto batch =
      BroadcastShapes(Shape::FromSpan(x.dims().first(static_cast<size_t>(x.rank() - 2))),
                      Shape::FromSpan(y.dims().first(static_cast<size_t>(y.rank() - 2))));
  if (!batch) return Reject(node, "leading axes do not broadcast");
  Shape shape = *batch;
  if (!matrices.x_vector) shape.Append(rows);
  if (!matrices.y_vector) shape.Append(columns);
  results.Add(dtype, shape);
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

namespace {

constexpr DTypeSet kUint8Only = {DType::kUint8};
constexpr std::array<std::string_view, 2> kQuantizations = {"linear", "lut"};
// The parameters are in the order of params::ConvQuantized. Arguments and types are from
// coremltools.
constexpr Parameter kConvQuantizedParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "weight", .dtypes = kUint8Only, .constant = true},
    {.name = "bias", .need = Need::kOptional, .dtypes = kUint8Only, .constant = true},
    kConvParameters[params::Conv::kStrides],
    kConvParameters[params::Conv::kPadType],
    kConvParameters[params::Conv::kPad],
    kConvParameters[params::Conv::kDilations],
    kConvParameters[params::Conv::kGroups],
    {.name = "quantization_type", .kind = ParameterKind::kString, .choices = kQuantizations},
    OptionalParameter("nbits", ParameterKind::kInt, Default::Number(8)),
    {.name = "quant_scale", .dtypes = kFloats, .constant = true},
    {.name = "quant_bias", .dtypes = kFloats, .constant = true},
};

// The convolution's weight is weight * quant_scale + quant_bias. The scale and the bias are each
// one number, or one number per output channel (coremltools; Core ML's NeuralNetwork.proto,
// LinearQuantizationParams).
Status InferConvQuantized(const NodeView& node, ResultTypes& results) {
  using P = params::ConvQuantized;
  if (node.String(P::kQuantizationType, "") == "lut") {
    return Reject(node, "quantization_type is lut, and no argument holds its table: use linear");
  }
  if (const int64_t bits = node.Int(P::kNbits, 8); bits != 8) {
    return Reject(node, fmt::format("nbits is {}, and no source tells how the weight's elements "
                                    "hold another number of bits than 8",
                                    bits));
  }
  if (node.HasInput(P::kBias)) {
    return Reject(node, "has a bias of bytes, and no source gives their meaning");
  }
  for (const int parameter : {P::kQuantScale, P::kQuantBias}) {
    const TensorType& type = node.InputType(parameter);
    const bool single = type.shape.rank() == 0 || type.shape == Shape{1};
    if (type.dtype != node.InputType(P::kX).dtype ||
        !(single || type.shape == Shape{node.InputShape(P::kWeight)[0]})) {
      return Reject(node,
                    fmt::format("{} is {}, must be one number or one per output channel, of the "
                                "type of x",
                                node.schema().parameters[static_cast<size_t>(parameter)].name,
                                type.ToString()));
    }
  }
  return InferConv(node, results);
}

constexpr Parameter kMatmulOfNumbers[] = {
    {.name = "x", .dtypes = kProductTypes},
    {.name = "y", .dtypes = kProductTypes},
    OptionalParameter("transpose_x", ParameterKind::kBool, Default::Flag(false)),
    OptionalParameter("transpose_y", ParameterKind::kBool, Default::Flag(false)),
};

}  // namespace

constinit const OpDefinition kOpConv = Define(OpKind::kConv, kConvParameters, InferConv);
constinit const OpDefinition kOpConvQuantized =
    Define(OpKind::kConvQuantized, kConvQuantizedParameters, InferConvQuantized);
constinit const OpDefinition kOpLinear = Define(OpKind::kLinear, kLinearParameters, InferLinear);
constinit const OpDefinition kOpMatmul = Define(OpKind::kMatmul, kMatmulOfNumbers, InferMatmul);
constinit const OpDefinition kOpAvgPool = Define(OpKind::kAvgPool, kAvgPoolParameters, InferPool);
constinit const OpDefinition kOpMaxPool = Define(OpKind::kMaxPool, kPoolParameters, InferPool);

}  // namespace anecheck
