// Convolutions. Each batch is one neural task, with weights as streams of the engines.
#include <algorithm>
#include <fmt/format.h>

#include "harness/encoder/coefficients.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

constexpr uint32_t kMaxKernel = 31, kMaxPad = 31;  // fields of five bits
constexpr uint32_t kMaxStride = 2;                 // the largest stride in records

struct Window {
  uint32_t kernel_width = 1, kernel_height = 1;
  uint32_t stride_x = 1, stride_y = 1;
  uint32_t pad_left = 0, pad_top = 0;
};

// One convolution. `x` and `y` have rank 4.
struct Convolution {
  View x, y;
  Window window;
  uint32_t groups = 1;
  std::span<const uint16_t> weights, bias;
  Post post;
};

// Stores a neural task's streams, and its table if it has one.
Result<Neural> Bound(Planner& planner, const Weights& weights, const StreamOrder& order,
                     const Post& post) {
  ANECHECK_ASSIGN(std::vector<Bytes> streams, PackWeights(weights, order));
  if (planner.fault() == Fault::kLaneOrder) std::ranges::reverse(streams);
  Neural neural;
  planner.BindStreams(std::move(streams), post.table, neural);
  return neural;
}

// Adds one task for each batch.
Status ConvolveDirectly(Planner& planner, const Convolution& c) {
  const Window& w = c.window;
  if (w.kernel_width > kMaxKernel || w.kernel_height > kMaxKernel || w.pad_left > kMaxPad ||
      w.pad_top > kMaxPad) {
    return Refuse(fmt::format("a kernel of {}x{} does not fit the descriptor", w.kernel_height,
                              w.kernel_width));
  }
  const uint32_t in = c.x.axes[1].extent, out = c.y.axes[1].extent;
  const bool depthwise = c.groups > 1 && c.groups == in && in == out;
  const bool strided = w.stride_x > 1 || w.stride_y > 1;
  Weights weights{
      .groups = depthwise ? 1 : c.groups,
      .out_channels = depthwise ? out : out / c.groups,
      .in_channels = depthwise ? 1 : in / c.groups,
      .height = w.kernel_height,
      .width = w.kernel_width,
      .values = c.weights,
      .bias = planner.fault() == Fault::kBiasRow ? std::span<const uint16_t>() : c.bias};
  const StreamOrder order{.lane_bits = depthwise ? 0 : LaneBits(weights.out_channels),
                          .engine_bits = EngineBits(weights.out_channels),
                          .packed_channels = depthwise,
                          .zero_skip = strided,
                          .stride_x = w.stride_x,
                          .stride_y = w.stride_y,
                          .slots_of_mask = planner.machine().slots_of_mask};
  ANECHECK_ASSIGN(const Neural bound, Bound(planner, weights, order, c.post));
  for (uint32_t batch = 0; batch < c.x.axes[0].extent; ++batch) {
    const View x = At(c.x, 0, batch), y = At(c.y, 0, batch);
    Task task;
    task.in = {.width = x.axes[3].extent,
               .height = x.axes[2].extent,
               .channels = depthwise ? in : weights.in_channels};
    task.out = {
        .width = y.axes[3].extent, .height = y.axes[2].extent, .channels = weights.out_channels};
    task.groups = weights.groups;
    task.source1 = PlaceOf(x, 1, 2);
    task.source1.group = task.source1.channel * weights.in_channels;
    task.result = PlaceOf(y, 1, 2);
    task.result.group = task.result.channel * weights.out_channels;
    Neural& n = task.neural;
    n = bound;
    n.op = NeuralOp::kMultiply;
    n.coefficients = true;
    n.bias = !weights.bias.empty();
    n.zero_skip = strided;
    n.unicast = depthwise;
    n.kernel_width = w.kernel_width;
    n.kernel_height = w.kernel_height;
    n.stride_x = w.stride_x;
    n.stride_y = w.stride_y;
    n.pad_left = w.pad_left;
    n.pad_top = w.pad_top;
    n.lane_bits = order.lane_bits;
    n.engine_bits = order.engine_bits;
    n.nonlinear = c.post.nonlinear;
    n.post_scale = c.post.scale;
    ANECHECK_RETURN_IF_ERROR(planner.Add(std::move(task)));
  }
  return {};
}

// Records have strides up to 2, but no strides above 1 together with groups or from H15 on. For
// other strides, every element is computed and some elements are left out.
Status Convolve(Planner& planner, const Convolution& c) {
  const uint32_t x = c.window.stride_x, y = c.window.stride_y;
  const bool skips = c.groups == 1 && planner.machine().slots_of_mask != 0;
  const bool known = skips ? x <= kMaxStride && y <= kMaxStride : x == 1 && y == 1;
  if (known) return ConvolveDirectly(planner, c);
  auto extents = ExtentsOf(c.y);
  extents[2] = (extents[2] - 1) * y + 1;
  extents[3] = (extents[3] - 1) * x + 1;
  Convolution whole = c;
  whole.window.stride_x = whole.window.stride_y = 1;
  ANECHECK_ASSIGN(whole.y, planner.Temporary(extents));
  ANECHECK_RETURN_IF_ERROR(ConvolveDirectly(planner, whole));
  return Slice(planner, whole.y, {0, 0, 0, 0}, {1, 1, y, x}, c.y);
}

// Returns the padding before an axis. If the padding is odd, "same" puts the extra element after
// the axis, and "same_lower" puts it before the axis.
Result<uint32_t> PadBefore(const NodeView& node, int axis, uint32_t in, uint32_t out,
                           uint32_t kernel, uint32_t stride) {
  using P = params::Conv;
  const std::string_view type = node.String(P::kPadType, "valid");
  if (type == "valid") return 0;
  if (type == "custom") {
    const auto pad = node.Ints(P::kPad);
    if (pad.empty()) return 0;
    const int64_t before = pad[static_cast<size_t>(2 * axis)];
    if (before < 0) return Refuse("conv: a negative padding");
    return static_cast<uint32_t>(before);
  }
  const int64_t total = std::max<int64_t>(0, (int64_t{out} - 1) * stride + kernel - int64_t{in});
  return static_cast<uint32_t>(type == "same_lower" ? (total + 1) / 2 : total / 2);
}

bool AllOnes(std::span<const int64_t> values) {
  for (const int64_t value : values) {
    if (value != 1) return false;
  }
  return true;
}

}  // namespace

View WithHeight(const View& view, int rank) {
  if (rank == kAxes) return view;
  View made = view;
  made.axes[0] = view.axes[1];
  made.axes[1] = view.axes[2];
  made.axes[2] = {1, view.axes[2].stride};
  return made;
}

Status EncodeConv(Planner& planner, const NodeView& node) {
  using P = params::Conv;
  const int rank = node.InputShape(P::kX).rank();
  if (rank > kAxes) return Refuse("conv: a depth");
  if (!AllOnes(node.Ints(P::kDilations))) return Refuse("conv: dilations: no file has them");
  const ValueId weight = node.Input(P::kWeight);
  if (!planner.IsConst(weight)) return Refuse("conv: weights that are no constant");
  ANECHECK_RETURN_IF_ERROR(ExtentsOf(planner.graph(), weight).ok()
                               ? Status{}
                               : Refuse("conv: weights that are not fp16"));
  Convolution c;
  ANECHECK_ASSIGN(c.x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(c.y, planner.ResultOf(node.Result()));
  c.x = WithHeight(c.x, rank);
  c.y = WithHeight(c.y, rank);
  c.weights = planner.ConstHalves(weight);
  if (node.HasInput(P::kBias)) {
    if (!planner.IsConst(node.Input(P::kBias))) return Refuse("conv: a bias that is no constant");
    c.bias = planner.ConstHalves(node.Input(P::kBias));
  }
  c.groups = static_cast<uint32_t>(node.Int(P::kGroups, 1));
  c.post = planner.PostOf(node.Result());
  const Shape& kernel = node.InputShape(P::kWeight);
  const auto strides = node.Ints(P::kStrides);
  const int spatial = rank - 2;
  for (int i = 0; i < spatial; ++i) {
    const bool across = i + 1 == spatial;
    const auto size = static_cast<uint32_t>(kernel[2 + i]);
    const auto step = static_cast<uint32_t>(strides.empty() ? 1 : strides[static_cast<size_t>(i)]);
    const size_t axis = across ? 3 : 2;
    ANECHECK_ASSIGN(const uint32_t pad,
                    PadBefore(node, i, c.x.axes[axis].extent, c.y.axes[axis].extent, size, step));
    (across ? c.window.kernel_width : c.window.kernel_height) = size;
    (across ? c.window.stride_x : c.window.stride_y) = step;
    (across ? c.window.pad_left : c.window.pad_top) = pad;
  }
  return Convolve(planner, c);
}

}  // namespace anecheck::encoder
