// Trigonometric and hyperbolic functions, and the geometry layers of direct authoring: schemas and
// shape inference.
#include <array>
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

constexpr Parameter kUnaryParameters[] = {{.name = "x", .dtypes = kFloats}};
constexpr Parameter kHalfPairParameters[] = {{.name = "x"}, {.name = "y"}};
constexpr Parameter kCostVolumeParameters[] = {
    {.name = "x"},
    {.name = "y"},
    {.name = "disparity_direction", .kind = ParameterKind::kInt},
    {.name = "disparity_range", .kind = ParameterKind::kInt},
};

constexpr OpDefinition Function(std::string_view name, OpKind kind, uint8_t floor,
                                std::string_view unit = {}) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = kUnaryParameters,
                     .infer = InferSameAsX},
          .op_class = OpClass::kTrigonometric,
          .family_floor = floor,
          .netlist_unit = unit};
}

// Depth 1, channel 3, height 1, fp16 (facts/netlist_layers.csv, cross_product): the vectors stand
// along axis 1 of [N, 3, 1, W].
Status InferCrossProduct(const NodeView& node, ResultTypes& results) {
  const Shape& x = node.InputShape(params::Binary::kX);
  const Shape& y = node.InputShape(params::Binary::kY);
  if (x.rank() != 4 || x[1] != 3 || x[2] != 1) {
    return Reject(node, fmt::format("x is {}, must be [N, 3, 1, W]", x.ToString()));
  }
  if (x != y) {
    return Reject(node, fmt::format("y is {}, must be {} as x", y.ToString(), x.ToString()));
  }
  return InferSameAsX(node, results);
}

// cost[d, x] = |x[x] - y[x + d]| for d up to the range: one plane a disparity, rows of one channel
// (facts/netlist_layers.csv, cost_volume, and the public notes it cites). Which axis direction 1
// means is published nowhere, so only 0 is taken.
Status InferCostVolume(const NodeView& node, ResultTypes& results) {
  using P = params::CostVolume;
  const Shape& x = node.InputShape(P::kX);
  const Shape& y = node.InputShape(P::kY);
  const int64_t range = node.Int(P::kDisparityRange, 0);
  if (x.rank() != 4 || y.rank() != 4 || x[0] != 1 || x[1] != 1 || x[2] != 1 || y[0] != 1 ||
      y[1] != 1 || y[2] != 1) {
    return Reject(node, "x and y must be rows, [1, 1, 1, W]");
  }
  if (node.Int(P::kDisparityDirection, 0) != 0)
    return Reject(node, "disparity_direction must be 0");
  if (range < 1 || range > 1024 || y[3] < x[3] + range) {
    return Reject(node, fmt::format("a range of {} does not fit {} and {}", range, x[3], y[3]));
  }
  results.Add(DType::kFp16, Shape{1, range + 1, 1, x[3]});
  return {};
}

Status InferUnpublished(const NodeView& node, ResultTypes&) {
  return Reject(node, "the shape of its results is not published");
}

// A direct-route layer without MIL spelling of its own; facts/op_device_matrix.csv calls it a
// bridge.
constexpr OpDefinition Geometry(std::string_view name, OpKind kind,
                                std::span<const Parameter> parameters,
                                Status (*infer)(const NodeView&, ResultTypes&),
                                std::string_view unit, std::string_view no_reference_reason) {
  return {.schema = {.name = name,
                     .id = static_cast<uint16_t>(kind),
                     .parameters = parameters,
                     .infer = infer},
          .op_class = OpClass::kTrigonometric,
          .family_floor = kNoFamily,
          .netlist_unit = unit,
          .no_reference_reason = no_reference_reason};
}

}  // namespace

// Sine and cosine are native from A15 and have no direct route (specification 004); the arc tangent
// is the one trigonometric primitive of A13 (facts/more/op_notes.csv). The others have no path.
constinit const OpDefinition kOpSin = Function("sin", OpKind::kSin, 4);
constinit const OpDefinition kOpCos = Function("cos", OpKind::kCos, 4);
constinit const OpDefinition kOpAtan = Function("atan", OpKind::kAtan, 2, "Neuron");
constinit const OpDefinition kOpTan = Function("tan", OpKind::kTan, kNoFamily);
constinit const OpDefinition kOpAsin = Function("asin", OpKind::kAsin, kNoFamily);
constinit const OpDefinition kOpAcos = Function("acos", OpKind::kAcos, kNoFamily);
constinit const OpDefinition kOpAtanh = Function("atanh", OpKind::kAtanh, kNoFamily);
constinit const OpDefinition kOpAsinh = Function("asinh", OpKind::kAsinh, kNoFamily);
constinit const OpDefinition kOpAcosh = Function("acosh", OpKind::kAcosh, kNoFamily);
constinit const OpDefinition kOpSinh = Function("sinh", OpKind::kSinh, kNoFamily);
constinit const OpDefinition kOpCosh = Function("cosh", OpKind::kCosh, kNoFamily);
constinit const OpDefinition kOpCrossProduct =
    Geometry("cross_product", OpKind::kCrossProduct, kHalfPairParameters, InferCrossProduct,
             "CrossProduct", {});
constinit const OpDefinition kOpCostVolume = Geometry(
    "cost_volume", OpKind::kCostVolume, kCostVolumeParameters, InferCostVolume, "CostVolume", {});
constinit const OpDefinition kOpMatrixDecomposition = Geometry(
    "matrix_decomposition", OpKind::kMatrixDecomposition, kUnaryParameters, InferUnpublished, {},
    "no source says which decomposition it is, and no code generation was ever seen");

}  // namespace anecheck
