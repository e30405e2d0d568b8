// Activation functions: neural copies with relu or a table, or scalar operations of the planar
// engine.
#include <fmt/format.h>

#include "harness/base/half.h"
#include "harness/encoder/coefficients.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

constexpr uint16_t kLog2E = 0x3dc5;  // 1.442, as a compiler writes it for exp

uint16_t Bits(double value) { return DoubleToHalf(value).bits; }

struct TableRow {
  OpKind kind;
  Function function;
  uint16_t scale;
};
constexpr TableRow kTables[] = {
    {OpKind::kSigmoid, Function::kSigmoid, kOne}, {OpKind::kTanh, Function::kTanh, kOne},
    {OpKind::kGelu, Function::kGelu, kOne},       {OpKind::kSilu, Function::kSilu, kOne},
    {OpKind::kExp, Function::kExp2, kLog2E},      {OpKind::kExp2, Function::kExp2, kOne},
    {OpKind::kSqrt, Function::kSquareRoot, kOne}, {OpKind::kRsqrt, Function::kReciprocalRoot, kOne},
};

Result<View> Operand(Planner& planner, const NodeView& node) {
  return planner.ViewOf(node.Input(params::Unary::kX));
}

}  // namespace

Result<Post> PostOf(Planner& planner, const NodeView& next) {
  static_cast<void>(planner);
  const OpKind kind = KindOf(next.schema());
  if (kind == OpKind::kGelu &&
      next.String(params::Gelu::kMode, "EXACT") == "SIGMOID_APPROXIMATION") {
    return Refuse("gelu: only the table of the exact function is known");
  }
  if (kind == OpKind::kRelu) return Post{.nonlinear = Nonlinear::kRelu};
  if (kind == OpKind::kLeakyRelu) {
    const double alpha = next.Float(params::WithAlpha::kAlpha, 0.01);
    return Post{.nonlinear = Nonlinear::kTable, .table = LeakyTable(Bits(alpha))};
  }
  for (const TableRow& row : kTables) {
    if (row.kind != kind) continue;
    return Post{.nonlinear = Nonlinear::kTable, .table = TableOf(row.function), .scale = row.scale};
  }
  return Refuse(fmt::format("{}: its table is not known", next.op()));
}

Status EncodeActivation(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(Post post, PostOf(planner, node));
  if (KindOf(node.schema()) == OpKind::kRsqrt) {
    post.bias = Bits(node.Float(params::WithEpsilon::kEpsilon, 1e-12));
  }
  ANECHECK_ASSIGN(const View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return planner.Copy(x, y, post);
}

// Adds epsilon to x, rounds the sum, and applies the table of the reciprocal.
Status EncodeInverse(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const uint16_t epsilon = Bits(node.Float(params::WithEpsilon::kEpsilon, 1e-4));
  if (epsilon != 0) {
    ANECHECK_ASSIGN(const View sum, planner.Temporary(ExtentsOf(x)));
    ANECHECK_RETURN_IF_ERROR(Unary(planner, x, sum, {.bias = epsilon}));
    x = sum;
  }
  return planner.Copy(x, y,
                      {.nonlinear = Nonlinear::kTable, .table = TableOf(Function::kReciprocal)});
}

Status EncodeAbs(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return Unary(planner, x, y, {.absolute = true});
}

// Computes max(x, alpha).
Status EncodeThreshold(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const View alpha = ScalarView(planner, Bits(node.Float(params::WithAlpha::kAlpha, 0)));
  return Combine(planner, x, alpha, y, {.op = PlanarOp::kMaximum});
}

// Computes min(leaky_relu(x), beta).
Status EncodeClampedRelu(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  ANECHECK_ASSIGN(const View lines, planner.Temporary(ExtentsOf(x)));
  const uint16_t alpha = Bits(node.Float(params::WithAlphaBeta::kAlpha, 0));
  ANECHECK_RETURN_IF_ERROR(
      planner.Copy(x, lines, {.nonlinear = Nonlinear::kTable, .table = LeakyTable(alpha)}));
  const View beta = ScalarView(planner, Bits(node.Float(params::WithAlphaBeta::kBeta, 0)));
  return Combine(planner, lines, beta, y, {.op = PlanarOp::kMinimum});
}

// Computes relu(x) + alpha[channel] * min(x, 0). One of the two terms is zero.
Status EncodePrelu(Planner& planner, const NodeView& node) {
  using P = params::WithAlpha;
  const int rank = node.InputShape(P::kX).rank();
  if (rank < 3) return Refuse("prelu: no channels");
  if (!planner.IsConst(node.Input(P::kAlpha))) return Refuse("prelu: an alpha that is no constant");
  ANECHECK_ASSIGN(View x, Operand(planner, node));
  ANECHECK_ASSIGN(View y, planner.ResultOf(node.Result()));
  x = WithHeight(x, rank);
  y = WithHeight(y, rank);
  const auto alpha = planner.ConstHalves(node.Input(P::kAlpha));
  if (alpha.size() != x.axes[1].extent) return Refuse("prelu: it needs one alpha for each channel");
  std::array<View, 3> parts;  // min(x, 0), the same times alpha, relu(x)
  for (View& part : parts) {
    ANECHECK_ASSIGN(part, planner.Temporary(ExtentsOf(x)));
  }
  ANECHECK_RETURN_IF_ERROR(
      Combine(planner, x, ScalarView(planner, 0), parts[0], {.op = PlanarOp::kMinimum}));
  ANECHECK_RETURN_IF_ERROR(CombineByChannel(planner, parts[0], parts[1], OpKind::kMul, alpha));
  ANECHECK_RETURN_IF_ERROR(planner.Copy(x, parts[2], {.nonlinear = Nonlinear::kRelu}));
  return Combine(planner, parts[1], parts[2], y, {});
}

// Computes relu(min(x, 6)).
Status EncodeRelu6(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return Combine(planner, x, ScalarView(planner, Bits(6)), y,
                 {.op = PlanarOp::kMinimum, .relu = true});
}

Status EncodeClip(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  ANECHECK_ASSIGN(const View raised, planner.Temporary(ExtentsOf(x)));
  const View low = ScalarView(planner, Bits(node.Float(params::Clip::kAlpha, 0)));
  const View high = ScalarView(planner, Bits(node.Float(params::Clip::kBeta, 0)));
  ANECHECK_RETURN_IF_ERROR(Combine(planner, x, low, raised, {.op = PlanarOp::kMaximum}));
  planner.ResetL2();
  return Combine(planner, raised, high, y, {.op = PlanarOp::kMinimum});
}

namespace {

// Computes alpha * x, rounded, then adds beta and applies relu if required. The planar engine does
// this, because the array for sums of products loses bits and subnormals (numerics.md). The order
// of scale and bias in one task is unknown.
Status Line(Planner& planner, const View& x, const View& y, double alpha, double beta, bool relu) {
  const uint16_t scale = Bits(alpha), bias = Bits(beta);
  if (scale == kOne) return Unary(planner, x, y, {.relu = relu, .bias = bias});
  if (bias == 0) return Unary(planner, x, y, {.relu = relu, .scale = scale});
  ANECHECK_ASSIGN(const View product, planner.Temporary(ExtentsOf(x)));
  ANECHECK_RETURN_IF_ERROR(Unary(planner, x, product, {.scale = scale}));
  return Unary(planner, product, y, {.relu = relu, .bias = bias});
}

}  // namespace

Status EncodeLinearActivation(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return Line(planner, x, y, node.Float(params::LinearActivation::kAlpha, 1),
              node.Float(params::LinearActivation::kBeta, 0), false);
}

// Computes min(relu(alpha * x + beta), 1).
Status EncodeSigmoidHard(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, Operand(planner, node));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  ANECHECK_ASSIGN(const View line, planner.Temporary(ExtentsOf(y)));
  ANECHECK_RETURN_IF_ERROR(Line(planner, x, line, node.Float(params::WithAlphaBeta::kAlpha, 0.2),
                                node.Float(params::WithAlphaBeta::kBeta, 0.5), true));
  return Combine(planner, line, ScalarView(planner, kOne), y, {.op = PlanarOp::kMinimum});
}

}  // namespace anecheck::encoder
