// Movements of elements: copies with other strides, or copies through L2 if columns change.
#include <algorithm>
#include <cstring>

#include "harness/encoder/coefficients.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

uint32_t Extent(const View& view, int axis) { return view.axes[static_cast<size_t>(axis)].extent; }

// Returns the axis of a surface, which has four axes, for an axis of a value.
int Axis4(int axis, int rank) { return kAxes - rank + axis; }

uint64_t Count(const View& view) {
  uint64_t count = 1;
  for (const Axis& axis : view.axes) count *= axis.extent;
  return count;
}

// Returns all rows of a packed surface as one axis, and the columns.
View Rows(const View& view) {
  View rows = view;
  rows.axes[1] = rows.axes[0] = {};
  rows.axes[2] = {static_cast<uint32_t>(Count(view) / Extent(view, 3)), view.axes[2].stride};
  return rows;
}

// Returns the longest axis other than the columns.
int LongestOuter(const View& view) {
  int longest = 2;
  for (const int axis : {1, 0}) {
    if (Extent(view, axis) > Extent(view, longest)) longest = axis;
  }
  return longest;
}

// The axes of a slab whose columns are channels in L2. The longest other axis becomes the columns
// in L2.
struct Turned {
  int across = 2, row = -1, loop = -1;
};
Turned TurnedBy(const View& view) {
  Turned turned{.across = LongestOuter(view)};
  for (int axis = 0; axis < 3; ++axis) {
    if (axis != turned.across) (turned.row < 0 ? turned.row : turned.loop) = axis;
  }
  return turned;
}

// Copies `length` columns of `source`, every `step`-th from `begin` on, to the first columns of
// `result`. In L2 each column is a channel, so that the columns may begin in the middle of a line.
Status CopyColumns(Planner& planner, const View& source, uint32_t begin, uint32_t step,
                   const View& result, uint32_t length) {
  const auto [across, row, loop] = TurnedBy(source);
  for (uint32_t i = 0; i < Extent(source, loop); ++i) {
    planner.ResetL2();
    const View from = At(source, loop, i);
    const View to = At(result, loop, i);
    ANECHECK_ASSIGN(L2Block block,
                    planner.TakeL2(Extent(from, 3), Extent(from, row), Extent(from, across)));
    ANECHECK_RETURN_IF_ERROR(planner.CopyToL2(from, block, 3, row, across));
    block.base += begin * block.channel_stride;
    block.channel_stride *= step;
    block.channels = length;
    ANECHECK_RETURN_IF_ERROR(planner.CopyFromL2(block, to, 3, row, across));
  }
  return {};
}

bool IsLine(uint32_t columns) { return columns * 2 % kLine == 0; }

// Fills `result` with a part of an axis.
Status CopyPart(Planner& planner, const View& source, int axis, uint32_t begin, uint32_t step,
                const View& result) {
  const uint32_t length = Extent(result, axis);
  const bool aligned = IsLine(begin) && (step == 1 || length == 1);
  if (axis == 3 && !aligned) return CopyColumns(planner, source, begin, step, result, length);
  return planner.Copy(Part(source, axis, begin, length, axis == 3 ? 1 : step), result);
}

// Returns the begin of the part that follows a part of `length` at `at`.
uint32_t NextPart(uint32_t at, uint32_t length, uint32_t step) {
  return step > 1 ? at + 1 : at + length;
}

// Joins parts. Columns may begin in the middle of a line, because in L2 each column is a channel.
Status JoinColumns(Planner& planner, std::span<const View> parts, const View& result,
                   uint32_t step) {
  const Turned turned = TurnedBy(result);
  for (uint32_t i = 0; i < Extent(result, turned.loop); ++i) {
    planner.ResetL2();
    const View to = At(result, turned.loop, i);
    ANECHECK_ASSIGN(const L2Block block, planner.TakeL2(Extent(to, 3), Extent(to, turned.row),
                                                        Extent(to, turned.across)));
    uint32_t at = 0;
    for (const View& part : parts) {
      L2Block place = block;
      place.base += at * block.channel_stride;
      place.channel_stride *= step;
      place.channels = Extent(part, 3);
      ANECHECK_RETURN_IF_ERROR(
          planner.CopyToL2(At(part, turned.loop, i), place, 3, turned.row, turned.across));
      at = NextPart(at, Extent(part, 3), step);
    }
    ANECHECK_RETURN_IF_ERROR(planner.CopyFromL2(block, to, 3, turned.row, turned.across));
  }
  return {};
}

}  // namespace

Status Join(Planner& planner, std::span<const View> parts, const View& result, int axis,
            uint32_t step) {
  bool lines = step == 1;
  uint32_t at = 0;
  for (const View& part : parts) {
    lines &= IsLine(at);
    at = NextPart(at, Extent(part, axis), step);
  }
  if (axis == 3 && !lines) return JoinColumns(planner, parts, result, step);
  at = 0;
  for (const View& part : parts) {
    const uint32_t length = Extent(part, axis);
    ANECHECK_RETURN_IF_ERROR(planner.Copy(part, Part(result, axis, at, length, step)));
    at = NextPart(at, length, step);
  }
  return {};
}

// Copies with other strides if rows keep their length. Otherwise every element takes a line of L2.
Status Reshape(Planner& planner, const View& x, const View& result) {
  if (Extent(x, 3) == Extent(result, 3)) return planner.Copy(Rows(x), Rows(result));
  const View from = Rows(x), to = Rows(result);
  planner.ResetL2();
  ANECHECK_ASSIGN(L2Block block, planner.TakeL2(Extent(from, 3), Extent(from, 2), 1));
  ANECHECK_RETURN_IF_ERROR(planner.CopyToL2(from, block, 3, 2, 1));
  block.channels = Extent(to, 3);
  block.rows = Extent(to, 2);
  block.row_stride = block.channel_stride * block.channels;
  return planner.CopyFromL2(block, to, 3, 2, 1);
}

Status EncodeReshape(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(params::Reshape::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  return Reshape(planner, x, y);
}

Status EncodeTranspose(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(params::Transpose::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const int rank = node.ResultType().shape.rank();
  const auto perm = node.Ints(params::Transpose::kPerm);
  View moved = x;
  for (int i = 0; i < rank; ++i) {
    const auto from = NormalizeAxis(perm[static_cast<size_t>(i)], rank);
    moved.axes[static_cast<size_t>(Axis4(i, rank))] =
        x.axes[static_cast<size_t>(Axis4(*from, rank))];
  }
  return planner.Copy(moved, y);
}

Status EncodeConcat(Planner& planner, const NodeView& node) {
  const int rank = node.ResultType().shape.rank();
  const auto axis = NormalizeAxis(node.Int(params::Concat::kAxis, 0), rank);
  std::vector<View> parts;
  for (const ValueId id : node.InputList(params::Concat::kValues)) {
    ANECHECK_ASSIGN(const View part, planner.ViewOf(id));
    parts.push_back(part);
  }
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const bool in_turn = node.Bool(params::Concat::kInterleave, false);
  return Join(planner, parts, y, Axis4(*axis, rank),
              in_turn ? static_cast<uint32_t>(parts.size()) : 1);
}

// Each value becomes a part of extent 1 of a new axis.
Status EncodeStack(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const int rank = node.ResultType().shape.rank();
  const auto axis = NormalizeAxis(node.Int(params::Stack::kAxis, 0), rank);
  const int at = Axis4(*axis, rank);
  std::vector<View> parts;
  for (const ValueId id : node.InputList(params::Stack::kValues)) {
    ANECHECK_ASSIGN(View part, planner.ViewOf(id));
    for (int i = 0; i < at; ++i)
      part.axes[static_cast<size_t>(i)] = part.axes[static_cast<size_t>(i) + 1];
    part.axes[static_cast<size_t>(at)] = {1, at == 3 ? 2 : kLine};
    parts.push_back(part);
  }
  return Join(planner, parts, y, at);
}

Status EncodeSplit(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(params::Split::kX)));
  const int rank = node.InputShape(params::Split::kX).rank();
  const int axis = Axis4(*NormalizeAxis(node.Int(params::Split::kAxis, 0), rank), rank);
  uint32_t begin = 0;
  for (uint32_t i = 0; i < node.node().result_count; ++i) {
    ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result(i)));
    ANECHECK_RETURN_IF_ERROR(CopyPart(planner, x, axis, begin, 1, y));
    begin += Extent(y, axis);
  }
  return {};
}

namespace {

using Four = std::array<uint32_t, kAxes>;

}  // namespace

Status Slice(Planner& planner, const View& x, const Four& begins, const Four& steps,
             const View& y) {
  View part = x;
  for (int axis = 0; axis < 3; ++axis) {
    const auto at = static_cast<size_t>(axis);
    part = Part(part, axis, begins[at], Extent(y, axis), steps[at]);
  }
  return CopyPart(planner, part, 3, begins[3], steps[3], y);
}

Status EncodeSliceBySize(Planner& planner, const NodeView& node) {
  using P = params::SliceBySize;
  if (node.HasInput(P::kComputedBegin)) return Refuse("slice_by_size: a computed begin");
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  std::array<uint32_t, kAxes> begins = {};
  const auto given = node.Ints(P::kBegin);
  const int rank = node.InputShape(P::kX).rank();
  for (int i = 0; i < rank; ++i) {
    begins[static_cast<size_t>(Axis4(i, rank))] =
        static_cast<uint32_t>(given[static_cast<size_t>(i)]);
  }
  return Slice(planner, x, begins, {1, 1, 1, 1}, y);
}

namespace {

struct Ranges {
  Four begins = {}, sizes = {1, 1, 1, 1}, steps = {1, 1, 1, 1};
  bool squeezes = false;
};

// Returns the begins, ends, strides and masks of slice_by_index and slice_update, by axis of x.
template <typename P>
Result<Ranges> RangesOf(const Planner& planner, const NodeView& node) {
  if (node.HasInput(P::kComputedBegin) || node.HasInput(P::kComputedEnd)) {
    return Refuse("computed ends");
  }
  const int rank = node.InputShape(P::kX).rank();
  const auto at = [&](int parameter, int axis, int64_t fallback) {
    const auto values = node.Ints(parameter);
    return values.empty() ? fallback : values[static_cast<size_t>(axis)];
  };
  const auto flag = [&](int parameter, int axis) {
    const Attribute* attribute = node.FindAttribute(parameter);
    return attribute != nullptr && planner.graph().ints(*attribute)[static_cast<size_t>(axis)] != 0;
  };
  Ranges ranges;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t extent = node.InputShape(P::kX)[axis];
    const int64_t step = at(P::kStride, axis, 1);
    if (step < 1) return Refuse("a step backwards");
    int64_t begin = flag(P::kBeginMask, axis) ? 0 : at(P::kBegin, axis, 0);
    int64_t end = flag(P::kEndMask, axis) ? extent : at(P::kEnd, axis, extent);
    if (begin < 0) begin += extent;
    if (end < 0) end += extent;
    if (flag(P::kSqueezeMask, axis)) {
      end = begin + 1;
      ranges.squeezes = true;
    }
    begin = std::clamp<int64_t>(begin, 0, extent);
    end = std::clamp<int64_t>(end, begin, extent);
    const auto axis4 = static_cast<size_t>(Axis4(axis, rank));
    ranges.begins[axis4] = static_cast<uint32_t>(begin);
    ranges.sizes[axis4] = static_cast<uint32_t>((end - begin + step - 1) / step);
    ranges.steps[axis4] = static_cast<uint32_t>(step);
  }
  return ranges;
}

// Joins three parts: the columns of `x` before the update, the update, and the columns behind it.
Result<View> WithColumns(Planner& planner, const View& x, const View& update, uint32_t begin) {
  const uint32_t length = Extent(update, 3), end = begin + length;
  std::vector<View> parts;
  const auto add = [&](uint32_t from, uint32_t columns) -> Status {
    if (columns == 0) return {};
    auto extents = ExtentsOf(x);
    extents[3] = columns;
    ANECHECK_ASSIGN(const View part, planner.Temporary(extents));
    ANECHECK_RETURN_IF_ERROR(CopyPart(planner, x, 3, from, 1, part));
    parts.push_back(part);
    return {};
  };
  ANECHECK_RETURN_IF_ERROR(add(0, begin));
  parts.push_back(update);
  ANECHECK_RETURN_IF_ERROR(add(end, Extent(x, 3) - end));
  ANECHECK_ASSIGN(const View whole, planner.Temporary(ExtentsOf(x)));
  ANECHECK_RETURN_IF_ERROR(Join(planner, parts, whole, 3));
  return whole;
}

}  // namespace

Status EncodeSliceByIndex(Planner& planner, const NodeView& node) {
  using P = params::SliceByIndex;
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  ANECHECK_ASSIGN(const Ranges ranges, RangesOf<P>(planner, node));
  if (!ranges.squeezes) return Slice(planner, x, ranges.begins, ranges.steps, y);
  ANECHECK_ASSIGN(const View part, planner.Temporary(ranges.sizes));
  ANECHECK_RETURN_IF_ERROR(Slice(planner, x, ranges.begins, ranges.steps, part));
  return Reshape(planner, part, y);
}

// Copies x to the result, then copies the update to its place in the result.
Status EncodeSliceUpdate(Planner& planner, const NodeView& node) {
  using P = params::SliceUpdate;
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(View update, planner.ViewOf(node.Input(P::kUpdate)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  ANECHECK_ASSIGN(const Ranges ranges, RangesOf<P>(planner, node));
  if (ranges.squeezes || ExtentsOf(update) != ranges.sizes) return Refuse("a squeezed update");
  if (ranges.steps[3] != 1) return Refuse("an update with a step between columns");
  View from = x, to = y;
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<size_t>(axis);
    from = Part(from, axis, ranges.begins[i], ranges.sizes[i], ranges.steps[i]);
    to = Part(to, axis, ranges.begins[i], ranges.sizes[i], ranges.steps[i]);
  }
  if (ranges.sizes[3] != Extent(x, 3)) {
    ANECHECK_ASSIGN(update, WithColumns(planner, from, update, ranges.begins[3]));
  }
  ANECHECK_RETURN_IF_ERROR(planner.Copy(x, y));
  return planner.Copy(update, to);
}

namespace {

// Calls act(begin, first, length) for each run of indices that rise by one. The run begins at
// position `begin` of the list, has `length` indices, and starts with the index `first`.
template <typename Act>
Status ForRuns(std::span<const uint32_t> indices, Act act) {
  for (size_t begin = 0; begin < indices.size();) {
    size_t end = begin + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    ANECHECK_RETURN_IF_ERROR(
        act(static_cast<uint32_t>(begin), indices[begin], static_cast<uint32_t>(end - begin)));
    begin = end;
  }
  return {};
}

// Returns the `count` channels from `begin` on of a block in L2.
L2Block Channels(const L2Block& block, uint32_t begin, uint32_t count) {
  L2Block part = block;
  part.base += begin * block.channel_stride;
  part.channels = count;
  return part;
}

// Copies the columns of `x` at `indices` to `result`. In L2 the columns are channels.
Status PickColumns(Planner& planner, const View& x, std::span<const uint32_t> indices,
                   const View& result) {
  const auto [across, row, loop] = TurnedBy(x);
  for (uint32_t i = 0; i < Extent(x, loop); ++i) {
    planner.ResetL2();
    const View from = At(x, loop, i);
    ANECHECK_ASSIGN(const L2Block block,
                    planner.TakeL2(Extent(x, 3), Extent(from, row), Extent(from, across)));
    ANECHECK_ASSIGN(const L2Block picked, planner.TakeL2(static_cast<uint32_t>(indices.size()),
                                                         block.rows, block.columns));
    ANECHECK_RETURN_IF_ERROR(planner.CopyToL2(from, block, 3, row, across));
    ANECHECK_RETURN_IF_ERROR(ForRuns(indices, [&](uint32_t begin, uint32_t first, uint32_t length) {
      Task task;
      task.in = task.out = {.width = block.columns, .height = block.rows, .channels = length};
      task.neural.engine_bits = EngineBits(length);
      task.source1 = PlaceOf(Channels(block, first, length));
      task.result = PlaceOf(Channels(picked, begin, length));
      return planner.Add(std::move(task));
    }));
    ANECHECK_RETURN_IF_ERROR(planner.CopyFromL2(picked, At(result, loop, i), 3, row, across));
  }
  return {};
}

}  // namespace

Status Pick(Planner& planner, const View& x, int axis, std::span<const uint32_t> indices,
            const View& result) {
  if (axis == 3) return PickColumns(planner, x, indices, result);
  return ForRuns(indices, [&](uint32_t begin, uint32_t first, uint32_t length) {
    return planner.Copy(Part(x, axis, first, length), Part(result, axis, begin, length));
  });
}

// Reverses one axis after the other.
Status EncodeReverse(Planner& planner, const NodeView& node) {
  using P = params::OverAxes;
  ANECHECK_ASSIGN(View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const int rank = node.InputShape(P::kX).rank();
  std::array<bool, kAxes> turns = {};
  for (const int64_t axis : node.Ints(P::kAxes)) {
    turns[static_cast<size_t>(Axis4(*NormalizeAxis(axis, rank), rank))] = true;
  }
  if (node.Ints(P::kAxes).empty()) turns.fill(true);
  for (int axis = 0; axis < kAxes; ++axis) {
    const uint32_t extent = Extent(x, axis);
    if (!turns[static_cast<size_t>(axis)] || extent == 1) continue;
    std::vector<uint32_t> indices;
    for (uint32_t i = extent; i-- > 0;) indices.push_back(i);
    ANECHECK_ASSIGN(const View turned, planner.Temporary(ExtentsOf(x)));
    ANECHECK_RETURN_IF_ERROR(Pick(planner, x, axis, indices, turned));
    x = turned;
  }
  return planner.Copy(x, y);
}

// Copies parts of an axis in the order of constant indices.
Status EncodeGather(Planner& planner, const NodeView& node) {
  using P = params::Gather;
  const ValueId given = node.Input(P::kIndices);
  if (!planner.IsConst(given) || planner.graph().type(given).dtype != DType::kInt32) {
    return Refuse("gather: indices that are no constant of int32");
  }
  if (node.Int(P::kBatchDims, 0) != 0) return Refuse("gather: batches of indices");
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const int rank = node.InputShape(P::kX).rank();
  const int axis = Axis4(*NormalizeAxis(node.Int(P::kAxis, 0), rank), rank);
  const auto bytes = planner.graph().ConstData(given);
  std::vector<uint32_t> indices(bytes.size() / sizeof(int32_t));
  for (size_t i = 0; i < indices.size(); ++i) {
    int32_t index = 0;
    std::memcpy(&index, bytes.data() + i * sizeof index, sizeof index);
    if (index < 0) index += static_cast<int32_t>(Extent(x, axis));
    if (index < 0 || static_cast<uint32_t>(index) >= Extent(x, axis)) {
      return Refuse("gather: an index outside of its axis");
    }
    indices[i] = static_cast<uint32_t>(index);
  }
  auto extents = ExtentsOf(x);
  extents[static_cast<size_t>(axis)] = static_cast<uint32_t>(indices.size());
  if (ExtentsOf(y) == extents) return Pick(planner, x, axis, indices, y);
  ANECHECK_ASSIGN(const View picked, planner.Temporary(extents));
  ANECHECK_RETURN_IF_ERROR(Pick(planner, x, axis, indices, picked));
  return Reshape(planner, picked, y);
}

Status EncodeCrop(Planner& planner, const NodeView& node) {
  using P = params::Crop;
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const Four begins = {0, 0, static_cast<uint32_t>(node.Ints(P::kCropHeight)[0]),
                       static_cast<uint32_t>(node.Ints(P::kCropWidth)[0])};
  return Slice(planner, x, begins, {1, 1, 1, 1}, y);
}

// Repeats along one axis after the other.
Status EncodeTile(Planner& planner, const NodeView& node) {
  ANECHECK_ASSIGN(View x, planner.ViewOf(node.Input(params::Tile::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  const auto wanted = ExtentsOf(y);
  bool written = false;
  for (int axis = 3; axis >= 0; --axis) {
    auto extents = ExtentsOf(x);
    const uint32_t times = wanted[static_cast<size_t>(axis)] / extents[static_cast<size_t>(axis)];
    if (times == 1) continue;
    extents[static_cast<size_t>(axis)] *= times;
    View into = y;
    written = extents == wanted;
    if (!written) {
      ANECHECK_ASSIGN(into, planner.Temporary(extents));
    }
    ANECHECK_RETURN_IF_ERROR(Join(planner, std::vector<View>(times, x), into, axis));
    x = into;
  }
  return written ? Status{} : planner.Copy(x, y);
}

}  // namespace anecheck::encoder
