// Finds the operand element that each movement operation copies to a place of its result. Uses
// coordinates and MIL's definitions.
#include <algorithm>

#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/testing/structure.h"

namespace anecheck::testing {
namespace {

using Operands = std::span<const std::vector<double>>;

int64_t Wrap(int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

Source ConcatSource(const NodeView& node, size_t index) {
  using P = params::Concat;
  const Shape& shape = node.ResultType().shape;
  const auto axis = static_cast<size_t>(Wrap(node.Int(P::kAxis, 0), shape.rank()));
  const auto values = node.InputList(P::kValues);
  Coordinates at = CoordinatesOf(shape, index);
  int operand = 0;
  if (node.Bool(P::kInterleave, false)) {
    const auto count = static_cast<int64_t>(values.size());
    operand = static_cast<int>(at[axis] % count);
    at[axis] /= count;
  } else {
    while (true) {
      const int64_t extent =
          node.graph().type(values[static_cast<size_t>(operand)]).shape[static_cast<int>(axis)];
      if (at[axis] < extent) break;
      at[axis] -= extent;
      ++operand;
    }
  }
  return {operand, IndexOf(node.graph().type(values[static_cast<size_t>(operand)]).shape, at)};
}

Source PadSource(const NodeView& node, size_t index) {
  using P = params::Pad;
  const Shape& x = node.InputShape(P::kX);
  const auto pad = node.Ints(P::kPad);
  const std::string_view mode = node.String(P::kMode, "constant");
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const size_t first = at.size() - pad.size() / 2;
  for (size_t axis = first; axis < at.size(); ++axis) {
    const int64_t extent = x[static_cast<int>(axis)];
    int64_t place = at[axis] - pad[2 * (axis - first)];
    if (mode == "constant" && (place < 0 || place >= extent)) {
      return {-1, 0, node.Float(P::kConstantVal, 0)};
    }
    if (mode == "replicate") place = std::clamp<int64_t>(place, 0, extent - 1);
    // Walks back from the edge, with or without the edge element itself.
    const int64_t edge = mode == "symmetric" ? 1 : 0;
    if (place < 0) place = -place - edge;
    if (place >= extent) place = extent - 1 - (place - (extent - 1) - edge);
    at[axis] = place;
  }
  return {0, IndexOf(x, at)};
}

Source TransposeSource(const NodeView& node, size_t index) {
  const Shape& x = node.InputShape(0);
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  Coordinates from(at.size());
  const auto perm = node.Ints(params::Transpose::kPerm);
  for (size_t i = 0; i < at.size(); ++i) from[static_cast<size_t>(Wrap(perm[i], x.rank()))] = at[i];
  return {0, IndexOf(x, from)};
}

// Returns the begin of a slice, from an attribute or from the numbers of an operand.
std::vector<int64_t> BeginsOf(const NodeView& node, Operands operands, int attribute,
                              int computed) {
  std::vector<int64_t> begins;
  for (const int64_t given : node.Ints(attribute)) begins.push_back(given);
  const auto arguments = node.graph().arguments(node.node());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].parameter != computed) continue;
    for (const double number : operands[i]) begins.push_back(static_cast<int64_t>(number));
  }
  return begins;
}

Source SliceBySizeSource(const NodeView& node, Operands operands, size_t index) {
  using P = params::SliceBySize;
  const Shape& x = node.InputShape(P::kX);
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const auto begin = BeginsOf(node, operands, P::kBegin, P::kComputedBegin);
  for (size_t i = 0; i < at.size(); ++i) {
    at[i] += begin[i] < 0 ? begin[i] + x[static_cast<int>(i)] : begin[i];
  }
  return {0, IndexOf(x, at)};
}

// Returns the places that Python's x[begin:end:step] visits, step by step.
std::vector<int64_t> Walk(int64_t extent, int64_t begin, int64_t end, int64_t step) {
  std::vector<int64_t> places;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) {
    if (i >= 0 && i < extent) places.push_back(i);
  }
  return places;
}

// Returns the places that a slice visits on each axis. On a squeezed axis it visits one place.
// `kept` are the extents of the other axes, which are needed if an end is computed.
template <typename P>
std::vector<std::vector<int64_t>> SlicePlaces(const NodeView& node, Operands operands,
                                              const Shape& x, const Shape& kept) {
  const bool computed = node.HasInput(P::kComputedBegin) || node.HasInput(P::kComputedEnd);
  const std::vector<int64_t> begins = BeginsOf(node, operands, P::kBegin, P::kComputedBegin);
  int next = 0;
  const auto flag = [&](int mask, size_t axis) {
    return node.HasAttribute(mask) && node.Ints(mask)[axis] != 0;
  };
  std::vector<std::vector<int64_t>> places;
  for (size_t axis = 0; axis < static_cast<size_t>(x.rank()); ++axis) {
    const int64_t extent = x[static_cast<int>(axis)];
    const int64_t step = node.HasAttribute(P::kStride) ? node.Ints(P::kStride)[axis] : 1;
    const int64_t begin = begins[axis];
    const int64_t first = begin < 0 ? begin + extent : begin;
    if (flag(P::kSqueezeMask, axis)) {
      places.push_back({flag(P::kBeginMask, axis) ? 0 : first});
      continue;
    }
    const int64_t open_begin = step > 0 ? 0 : extent - 1;
    const int64_t open_end = step > 0 ? extent : -1;
    if (computed) {
      places.emplace_back();
      const int64_t from = flag(P::kBeginMask, axis) ? open_begin : first;
      for (int64_t k = 0; k < kept[next]; ++k) places.back().push_back(from + k * step);
      ++next;
      continue;
    }
    const int64_t end = node.Ints(P::kEnd)[axis];
    places.push_back(Walk(extent, flag(P::kBeginMask, axis) ? open_begin : first,
                          flag(P::kEndMask, axis) ? open_end
                          : end < 0               ? std::max<int64_t>(-1, end + extent)
                                                  : end,
                          step));
  }
  return places;
}

Source SliceByIndexSource(const NodeView& node, Operands operands, size_t index) {
  using P = params::SliceByIndex;
  const Shape& x = node.InputShape(P::kX);
  const auto places = SlicePlaces<P>(node, operands, x, node.ResultType().shape);
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  Coordinates from;
  size_t next = 0;
  for (size_t axis = 0; axis < places.size(); ++axis) {
    const auto mask = node.Ints(P::kSqueezeMask);
    const bool squeezed = !mask.empty() && mask[axis] != 0;
    from.push_back(squeezed ? places[axis][0] : places[axis][static_cast<size_t>(at[next++])]);
  }
  return {0, IndexOf(x, from)};
}

Source SliceUpdateSource(const NodeView& node, Operands operands, size_t index) {
  using P = params::SliceUpdate;
  const Shape& x = node.InputShape(P::kX);
  const auto places = SlicePlaces<P>(node, operands, x, node.InputShape(P::kUpdate));
  const Coordinates at = CoordinatesOf(x, index);
  Coordinates from;
  for (size_t axis = 0; axis < places.size(); ++axis) {
    const auto found = std::ranges::find(places[axis], at[axis]);
    if (found == places[axis].end()) return {0, index};
    const auto mask = node.Ints(P::kSqueezeMask);
    if (mask.empty() || mask[axis] == 0) from.push_back(found - places[axis].begin());
  }
  return {1, IndexOf(node.InputShape(P::kUpdate), from)};
}

Source ReverseSource(const NodeView& node, size_t index) {
  const Shape& x = node.InputShape(0);
  Coordinates at = CoordinatesOf(x, index);
  const bool all = !node.HasAttribute(params::OverAxes::kAxes);
  std::vector<bool> named(at.size(), all);
  for (const int64_t axis : node.Ints(params::OverAxes::kAxes)) {
    named[static_cast<size_t>(Wrap(axis, x.rank()))] = true;
  }
  for (size_t i = 0; i < at.size(); ++i) {
    if (named[i]) at[i] = x[static_cast<int>(i)] - 1 - at[i];
  }
  return {0, IndexOf(x, at)};
}

Source ReverseSequenceSource(const NodeView& node, Operands operands, size_t index) {
  using P = params::ReverseSequence;
  const Shape& x = node.InputShape(P::kX);
  Coordinates at = CoordinatesOf(x, index);
  const auto sequence = static_cast<size_t>(Wrap(node.Int(P::kSeqAxis, 0), x.rank()));
  const auto batch = static_cast<size_t>(Wrap(node.Int(P::kBatchAxis, 0), x.rank()));
  const auto length = static_cast<int64_t>(operands[1][static_cast<size_t>(at[batch])]);
  if (at[sequence] < length) at[sequence] = length - 1 - at[sequence];
  return {0, IndexOf(x, at)};
}

Source TileSource(const NodeView& node, size_t index) {
  const Shape& x = node.InputShape(0);
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  for (size_t i = 0; i < at.size(); ++i) at[i] %= x[static_cast<int>(i)];
  return {0, IndexOf(x, at)};
}

Source CropSource(const NodeView& node, size_t index) {
  using P = params::Crop;
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  at[at.size() - 2] += node.Ints(P::kCropHeight)[0];
  at[at.size() - 1] += node.Ints(P::kCropWidth)[0];
  return {0, IndexOf(node.InputShape(P::kX), at)};
}

Source BandPartSource(const NodeView& node, size_t index) {
  using P = params::BandPart;
  const Coordinates at = CoordinatesOf(node.InputShape(P::kX), index);
  const int64_t below = at[at.size() - 2] - at[at.size() - 1];
  const int64_t lower = node.Int(P::kLower, -1);
  const int64_t upper = node.Int(P::kUpper, -1);
  if (lower >= 0 && below > lower) return {-1, 0, 0};
  if (upper >= 0 && -below > upper) return {-1, 0, 0};
  return {0, index};
}

Source SlidingWindowsSource(const NodeView& node, size_t index) {
  using P = params::SlidingWindows;
  const Shape& x = node.InputShape(P::kX);
  const auto axis = static_cast<size_t>(Wrap(node.Int(P::kAxis, 0), x.rank()));
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const int64_t inside = at[axis + 1];
  at.erase(at.begin() + static_cast<ptrdiff_t>(axis) + 1);
  at[axis] = at[axis] * node.Int(P::kStride, 1) + inside;
  return {0, IndexOf(x, at)};
}

Source StackSource(const NodeView& node, size_t index) {
  const Shape& shape = node.ResultType().shape;
  const auto axis = static_cast<size_t>(Wrap(node.Int(params::Stack::kAxis, 0), shape.rank()));
  Coordinates at = CoordinatesOf(shape, index);
  const auto operand = static_cast<int>(at[axis]);
  at.erase(at.begin() + static_cast<ptrdiff_t>(axis));
  return {operand, IndexOf(node.InputShape(params::Stack::kValues), at)};
}

Source SplitSource(const NodeView& node, uint32_t result, size_t index) {
  const Shape& x = node.InputShape(params::Split::kX);
  const auto axis = static_cast<size_t>(Wrap(node.Int(params::Split::kAxis, 0), x.rank()));
  Coordinates at = CoordinatesOf(node.ResultType(result).shape, index);
  for (uint32_t i = 0; i < result; ++i) {
    at[axis] += node.ResultType(i).shape[static_cast<int>(axis)];
  }
  return {0, IndexOf(x, at)};
}

// The index of the argument at `parameter` in the argument list, or -1.
int PositionOf(const NodeView& node, int parameter) {
  const auto arguments = node.graph().arguments(node.node());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].parameter == parameter) return static_cast<int>(i);
  }
  return -1;
}

Source OneHotSource(const NodeView& node, Operands operands, size_t index) {
  using P = params::OneHot;
  const Shape& shape = node.ResultType().shape;
  const auto axis = static_cast<size_t>(Wrap(node.Int(P::kAxis, -1), shape.rank()));
  Coordinates at = CoordinatesOf(shape, index);
  const auto here = static_cast<double>(at[axis]);
  at.erase(at.begin() + static_cast<ptrdiff_t>(axis));
  const bool on = operands[0][IndexOf(node.InputShape(P::kIndices), at)] == here;
  return {PositionOf(node, on ? P::kOnValue : P::kOffValue), 0, on ? 1.0 : 0.0};
}

// depth_to_space orders channels as (row, column, channel), pixel_shuffle as (channel, row,
// column).
Source ToSpaceSource(const NodeView& node, bool place_first, size_t index) {
  const Shape& x = node.InputShape(0);
  const int64_t f = node.Int(params::Blocks::kFactor, 1);
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const int64_t row = at[2] % f;
  const int64_t column = at[3] % f;
  const int64_t channels = node.ResultType().shape[1];
  const int64_t channel =
      place_first ? (row * f + column) * channels + at[1] : at[1] * f * f + row * f + column;
  return {0, IndexOf(x, {at[0], channel, at[2] / f, at[3] / f})};
}

Source ToDepthSource(const NodeView& node, bool place_first, size_t index) {
  const Shape& x = node.InputShape(0);
  const int64_t f = node.Int(params::Blocks::kFactor, 1);
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const int64_t place = place_first ? at[1] / x[1] : at[1] % (f * f);
  const int64_t channel = place_first ? at[1] % x[1] : at[1] / (f * f);
  return {0, IndexOf(x, {at[0], channel, at[2] * f + place / f, at[3] * f + place % f})};
}

Source SpaceToBatchSource(const NodeView& node, size_t index) {
  using P = params::Batches;
  const Shape& x = node.InputShape(P::kX);
  const auto block = node.Ints(P::kBlockShape);
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const int64_t place = at[0] / x[0];
  const int64_t row = at[2] * block[0] + place / block[1] - node.Ints(P::kMargins)[0];
  const int64_t column = at[3] * block[1] + place % block[1] - node.Ints(P::kMargins)[2];
  if (row < 0 || column < 0 || row >= x[2] || column >= x[3]) return {-1, 0, 0};
  return {0, IndexOf(x, {at[0] % x[0], at[1], row, column})};
}

Source BatchToSpaceSource(const NodeView& node, size_t index) {
  using P = params::Batches;
  const Shape& x = node.InputShape(P::kX);
  const auto block = node.Ints(P::kBlockShape);
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const int64_t row = at[2] + node.Ints(P::kMargins)[0];
  const int64_t column = at[3] + node.Ints(P::kMargins)[2];
  const int64_t place = row % block[0] * block[1] + column % block[1];
  const int64_t batch = place * node.ResultType().shape[0] + at[0];
  return {0, IndexOf(x, {batch, at[1], row / block[0], column / block[1]})};
}

Source Range1dSource(Operands operands, size_t index) {
  using P = params::Range1d;
  return {-1, 0, operands[P::kStart][0] + static_cast<double>(index) * operands[P::kStep][0]};
}

// ---- computed places ------------------------------------------------------------------------

int64_t IndexAt(const std::vector<double>& indices, const Shape& shape, const Coordinates& at,
                int64_t extent) {
  const auto index = static_cast<int64_t>(indices[IndexOf(shape, at)]);
  return index < 0 ? index + extent : index;
}

Source GatherSource(const NodeView& node, Operands operands, size_t index) {
  using P = params::Gather;
  const Shape& x = node.InputShape(P::kX);
  const Shape& indices = node.InputShape(P::kIndices);
  const auto axis = static_cast<ptrdiff_t>(Wrap(node.Int(P::kAxis, 0), x.rank()));
  const auto batch = static_cast<ptrdiff_t>(node.Int(P::kBatchDims, 0));
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const ptrdiff_t own = indices.rank() - batch;  // axes that come from the indices
  Coordinates which(at.begin(), at.begin() + batch);
  which.insert(which.end(), at.begin() + axis, at.begin() + axis + own);
  Coordinates from(at.begin(), at.begin() + axis);
  from.push_back(IndexAt(operands[1], indices, which, x[static_cast<int>(axis)]));
  from.insert(from.end(), at.begin() + axis + own, at.end());
  return {0, IndexOf(x, from)};
}

Source GatherAlongAxisSource(const NodeView& node, Operands operands, size_t index) {
  using P = params::GatherAlongAxis;
  const Shape& x = node.InputShape(P::kX);
  const auto axis = static_cast<size_t>(Wrap(node.Int(P::kAxis, 0), x.rank()));
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  at[axis] = IndexAt(operands[1], node.InputShape(P::kIndices), at, x[static_cast<int>(axis)]);
  return {0, IndexOf(x, at)};
}

// Returns the coordinates in `data` for one index vector: the shared ones, then the vector's.
Coordinates NamedBy(const Shape& data, const std::vector<double>& numbers, const Shape& indices,
                    const Coordinates& vector, ptrdiff_t batch) {
  Coordinates from(vector.begin(), vector.begin() + batch);
  for (int64_t i = 0; i < indices[indices.rank() - 1]; ++i) {
    Coordinates which = vector;
    which.push_back(i);
    from.push_back(IndexAt(numbers, indices, which, data[static_cast<int>(batch + i)]));
  }
  return from;
}

Source GatherNdSource(const NodeView& node, Operands operands, size_t index) {
  using P = params::GatherNd;
  const Shape& x = node.InputShape(P::kX);
  const Shape& indices = node.InputShape(P::kIndices);
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const auto split = at.begin() + indices.rank() - 1;
  Coordinates from =
      NamedBy(x, operands[1], indices, {at.begin(), split}, node.Int(P::kBatchDims, 0));
  from.insert(from.end(), split, at.end());
  return {0, IndexOf(x, from)};
}

// Returns the element of the data that element `index` of the updates changes.
size_t ScatterTarget(const NodeView& node, Operands operands, size_t index) {
  using P = params::Scatter;
  const Shape& data = node.InputShape(P::kData);
  const Shape& indices = node.InputShape(P::kIndices);
  const Coordinates at = CoordinatesOf(node.InputShape(P::kUpdates), index);
  const OpKind kind = KindOf(node.schema());
  if (kind == OpKind::kScatterNd) {
    const auto split = at.begin() + indices.rank() - 1;
    Coordinates to = NamedBy(data, operands[1], indices, {at.begin(), split}, 0);
    to.insert(to.end(), split, at.end());
    return IndexOf(data, to);
  }
  const auto axis = static_cast<ptrdiff_t>(Wrap(node.Int(P::kAxis, 0), data.rank()));
  const int64_t extent = data[static_cast<int>(axis)];
  if (kind == OpKind::kScatterAlongAxis) {
    Coordinates to = at;
    to[static_cast<size_t>(axis)] = IndexAt(operands[1], indices, at, extent);
    return IndexOf(data, to);
  }
  const Coordinates which(at.begin() + axis, at.begin() + axis + indices.rank());
  Coordinates to(at.begin(), at.begin() + axis);
  to.push_back(IndexAt(operands[1], indices, which, extent));
  to.insert(to.end(), at.begin() + axis + indices.rank(), at.end());
  return IndexOf(data, to);
}

}  // namespace

Source MovedElement(const NodeView& node, Operands operands, uint32_t result, size_t index) {
  switch (KindOf(node.schema())) {
    case OpKind::kTranspose:
      return TransposeSource(node, index);
    case OpKind::kSliceBySize:
      return SliceBySizeSource(node, operands, index);
    case OpKind::kConcat:
      return ConcatSource(node, index);
    case OpKind::kPad:
      return PadSource(node, index);
    case OpKind::kStack:
      return StackSource(node, index);
    case OpKind::kSplit:
      return SplitSource(node, result, index);
    case OpKind::kFill:
      return {PositionOf(node, params::Fill::kValue), 0, 0};
    case OpKind::kFillLike:
      return {PositionOf(node, params::FillLike::kValue), 0, 0};
    case OpKind::kRange1d:
      return Range1dSource(operands, index);
    case OpKind::kOneHot:
      return OneHotSource(node, operands, index);
    case OpKind::kShape:
      return {-1, 0, static_cast<double>(node.InputShape(0)[static_cast<int>(index)])};
    case OpKind::kSliceByIndex:
      return SliceByIndexSource(node, operands, index);
    case OpKind::kSliceUpdate:
      return SliceUpdateSource(node, operands, index);
    case OpKind::kReverse:
      return ReverseSource(node, index);
    case OpKind::kReverseSequence:
      return ReverseSequenceSource(node, operands, index);
    case OpKind::kTile:
      return TileSource(node, index);
    case OpKind::kCrop:
      return CropSource(node, index);
    case OpKind::kBandPart:
      return BandPartSource(node, index);
    case OpKind::kSlidingWindows:
      return SlidingWindowsSource(node, index);
    case OpKind::kDepthToSpace:
      return ToSpaceSource(node, true, index);
    case OpKind::kPixelShuffle:
      return ToSpaceSource(node, false, index);
    case OpKind::kSpaceToDepth:
      return ToDepthSource(node, true, index);
    case OpKind::kPixelUnshuffle:
      return ToDepthSource(node, false, index);
    case OpKind::kSpaceToBatch:
      return SpaceToBatchSource(node, index);
    case OpKind::kBatchToSpace:
      return BatchToSpaceSource(node, index);
    case OpKind::kGather:
      return GatherSource(node, operands, index);
    case OpKind::kGatherAlongAxis:
      return GatherAlongAxisSource(node, operands, index);
    case OpKind::kGatherNd:
      return GatherNdSource(node, operands, index);
    default:
      return {0, index};  // the elements stay in their order
  }
}

bool IsMovement(const NodeView& node) {
  return DefinitionOf(node.schema()).op_class == OpClass::kMovement && !IsScatter(node);
}

bool IsScatter(const NodeView& node) {
  const OpKind kind = KindOf(node.schema());
  return kind == OpKind::kScatter || kind == OpKind::kScatterAlongAxis ||
         kind == OpKind::kScatterNd;
}

std::vector<std::vector<size_t>> ScatteredUpdates(const NodeView& node, Operands operands) {
  using P = params::Scatter;
  std::vector<std::vector<size_t>> updates(
      static_cast<size_t>(node.InputShape(P::kData).Elements()));
  const auto count = static_cast<size_t>(node.InputShape(P::kUpdates).Elements());
  for (size_t i = 0; i < count; ++i) updates[ScatterTarget(node, operands, i)].push_back(i);
  return updates;
}

std::vector<Source> MovedElements(const NodeView& node, Operands operands, uint32_t result) {
  std::vector<Source> sources;
  const auto count = static_cast<size_t>(node.ResultType(result).shape.Elements());
  for (size_t i = 0; i < count; ++i) {
    sources.push_back(MovedElement(node, operands, result, i));
  }
  return sources;
}

}  // namespace anecheck::testing
