// Elementwise operations of the planar engine.
#include <cmath>

#include "harness/base/half.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

using P = params::Binary;

constexpr uint16_t kMinusOne = 0xbc00, kSign = 0x8000;

uint32_t Extent(const View& view, int axis) { return view.axes[static_cast<size_t>(axis)].extent; }

struct BinaryForm {
  PlanarOp op;
  bool negate2;
};
BinaryForm FormOf(OpKind kind) {
  switch (kind) {
    case OpKind::kSub:
      return {PlanarOp::kAdd, true};
    case OpKind::kMul:
      return {PlanarOp::kMultiply, false};
    case OpKind::kMaximum:
      return {PlanarOp::kMaximum, false};
    case OpKind::kMinimum:
      return {PlanarOp::kMinimum, false};
    default:
      return {PlanarOp::kAdd, false};
  }
}

// Returns the axes along which an operand repeats. Copies the single batch of an operand to L2,
// because a task can broadcast it from there.
Broadcast Repeats(const View& operand, const View& result) {
  return {.width = Extent(operand, 3) < Extent(result, 3),
          .height = Extent(operand, 2) < Extent(result, 2),
          .channels = Extent(operand, 1) < Extent(result, 1)};
}
bool Any(const Broadcast& b) { return b.width || b.height || b.channels; }

// Copies the single batch of an operand to L2, from where it can be broadcast.
Result<Place> Resident(Planner& planner, const View& view) {
  ANECHECK_ASSIGN(const L2Block block,
                  planner.TakeL2(Extent(view, 1), Extent(view, 2), Extent(view, 3)));
  ANECHECK_RETURN_IF_ERROR(planner.CopyToL2(view, block, 1, 2, 3));
  return PlaceOf(block);
}

Planar PlanarOf(const Combination& how) {
  return {.op = how.op, .relu = how.relu, .negate2 = how.negate2, .scale = how.scale};
}

// Combines operands of equal extents. The task reads both by DMA.
Status CombineAlike(Planner& planner, View x, View y, View result, const Combination& how) {
  View z = result;
  MergeAxes(x, result, 0, 2);
  MergeAxes(y, z, 0, 2);
  if (Extent(x, 0) > 1 || Extent(y, 0) > 1 || ExtentsOf(x) != ExtentsOf(y)) {
    return Refuse("batches with uneven steps");
  }
  Task task{.type = TaskType::kElementwise};
  task.in = task.out = {.width = Extent(x, 3), .height = Extent(x, 2), .channels = Extent(x, 1)};
  task.source1 = PlaceOf(x, 1, 2);
  task.source2 = PlaceOf(y, 1, 2);
  task.result = PlaceOf(result, 1, 2);
  task.planar = PlanarOf(how);
  return planner.Add(std::move(task));
}

// Combines one batch. The task reads repeated values from L2.
Status CombineRepeating(Planner& planner, View x, View y, const View& result, Combination how) {
  if (Repeats(x, result).channels) {
    std::swap(x, y);
    // x - y becomes -(y - x) if the operands are exchanged.
    if (how.negate2 && how.relu) return Refuse("relu behind a difference of a repeated operand");
    if (how.negate2) how.scale ^= kSign;
  }
  Task task{.type = TaskType::kElementwise};
  task.planar = PlanarOf(how);
  task.planar.broadcast1 = Repeats(x, result);
  task.planar.broadcast2 = Repeats(y, result);
  if (task.planar.broadcast1.channels) return Refuse("both operands repeat along the channels");
  task.in = task.out = {
      .width = Extent(result, 3), .height = Extent(result, 2), .channels = Extent(result, 1)};
  ANECHECK_ASSIGN(task.source2, Resident(planner, y));
  task.source1 = PlaceOf(x, 1, 2);
  if (Any(task.planar.broadcast1)) {
    ANECHECK_ASSIGN(task.source1, Resident(planner, x));
  }
  task.result = PlaceOf(result, 1, 2);
  return planner.Add(std::move(task));
}

// Combines x with one number.
Status ByNumber(Planner& planner, const View& x, const View& result, OpKind kind, uint16_t number,
                bool number_first) {
  if (kind == OpKind::kMul) return Unary(planner, x, result, {.scale = number});
  if (kind == OpKind::kAdd) return Unary(planner, x, result, {.bias = number});
  if (!number_first) {
    return Unary(planner, x, result, {.bias = static_cast<uint16_t>(number ^ kSign)});
  }
  // The order of scale and bias is unknown, so a separate task changes the sign.
  ANECHECK_ASSIGN(const View negated, planner.Temporary(ExtentsOf(x)));
  ANECHECK_RETURN_IF_ERROR(Unary(planner, x, negated, {.scale = kMinusOne}));
  return Unary(planner, negated, result, {.bias = number});
}

bool IsOfChannels(const View& constant, const View& x) {
  return Extent(constant, 0) == 1 && Extent(constant, 2) == 1 && Extent(constant, 3) == 1 &&
         Extent(constant, 1) == Extent(x, 1) && Extent(x, 1) > 1;
}

// Adds tasks for an operand that is a constant. Returns false if the constant has no suitable form.
Result<bool> WithConstant(Planner& planner, const NodeView& node, OpKind kind, const View& result) {
  if (kind != OpKind::kAdd && kind != OpKind::kSub && kind != OpKind::kMul) return false;
  const bool first = planner.IsConst(node.Input(P::kX));
  if (!first && !planner.IsConst(node.Input(P::kY))) return false;
  const ValueId constant = node.Input(first ? P::kX : P::kY);
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(first ? P::kY : P::kX)));
  if (ExtentsOf(x) != ExtentsOf(result)) return false;
  const auto numbers = planner.ConstHalves(constant);
  if (numbers.size() == 1) {
    ANECHECK_RETURN_IF_ERROR(ByNumber(planner, x, result, kind, numbers[0], first));
    return true;
  }
  ANECHECK_ASSIGN(const auto extents, ExtentsOf(planner.graph(), constant));
  const View shape{.axes = PackedAxes(extents)};
  if (!IsOfChannels(shape, x) || (kind == OpKind::kSub && first)) return false;
  ANECHECK_RETURN_IF_ERROR(CombineByChannel(planner, x, result, kind, numbers));
  return true;
}

// Source 2 of a task, which has two rows with a number for each channel.
struct ChannelRows {
  Place place;
  bool transposed = false;
};

// Returns the rows in memory, or in L2 with one line for each number.
Result<ChannelRows> ChannelRowsOf(Planner& planner, const View& constant) {
  if (planner.machine().rows_by_dma) {
    ChannelRows rows{.place = PlaceOf(constant, -1, 2), .transposed = true};
    rows.place.channel = 0;
    return rows;
  }
  ANECHECK_ASSIGN(const L2Block block, planner.TakeL2(Extent(constant, 3), 2, 1));
  ANECHECK_RETURN_IF_ERROR(planner.CopyToL2(constant, block, 3, 2, 1));
  return ChannelRows{.place = PlaceOf(block)};
}

// Computes (x + added[channel]) * factors[channel], rounded once.
Status ShiftAndScale(Planner& planner, const View& x, const View& result,
                     std::span<const uint16_t> added, std::span<const uint16_t> factors) {
  std::vector<uint16_t> rows(added.begin(), added.end());
  rows.insert(rows.end(), factors.begin(), factors.end());
  const View constant = planner.Image({1, 1, 2, static_cast<uint32_t>(factors.size())}, rows);
  planner.ResetL2();
  ANECHECK_ASSIGN(const ChannelRows source, ChannelRowsOf(planner, constant));
  for (uint32_t batch = 0; batch < Extent(result, 0); ++batch) {
    const View from = At(x, 0, batch), to = At(result, 0, batch);
    Task task{.type = TaskType::kPerChannel};
    task.in = task.out = {
        .width = Extent(from, 3), .height = Extent(from, 2), .channels = Extent(from, 1)};
    task.source1 = PlaceOf(from, 1, 2);
    task.source2 = source.place;
    task.planar.transpose2 = source.transposed;
    task.result = PlaceOf(to, 1, 2);
    ANECHECK_RETURN_IF_ERROR(planner.Add(std::move(task)));
  }
  return {};
}

}  // namespace

Status CombineByChannel(Planner& planner, const View& x, const View& result, OpKind kind,
                        std::span<const uint16_t> numbers) {
  if (kind == OpKind::kMul) {
    return ShiftAndScale(planner, x, result, std::vector<uint16_t>(numbers.size(), 0), numbers);
  }
  std::vector<uint16_t> added(numbers.begin(), numbers.end());
  if (kind == OpKind::kSub) {
    for (uint16_t& number : added) number ^= kSign;
  }
  return ShiftAndScale(planner, x, result, added, std::vector<uint16_t>(numbers.size(), kOne));
}

// Computes (x - mean) * (gamma / sqrt(variance + epsilon)), rounded, then adds beta if present.
Status EncodeBatchNorm(Planner& planner, const NodeView& node) {
  using B = params::BatchNorm;
  const int rank = node.InputShape(B::kX).rank();
  if (rank > kAxes || rank < 3) return Refuse("batch_norm: a depth");
  for (const int parameter : {B::kMean, B::kVariance, B::kGamma, B::kBeta}) {
    if (node.HasInput(parameter) && !planner.IsConst(node.Input(parameter))) {
      return Refuse("batch_norm: a parameter that is no constant");
    }
  }
  const auto bits = [&](int parameter, size_t channel, uint16_t fallback) {
    return node.HasInput(parameter) ? planner.ConstHalves(node.Input(parameter))[channel]
                                    : fallback;
  };
  const auto number = [&](int parameter, size_t channel, uint16_t fallback) {
    return HalfToDouble(Half{bits(parameter, channel, fallback)});
  };
  ANECHECK_ASSIGN(View x, planner.ViewOf(node.Input(B::kX)));
  ANECHECK_ASSIGN(View y, planner.ResultOf(node.Result()));
  x = WithHeight(x, rank);
  y = WithHeight(y, rank);
  const double epsilon = node.Float(B::kEpsilon, 1e-5);
  std::vector<uint16_t> added, factors, offsets;
  bool has_offset = false;
  for (size_t i = 0; i < Extent(x, 1); ++i) {
    const double root = std::sqrt(number(B::kVariance, i, kOne) + epsilon);
    added.push_back(bits(B::kMean, i, 0) ^ kSign);
    factors.push_back(DoubleToHalf(number(B::kGamma, i, kOne) / root).bits);
    offsets.push_back(bits(B::kBeta, i, 0));
    has_offset = has_offset || (offsets.back() & ~kSign) != 0;
  }
  if (!has_offset) return ShiftAndScale(planner, x, y, added, factors);
  ANECHECK_ASSIGN(const View scaled, planner.Temporary(ExtentsOf(x)));
  ANECHECK_RETURN_IF_ERROR(ShiftAndScale(planner, x, scaled, added, factors));
  return CombineByChannel(planner, scaled, y, OpKind::kAdd, offsets);
}

View ScalarView(Planner& planner, uint16_t bits) {
  return planner.Image({1, 1, 1, 1}, std::array{bits});
}

Status Unary(Planner& planner, const View& from, const View& to, const Planar& planar) {
  View x = from, result = to;
  MergeAxes(x, result, 0, 2);
  for (uint32_t batch = 0; batch < Extent(x, 0); ++batch) {
    const View source = At(x, 0, batch), place = At(result, 0, batch);
    Task task{.type = TaskType::kUnary};
    task.in = task.out = {
        .width = Extent(source, 3), .height = Extent(source, 2), .channels = Extent(source, 1)};
    task.source1 = PlaceOf(source, 1, 2);
    task.result = PlaceOf(place, 1, 2);
    task.planar = planar;
    ANECHECK_RETURN_IF_ERROR(planner.Add(std::move(task)));
  }
  return {};
}

Status Combine(Planner& planner, const View& x, const View& y, const View& result,
               const Combination& how) {
  const auto whole = ExtentsOf(result);
  if (ExtentsOf(x) == whole && ExtentsOf(y) == whole) {
    return CombineAlike(planner, x, y, result, how);
  }
  for (const View& operand : {x, y}) {
    if (Extent(operand, 0) != 1 && Extent(operand, 0) != whole[0]) {
      return Refuse("an operand that has only some of the result's batches");
    }
  }
  for (uint32_t batch = 0; batch < whole[0]; ++batch) {
    planner.ResetL2();
    ANECHECK_RETURN_IF_ERROR(
        CombineRepeating(planner, At(x, 0, batch), At(y, 0, batch), At(result, 0, batch), how));
  }
  return {};
}

Status CombineInputs(Planner& planner, const NodeView& node, const View& result, OpKind kind,
                     bool relu) {
  ANECHECK_ASSIGN(const bool done, WithConstant(planner, node, kind, result));
  if (done) return {};
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ViewOf(node.Input(P::kY)));
  const BinaryForm form = FormOf(kind);
  return Combine(planner, x, y, result, {.op = form.op, .negate2 = form.negate2, .relu = relu});
}

Status EncodeBinary(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View result, planner.ResultOf(node.Result()));
  return CombineInputs(planner, node, result, KindOf(node.schema()),
                       planner.PostOf(node.Result()).IsRelu());
}

Status EncodeSquare(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(params::Unary::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return Combine(planner, x, x, y, {.op = PlanarOp::kMultiply});
}

// Computes the reciprocal of the divisor with its table, then the product with it
// (weights_layout_later.md, real_div).
Status EncodeRealDiv(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View result, planner.ResultOf(node.Result()));
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ViewOf(node.Input(P::kY)));
  ANECHECK_ASSIGN(const View reciprocal, planner.Temporary(ExtentsOf(y)));
  ANECHECK_RETURN_IF_ERROR(planner.Copy(
      y, reciprocal, {.nonlinear = Nonlinear::kTable, .table = TableOf(Function::kReciprocal)}));
  return Combine(planner, x, reciprocal, result, {.op = PlanarOp::kMultiply});
}

}  // namespace anecheck::encoder
