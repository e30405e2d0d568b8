// Kernels of convolution, matrix multiply and pooling. They compute exact sums of products and the
// bounds of the multiply-accumulate path. The window geometry follows from attributes and the
// result's shape.
#include <algorithm>
#include <atomic>

#include "harness/ops/infer.h"
#include "harness/ops/params.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/lanes.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/pointwise.h"
#include "oracles/reference/threads.h"
#include "oracles/reference/window.h"

namespace anecheck {
namespace reference {
namespace {

constexpr Term kMacTerms[] = {Term::kProductRounding, Term::kAccumulatorUnit, Term::kBiasRounding};
// conv_quantized has no bias.
constexpr Term kQuantizedTerms[] = {Term::kProductRounding, Term::kAccumulatorUnit};
// The numbers of windows and rows that are gathered at a time. With numbers this large, packing the
// other operand costs little compared with the sums.
constexpr int64_t kPositionBlock = 256;
constexpr int64_t kRowBlock = 1024;

constexpr Term kAverageTerms[] = {Term::kReduceUnit, Term::kBiasRounding,
                                  Term::kReciprocalRelative};

struct ConvOperands {
  BoundedTensor& x;
  BoundedTensor& weight;
  const BoundedTensor* bias;
};
struct ConvChannels {
  int64_t groups = 1;
  int64_t inputs = 0;   // of a group
  int64_t outputs = 0;  // of a group
};

// The results of one node. Several threads may store at once if they store different rows.
class DotStore {
 public:
  explicit DotStore(const PointResults& results) : results_(results) {}

  // Calls Accumulator::StoreDots. Several threads may call this function at once.
  void Add(Accumulator& accumulator, const PointVectors& rows, const PointVectors& columns,
           size_t count, const PointBias& bias, size_t start) {
    PointResults part = results_;
    accumulator.StoreDots(rows, columns, count, bias, start, part);
    if (!part.point) open_ = true;
    if (part.special) special_ = true;
  }
  void Finish(BoundedTensor& result) {
    results_.point &= !open_;
    results_.special |= special_;
    Accumulator::FinishDots(results_, result);
  }

 private:
  PointResults results_;
  std::atomic<bool> open_ = false;
  std::atomic<bool> special_ = false;
};

// In the sums, rows are the output channels of a group, and columns are the positions of one input.
Status StoreConv(KernelContext& context, Accumulator& accumulator, const SlidingWindow& window,
                 const ConvOperands& operands, const ConvChannels& channels) {
  const auto& [x, weight, bias] = operands;
  BoundedTensor& result = context.Result();
  const auto taps = static_cast<size_t>(channels.inputs * window.KernelElements());
  const auto outputs = static_cast<size_t>(channels.outputs);
  const auto positions = static_cast<size_t>(window.OutputElements());
  struct Windows {
    const SlidingWindow& window;
    const double* x;
    int64_t plane;
    int64_t channels;
  };
  const auto pack = [](const void* self, size_t first, size_t width, size_t pitch, float* out) {
    const auto& windows = *static_cast<const Windows*>(self);
    windows.window.Pack(windows.x, windows.plane, windows.channels, static_cast<int64_t>(first),
                        width, pitch, out);
  };
  DotStore store(accumulator.StartDots(context, result));
  for (int64_t n = 0; n < x.type.shape[0]; ++n) {
    for (int64_t group = 0; group < channels.groups; ++group) {
      const int64_t plane = n * x.type.shape[1] + group * channels.inputs;
      const Windows windows = {window, x.value, plane, channels.inputs};
      const auto first = static_cast<size_t>(group) * outputs;
      const auto start = static_cast<size_t>(n * channels.groups + group) * outputs * positions;
      ANECHECK_RETURN_IF_ERROR(OverRows(
          context.arena(), accumulator, outputs, positions * taps,
          [&](Accumulator& own, Arena&, size_t from, size_t to) {
            const StridedPoints kernels = {weight.value + (first + from) * taps, taps,
                                           static_cast<int64_t>(taps)};
            const PointBias of = {bias == nullptr ? nullptr : bias->value + first + from, nullptr};
            store.Add(own, kernels.Vectors(to - from), {positions, pack, &windows}, taps, of,
                      start + from * positions);
          }));
    }
  }
  store.Finish(result);
  return {};
}

Status ConvBy(KernelContext& context, BoundedTensor& weight) {
  using P = params::Conv;
  BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor* bias = OptionalAsRead(context, P::kBias);
  BoundedTensor& result = context.Result();
  const SlidingWindow window(context.node(), x.type.shape, result.type.shape,
                             weight.type.shape.dims().subspan(2),
                             {P::kStrides, P::kPadType, P::kPad, P::kDilations});
  const int64_t groups = context.node().Int(P::kGroups, 1);
  const int64_t channels = weight.type.shape[1];
  const int64_t outputs = weight.type.shape[0] / groups;
  const auto taps = static_cast<size_t>(channels * window.KernelElements());

  Accumulator accumulator(context, x, &weight);
  accumulator.RunOnArray(window.KernelElements() == 1);
  const int64_t positions = window.OutputElements();
  if (accumulator.Stores(static_cast<size_t>(outputs), static_cast<size_t>(positions), taps,
                         bias)) {
    return StoreConv(context, accumulator, window, {x, weight, bias}, {groups, channels, outputs});
  }
  const Raw raw = AllocateSums(context, accumulator, result.size);
  // A padded tap contributes no product. A tap of value zero gives the same result only if the
  // weights are known and finite.
  const bool skip_padding = weight.special || (x.special && !weight.point());
  const auto block_of = [&](int64_t width) {
    return skip_padding ? 1 : std::min(width, kPositionBlock);
  };
  const auto sum_block = [&](Accumulator& own, LaneBuffer& patch, LaneBuffer& kernel, int64_t n,
                             int64_t group, int64_t first, int64_t width) {
    const int64_t plane = n * x.type.shape[1] + group * channels;
    const int64_t start = (n * groups + group) * outputs * positions + first;
    const auto put = [&](size_t o, size_t i, const Accumulated& sum) {
      const auto at = static_cast<size_t>(start) + o * static_cast<size_t>(positions) + i;
      Put(raw, at, own.WithBias(sum, bias, static_cast<size_t>(group * outputs) + o));
    };
    const size_t kernels = static_cast<size_t>(group * outputs) * taps;
    if (skip_padding) {
      for (size_t o = 0; o < static_cast<size_t>(outputs); ++o) {
        window.GatherPairs(x, plane, channels, first, weight, kernels + o * taps, patch, kernel);
        put(o, 0, own.DotOnGrid(patch.lanes(), kernel.lanes(), taps));
      }
      return;
    }
    for (int64_t i = 0; i < width; ++i) {
      window.Gather(x, plane, channels, first + i, patch, taps * static_cast<size_t>(i));
    }
    own.DotsOnGrid(LanesAt(weight, kernels), static_cast<size_t>(outputs), patch.lanes(),
                   static_cast<size_t>(width), taps,
                   {static_cast<size_t>(start), static_cast<size_t>(positions), 1}, put);
  };
  for (int64_t n = 0; n < x.type.shape[0]; ++n) {
    for (int64_t group = 0; group < groups; ++group) {
      ANECHECK_RETURN_IF_ERROR(
          OverRows(context.arena(), accumulator, static_cast<size_t>(positions),
                   static_cast<uint64_t>(outputs) * taps,
                   [&](Accumulator& own, Arena& arena, size_t from, size_t to) {
                     const Workspace workspace(arena);
                     const auto end = static_cast<int64_t>(to);
                     const int64_t block = block_of(static_cast<int64_t>(to - from));
                     LaneBuffer patch(arena, taps * static_cast<size_t>(block), x.point());
                     LaneBuffer kernel(arena, skip_padding ? taps : 0, weight.point());
                     for (auto first = static_cast<int64_t>(from); first < end; first += block) {
                       sum_block(own, patch, kernel, n, group, first, std::min(block, end - first));
                     }
                   }));
    }
  }
  StoreFloats(context, result, raw);
  return {};
}

Status Conv(KernelContext& context) {
  return ConvBy(context, OperandAsRead(context, params::Conv::kWeight));
}

// The weight's value is rounded once to the type of x. An engine may keep the weight unrounded, or
// round the product of data and scale before it adds the offset.
Status ConvQuantized(KernelContext& context) {
  using P = params::ConvQuantized;
  const BoundedTensor& bytes = context.Input(P::kWeight);
  const BoundedTensor& scale = context.Input(P::kQuantScale);
  const BoundedTensor& offset = context.Input(P::kQuantBias);
  const DType dtype = context.Result().type.dtype;
  const Grid grid = GridOf(context, dtype);
  const size_t per_channel = bytes.size / static_cast<size_t>(bytes.type.shape[0]);
  BoundedTensor weight{.type = {dtype, bytes.type.shape}, .size = bytes.size};
  const Raw raw = AllocateRaw(context, bytes.size, true);
  for (size_t i = 0; i < bytes.size; ++i) {
    const size_t channel = i / per_channel;
    const double times = scale.value[scale.size == 1 ? 0 : channel];
    const double plus = offset.value[offset.size == 1 ? 0 : channel];
    const double product = bytes.value[i] * times;
    Bounds held{product, product};
    if (context.contract().Allows(Term::kBiasRounding)) {
      held = Held(grid, context.contract(), held);
    }
    raw.value[i] = AddOdd(product, plus);
    raw.low[i] = std::min(raw.value[i], AddOdd(held.low, plus));
    raw.high[i] = std::max(raw.value[i], AddOdd(held.high, plus));
  }
  StoreFloats(context, weight, raw);
  return ConvBy(context, weight);
}

// The integers of a tensor at `start`, `start` + `stride`, and so on.
struct IntegerLine {
  const BoundedTensor& tensor;
  size_t start = 0;
  size_t stride = 1;
};

// Stores the exact sum of `count` integer products, wrapped in two's complement. Adds the one
// element of `offset` if it is not null. An interval that exceeds the type or 53 bits admits every
// number of the type.
void PutIntegerSum(const IntegerLine& x, const IntegerLine& y, size_t count,
                   const IntegerLine* offset, DType dtype, const Raw& raw, size_t at) {
  uint64_t value = 0;
  double low = 0;
  double high = 0;
  double magnitude = 0;
  bool known = true;
  const auto add = [&](double least, double most) {
    low += least;
    high += most;
    magnitude += std::max(std::fabs(least), std::fabs(most));
    known &= least == most;
  };
  for (size_t k = 0; k < count; ++k) {
    const size_t i = x.start + k * x.stride;
    const size_t j = y.start + k * y.stride;
    value += static_cast<uint64_t>(static_cast<int64_t>(x.tensor.value[i])) *
             static_cast<uint64_t>(static_cast<int64_t>(y.tensor.value[j]));
    const double corners[] = {x.tensor.low[i] * y.tensor.low[j], x.tensor.low[i] * y.tensor.high[j],
                              x.tensor.high[i] * y.tensor.low[j],
                              x.tensor.high[i] * y.tensor.high[j]};
    add(*std::ranges::min_element(corners), *std::ranges::max_element(corners));
  }
  if (offset != nullptr) {
    value += static_cast<uint64_t>(static_cast<int64_t>(offset->tensor.value[offset->start]));
    add(offset->tensor.low[offset->start], offset->tensor.high[offset->start]);
  }
  const IntegerRange range = RangeOf(dtype);
  const bool fits = magnitude < 0x1p53 && low >= range.low && high <= range.high;
  raw.value[at] = WrapInteger(dtype, static_cast<int64_t>(value));
  raw.low[at] = known ? raw.value[at] : fits ? low : range.low;
  raw.high[at] = known ? raw.value[at] : fits ? high : range.high;
}

Status IntegerLinear(KernelContext& context) {
  using P = params::Linear;
  const BoundedTensor& x = context.Input(P::kX);
  const BoundedTensor& weight = context.Input(P::kWeight);
  const BoundedTensor* bias = context.OptionalInput(P::kBias);
  BoundedTensor& result = context.Result();
  const auto outputs = static_cast<size_t>(weight.type.shape[0]);
  const auto inner = static_cast<size_t>(weight.type.shape[1]);
  const Raw raw = AllocateRaw(context, result.size, true);
  for (size_t at = 0; at < result.size; ++at) {
    const size_t channel = at % outputs;
    const IntegerLine row = {x, at / outputs * inner};
    const IntegerLine weights = {weight, channel * inner};
    const IntegerLine offset = {bias == nullptr ? x : *bias, channel};
    PutIntegerSum(row, weights, inner, bias == nullptr ? nullptr : &offset, result.type.dtype, raw,
                  at);
  }
  StoreExact(result, raw);
  return {};
}

Status Linear(KernelContext& context) {
  using P = params::Linear;
  BoundedTensor& x = context.Input(P::kX);
  if (!IsFloat(x.type.dtype)) return IntegerLinear(context);
  BoundedTensor& weight = OperandAsRead(context, P::kWeight);
  const BoundedTensor* bias = OptionalAsRead(context, P::kBias);
  BoundedTensor& result = context.Result();
  const auto outputs = static_cast<size_t>(weight.type.shape[0]);
  const auto inner = static_cast<size_t>(weight.type.shape[1]);
  const size_t rows = outputs == 0 ? 0 : result.size / outputs;
  Accumulator accumulator(context, x, &weight);
  accumulator.RunOnArray(true);
  if (inner != 0 && accumulator.Stores(rows, outputs, inner, bias)) {
    const auto step = static_cast<int64_t>(inner);
    const StridedPoints columns = {weight.value, inner, step};
    DotStore store(accumulator.StartDots(context, result));
    ANECHECK_RETURN_IF_ERROR(
        OverRows(context.arena(), accumulator, rows, outputs * inner,
                 [&](Accumulator& own, Arena&, size_t first, size_t last) {
                   const StridedPoints lines = {x.value + first * inner, inner, step};
                   store.Add(own, lines.Vectors(last - first), columns.Vectors(outputs), inner,
                             {nullptr, bias == nullptr ? nullptr : bias->value}, first * outputs);
                 }));
    store.Finish(result);
    return {};
  }
  const Raw raw = AllocateSums(context, accumulator, result.size);
  ANECHECK_RETURN_IF_ERROR(OverRows(
      context.arena(), accumulator, rows, outputs * inner,
      [&](Accumulator& own, Arena&, size_t first, size_t last) {
        own.DotsOnGrid(
            LanesAt(x, first * inner), last - first, LanesAt(weight, 0), outputs, inner,
            {first * outputs, outputs, 1}, [&](size_t row, size_t channel, const Accumulated& sum) {
              Put(raw, (first + row) * outputs + channel, own.WithBias(sum, bias, channel));
            });
      }));
  StoreFloats(context, result, raw);
  return {};
}

// One operand of matmul as [batch, vectors, inner] with the inner axis contiguous.
struct MatrixRows {
  Strides batch{};  // elements between matrices along the result's batch axes
  int64_t vectors = 0;
  int64_t inner = 0;
  int64_t vector_stride = 0;
  int64_t inner_stride = 0;
};

Shape BatchOf(const Shape& matrices) {
  return Shape::FromSpan(matrices.dims().first(static_cast<size_t>(matrices.rank() - 2)));
}

// `batch` has the leading axes to which both operands are broadcast.
MatrixRows RowsOf(const Shape& shape, const Shape& batch, bool inner_last) {
  const int rank = shape.rank();
  MatrixRows rows;
  rows.batch = BroadcastStrides(BatchOf(shape), batch);
  for (int64_t& stride : rows.batch) stride *= shape[rank - 2] * shape[rank - 1];
  rows.inner = shape[inner_last ? rank - 1 : rank - 2];
  rows.vectors = shape[inner_last ? rank - 2 : rank - 1];
  rows.vector_stride = inner_last ? rows.inner : 1;
  rows.inner_stride = inner_last ? 1 : rows.vectors;
  return rows;
}

// Gathers `count` vectors, beginning with vector `first`, into lanes [vector][inner].
void Gather(const BoundedTensor& tensor, size_t start, const MatrixRows& rows, int64_t first,
            int64_t count, LaneBuffer& lanes) {
  const auto inner = static_cast<size_t>(rows.inner);
  for (int64_t i = 0; i < count; ++i) {
    GatherStrided(tensor, static_cast<int64_t>(start) + (first + i) * rows.vector_stride,
                  rows.inner_stride, inner, lanes, static_cast<size_t>(i) * inner);
  }
}

void IntegerMatmul(KernelContext& context, const Shape& batch, const MatrixRows& left,
                   const MatrixRows& right) {
  using P = params::Matmul;
  BoundedTensor& result = context.Result();
  const Raw raw = AllocateRaw(context, result.size, true);
  const auto rows = static_cast<size_t>(left.vectors);
  const auto columns = static_cast<size_t>(right.vectors);
  ForEachPair(batch, left.batch, right.batch, [&](size_t b, size_t from_x, size_t from_y) {
    for (size_t at = 0; at < rows * columns; ++at) {
      const IntegerLine row = {context.Input(P::kX),
                               from_x + at / columns * static_cast<size_t>(left.vector_stride),
                               static_cast<size_t>(left.inner_stride)};
      const IntegerLine column = {context.Input(P::kY),
                                  from_y + at % columns * static_cast<size_t>(right.vector_stride),
                                  static_cast<size_t>(right.inner_stride)};
      PutIntegerSum(row, column, static_cast<size_t>(left.inner), nullptr, result.type.dtype, raw,
                    b * rows * columns + at);
    }
  });
  StoreExact(result, raw);
}

Status Matmul(KernelContext& context) {
  using P = params::Matmul;
  BoundedTensor& x = OperandAsRead(context, P::kX);
  BoundedTensor& y = OperandAsRead(context, P::kY);
  BoundedTensor& result = context.Result();
  const MatmulShape matrices = MatmulShapeOf(context.node());
  const int batch_rank = std::max(matrices.x.rank(), matrices.y.rank()) - 2;
  const Shape batch =
      Shape::FromSpan(result.type.shape.dims().first(static_cast<size_t>(batch_rank)));
  const MatrixRows left = RowsOf(matrices.x, batch, !matrices.transpose_x);
  const MatrixRows right = RowsOf(matrices.y, batch, matrices.transpose_y);
  if (!IsFloat(result.type.dtype)) {
    IntegerMatmul(context, batch, left, right);
    return {};
  }
  const auto inner = static_cast<size_t>(left.inner);
  const auto columns = static_cast<size_t>(right.vectors);
  Accumulator accumulator(context, x, &y);
  accumulator.RunOnArray(true);
  const auto rows = static_cast<size_t>(left.vectors);
  if (accumulator.Stores(rows, columns, inner, nullptr)) {
    DotStore store(accumulator.StartDots(context, result));
    Status done;
    ForEachPair(batch, left.batch, right.batch, [&](size_t b, size_t from_x, size_t from_y) {
      const StridedPoints lines = {y.value + from_y, inner, right.vector_stride,
                                   right.inner_stride};
      const Status status =
          OverRows(context.arena(), accumulator, rows, columns * inner,
                   [&](Accumulator& own, Arena&, size_t first, size_t last) {
                     const StridedPoints part = {
                         x.value + from_x + static_cast<int64_t>(first) * left.vector_stride, inner,
                         left.vector_stride, left.inner_stride};
                     store.Add(own, part.Vectors(last - first), lines.Vectors(columns), inner, {},
                               (b * rows + first) * columns);
                   });
      if (!status.ok()) done = status;
    });
    store.Finish(result);
    return done;
  }
  LaneBuffer matrix(context.arena(), inner * columns, y.point());
  const Raw raw = AllocateSums(context, accumulator, result.size);
  Status done;
  ForEachPair(batch, left.batch, right.batch, [&](size_t b, size_t from_x, size_t from_y) {
    Gather(y, from_y, right, 0, right.vectors, matrix);
    const Status status = OverRows(
        context.arena(), accumulator, rows, columns * inner,
        [&](Accumulator& own, Arena& arena, size_t first, size_t last) {
          const Workspace workspace(arena);
          const auto block = std::min(last - first, static_cast<size_t>(kRowBlock));
          LaneBuffer row(arena, inner * block, x.point());
          for (; first < last; first += block) {
            const size_t height = std::min(block, last - first);
            Gather(x, from_x, left, static_cast<int64_t>(first), static_cast<int64_t>(height), row);
            const size_t start = b * rows + first;
            own.DotsOnGrid(row.lanes(), height, matrix.lanes(), columns, inner,
                           {start * columns, columns, 1},
                           [&](size_t i, size_t column, const Accumulated& sum) {
                             Put(raw, (start + i) * columns + column, sum);
                           });
          }
        });
    if (!status.ok()) done = status;
  });
  ANECHECK_RETURN_IF_ERROR(std::move(done));
  StoreFloats(context, result, raw);
  return {};
}

// Returns the mean of `n` elements from their sum. The engine multiplies by 1/n, which is exact for
// powers of two and otherwise has the reciprocal's relative error. The engine may round the
// accumulator before this multiplication.
Accumulated Mean(const Grid& grid, const Contract& contract, const Accumulated& sum, int64_t n) {
  const auto divisor = static_cast<double>(n);
  const double relative =
      (n & (n - 1)) == 0 ? 0 : contract[Term::kReciprocalRelative] + kDoubleSlack;
  Accumulated mean = sum;
  mean.value = DivideOdd(sum.value, divisor);
  Bounds range{sum.low, sum.high};
  if (contract.Allows(Term::kBiasRounding) && !sum.empty()) range = Held(grid, contract, range);
  mean.low = range.low / divisor;
  mean.high = range.high / divisor;
  if (relative == 0 || sum.low != sum.low) return mean;
  if (std::fabs(mean.low) < kInfinity) mean.low -= std::fabs(mean.low) * relative;
  if (std::fabs(mean.high) < kInfinity) mean.high += std::fabs(mean.high) * relative;
  return mean;
}

WindowAttributes PoolAttributes() {
  using P = params::Pool;
  return {P::kStrides, P::kPadType, P::kPad, -1};
}

Status AvgPool(KernelContext& context) {
  using P = params::Pool;
  BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const SlidingWindow window(context.node(), x.type.shape, result.type.shape,
                             context.node().Ints(P::kKernelSizes), PoolAttributes());
  const bool exclude = context.node().Bool(P::kExcludePadding, false);
  const Grid grid(result.type.dtype);
  Accumulator accumulator(context, x, nullptr);
  LaneBuffer patch(context.arena(), static_cast<size_t>(window.KernelElements()), x.point());
  const Raw raw = AllocateSums(context, accumulator, result.size);
  const int64_t positions = window.OutputElements();
  for (size_t at = 0; at < result.size; ++at) {
    const int64_t plane = static_cast<int64_t>(at) / positions;
    const int64_t position = static_cast<int64_t>(at) % positions;
    const size_t count = window.GatherValid(x, plane, position, patch);
    if (count == 0) {
      PutAnything(raw, at, kNan);
      continue;
    }
    const int64_t divisor = exclude ? static_cast<int64_t>(count) : window.PaddedElements(position);
    Put(raw, at, Mean(grid, context.contract(), accumulator.Sum(patch.lanes(), count), divisor));
  }
  StoreFloats(context, result, raw);
  return {};
}

Status MaxPool(KernelContext& context) {
  using P = params::Pool;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const SlidingWindow window(context.node(), x.type.shape, result.type.shape,
                             context.node().Ints(P::kKernelSizes), PoolAttributes());
  LaneBuffer patch(context.arena(), static_cast<size_t>(window.KernelElements()), x.point());
  const bool bounds = !x.point() || window.AnyEmpty();
  const Raw raw = AllocateRaw(context, result.size, bounds);
  const int64_t positions = window.OutputElements();
  for (size_t at = 0; at < result.size; ++at) {
    const int64_t plane = static_cast<int64_t>(at) / positions;
    const size_t count = window.GatherValid(x, plane, static_cast<int64_t>(at) % positions, patch);
    const Lanes lanes = patch.lanes();
    raw.value[at] = Largest(lanes.value, count);
    if (!bounds) continue;
    if (count == 0) {
      PutAnything(raw, at, -kInfinity);
      continue;
    }
    raw.low[at] = Largest(lanes.low, count);
    raw.high[at] = Largest(lanes.high, count);
    raw.nan[at] = patch.AnyNan(count) ? 1 : 0;
  }
  StoreFloats(context, result, raw);
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceConv = {.evaluate = reference::Conv,
                                                  .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceConvQuantized = {.evaluate = reference::ConvQuantized,
                                                           .terms = reference::kQuantizedTerms};
constinit const ReferenceKernel kReferenceLinear = {.evaluate = reference::Linear,
                                                    .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceMatmul = {.evaluate = reference::Matmul,
                                                    .terms = reference::kMacTerms};
constinit const ReferenceKernel kReferenceAvgPool = {.evaluate = reference::AvgPool,
                                                     .terms = reference::kAverageTerms};
constinit const ReferenceKernel kReferenceMaxPool = {.evaluate = reference::MaxPool};

}  // namespace anecheck
