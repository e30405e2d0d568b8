// Kernels of data movement and structure. They copy elements with their intervals and compute none.
#include "oracles/reference/movement.h"

#include <algorithm>
#include <limits>

#include "harness/ops/params.h"
#include "oracles/reference/computed_slice.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/layout.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {

namespace {

// Properties of all operands together: whether all are whole, and whether some operand has sets.
struct Discreteness {
  bool whole = true;
  bool members = false;
};
Discreteness DiscretenessOf(KernelContext& context) {
  Discreteness all;
  for (const Argument& argument : context.node().graph().arguments(context.node().node())) {
    const BoundedTensor& operand = context.Value(argument.value);
    all.whole &= operand.whole;
    all.members |= operand.members != nullptr;
  }
  return all;
}

}  // namespace

void PrepareMove(KernelContext& context, BoundedTensor& result, bool point) {
  Arena& arena = context.arena();
  result.value = arena.Allocate<double>(result.size);
  result.low = point ? result.value : arena.Allocate<double>(result.size);
  result.high = point ? result.value : arena.Allocate<double>(result.size);
  result.nan = point ? nullptr : arena.Allocate<uint8_t>(result.size);
  result.special = false;
  result.signed_zero = true;
  const Discreteness operands = DiscretenessOf(context);
  result.whole = operands.whole;
  if (!point && operands.members) {
    result.members = arena.Allocate<Members>(result.size);
    std::fill_n(result.members, result.size, Members{});
  }
}

void KeepBeyond(KernelContext& context, const BoundedTensor& x, BoundedTensor& result) {
  if (x.beyond == nullptr || result.beyond != nullptr || result.point()) return;
  result.beyond = context.arena().Allocate<uint8_t>(result.size);
  result.finite_low = context.arena().Allocate<double>(result.size);
  result.finite_high = context.arena().Allocate<double>(result.size);
}

int SameLines(const Shape& from, int axis, const Shape& to) {
  const int64_t step = RowMajorStrides(from)[static_cast<size_t>(axis)];
  const Strides strides = RowMajorStrides(to);
  for (int k = 0; k < to.rank(); ++k) {
    if (to[k] == from[axis] && strides[static_cast<size_t>(k)] == step) return k;
  }
  return -1;
}

void AdmitAnything(BoundedTensor& tensor, size_t at) {
  const DType dtype = tensor.type.dtype;
  const bool is_float = IsFloat(dtype);
  tensor.low[at] = is_float ? -kInfinity : RangeOf(dtype).low;
  tensor.high[at] = is_float ? kInfinity : RangeOf(dtype).high;
  tensor.nan[at] = is_float ? 1 : 0;
  tensor.special |= is_float;
  tensor.whole &= !is_float;
  if (tensor.members != nullptr) tensor.members[at] = {};
}

namespace {

Status Reshape(KernelContext& context) {
  const BoundedTensor& x = context.Input(params::Reshape::kX);
  Alias(x, context.Result());
  return {};
}

Status Transpose(KernelContext& context) {
  using P = params::Transpose;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const int rank = x.type.shape.rank();
  const Strides strides = RowMajorStrides(x.type.shape);
  const auto perm = context.node().Ints(P::kPerm);
  Strides source{};
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t from = perm[static_cast<size_t>(axis)];
    source[static_cast<size_t>(axis)] = strides[static_cast<size_t>(from < 0 ? from + rank : from)];
  }
  MoveByStrides(context, x, result, source, 0);
  for (int axis = 0; axis < rank && x.distinct_axis >= 0; ++axis) {
    const int64_t from = perm[static_cast<size_t>(axis)];
    if ((from < 0 ? from + rank : from) == x.distinct_axis) result.distinct_axis = axis;
  }
  return {};
}

Status Concat(KernelContext& context) {
  using P = params::Concat;
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  const int64_t given = context.node().Int(P::kAxis, 0);
  const int axis = static_cast<int>(given < 0 ? given + shape.rank() : given);
  const auto arguments = context.node().graph().arguments(context.node().node());
  bool point = true;
  for (const Argument& argument : arguments) point &= context.Value(argument.value).point();
  PrepareMove(context, result, point);
  for (const Argument& argument : arguments) {
    KeepBeyond(context, context.Value(argument.value), result);
  }
  const Strides strides = RowMajorStrides(shape);
  // If interleaved, an operand takes every arguments.size()-th place along the axis.
  const bool interleave = context.node().Bool(P::kInterleave, false);
  Strides target = strides;
  if (interleave) target[static_cast<size_t>(axis)] *= static_cast<int64_t>(arguments.size());
  int64_t start = 0;
  for (const Argument& argument : arguments) {
    const BoundedTensor& x = context.Value(argument.value);
    MoveElements(x, result,
                 [&](const auto& move) { ForEachSource(x.type.shape, target, start, move); });
    FinishMove(x, result);
    start += strides[static_cast<size_t>(axis)] * (interleave ? 1 : x.type.shape[axis]);
  }
  return {};
}

// The table entry of an index that has no source element. Its sum with the offsets of all other
// axes stays negative.
constexpr int64_t kNoSource = std::numeric_limits<int64_t>::min() / 16;

// Calls visit(result index, source index) for every element of `result` in order. The source index
// is negative if a table has kNoSource.
template <typename Visit>
void ForEachTableSource(const BoundedTensor& result, const OffsetTables& tables,
                        const Visit& visit) {
  const int rank = result.type.shape.rank();
  std::array<size_t, Shape::kMaxRank> index{};
  for (size_t at = 0; at < result.size; ++at) {
    int64_t from = 0;
    for (int axis = 0; axis < rank; ++axis) {
      const auto a = static_cast<size_t>(axis);
      from += tables[a][index[a]];
    }
    visit(at, from);
    for (int axis = rank - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      if (++index[a] < tables[a].size()) break;
      index[a] = 0;
    }
  }
}

enum class PadMode { kConstant, kReflect, kReplicate, kSymmetric };

// Returns the index of the element that padding copies to `index`, or -1 for the constant.
int64_t PadSource(PadMode mode, int64_t index, int64_t extent) {
  if (index >= 0 && index < extent) return index;
  switch (mode) {
    case PadMode::kConstant:
      return -1;
    case PadMode::kReplicate:
      return std::clamp<int64_t>(index, 0, extent - 1);
    case PadMode::kReflect:  // the edge element is not repeated
      return index < 0 ? -index : 2 * (extent - 1) - index;
    case PadMode::kSymmetric:
      return index < 0 ? -index - 1 : 2 * extent - 1 - index;
  }
  return -1;
}

PadMode ModeOf(std::string_view name) {
  if (name == "reflect") return PadMode::kReflect;
  if (name == "replicate") return PadMode::kReplicate;
  return name == "symmetric" ? PadMode::kSymmetric : PadMode::kConstant;
}

Status Pad(KernelContext& context) {
  using P = params::Pad;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  const auto pad = context.node().Ints(P::kPad);
  const PadMode mode = ModeOf(context.node().String(P::kMode, "constant"));
  const double given = context.node().Float(P::kConstantVal, 0);
  const DType dtype = result.type.dtype;
  const double constant = IsFloat(dtype) ? Grid(dtype).Round(given) : SaturateInteger(dtype, given);
  const int first = shape.rank() - static_cast<int>(pad.size() / 2);
  const Strides strides = RowMajorStrides(x.type.shape);
  const auto tables = MakeTables(context.arena(), shape, [&](int axis, int64_t index) {
    const int64_t before = axis < first ? 0 : pad[static_cast<size_t>(2 * (axis - first))];
    const int64_t source = PadSource(mode, index - before, x.type.shape[axis]);
    return source < 0 ? kNoSource : source * strides[static_cast<size_t>(axis)];
  });
  PrepareMove(context, result, x.point());
  KeepBeyond(context, x, result);
  MoveElements(x, result, [&](const auto& move) {
    ForEachTableSource(result, tables, [&](size_t at, int64_t from) {
      if (from < 0) {
        PutElement(constant, result, at);
      } else {
        move(static_cast<size_t>(from), at);
      }
    });
  });
  FinishMove(x, result);
  result.special |= !(std::fabs(constant) < kInfinity);
  return {};
}

// D02: the crop path scales the width axis by a fixed-point gain, and a value that overflows fp16
// becomes an infinity (facts/numerics.md, width-axis slice).
void DepartFromSlice(const Departure& gain, BoundedTensor& result) {
  const auto apply = [&](double x) {
    const double scaled = RoundToHalf(x * gain.a);
    return std::fabs(scaled) == kInfinity ? scaled : x;
  };
  for (size_t i = 0; i < result.size; ++i) {
    result.value[i] = apply(result.value[i]);
    result.special |= std::fabs(result.value[i]) == kInfinity;
    if (result.point()) continue;
    result.low[i] = apply(result.low[i]);
    result.high[i] = apply(result.high[i]);
    if (result.beyond == nullptr) continue;
    result.finite_low[i] = apply(result.finite_low[i]);
    result.finite_high[i] = apply(result.finite_high[i]);
  }
}

Status SliceComputedBySize(KernelContext& context) {
  using P = params::SliceBySize;
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const Strides strides = RowMajorStrides(x.type.shape);
  ComputedSlice slice;
  slice.rank = x.type.shape.rank();
  for (int axis = 0; axis < slice.rank; ++axis) {
    slice.axes[static_cast<size_t>(axis)] = {.extent = x.type.shape[axis],
                                             .stride = strides[static_cast<size_t>(axis)],
                                             .count = result.type.shape[axis],
                                             .read = true};
  }
  CutComputed(context, x, &context.Input(P::kComputedBegin), slice, result);
  return {};
}

Status SliceBySize(KernelContext& context) {
  using P = params::SliceBySize;
  if (context.HasInput(P::kComputedBegin)) return SliceComputedBySize(context);
  const BoundedTensor& x = context.Input(P::kX);
  BoundedTensor& result = context.Result();
  const Strides strides = RowMajorStrides(x.type.shape);
  const auto begin = context.node().Ints(P::kBegin);
  int64_t start = 0;
  bool width_offset = false;
  for (int axis = 0; axis < x.type.shape.rank(); ++axis) {
    const int64_t given = begin[static_cast<size_t>(axis)];
    const int64_t from = given < 0 ? given + x.type.shape[axis] : given;
    start += from * strides[static_cast<size_t>(axis)];
    width_offset = from != 0;
  }
  MoveByStrides(context, x, result, strides, start);
  const Departure* gain = context.contract().Find(Effect::kWidthSliceGain);
  if (gain != nullptr && width_offset && result.type.dtype == DType::kFp16) {
    DepartFromSlice(*gain, result);
  }
  return {};
}

}  // namespace

void MoveByView(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                const Shape& view, const Strides& source, int64_t start) {
  PrepareMove(context, result, x.point());
  KeepBeyond(context, x, result);
  MoveElements(x, result, [&](const auto& move) {
    ForEachSource(view, source, start, [&](size_t at, size_t from) { move(from, at); });
  });
  FinishMove(x, result);
}

void MoveByStrides(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                   const Strides& source, int64_t start) {
  MoveByView(context, x, result, result.type.shape, source, start);
}

void MoveByTables(KernelContext& context, const BoundedTensor& x, BoundedTensor& result,
                  const OffsetTables& tables) {
  PrepareMove(context, result, x.point());
  KeepBeyond(context, x, result);
  MoveElements(x, result, [&](const auto& move) {
    ForEachTableSource(result, tables,
                       [&](size_t at, int64_t from) { move(static_cast<size_t>(from), at); });
  });
  FinishMove(x, result);
}

void FillWith(KernelContext& context, double number, BoundedTensor& result) {
  PrepareMove(context, result, true);
  for (size_t i = 0; i < result.size; ++i) PutElement(number, result, i);
  result.special = !(std::fabs(number) < kInfinity);
}

}  // namespace reference

constinit const ReferenceKernel kReferenceReshape = {.evaluate = reference::Reshape};
constinit const ReferenceKernel kReferenceTranspose = {.evaluate = reference::Transpose};
constinit const ReferenceKernel kReferenceConcat = {.evaluate = reference::Concat};
constinit const ReferenceKernel kReferencePad = {.evaluate = reference::Pad};
constinit const ReferenceKernel kReferenceSliceBySize = {.evaluate = reference::SliceBySize};

}  // namespace anecheck
