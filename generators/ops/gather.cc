// Draws operations that read or write at indices. Indices are constants. For gathers, the graph
// sometimes computes them from values that cannot be NaN.
#include <algorithm>
#include <array>
#include <vector>

#include "generators/drawer.h"
#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr std::array<DType, 4> kIndexTypes = {DType::kInt32, DType::kInt32, DType::kInt16,
                                              DType::kUint16};

// A constant of indices. Consecutive indices belong to consecutive `extents`, cyclically. No index
// is negative, because the graphs are written as programs of iOS 18, for which no source defines
// negative indices.
ValueId DrawIndices(Drawer& drawer, const Shape& shape, std::span<const int64_t> extents) {
  ChoiceStream& choices = drawer.choices();
  const DType dtype = choices.Pick(kIndexTypes);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    const int64_t extent = extents[static_cast<size_t>(i) % extents.size()];
    indices.push_back(choices.Range(0, extent - 1));
  }
  return drawer.NewIntegers(dtype, shape, indices);
}

// Appends clip(x, 0, extent - 1), converted to int32. Returns kNoValue if the graph refuses a node.
ValueId ComputeIndices(Drawer& drawer, ValueId x, int64_t extent) {
  using P = params::Clip;
  const auto top = static_cast<double>(std::min<int64_t>(extent - 1, 2048));
  drawer.Begin(OpKind::kClip);
  drawer.graph().AddArgument(P::kX, x);
  drawer.AddFloat(P::kAlpha, 0);
  drawer.AddFloat(P::kBeta, top);
  if (!drawer.Finish({0, top, drawer.range(x).integer})) return kNoValue;
  return drawer.CastTo(DType::kInt32, drawer.Last());
}

// Whether indices may be computed from x. False for NaN, whose conversion no source states.
bool MayCompute(Drawer& drawer, ValueId x) {
  const bool finite = drawer.mode() == CaseMode::kFloat || drawer.mode() == CaseMode::kInteger;
  return finite && drawer.shape(x).Elements() <= 32 && drawer.choices().Chance(1, 4);
}

Shape IndexShape(Drawer& drawer, int64_t most) {
  Shape shape;
  const int rank = static_cast<int>(drawer.choices().Range(0, 2));
  for (int axis = 0; axis < rank; ++axis) {
    shape.Append(drawer.choices().Range(1, 4));
    if (shape.Elements() > most) shape[axis] = 1;
  }
  return shape;
}

// Sometimes adds the attribute that asks for validation of indices. All drawn indices are valid, so
// the attribute has no effect.
void AddValidation(Drawer& drawer, int parameter) {
  if (drawer.choices().Chance(1, 4)) drawer.AddBool(parameter, drawer.choices().Coin());
}

bool EmitGather(Drawer& drawer, ValueId data, ValueId indices, int64_t axis, int64_t batch) {
  using P = params::Gather;
  drawer.Begin(OpKind::kGather);
  drawer.graph().AddArgument(P::kX, data);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.AddInt(P::kAxis, axis);
  drawer.AddInt(P::kBatchDims, batch);
  AddValidation(drawer, P::kValidateIndices);
  return drawer.Finish(drawer.range(data));
}

bool DrawGather(Drawer& drawer, ValueId x) {
  const Shape shape = drawer.shape(x);
  ChoiceStream& choices = drawer.choices();
  if (shape.rank() <= 3 && MayCompute(drawer, x)) {
    const Shape table = {choices.Range(2, 8), choices.Range(1, 4)};
    const ValueId data = drawer.SameShape(table, x);
    const ValueId indices = ComputeIndices(drawer, x, table[0]);
    return indices != kNoValue && EmitGather(drawer, data, indices, 0, 0);
  }
  if (shape.rank() < 1) return false;
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  const int64_t rest = std::max<int64_t>(1, shape.Elements() / shape[axis]);
  Shape wanted = IndexShape(drawer, std::max<int64_t>(1, 2 * drawer.options().max_elements / rest));
  const bool batched = axis > 0 && shape[0] <= 8 && choices.Chance(1, 4);
  if (batched) {
    Shape prefixed = {shape[0]};
    for (const int64_t dim : wanted.dims()) prefixed.Append(dim);
    wanted = prefixed;
  }
  const int result_rank = shape.rank() - 1 + wanted.rank() - (batched ? 1 : 0);
  if (result_rank > 5 || result_rank < 1) return false;
  const std::array<int64_t, 1> extents = {shape[axis]};
  const ValueId indices = DrawIndices(drawer, wanted, extents);
  const bool from_end = !batched && choices.Coin();
  return EmitGather(drawer, x, indices, from_end ? axis - shape.rank() : axis, batched ? 1 : 0);
}

bool DrawGatherAlongAxis(Drawer& drawer, ValueId x) {
  using P = params::GatherAlongAxis;
  const Shape shape = drawer.shape(x);
  ChoiceStream& choices = drawer.choices();
  if (shape.rank() < 1 || shape.Elements() > 512) return false;
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  const bool computed = MayCompute(drawer, x);
  Shape other = shape;
  other[axis] = computed ? choices.Range(2, 6) : choices.Range(1, 4);
  const ValueId data = computed ? drawer.SameShape(other, x) : x;
  const std::array<int64_t, 1> extents = {shape[axis]};
  const ValueId indices =
      computed ? ComputeIndices(drawer, x, other[axis]) : DrawIndices(drawer, other, extents);
  if (indices == kNoValue) return false;
  drawer.Begin(OpKind::kGatherAlongAxis);
  drawer.graph().AddArgument(P::kX, data);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  AddValidation(drawer, P::kValidateIndices);
  return drawer.Finish(drawer.range(data));
}

// The shape of index vectors, and the extents that their components index.
struct Vectors {
  Shape shape;
  std::vector<int64_t> extents;
};
Vectors DrawVectors(Drawer& drawer, const Shape& data, int batch) {
  ChoiceStream& choices = drawer.choices();
  Vectors vectors;
  const int64_t named = choices.Range(1, std::min(3, data.rank() - batch));
  if (batch == 1) vectors.shape.Append(data[0]);
  vectors.shape.Append(choices.Range(1, 6));
  vectors.shape.Append(named);
  for (int i = 0; i < named; ++i) vectors.extents.push_back(data[batch + i]);
  return vectors;
}

bool DrawGatherNd(Drawer& drawer, ValueId x) {
  using P = params::GatherNd;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1 || shape.Elements() > 512) return false;
  const bool batched = shape.rank() > 1 && shape[0] <= 8 && drawer.choices().Chance(1, 4);
  const Vectors vectors = DrawVectors(drawer, shape, batched ? 1 : 0);
  const int64_t least = *std::ranges::min_element(vectors.extents);
  const bool computed = least > 1 && MayCompute(drawer, x);
  const ValueId indices = computed ? ComputeIndices(drawer, drawer.NewInput(vectors.shape), least)
                                   : DrawIndices(drawer, vectors.shape, vectors.extents);
  if (indices == kNoValue) return false;
  drawer.Begin(OpKind::kGatherNd);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.AddInt(P::kBatchDims, batched ? 1 : 0);
  AddValidation(drawer, P::kValidateIndices);
  return drawer.Finish(drawer.range(x));
}

// A mode, and the resulting range of x if each element is updated up to `times` times.
struct DrawnMode {
  std::string_view name;
  ValueRange range;
};
DrawnMode DrawMode(Drawer& drawer, const ValueRange& a, const ValueRange& b, int64_t times) {
  constexpr std::array<std::string_view, 7> kModes = {"update", "add", "sub", "max",
                                                      "min",    "mul", "div"};
  const std::string_view mode = drawer.choices().Pick(kModes);
  const bool integer = a.integer && b.integer;
  const auto count = static_cast<double>(times);
  const double sum = a.Magnitude() + count * b.Magnitude();
  const double product = a.Magnitude() * std::max(1.0, b.Magnitude());
  if ((mode == "add" || mode == "sub") && sum <= drawer.Ceiling()) {
    return {mode, {-sum, sum, integer}};
  }
  // Products and quotients are drawn only for one update. Repeated ones would exceed any range.
  if (mode == "mul" && times == 1 && product <= drawer.Ceiling()) {
    return {mode, {-product, product, integer}};
  }
  if (mode == "div" && times == 1 && drawer.mode() == CaseMode::kFloat) {
    return {mode, {-kHalfMaxValue, kHalfMaxValue, false}};
  }
  const std::string_view other = mode == "max" || mode == "min" ? mode : "update";
  return {other, EitherOf(a, b)};
}

// An upper bound of the number of times that one index vector occurs.
int64_t TimesOf(const Shape& indices, int64_t vector) {
  return std::max<int64_t>(1, indices.Elements() / vector);
}

bool DrawScatter(Drawer& drawer, ValueId x) {
  using P = params::Scatter;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1 || shape.Elements() > 512) return false;
  ChoiceStream& choices = drawer.choices();
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  const std::array<int64_t, 1> extents = {shape[axis]};
  const ValueId indices = DrawIndices(drawer, Shape{choices.Range(1, 4)}, extents);
  Shape wanted = shape;
  wanted[axis] = drawer.shape(indices)[0];
  const ValueId updates = drawer.SameShape(wanted, x, drawer.type(x).dtype);
  const DrawnMode mode =
      DrawMode(drawer, drawer.range(x), drawer.range(updates), TimesOf(drawer.shape(indices), 1));
  drawer.Begin(OpKind::kScatter);
  drawer.graph().AddArgument(P::kData, x);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.graph().AddArgument(P::kUpdates, updates);
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  drawer.AddString(P::kMode, mode.name);
  AddValidation(drawer, P::kValidateIndices);
  return drawer.Finish(mode.range);
}

bool DrawScatterAlongAxis(Drawer& drawer, ValueId x) {
  using P = params::Scatter;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1 || shape.Elements() > 512) return false;
  ChoiceStream& choices = drawer.choices();
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  Shape wanted = shape;
  wanted[axis] = choices.Range(1, 4);
  const std::array<int64_t, 1> extents = {shape[axis]};
  const ValueId indices = DrawIndices(drawer, wanted, extents);
  const ValueId updates = drawer.SameShape(wanted, x, drawer.type(x).dtype);
  const DrawnMode mode = DrawMode(drawer, drawer.range(x), drawer.range(updates), wanted[axis]);
  drawer.Begin(OpKind::kScatterAlongAxis);
  drawer.graph().AddArgument(P::kData, x);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.graph().AddArgument(P::kUpdates, updates);
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  drawer.AddString(P::kMode, mode.name);
  AddValidation(drawer, P::kValidateIndices);
  return drawer.Finish(mode.range);
}

bool DrawScatterNd(Drawer& drawer, ValueId x) {
  using P = params::ScatterNd;
  const Shape shape = drawer.shape(x);
  if (shape.rank() < 1 || shape.Elements() > 512) return false;
  const Vectors vectors = DrawVectors(drawer, shape, 0);
  const auto named = static_cast<int>(vectors.extents.size());
  const ValueId indices = DrawIndices(drawer, vectors.shape, vectors.extents);
  Shape wanted = {vectors.shape[0]};
  for (int axis = named; axis < shape.rank(); ++axis) wanted.Append(shape[axis]);
  const ValueId updates = drawer.SameShape(wanted, x, drawer.type(x).dtype);
  const DrawnMode mode = DrawMode(drawer, drawer.range(x), drawer.range(updates), vectors.shape[0]);
  drawer.Begin(OpKind::kScatterNd);
  drawer.graph().AddArgument(P::kData, x);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.graph().AddArgument(P::kUpdates, updates);
  drawer.AddString(P::kMode, mode.name);
  AddValidation(drawer, P::kValidateIndices);
  return drawer.Finish(mode.range);
}

}  // namespace

constinit const OpGenerator kGeneratorGather = {OpKind::kGather, true, 2, DrawGather};
constinit const OpGenerator kGeneratorGatherAlongAxis = {OpKind::kGatherAlongAxis, true, 2,
                                                         DrawGatherAlongAxis};
constinit const OpGenerator kGeneratorGatherNd = {OpKind::kGatherNd, true, 1, DrawGatherNd};
constinit const OpGenerator kGeneratorScatter = {OpKind::kScatter, true, 1, DrawScatter};
constinit const OpGenerator kGeneratorScatterAlongAxis = {OpKind::kScatterAlongAxis, true, 1,
                                                          DrawScatterAlongAxis};
constinit const OpGenerator kGeneratorScatterNd = {OpKind::kScatterNd, true, 1, DrawScatterNd};

}  // namespace anecheck
