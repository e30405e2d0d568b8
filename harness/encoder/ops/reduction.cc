// Reductions, softmax and norms. The planar engine computes the sum or the maximum over the rows
// and columns of each channel. Other axes become columns when they are copied to L2.
#include <algorithm>

#include "harness/base/half.h"
#include "harness/encoder/coefficients.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

constexpr uint16_t kMinusOne = 0xbc00;
constexpr uint16_t kLog2E = 0x3dc5;

using AxisSet = std::array<bool, kAxes>;

uint32_t Extent(const View& view, int axis) {
  return axis < 0 ? 1 : view.axes[static_cast<size_t>(axis)].extent;
}

AxisSet SetOf(std::span<const int64_t> axes, int rank) {
  AxisSet set = {};
  if (axes.empty()) set.fill(true);
  for (const int64_t axis : axes) {
    set[static_cast<size_t>(kAxes - rank + *NormalizeAxis(axis, rank))] = true;
  }
  return set;
}

// The axes of a view that are the columns, rows and channels of one slab, and the axes of the loops
// over slabs. The columns are reduced. The rows are reduced too if `rows_reduced` is set.
struct Slab {
  int channel = -1, row = -1, column = -1;
  int depth = -1;  // a third axis, used only by reductions
  bool rows_reduced = false;
  std::vector<int> loops;
};

std::vector<int> Long(const View& view, const AxisSet& reduced, bool wanted) {
  std::vector<int> axes;
  for (int i = 0; i < kAxes; ++i) {
    if (reduced[static_cast<size_t>(i)] == wanted && Extent(view, i) > 1) axes.push_back(i);
  }
  return axes;
}

// Divides `view` into slabs. Error: kUnsupported if three axes with uneven steps are reduced.
Result<Slab> SlabOf(const View& view, const AxisSet& reduced) {
  Slab slab;
  std::vector<int> inner = Long(view, reduced, true), kept = Long(view, reduced, false);
  const auto take = [](std::vector<int>& axes) {
    if (axes.empty()) return -1;
    const int axis = axes.back();
    axes.pop_back();
    return axis;
  };
  // The contiguous axis of the view becomes the slab's columns or its channels.
  const bool columns_kept = !reduced[3] && Extent(view, 3) > 1;
  if (columns_kept) slab.channel = take(kept);
  slab.column = take(inner);
  slab.row = take(inner);
  slab.rows_reduced = slab.row >= 0;
  if (!inner.empty()) return Refuse("three axes with uneven steps, reduced at once");
  if (!columns_kept && !kept.empty()) {
    const auto most = std::ranges::max_element(kept, {}, [&](int i) { return Extent(view, i); });
    slab.channel = *most;
    kept.erase(most);
  }
  slab.loops = kept;
  return slab;
}

// Returns whether a task can read the slab directly from memory. If the columns have extent 1, the
// function makes the reduced axes rows and depth.
bool LiesReady(const View& view, Slab& slab) {
  if (slab.channel == 3) return false;
  if (slab.column == 3 || slab.column < 0) return true;
  if (Extent(view, 3) > 1) return false;
  slab.depth = slab.row;
  slab.row = slab.column;
  slab.column = -1;
  return true;
}

// Calls act(x, y) for each index of the axes of the loops.
template <typename Act>
Status ForSlabs(const View& x, const View& y, std::span<const int> loops, Act act) {
  if (loops.empty()) return act(x, y);
  for (uint32_t i = 0; i < Extent(x, loops[0]); ++i) {
    ANECHECK_RETURN_IF_ERROR(
        ForSlabs(At(x, loops[0], i), At(y, loops[0], i), loops.subspan(1), act));
  }
  return {};
}

Result<L2Block> Load(Planner& planner, const View& x, const Slab& slab) {
  ANECHECK_ASSIGN(const L2Block block, planner.TakeL2(Extent(x, slab.channel), Extent(x, slab.row),
                                                      Extent(x, slab.column)));
  ANECHECK_RETURN_IF_ERROR(planner.CopyToL2(x, block, slab.channel, slab.row, slab.column));
  return block;
}

Extents ExtentsOf(const L2Block& block) {
  return {.width = block.columns, .height = block.rows, .channels = block.channels};
}

// Makes a reduction over the rows and columns of a block.
Task ReduceBlock(const L2Block& block, const Planar& planar) {
  Task task{.type = TaskType::kReduce};
  task.in = task.out = ExtentsOf(block);
  task.source1 = PlaceOf(block);
  task.planar = planar;
  task.pads_with_lowest = planar.maximum;
  return task;
}

// Makes the sum of (0 - x)^2 over the rows and columns of a block. The task computes it like a
// variance with mean 0, so that it does not round squares before it adds them. `zeros` has a zero
// for each channel.
Result<Task> SquaresOfBlock(Planner& planner, const L2Block& block, const View& zeros) {
  ANECHECK_ASSIGN(const L2Block zero, planner.TakeL2(block.channels, 1, 1));
  ANECHECK_RETURN_IF_ERROR(planner.CopyToL2(zeros, zero, 1, 2, 3));
  Task task{.type = TaskType::kCombineAndReduce};
  task.in = task.out = ExtentsOf(block);
  task.source1 = PlaceOf(zero);
  task.source2 = PlaceOf(block);
  task.planar = {.op = PlanarOp::kSquare,
                 .negate1 = true,
                 .broadcast1 = {.width = true, .height = true, .depth = true}};
  return task;
}

// Reduces one slab. The result has one element per channel and goes to the channel axis of `y`.
// With `zeros` the reduction is a sum of squares.
Status ReduceSlab(Planner& planner, const View& x, const View& y, Slab slab, const Planar& planar,
                  const View* zeros) {
  planner.ResetL2();
  Task task;
  if (zeros != nullptr) {
    ANECHECK_ASSIGN(const L2Block block, Load(planner, x, slab));
    ANECHECK_ASSIGN(task, SquaresOfBlock(planner, block, *zeros));
  } else if (LiesReady(x, slab)) {
    task = {.type = TaskType::kReduce};
    task.in = task.out = {.width = Extent(x, slab.column),
                          .height = Extent(x, slab.row),
                          .channels = Extent(x, slab.channel),
                          .depth = Extent(x, slab.depth)};
    task.source1 = PlaceOf(x, slab.channel, slab.row, slab.depth);
    task.planar = planar;
    task.pads_with_lowest = planar.maximum;
  } else {
    ANECHECK_ASSIGN(const L2Block block, Load(planner, x, slab));
    task = ReduceBlock(block, planar);
  }
  task.transpose_result = slab.channel == 3;
  task.result = PlaceOf(y, task.transpose_result ? -1 : slab.channel, -1);
  return planner.Add(std::move(task));
}

// Returns the extents of `x` after a reduction that keeps the reduced axes with extent 1.
std::array<uint32_t, kAxes> Kept(const View& x, const AxisSet& reduced) {
  auto extents = ExtentsOf(x);
  for (size_t i = 0; i < kAxes; ++i) {
    if (reduced[i]) extents[i] = 1;
  }
  return extents;
}

Status ReduceView(Planner& planner, View x, View y, AxisSet reduced, const Planar& planar,
                  bool squares) {
  // Merges neighbouring axes with even steps that are both reduced or both kept.
  View unused = x;
  for (int i = 0; i + 1 < kAxes - 1; ++i) {
    const auto at = static_cast<size_t>(i);
    if (reduced[at] != reduced[at + 1] && Extent(x, i) > 1 && Extent(x, i + 1) > 1) continue;
    if (Extent(x, i + 1) == 1) reduced[at + 1] = reduced[at];
    if (Extent(x, i) == 1) continue;
    if (reduced[at]) {
      MergeAxes(x, unused, i, i + 2);
      unused = x;
    } else {
      MergeAxes(x, y, i, i + 2);
    }
  }
  ANECHECK_ASSIGN(const Slab slab, SlabOf(x, reduced));
  View zeros;
  if (squares) {
    const uint32_t channels = Extent(x, slab.channel);
    zeros = planner.Image({1, channels, 1, 1}, std::vector<uint16_t>(channels, 0));
  }
  return ForSlabs(x, y, slab.loops, [&](const View& from, const View& to) {
    return ReduceSlab(planner, from, to, slab, planar, squares ? &zeros : nullptr);
  });
}

uint64_t Count(const View& x, const AxisSet& reduced) {
  uint64_t count = 1;
  for (size_t i = 0; i < kAxes; ++i) count *= reduced[i] ? x.axes[i].extent : 1;
  return count;
}

// Returns the terms of a reduction: x, -x or |x|.
Result<View> Prepared(Planner& planner, const View& x, OpKind kind) {
  if (kind != OpKind::kReduceMin && kind != OpKind::kReduceL1Norm) return x;
  ANECHECK_ASSIGN(const View made, planner.Temporary(ExtentsOf(x)));
  if (kind == OpKind::kReduceMin) {
    ANECHECK_RETURN_IF_ERROR(Unary(planner, x, made, {.scale = kMinusOne}));
  } else {
    ANECHECK_RETURN_IF_ERROR(Unary(planner, x, made, {.absolute = true}));
  }
  return made;
}

}  // namespace

Status EncodeReduce(Planner& planner, const NodeView& node) {
  using P = params::Reduce;
  const OpKind kind = KindOf(node.schema());
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const AxisSet reduced = SetOf(node.Ints(P::kAxes), node.InputShape(P::kX).rank());
  ANECHECK_ASSIGN(const View prepared, Prepared(planner, x, kind));
  Planar planar;
  planar.maximum = kind == OpKind::kReduceMax || kind == OpKind::kReduceMin;
  if (kind == OpKind::kReduceMean) {
    planar.final_scale = static_cast<float>(1.0 / static_cast<double>(Count(x, reduced)));
  }
  const auto kept = Kept(x, reduced);
  View result = y;
  const bool direct = ExtentsOf(y) == kept && kind != OpKind::kReduceMin;
  if (!direct) {
    ANECHECK_ASSIGN(result, planner.Temporary(kept));
  }
  ANECHECK_RETURN_IF_ERROR(
      ReduceView(planner, prepared, result, reduced, planar, kind == OpKind::kReduceSumSquare));
  if (direct) return {};
  if (kind == OpKind::kReduceMin) {
    ANECHECK_ASSIGN(const View positive, planner.Temporary(kept));
    ANECHECK_RETURN_IF_ERROR(Unary(planner, result, positive, {.scale = kMinusOne}));
    result = positive;
  }
  return Reshape(planner, result, y);
}

namespace {

// Returns a block in L2 with the same channels and rows, but one column.
Result<L2Block> Column(Planner& planner, const L2Block& like) {
  return planner.TakeL2(like.channels, like.rows, 1);
}

// Reduces each row to one result. The rows are the groups of the task, as in a compiler's softmax.
Task ReduceRows(const L2Block& block, const L2Block& result, const Planar& planar) {
  Task task{.type = TaskType::kReduce};
  task.in = task.out = {.width = block.columns, .height = 1, .channels = block.channels};
  task.groups = block.rows;
  task.source1 = PlaceOf(block);
  task.source1.group = block.row_stride;
  task.result = PlaceOf(result);
  task.result.group = result.row_stride;
  task.planar = planar;
  task.pads_with_lowest = planar.maximum;
  return task;
}

Task CombineBlocks(const L2Block& x, const L2Block& y, const Planar& planar) {
  Task task{.type = TaskType::kElementwise};
  const L2Block& whole = x.columns >= y.columns ? x : y;
  task.in = task.out = ExtentsOf(whole);
  task.source1 = PlaceOf(x);
  task.source2 = PlaceOf(y);
  task.planar = planar;
  task.planar.broadcast1.width = x.columns < whole.columns;
  task.planar.broadcast2.width = y.columns < whole.columns;
  return task;
}

// Adds the task that ends a chain in L2. The result goes through `block` if the columns are not
// contiguous in `y`.
Status AddLast(Planner& planner, Task task, const View& y, const Slab& slab, const L2Block& block) {
  const bool lies = slab.channel == 3 || slab.column == 3 || slab.column < 0;
  if (!lies) {
    task.result = PlaceOf(block);
    ANECHECK_RETURN_IF_ERROR(planner.Add(std::move(task)));
    return planner.CopyFromL2(block, y, slab.channel, slab.row, slab.column);
  }
  task.transpose_result = slab.channel == 3;
  task.result = PlaceOf(y, task.transpose_result ? slab.column : slab.channel, slab.row);
  return planner.Add(std::move(task));
}

// Computes in this order: the maximum, the difference from the maximum times log2 e, exp2, the
// reciprocal of the sum, and the product.
Status SoftmaxSlab(Planner& planner, const View& x, const View& y, const Slab& slab) {
  planner.ResetL2();
  ANECHECK_ASSIGN(const L2Block block, Load(planner, x, slab));
  ANECHECK_ASSIGN(const L2Block highest, Column(planner, block));
  ANECHECK_ASSIGN(const L2Block sum, Column(planner, block));
  ANECHECK_ASSIGN(const L2Block shifted, planner.TakeL2(block.channels, block.rows, block.columns));
  ANECHECK_RETURN_IF_ERROR(planner.Add(ReduceRows(block, highest, {.maximum = true})));
  Task difference = CombineBlocks(block, highest, {.negate2 = true, .scale = kLog2E});
  difference.planar.broadcast2.width = true;
  difference.result = PlaceOf(shifted);
  ANECHECK_RETURN_IF_ERROR(planner.Add(std::move(difference)));
  Task power;
  power.in = power.out = ExtentsOf(block);
  power.neural.engine_bits = EngineBits(block.channels);
  power.neural.nonlinear = Nonlinear::kTable;
  planner.BindTable(TableOf(Function::kExp2), block.channels, power.neural);
  power.source1 = PlaceOf(shifted);
  power.result = PlaceOf(block);
  ANECHECK_RETURN_IF_ERROR(planner.Add(std::move(power)));
  ANECHECK_RETURN_IF_ERROR(
      planner.Add(ReduceRows(block, sum, {.post = PostFunction::kReciprocal})));
  Task product = CombineBlocks(sum, block, {.op = PlanarOp::kMultiply});
  product.planar.broadcast1.width = true;
  return AddLast(planner, std::move(product), y, slab, shifted);
}

}  // namespace

Status EncodeSoftmax(Planner& planner, const NodeView& node) {
  using P = params::Softmax;
  ANECHECK_ASSIGN(View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(View y, planner.ResultOf(node.Result()));
  const int rank = node.InputShape(P::kX).rank();
  AxisSet reduced = {};
  reduced[static_cast<size_t>(kAxes - rank + *NormalizeAxis(node.Int(P::kAxis, -1), rank))] = true;
  if (reduced[3]) MergeAxes(x, y, 0, 3);
  ANECHECK_ASSIGN(Slab slab, SlabOf(x, reduced));
  if (slab.row < 0 && !slab.loops.empty() && !slab.rows_reduced) {
    slab.row = slab.loops.back();
    slab.loops.pop_back();
  }
  return ForSlabs(x, y, slab.loops, [&](const View& from, const View& to) {
    return SoftmaxSlab(planner, from, to, slab);
  });
}

namespace {

// Computes (x - mean) * rsqrt(mean of (x - mean)^2 + epsilon) over the rows and columns of each
// channel.
Status NormalizeSlab(Planner& planner, const View& x, const View& y, const Slab& slab,
                     uint16_t epsilon) {
  planner.ResetL2();
  ANECHECK_ASSIGN(const L2Block block, Load(planner, x, slab));
  ANECHECK_ASSIGN(const L2Block rows, planner.TakeL2(block.channels, 2, 1));
  L2Block mean = rows, root = rows;
  mean.rows = root.rows = 1;
  root.base += rows.row_stride;
  const auto part = static_cast<float>(1.0 / (static_cast<double>(block.rows) * block.columns));
  Task average = ReduceBlock(block, {.final_scale = part});
  average.result = PlaceOf(mean);
  ANECHECK_RETURN_IF_ERROR(planner.Add(std::move(average)));
  Task variance{.type = TaskType::kCombineAndReduce};
  variance.in = variance.out = ExtentsOf(block);
  variance.source1 = PlaceOf(mean);
  variance.source2 = PlaceOf(block);
  variance.planar = {.op = PlanarOp::kSquare,
                     .post = PostFunction::kReciprocalRoot,
                     .negate1 = true,
                     .epsilon = epsilon,
                     .final_scale = part,
                     .broadcast1 = {.width = true, .height = true, .depth = true}};
  variance.result = PlaceOf(root);
  ANECHECK_RETURN_IF_ERROR(planner.Add(std::move(variance)));
  Task scaled{.type = TaskType::kPerChannel};
  scaled.in = scaled.out = ExtentsOf(block);
  scaled.source1 = PlaceOf(block);
  scaled.source2 = PlaceOf(rows);
  scaled.planar.negate2 = true;
  return AddLast(planner, std::move(scaled), y, slab, block);
}

Status Normalize(Planner& planner, View x, View y, const AxisSet& reduced, uint16_t epsilon) {
  if (reduced[0] && reduced[1] && !reduced[2]) MergeAxes(x, y, 0, 2);
  if (reduced[1] && reduced[2]) MergeAxes(x, y, 1, 3);
  if (!reduced[0] && !reduced[1]) MergeAxes(x, y, 0, 2);
  if (!reduced[1] && !reduced[2]) MergeAxes(x, y, 1, 3);
  ANECHECK_ASSIGN(const Slab slab, SlabOf(x, reduced));
  return ForSlabs(x, y, slab.loops, [&](const View& from, const View& to) {
    return NormalizeSlab(planner, from, to, slab, epsilon);
  });
}

// Returns a constant over the normalised axes. Its axes keep their positions among the four axes.
Result<View> Parameter(Planner& planner, ValueId id, const AxisSet& reduced,
                       const std::array<uint32_t, kAxes>& whole) {
  std::array<uint32_t, kAxes> extents = {1, 1, 1, 1};
  for (size_t i = 0; i < kAxes; ++i) extents[i] = reduced[i] ? whole[i] : 1;
  const auto halves = planner.ConstHalves(id);
  uint64_t count = 1;
  for (const uint32_t extent : extents) count *= extent;
  if (halves.size() != count) return Refuse("a gamma or beta that does not fit its axes");
  return planner.Image(extents, halves);
}

}  // namespace

Status EncodeLayerNorm(Planner& planner, const NodeView& node) {
  using P = params::LayerNorm;
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const AxisSet reduced = SetOf(node.Ints(P::kAxes), node.InputShape(P::kX).rank());
  const uint16_t epsilon = DoubleToHalf(node.Float(P::kEpsilon, 1e-5)).bits;
  std::vector<std::pair<ValueId, PlanarOp>> steps;
  if (node.HasInput(P::kGamma)) steps.emplace_back(node.Input(P::kGamma), PlanarOp::kMultiply);
  if (node.HasInput(P::kBeta)) steps.emplace_back(node.Input(P::kBeta), PlanarOp::kAdd);
  View at = y;
  if (!steps.empty()) {
    ANECHECK_ASSIGN(at, planner.Temporary(ExtentsOf(x)));
  }
  ANECHECK_RETURN_IF_ERROR(Normalize(planner, x, at, reduced, epsilon));
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!planner.IsConst(steps[i].first)) return Refuse("layer_norm: gamma or beta is no constant");
    ANECHECK_ASSIGN(const View parameter,
                    Parameter(planner, steps[i].first, reduced, ExtentsOf(x)));
    View into = y;
    if (i + 1 < steps.size()) {
      ANECHECK_ASSIGN(into, planner.Temporary(ExtentsOf(x)));
    }
    ANECHECK_RETURN_IF_ERROR(Combine(planner, at, parameter, into, {.op = steps[i].second}));
    at = into;
  }
  return {};
}

Status EncodeInstanceNorm(Planner& planner, const NodeView& node) {
  using P = params::InstanceNorm;
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  if (node.InputShape(P::kX).rank() != kAxes) return Refuse("instance_norm: a rank other than 4");
  const AxisSet reduced = {false, false, true, true};
  const uint16_t epsilon = DoubleToHalf(node.Float(P::kEpsilon, 1e-5)).bits;
  std::vector<std::pair<ValueId, OpKind>> steps;
  if (node.HasInput(P::kGamma)) steps.emplace_back(node.Input(P::kGamma), OpKind::kMul);
  if (node.HasInput(P::kBeta)) steps.emplace_back(node.Input(P::kBeta), OpKind::kAdd);
  for (const auto& [parameter, kind] : steps) {
    if (!planner.IsConst(parameter)) return Refuse("instance_norm: gamma or beta is no constant");
  }
  View at = y;
  if (!steps.empty()) {
    ANECHECK_ASSIGN(at, planner.Temporary(ExtentsOf(x)));
  }
  ANECHECK_RETURN_IF_ERROR(Normalize(planner, x, at, reduced, epsilon));
  for (size_t i = 0; i < steps.size(); ++i) {
    View into = y;
    if (i + 1 < steps.size()) {
      ANECHECK_ASSIGN(into, planner.Temporary(ExtentsOf(x)));
    }
    ANECHECK_RETURN_IF_ERROR(
        CombineByChannel(planner, at, into, steps[i].second, planner.ConstHalves(steps[i].first)));
    at = into;
  }
  return {};
}

}  // namespace anecheck::encoder
