// Trigonometric and hyperbolic functions, and the geometry layers of direct authoring: schemas and
// shape inference.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
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

// Operands are fp16 with depth 1, three channels and height 1 (facts/netlist_layers.csv,
// cross_product), so the vectors lie along axis 1 of [N, 3, 1, W].
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

// The result is cost[d, i] = |x[i] - y[i + d]| for d up to the range. It has one plane per
// disparity, and the operands are rows of one channel (facts/netlist_layers.csv, cost_volume, and
// the public notes it cites). No source states which axis direction 1 means, so only 0 is accepted.
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

}  // namespace

// Sine and cosine are native from A15 on and have no direct route (specification 004). The arc
// tangent is the only trigonometric primitive of A13 (facts/more/op_notes.csv). The other functions
// have no path to the engine.
constinit const OpDefinition kOpSin = Define(OpKind::kSin, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpCos = Define(OpKind::kCos, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpAtan = Define(OpKind::kAtan, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpTan = Define(OpKind::kTan, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpAsin = Define(OpKind::kAsin, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpAcos = Define(OpKind::kAcos, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpAtanh = Define(OpKind::kAtanh, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpAsinh = Define(OpKind::kAsinh, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpAcosh = Define(OpKind::kAcosh, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpSinh = Define(OpKind::kSinh, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpCosh = Define(OpKind::kCosh, kUnaryParameters, InferSameAsX);
constinit const OpDefinition kOpCrossProduct =
    Define(OpKind::kCrossProduct, kHalfPairParameters, InferCrossProduct);
constinit const OpDefinition kOpCostVolume =
    Define(OpKind::kCostVolume, kCostVolumeParameters, InferCostVolume);
constinit const OpDefinition kOpMatrixDecomposition =
    Define(OpKind::kMatrixDecomposition, kUnaryParameters, InferUnpublished);

}  // namespace anecheck
