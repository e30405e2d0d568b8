// Draws operations that pick, repeat or reorder the elements of one tensor.
#include <algorithm>
#include <array>
#include <vector>

#include "generators/drawer.h"
#include "generators/short_list.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// A slice. MIL states an end in four ways: as a number, a negative number, a mask or a squeeze.
struct DrawnSlice {
  AxisList begin, end, stride, begin_mask, end_mask, squeeze_mask;
  Shape result;
};

DrawnSlice DrawSlice(ChoiceStream& choices, const Shape& shape) {
  DrawnSlice slice;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t extent = shape[axis];
    const int64_t from = choices.Chance(1, 2) ? 0 : choices.Range(0, extent - 1);
    // At least one axis stays, so that the result is not of rank 0.
    const bool last_kept = axis + 1 == shape.rank() && slice.result.rank() == 0;
    const bool squeezed = !last_kept && choices.Chance(1, 8);
    const bool backward = !squeezed && choices.Chance(1, 6);
    const int64_t step = (backward ? -1 : 1) * (choices.Chance(1, 4) ? choices.Range(1, 3) : 1);
    const int64_t room = backward ? from + 1 : extent - from;  // number of elements from `from` on
    const bool open_end = choices.Chance(1, 3);
    const int64_t places = open_end ? room : choices.Range(1, room);
    const bool open_begin = from == 0 && !backward && choices.Chance(1, 3);
    // If a mask opens a side, its number is ignored, so any number is drawn.
    const int64_t end = open_end   ? choices.Range(0, extent)
                        : backward ? from - places
                                   : from + places;
    const int64_t begin = open_begin ? choices.Range(0, extent - 1) : from;
    slice.begin.push_back(choices.Chance(1, 4) ? begin - extent : begin);
    // A backward slice that includes the first element ends before this element. The end is -extent
    // - 1, because -extent denotes the first element.
    const bool from_the_end = end < extent && choices.Chance(1, 4);
    slice.end.push_back(end < 0 ? -extent - 1 : from_the_end ? end - extent : end);
    slice.stride.push_back(step);
    slice.begin_mask.push_back(open_begin ? 1 : 0);
    slice.end_mask.push_back(open_end ? 1 : 0);
    slice.squeeze_mask.push_back(squeezed ? 1 : 0);
    const int64_t size = std::abs(step);
    if (!squeezed) slice.result.Append((places + size - 1) / size);
  }
  return slice;
}

template <typename P>
void AddSlice(Drawer& drawer, const DrawnSlice& slice) {
  drawer.AddInts(P::kBegin, slice.begin);
  drawer.AddInts(P::kEnd, slice.end);
  drawer.AddInts(P::kStride, slice.stride);
  drawer.AddBools(P::kBeginMask, slice.begin_mask);
  drawer.AddBools(P::kEndMask, slice.end_mask);
  drawer.AddBools(P::kSqueezeMask, slice.squeeze_mask);
}

bool DrawSliceByIndex(Drawer& drawer, ValueId x) {
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  const DrawnSlice slice = DrawSlice(drawer.choices(), shape);
  drawer.Begin(OpKind::kSliceByIndex);
  drawer.graph().AddArgument(params::SliceByIndex::kX, x);
  AddSlice<params::SliceByIndex>(drawer, slice);
  return drawer.Finish(drawer.range(x));
}

bool DrawSliceUpdate(Drawer& drawer, ValueId x) {
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  const DrawnSlice slice = DrawSlice(drawer.choices(), shape);
  // Such an update would replace all elements of x.
  if (slice.result.Elements() == shape.Elements() && shape.Elements() > 1) return false;
  const ValueId update = drawer.SameShape(slice.result, x, drawer.type(x).dtype);
  drawer.Begin(OpKind::kSliceUpdate);
  drawer.graph().AddArgument(params::SliceUpdate::kX, x);
  drawer.graph().AddArgument(params::SliceUpdate::kUpdate, update);
  AddSlice<params::SliceUpdate>(drawer, slice);
  return drawer.Finish(EitherOf(drawer.range(x), drawer.range(update)));
}

bool DrawReverse(Drawer& drawer, ValueId x) {
  using P = params::OverAxes;
  const int rank = drawer.shape(x).rank();
  if (rank < 1) return false;
  ChoiceStream& choices = drawer.choices();
  AxisList axes;
  for (int axis = 0; axis < rank; ++axis) {
    if (choices.Coin()) axes.push_back(choices.Coin() ? axis : axis - rank);
  }
  drawer.Begin(OpKind::kReverse);
  drawer.graph().AddArgument(P::kX, x);
  // If the attribute `axes` is absent, all axes are reversed.
  if (!axes.empty()) drawer.AddInts(P::kAxes, axes);
  return drawer.Finish(drawer.range(x));
}

bool DrawReverseSequence(Drawer& drawer, ValueId x) {
  using P = params::ReverseSequence;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 2) return false;
  ChoiceStream& choices = drawer.choices();
  const auto rank = static_cast<uint64_t>(shape.rank());
  const auto sequence = static_cast<int>(choices.Below(rank));
  const auto batch = (sequence + 1 + static_cast<int>(choices.Below(rank - 1))) % shape.rank();
  if (shape[batch] > 64) return false;
  std::vector<int64_t> lengths;
  lengths.reserve(static_cast<size_t>(shape[batch]));
  for (int64_t i = 0; i < shape[batch]; ++i) lengths.push_back(choices.Range(0, shape[sequence]));
  const ValueId constant = drawer.NewIntegers(DType::kInt32, Shape{shape[batch]}, lengths);
  drawer.Begin(OpKind::kReverseSequence);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kLengths, constant);
  drawer.AddInt(P::kSeqAxis, choices.Chance(1, 4) ? sequence - shape.rank() : sequence);
  drawer.AddInt(P::kBatchAxis, choices.Chance(1, 4) ? batch - shape.rank() : batch);
  return drawer.Finish(drawer.range(x));
}

bool DrawTile(Drawer& drawer, ValueId x) {
  using P = params::Tile;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1) return false;
  // Factors of 2, 3, 4 and 8 (facts/limits.csv, stride_factor_list).
  constexpr std::array<int64_t, 4> kFactors = {2, 3, 4, 8};
  AxisList reps;
  int64_t elements = shape.Elements();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t factor = drawer.choices().Chance(1, 2) ? drawer.choices().Pick(kFactors) : 1;
    const bool fits = elements * factor <= 2 * drawer.options().max_elements;
    reps.push_back(fits ? factor : 1);
    elements *= reps.back();
  }
  drawer.Begin(OpKind::kTile);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kReps, reps);
  return drawer.Finish(drawer.range(x));
}

bool DrawCrop(Drawer& drawer, ValueId x) {
  using P = params::Crop;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 3) return false;
  ChoiceStream& choices = drawer.choices();
  std::array<AxisList, 2> crops;
  for (int i = 0; i < 2; ++i) {
    const int64_t extent = shape[shape.rank() - 2 + i];
    const int64_t before = choices.Range(0, std::min<int64_t>(3, extent - 1));
    const int64_t after = choices.Range(0, std::min<int64_t>(3, extent - 1 - before));
    crops[static_cast<size_t>(i)] = {before, after};
  }
  drawer.Begin(OpKind::kCrop);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kCropHeight, crops[0]);
  drawer.AddInts(P::kCropWidth, crops[1]);
  return drawer.Finish(drawer.range(x));
}

bool DrawBandPart(Drawer& drawer, ValueId x) {
  using P = params::BandPart;
  if (drawer.shape(x).rank() < 2) return false;
  drawer.Begin(OpKind::kBandPart);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kLower, drawer.choices().Range(-1, 3));
  drawer.AddInt(P::kUpper, drawer.choices().Range(-1, 3));
  ValueRange range = drawer.range(x);
  range.low = std::min(range.low, 0.0);
  range.high = std::max(range.high, 0.0);
  return drawer.Finish(range);
}

bool DrawSlidingWindows(Drawer& drawer, ValueId x) {
  using P = params::SlidingWindows;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1 || shape.rank() > 4) return false;
  ChoiceStream& choices = drawer.choices();
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  const int64_t size = choices.Range(1, std::min<int64_t>(4, shape[axis]));
  if (shape.Elements() * size > 4 * drawer.options().max_elements) return false;
  drawer.Begin(OpKind::kSlidingWindows);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  drawer.AddInt(P::kSize, size);
  drawer.AddInt(P::kStride, choices.Range(1, 3));
  return drawer.Finish(drawer.range(x));
}

// Whether factors[k] divides axis k, for each of 4 axes.
bool Divides(const Shape& shape, const std::array<int64_t, 4>& factors) {
  if (shape.rank() != 4) return false;
  for (int axis = 0; axis < 4; ++axis) {
    if (shape[axis] % factors[static_cast<size_t>(axis)] != 0) return false;
  }
  return true;
}

// Returns x, reshaped if needed, so that factors[k] divides axis k. In network descriptions axis 0
// is exactly factors[0]. Returns kNoValue if no such shape exists.
ValueId Reshaped(Drawer& drawer, ValueId x, const std::array<int64_t, 4>& factors) {
  const bool direct = drawer.options().direct;
  const Shape& own = drawer.shape(x);
  if (Divides(own, factors) && !(direct && own[0] != factors[0])) return x;
  int64_t left = drawer.shape(x).Elements();
  std::array<int64_t, 4> shape = factors;
  for (const int64_t factor : factors) {
    if (left % factor != 0) return kNoValue;
    left /= factor;
  }
  shape[direct ? 1 + drawer.choices().Below(3) : drawer.choices().Below(4)] *= left;
  drawer.Begin(OpKind::kReshape);
  drawer.graph().AddArgument(params::Reshape::kX, x);
  drawer.AddInts(params::Reshape::kShape, shape);
  return drawer.Finish(drawer.range(x)) ? drawer.Last() : kNoValue;
}

// A random factor of 2, 3, 4 or 8 (facts/more/op_notes.csv). If its square does not divide the
// number of elements, returns 2.
int64_t DrawFactor(Drawer& drawer, ValueId x) {
  constexpr std::array<int64_t, 4> kFactors = {2, 3, 4, 8};
  const int64_t factor = drawer.choices().Pick(kFactors);
  return drawer.shape(x).Elements() % (factor * factor) == 0 ? factor : 2;
}

bool EmitBlocks(Drawer& drawer, OpKind kind, ValueId x, const std::array<int64_t, 4>& factors,
                int64_t factor) {
  using P = params::Blocks;
  const ValueId operand = Reshaped(drawer, x, factors);
  if (operand == kNoValue) return false;
  drawer.Begin(kind);
  drawer.graph().AddArgument(P::kX, operand);
  drawer.AddInt(P::kFactor, factor);
  return drawer.Finish(drawer.range(x));
}
bool EmitToSpace(Drawer& drawer, OpKind kind, ValueId x) {
  const int64_t factor = DrawFactor(drawer, x);
  return EmitBlocks(drawer, kind, x, {1, factor * factor, 1, 1}, factor);
}
bool EmitToDepth(Drawer& drawer, OpKind kind, ValueId x) {
  const int64_t factor = DrawFactor(drawer, x);
  return EmitBlocks(drawer, kind, x, {1, 1, factor, factor}, factor);
}

bool DrawDepthToSpace(Drawer& drawer, ValueId x) {
  return EmitToSpace(drawer, OpKind::kDepthToSpace, x);
}
bool DrawPixelShuffle(Drawer& drawer, ValueId x) {
  return EmitToSpace(drawer, OpKind::kPixelShuffle, x);
}
bool DrawSpaceToDepth(Drawer& drawer, ValueId x) {
  return EmitToDepth(drawer, OpKind::kSpaceToDepth, x);
}
bool DrawPixelUnshuffle(Drawer& drawer, ValueId x) {
  return EmitToDepth(drawer, OpKind::kPixelUnshuffle, x);
}

int64_t MostMargin(const Drawer& drawer) { return drawer.options().direct ? 0 : 2; }

bool DrawSpaceToBatch(Drawer& drawer, ValueId x) {
  using P = params::Batches;
  const Shape shape = drawer.shape(x);
  // Margins make a tensor of small extents up to 16 times larger. A chain of these operations would
  // grow tensors without limit.
  if (shape.rank() != 4 || shape.Elements() > 4 * drawer.options().max_elements) return false;
  // In network descriptions the batch is 1, as in Reshaped.
  if (drawer.options().direct && shape[0] != 1) return false;
  ChoiceStream& choices = drawer.choices();
  AxisList block;
  AxisList paddings;
  for (int axis = 2; axis < 4; ++axis) {
    block.push_back(choices.Range(1, 4));
    const int64_t before = choices.Range(0, MostMargin(drawer));
    // A network description has no key for margins.
    if (drawer.options().direct && shape[axis] % block.back() != 0) block.back() = 1;
    const int64_t rest = (shape[axis] + before) % block.back();
    paddings.push_back(before);
    paddings.push_back(rest == 0 ? 0 : block.back() - rest);
  }
  drawer.Begin(OpKind::kSpaceToBatch);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddInts(P::kBlockShape, block);
  drawer.AddInts(P::kMargins, paddings);
  ValueRange range = drawer.range(x);
  range.low = std::min(range.low, 0.0);
  range.high = std::max(range.high, 0.0);
  return drawer.Finish(range);
}

bool DrawBatchToSpace(Drawer& drawer, ValueId x) {
  using P = params::Batches;
  ChoiceStream& choices = drawer.choices();
  const int64_t height = choices.Range(1, 3);
  const int64_t width = choices.Range(1, 3);
  const ValueId operand = Reshaped(drawer, x, {height * width, 1, 1, 1});
  if (operand == kNoValue) return false;
  const Shape shape = drawer.shape(operand);
  AxisList crops;
  for (const auto& [axis, factor] : {std::pair{2, height}, std::pair{3, width}}) {
    const int64_t extent = shape[axis] * factor;
    const int64_t most = MostMargin(drawer);
    crops.push_back(choices.Range(0, std::min(most, extent - 1)));
    crops.push_back(choices.Range(0, std::min(most, extent - 1 - crops.back())));
  }
  drawer.Begin(OpKind::kBatchToSpace);
  drawer.graph().AddArgument(P::kX, operand);
  drawer.AddInts(P::kBlockShape, AxisList{height, width});
  drawer.AddInts(P::kMargins, crops);
  return drawer.Finish(drawer.range(x));
}

}  // namespace

constinit const OpGenerator kGeneratorSliceByIndex = {OpKind::kSliceByIndex, true, 2,
                                                      DrawSliceByIndex};
constinit const OpGenerator kGeneratorSliceUpdate = {OpKind::kSliceUpdate, true, 2,
                                                     DrawSliceUpdate};
constinit const OpGenerator kGeneratorReverse = {OpKind::kReverse, true, 2, DrawReverse};
constinit const OpGenerator kGeneratorReverseSequence = {OpKind::kReverseSequence, true, 1,
                                                         DrawReverseSequence};
constinit const OpGenerator kGeneratorTile = {OpKind::kTile, true, 2, DrawTile};
constinit const OpGenerator kGeneratorCrop = {OpKind::kCrop, true, 2, DrawCrop};
constinit const OpGenerator kGeneratorBandPart = {OpKind::kBandPart, true, 1, DrawBandPart};
constinit const OpGenerator kGeneratorSlidingWindows = {OpKind::kSlidingWindows, true, 1,
                                                        DrawSlidingWindows};
constinit const OpGenerator kGeneratorDepthToSpace = {OpKind::kDepthToSpace, true, 2,
                                                      DrawDepthToSpace};
constinit const OpGenerator kGeneratorSpaceToDepth = {OpKind::kSpaceToDepth, true, 2,
                                                      DrawSpaceToDepth};
constinit const OpGenerator kGeneratorPixelShuffle = {OpKind::kPixelShuffle, true, 2,
                                                      DrawPixelShuffle};
constinit const OpGenerator kGeneratorPixelUnshuffle = {OpKind::kPixelUnshuffle, true, 2,
                                                        DrawPixelUnshuffle};
constinit const OpGenerator kGeneratorSpaceToBatch = {OpKind::kSpaceToBatch, true, 1,
                                                      DrawSpaceToBatch};
constinit const OpGenerator kGeneratorBatchToSpace = {OpKind::kBatchToSpace, true, 1,
                                                      DrawBatchToSpace};

}  // namespace anecheck
