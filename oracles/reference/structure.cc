// Kernels that change a tensor's shape or make a tensor.
#include <algorithm>

#include "harness/ops/params.h"
#include "oracles/reference/discrete.h"
#include "oracles/reference/integers.h"
#include "oracles/reference/movement.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace reference {
namespace {

// The elements stay in their order.
Status SameElements(KernelContext& context) {
  Alias(context.Input(0), context.Result());
  return {};
}

Status Stack(KernelContext& context) {
  using P = params::Stack;
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  const int axis = AxisOf(context.node(), P::kAxis, 0, shape.rank());
  const auto values = context.node().InputList(P::kValues);
  bool point = true;
  for (const ValueId value : values) point &= context.Value(value).point();
  PrepareMove(context, result, point);
  for (const ValueId value : values) KeepBeyond(context, context.Value(value), result);
  const Strides strides = RowMajorStrides(shape);
  Strides target{};  // the result's strides without the new axis
  for (int i = 0; i + 1 < shape.rank(); ++i) {
    target[static_cast<size_t>(i)] = strides[static_cast<size_t>(i < axis ? i : i + 1)];
  }
  int64_t start = 0;
  for (const ValueId value : values) {
    const BoundedTensor& x = context.Value(value);
    MoveElements(x, result,
                 [&](const auto& move) { ForEachSource(x.type.shape, target, start, move); });
    FinishMove(x, result);
    start += strides[static_cast<size_t>(axis)];
  }
  return {};
}

Status Split(KernelContext& context) {
  using P = params::Split;
  const BoundedTensor& x = context.Input(P::kX);
  const int axis = AxisOf(context.node(), P::kAxis, 0, x.type.shape.rank());
  const Strides strides = RowMajorStrides(x.type.shape);
  int64_t start = 0;
  for (uint32_t i = 0; i < context.node().node().result_count; ++i) {
    BoundedTensor& result = context.Result(i);
    MoveByStrides(context, x, result, strides, start);
    start += result.type.shape[axis] * strides[static_cast<size_t>(axis)];
  }
  return {};
}

// Returns the scalar operand at a parameter, or `fallback` if the operand is absent.
double ScalarAt(KernelContext& context, int parameter, double fallback) {
  return context.HasInput(parameter) ? context.Input(parameter).value[0] : fallback;
}

Status Fill(KernelContext& context) {
  FillWith(context, ScalarAt(context, params::Fill::kValue, 0), context.Result());
  return {};
}

Status FillLike(KernelContext& context) {
  FillWith(context, ScalarAt(context, params::FillLike::kValue, 0), context.Result());
  return {};
}

// Computes start + i * step, rounded once. The product is exact, because an evaluation has at most
// 2^26 elements and a step has 24 bits.
Status Range1d(KernelContext& context) {
  using P = params::Range1d;
  BoundedTensor& result = context.Result();
  const double start = context.Input(P::kStart).value[0];
  const double step = context.Input(P::kStep).value[0];
  const Raw raw = AllocateRaw(context, result.size, false);
  for (size_t i = 0; i < result.size; ++i) {
    raw.value[i] = AddOdd(start, static_cast<double>(i) * step);
  }
  if (IsFloat(result.type.dtype)) {
    StoreFloats(context, result, raw);
  } else {
    StoreExact(result, raw);
  }
  return {};
}

// An index outside [0, size) selects no element.
Status OneHot(KernelContext& context) {
  using P = params::OneHot;
  const BoundedTensor& indices = context.Input(P::kIndices);
  BoundedTensor& result = context.Result();
  const Shape& shape = result.type.shape;
  const int axis = AxisOf(context.node(), P::kAxis, -1, shape.rank());
  const double on = ScalarAt(context, P::kOnValue, 1);
  const double off = ScalarAt(context, P::kOffValue, 0);
  const int64_t inner = RowMajorStrides(shape)[static_cast<size_t>(axis)];
  PrepareMove(context, result, indices.point());
  MemberSets sets(context);
  for (size_t at = 0; at < result.size; ++at) {
    const auto place = static_cast<int64_t>(at);
    const auto from = static_cast<size_t>(place / (inner * shape[axis]) * inner + place % inner);
    const auto here = static_cast<double>(place / inner % shape[axis]);
    PutElement(indices.value[from] == here ? on : off, result, at);
    const bool open = indices.low[from] <= here && here <= indices.high[from] &&
                      indices.low[from] != indices.high[from];
    if (!open) continue;
    result.low[at] = std::min(on, off);
    result.high[at] = std::max(on, off);
    const double two[] = {result.low[at], result.high[at]};
    if (on != off) sets.Set(at, two);
  }
  sets.Give(result);
  result.special = !(std::fabs(on) < kInfinity && std::fabs(off) < kInfinity);
  return {};
}

Status ShapeOf(KernelContext& context) {
  BoundedTensor& result = context.Result();
  PrepareMove(context, result, true);
  const Shape& shape = context.Input(0).type.shape;
  for (size_t i = 0; i < result.size; ++i) {
    PutElement(static_cast<double>(shape[static_cast<int>(i)]), result, i);
  }
  result.whole = true;
  return {};
}

}  // namespace
}  // namespace reference

constinit const ReferenceKernel kReferenceIdentity = {.evaluate = reference::SameElements};
constinit const ReferenceKernel kReferenceReshapeLike = {.evaluate = reference::SameElements};
constinit const ReferenceKernel kReferenceExpandDims = {.evaluate = reference::SameElements};
constinit const ReferenceKernel kReferenceSqueeze = {.evaluate = reference::SameElements};
constinit const ReferenceKernel kReferenceFlatten2d = {.evaluate = reference::SameElements};
constinit const ReferenceKernel kReferenceStack = {.evaluate = reference::Stack};
constinit const ReferenceKernel kReferenceSplit = {.evaluate = reference::Split};
constinit const ReferenceKernel kReferenceFill = {.evaluate = reference::Fill};
constinit const ReferenceKernel kReferenceFillLike = {.evaluate = reference::FillLike};
constinit const ReferenceKernel kReferenceRange1d = {.evaluate = reference::Range1d};
constinit const ReferenceKernel kReferenceOneHot = {.evaluate = reference::OneHot};
constinit const ReferenceKernel kReferenceShape = {.evaluate = reference::ShapeOf};

}  // namespace anecheck
