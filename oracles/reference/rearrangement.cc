// Kernels that pick, repeat or reorder the elements of one tensor by static rules. They copy
// elements by strides into the operand and compute none.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/computed_slice.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

// P is params::SliceByIndex or params::SliceUpdate; `counts` are the extents of the axes that are
// not squeezed.
template <typename P>
ComputedSlice SliceOf(const NodeView& node, const Shape& x, const Shape& counts) {
  const Strides strides = RowMajorStrides(x);
  const auto begin = node.Ints(P::kBegin);
  const auto step = node.Ints(P::kStride);
  const auto masked = [&](int parameter, size_t axis) {
    const auto mask = node.Ints(parameter);
    return !mask.empty() && mask[axis] != 0;
  };
  ComputedSlice slice;
  slice.rank = x.rank();
  int next = 0;
  for (size_t axis = 0; axis < static_cast<size_t>(x.rank()); ++axis) {
    ComputedAxis& along = slice.axes[axis];
    along.extent = x[static_cast<int>(axis)];
    along.stride = strides[axis];
    // A squeezed axis is indexed at its begin, whatever its stride.
    const bool squeezed = masked(P::kSqueezeMask, axis);
    along.step = squeezed || step.empty() ? 1 : step[axis];
    if (!squeezed) along.count = counts[next++];
    if (masked(P::kBeginMask, axis)) {
      along.first = along.step > 0 ? 0 : along.extent - 1;
    } else if (node.HasInput(P::kComputedBegin)) {
      along.read = true;
    } else {
      const int64_t from = begin[axis] < 0 ? begin[axis] + along.extent : begin[axis];
      along.first = std::clamp<int64_t>(from, 0, along.extent - 1);
    }
  }
  return slice;
}

Status SliceByIndex(KernelContext& context) {
  using P = params::SliceByIndex;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const ComputedSlice slice = SliceOf<P>(context.node(), x.type.shape, result.type.shape);
  // No place is read if only the end of the slice is computed.
  CutComputed(context, x, context.OptionalInput(P::kComputedBegin), slice, result);
  return {};
}

Status SliceUpdate(KernelContext& context) {
  using P = params::SliceUpdate;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& update = context.Input(P::kUpdate);
  const ComputedSlice slice = SliceOf<P>(context.node(), x.type.shape, update.type.shape);
  PutComputed(context, x, update, context.OptionalInput(P::kComputedBegin), slice,
              context.Result());
  return {};
}

Status Reverse(KernelContext& context) {
  using P = params::OverAxes;
  const BoundedTensor& x = context.Input(P::kX);
  const Shape& shape = x.type.shape;
  Strides strides = RowMajorStrides(shape);
  const uint32_t mask = MaskOfAxes(context.node(), P::kAxes, shape.rank());
  int64_t start = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((mask >> axis & 1) == 0) continue;
    int64_t& stride = strides[static_cast<size_t>(axis)];
    start += stride * (shape[axis] - 1);
    stride = -stride;
  }
  MoveByStrides(context, x, context.Result(), strides, start);
  return {};
}

// Reverses the first `length` elements of each sequence and does not move the others. If a length
// is known as an interval, the results of all lengths in the interval are admitted.
Status ReverseSequence(KernelContext& context) {
  using P = params::ReverseSequence;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& lengths = context.Input(P::kLengths);
  BoundedTensor& result = context.Result();
  const Shape& shape = x.type.shape;
  const int sequence = AxisOf(context.node(), P::kSeqAxis, 0, shape.rank());
  const int batch = AxisOf(context.node(), P::kBatchAxis, 0, shape.rank());
  const Strides strides = RowMajorStrides(shape);
  const int64_t step = strides[static_cast<size_t>(sequence)];
  const int64_t extent = shape[sequence];
  PrepareMove(context, result, x.point() && lengths.point());
  for (size_t at = 0; at < result.size; ++at) {
    const auto place = static_cast<int64_t>(at);
    const auto row =
        static_cast<size_t>(place / strides[static_cast<size_t>(batch)] % shape[batch]);
    const int64_t index = place / step % extent;
    const auto source = [&](double given) {
      const auto length = static_cast<int64_t>(std::clamp(given, 0.0, static_cast<double>(extent)));
      const int64_t from = index < length ? length - 1 - index : index;
      return static_cast<size_t>(place + (from - index) * step);
    };
    MoveElement(x, source(lengths.value[row]), result, at);
    if (lengths.low[row] == lengths.high[row]) continue;
    const double last = std::min(lengths.high[row], static_cast<double>(extent));
    const double least = std::max(lengths.low[row], 0.0);
    for (uint32_t k = 0; least + k <= last; ++k) {
      AdmitElement(x, source(least + k), result, at);
    }
  }
  FinishMove(x, result);
  return {};
}

Status Tile(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Tile::kX);
  BoundedTensor& result = context.Result();
  const Strides strides = RowMajorStrides(x.type.shape);
  const auto tables = MakeTables(context.arena(), result.type.shape, [&](int axis, int64_t index) {
    return index % x.type.shape[axis] * strides[static_cast<size_t>(axis)];
  });
  MoveByTables(context, x, result, tables);
  return {};
}

Status Crop(KernelContext& context) {
  using P = params::Crop;
  const BoundedTensor& x = context.Input(P::kX);
  const Strides strides = RowMajorStrides(x.type.shape);
  const auto rank = static_cast<size_t>(x.type.shape.rank());
  const int64_t start = context.node().Ints(P::kCropHeight)[0] * strides[rank - 2] +
                        context.node().Ints(P::kCropWidth)[0] * strides[rank - 1];
  MoveByStrides(context, x, context.Result(), strides, start);
  return {};
}

// Whether element `at` is a finite number in every engine.
bool IsFinite(const BoundedTensor& x, size_t at) {
  return std::fabs(x.low[at]) < kInfinity && std::fabs(x.high[at]) < kInfinity && !x.NanAt(at);
}

// Outside the band, MIL's text sets the result to zero, but its formula multiplies x by zero.
// Therefore an infinity may become NaN, and a zero may have either sign.
Status BandPart(KernelContext& context) {
  using P = params::BandPart;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const Shape& shape = x.type.shape;
  const int64_t lower = context.node().Int(P::kLower, -1);
  const int64_t upper = context.node().Int(P::kUpper, -1);
  const int64_t columns = shape[shape.rank() - 1];
  const int64_t rows = shape[shape.rank() - 2];
  PrepareMove(context, result, x.point() && !x.special);
  bool cut = false;
  for (size_t at = 0; at < result.size; ++at) {
    const int64_t column = static_cast<int64_t>(at) % columns;
    const int64_t row = static_cast<int64_t>(at) / columns % rows;
    const bool inside =
        (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper);
    if (inside) {
      MoveElement(x, at, result, at);
    } else {
      PutElement(0, result, at);
      if (!result.point() && !IsFinite(x, at)) result.nan[at] = 1;
      cut = true;
    }
  }
  FinishMove(x, result);
  result.signed_zero &= !cut;
  return {};
}

Status SlidingWindows(KernelContext& context) {
  using P = params::SlidingWindows;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const int rank = x.type.shape.rank();
  const int axis = AxisOf(context.node(), P::kAxis, 0, rank);
  const Strides strides = RowMajorStrides(x.type.shape);
  Strides source{};
  for (int i = 0; i <= rank; ++i) {
    source[static_cast<size_t>(i)] = strides[static_cast<size_t>(i <= axis ? i : i - 1)];
  }
  source[static_cast<size_t>(axis)] *= context.node().Int(P::kStride, 1);
  MoveByStrides(context, x, result, source, 0);
  return {};
}

// ---- blocks ---------------------------------------------------------------------------------

// The numbering of a block's channels. The place in the block is the outer index and the output
// channel the inner index (depth_to_space), or the reverse (pixel_shuffle).
enum class ChannelOrder : uint8_t { kPlaceFirst, kPlaceLast };

template <ChannelOrder kOrder>
Status ToSpace(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Blocks::kX);
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  const Strides s = RowMajorStrides(x.type.shape);
  const int64_t f = context.node().Int(params::Blocks::kFactor, 1);
  const bool first = kOrder == ChannelOrder::kPlaceFirst;
  const int64_t channel = (first ? 1 : f * f) * s[1];
  const int64_t place = (first ? shape[1] : 1) * s[1];
  const Shape view = {shape[0], shape[1], shape[2] / f, f, shape[3] / f, f};
  MoveByView(context, x, result, view, {s[0], channel, s[2], f * place, s[3], place}, 0);
  return {};
}

template <ChannelOrder kOrder>
Status ToDepth(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Blocks::kX);
  BoundedTensor& result = context.Result();
  const Shape& from = x.type.shape;
  const Strides s = RowMajorStrides(from);
  const int64_t f = context.node().Int(params::Blocks::kFactor, 1);
  const int64_t rows = from[2] / f;
  const int64_t columns = from[3] / f;
  if (kOrder == ChannelOrder::kPlaceFirst) {
    MoveByView(context, x, result, {from[0], f, f, from[1], rows, columns},
               {s[0], s[2], s[3], s[1], f * s[2], f * s[3]}, 0);
  } else {
    MoveByView(context, x, result, {from[0], from[1], f, f, rows, columns},
               {s[0], s[1], s[2], s[3], f * s[2], f * s[3]}, 0);
  }
  return {};
}

// Batch index (by * block width + bx) * N + n contains the elements at (by, bx) in the blocks of
// image n. The padding is zero.
Status SpaceToBatch(KernelContext& context) {
  using P = params::Batches;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  const Shape& from = x.type.shape;
  const Strides s = RowMajorStrides(from);
  const auto block = context.node().Ints(P::kBlockShape);
  const auto paddings = context.node().Ints(P::kMargins);
  PrepareMove(context, result, x.point());
  size_t at = 0;
  for (int64_t batch = 0; batch < shape[0]; ++batch) {
    const int64_t place = batch / from[0];
    for (int64_t channel = 0; channel < shape[1]; ++channel) {
      const int64_t plane = batch % from[0] * s[0] + channel * s[1];
      for (int64_t row = 0; row < shape[2]; ++row) {
        const int64_t y = row * block[0] + place / block[1] - paddings[0];
        for (int64_t column = 0; column < shape[3]; ++column, ++at) {
          const int64_t z = column * block[1] + place % block[1] - paddings[2];
          if (y < 0 || y >= from[2] || z < 0 || z >= from[3]) {
            PutElement(0, result, at);
          } else {
            MoveElement(x, static_cast<size_t>(plane + y * s[2] + z), result, at);
          }
        }
      }
    }
  }
  FinishMove(x, result);
  return {};
}

Status BatchToSpace(KernelContext& context) {
  using P = params::Batches;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const Strides s = RowMajorStrides(x.type.shape);
  const auto block = context.node().Ints(P::kBlockShape);
  const auto crops = context.node().Ints(P::kMargins);
  const int64_t images = result.type.shape[0];
  const auto tables =
      MakeTables(context.arena(), result.type.shape, [&](int axis, int64_t index) -> int64_t {
        if (axis < 2) return index * s[static_cast<size_t>(axis)];
        const auto spatial = static_cast<size_t>(axis - 2);
        const int64_t place = index + crops[2 * spatial];
        const int64_t in_block = place % block[spatial] * (axis == 2 ? block[1] : 1);
        return in_block * images * s[0] + place / block[spatial] * s[static_cast<size_t>(axis)];
      });
  MoveByTables(context, x, result, tables);
  return {};
}

}  // namespace
}  // namespace reference

using reference::ChannelOrder;

constinit const ReferenceKernel kReferenceSliceByIndex = {.evaluate = reference::SliceByIndex};
constinit const ReferenceKernel kReferenceSliceUpdate = {.evaluate = reference::SliceUpdate};
constinit const ReferenceKernel kReferenceReverse = {.evaluate = reference::Reverse};
constinit const ReferenceKernel kReferenceReverseSequence = {.evaluate =
                                                                 reference::ReverseSequence};
constinit const ReferenceKernel kReferenceTile = {.evaluate = reference::Tile};
constinit const ReferenceKernel kReferenceCrop = {.evaluate = reference::Crop};
constinit const ReferenceKernel kReferenceBandPart = {.evaluate = reference::BandPart};
constinit const ReferenceKernel kReferenceSlidingWindows = {.evaluate = reference::SlidingWindows};
constinit const ReferenceKernel kReferenceDepthToSpace = {
    .evaluate = reference::ToSpace<ChannelOrder::kPlaceFirst>};
constinit const ReferenceKernel kReferencePixelShuffle = {
    .evaluate = reference::ToSpace<ChannelOrder::kPlaceLast>};
constinit const ReferenceKernel kReferenceSpaceToDepth = {
    .evaluate = reference::ToDepth<ChannelOrder::kPlaceFirst>};
constinit const ReferenceKernel kReferencePixelUnshuffle = {
    .evaluate = reference::ToDepth<ChannelOrder::kPlaceLast>};
constinit const ReferenceKernel kReferenceSpaceToBatch = {.evaluate = reference::SpaceToBatch};
constinit const ReferenceKernel kReferenceBatchToSpace = {.evaluate = reference::BatchToSpace};

}  // namespace anecheck
