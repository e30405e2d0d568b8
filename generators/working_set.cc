#include "generators/working_set.h"

#include <algorithm>
#include <array>
#include <span>

#include "generators/ops/window.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr std::array kPointwise = {OpKind::kRelu,    OpKind::kAbs,  OpKind::kSquare,
                                   OpKind::kSigmoid, OpKind::kTanh, OpKind::kClip};
constexpr std::array kMovements = {OpKind::kTranspose, OpKind::kReshape, OpKind::kReverse,
                                   OpKind::kSliceByIndex};

using Extents = std::array<int64_t, 4>;

// 32767 = 7 * 31 * 151, 32768 = 2^15, 32769 = 9 * 11 * 331.
constexpr std::array<Extents, 10> kShapesOf64Kilobytes = {{{1, 64, 32, 16},
                                                           {1, 217, 151, 1},
                                                           {1, 99, 331, 1},
                                                           {1, 1, 128, 256},
                                                           {1, 1, 151, 217},
                                                           {1, 1, 331, 99},
                                                           {1, 32768, 1, 1},
                                                           {1, 1, 1, 32768},
                                                           {1, 2, 16384, 1},
                                                           {8, 16, 16, 16}}};
// 2^20 - 1 = 3 * 25 * 11 * 31 * 41, 2^20 + 1 = 17 * 61681.
constexpr std::array<Extents, 6> kShapesOf2Megabytes = {{{1, 64, 128, 128},
                                                         {1, 1271, 825, 1},
                                                         {1, 61681, 1, 17},
                                                         {1, 1, 1024, 1024},
                                                         {1, 41, 775, 33},
                                                         {1, 1, 17, 61681}}};

struct KernelSize {
  int64_t outputs = 0, inputs = 0;
};

// Kernels of 32768 weights, of 16 fewer and of 16 more, and kernels whose number of outputs is the
// limit of channels. Kernels with few inputs come first, because sums of many products exceed the
// range of exact integers.
constexpr std::array<KernelSize, 7> kKernels = {
    {{2048, 16}, {2047, 16}, {2049, 16}, {65536, 1}, {256, 128}, {89, 368}, {683, 48}}};

bool Fits(const Extents& extents, const GeneratorOptions& options) {
  return extents[0] <= options.most_batch && extents[1] <= options.most_channels &&
         extents[2] <= options.longest_axis && extents[3] <= options.longest_axis;
}

// Returns a shape of the list that fits the target. The search begins at a random one.
Shape PickShape(ChoiceStream& choices, std::span<const Extents> list,
                const GeneratorOptions& options) {
  const uint64_t first = choices.Below(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const Extents& extents = list[(first + i) % list.size()];
    if (Fits(extents, options)) return {extents[0], extents[1], extents[2], extents[3]};
  }
  return {1, 1, 128, 256};
}

Shape LimitShape(ChoiceStream& choices, const GeneratorOptions& options) {
  const int64_t less = choices.Range(0, 1);
  if (choices.Coin()) return {1, options.most_channels - less, 1, 1};
  return {options.most_batch - less, 1, 1, 1};
}

Shape DrawWorkingSetShape(Drawer& drawer) {
  ChoiceStream& choices = drawer.choices();
  const GeneratorOptions& options = drawer.options();
  if (options.working_set == WorkingSet::k2Megabytes) {
    return PickShape(choices, kShapesOf2Megabytes, options);
  }
  if (choices.Chance(1, 3)) return LimitShape(choices, options);
  return PickShape(choices, kShapesOf64Kilobytes, options);
}

bool DrawLargeKernel(Drawer& drawer) {
  using P = params::Conv;
  const KernelSize size = drawer.choices().Pick(kKernels);
  const ValueId x = drawer.NewInput({1, size.inputs, 1, drawer.choices().Range(1, 2)});
  const double limit = WeightLimit(drawer, x, size.inputs);
  if (limit <= 0) return false;
  const ValueId weight = drawer.NewConst({size.outputs, size.inputs, 1, 1}, limit);
  drawer.Begin(OpKind::kConv);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kWeight, weight);
  drawer.AddString(P::kPadType, "valid");
  return drawer.Finish(SumRange(drawer, x, size.inputs, limit, 0));
}

// Weights of less than 2^15 elements. Sums over few inputs stay exact integers.
constexpr std::array<KernelSize, 4> kSmallWeights = {
    {{128, 128}, {256, 64}, {512, 32}, {181, 180}}};

bool DrawManyProducts(Drawer& drawer) {
  using P = params::Linear;
  const KernelSize size = drawer.choices().Pick(kSmallWeights);
  const int64_t weights = size.outputs * size.inputs;
  const int64_t rows = (drawer.options().least_products + weights - 1) / weights;
  const ValueId x = drawer.NewInput({rows + drawer.choices().Range(0, 3), size.inputs});
  const double limit = WeightLimit(drawer, x, size.inputs);
  if (limit <= 0) return false;
  const ValueId weight = drawer.NewConst({size.outputs, size.inputs}, limit);
  drawer.Begin(OpKind::kLinear);
  drawer.graph().AddArgument(P::kX, x);
  drawer.graph().AddArgument(P::kWeight, weight);
  return drawer.Finish(SumRange(drawer, x, size.inputs, limit, 0));
}

// Draws the sum of two inputs of one shape, or their maximum if the sum might leave the range.
bool DrawJoin(Drawer& drawer, const Shape& shape) {
  const ValueId x = drawer.NewInput(shape);
  const ValueId y = drawer.NewInput(shape);
  const ValueRange& a = drawer.range(x);
  const ValueRange& b = drawer.range(y);
  const ValueRange sum = {a.low + b.low, a.high + b.high, a.integer && b.integer};
  if (sum.Magnitude() > drawer.Ceiling()) {
    return drawer.Emit(OpKind::kMaximum, {x, y}, GreaterOf(a, b));
  }
  return drawer.Emit(OpKind::kAdd, {x, y}, sum);
}

bool Has(const std::bitset<kOpCount>& ops, OpKind kind) {
  return ops.test(static_cast<size_t>(kind));
}

}  // namespace

std::bitset<kOpCount> WorkingSetOps() {
  static const std::bitset<kOpCount> kOps = [] {
    std::bitset<kOpCount> ops;
    for (const OpKind kind : kPointwise) ops.set(static_cast<size_t>(kind));
    for (const OpKind kind : kMovements) ops.set(static_cast<size_t>(kind));
    return ops;
  }();
  return kOps;
}

bool BeginWorkingSet(Drawer& drawer, const std::bitset<kOpCount>& allowed) {
  ChoiceStream& choices = drawer.choices();
  if (drawer.options().working_set == WorkingSet::kProducts) {
    return Has(allowed, OpKind::kLinear) && DrawManyProducts(drawer);
  }
  const bool others = drawer.options().ops.any();
  const bool kernels =
      Has(allowed, OpKind::kConv) && drawer.options().working_set == WorkingSet::k64Kilobytes;
  if (kernels && (!others || choices.Chance(1, 4))) return DrawLargeKernel(drawer);
  const bool joins = Has(allowed, OpKind::kAdd) && Has(allowed, OpKind::kMaximum);
  if (!others && !joins) return false;
  const Shape shape = DrawWorkingSetShape(drawer);
  if (joins && (!others || choices.Chance(1, 3))) return DrawJoin(drawer, shape);
  drawer.NewInput(shape);
  return true;
}

bool KeepsToLimits(const Graph& graph, const GeneratorOptions& options) {
  return std::ranges::all_of(graph.values(), [&](const Value& value) {
    if (value.kind == ValueKind::kConst) return true;
    const Shape& shape = value.type.shape;
    const bool channelled = shape.rank() == 4;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      int64_t most = options.longest_axis;
      if (channelled && axis == 0) most = options.most_batch;
      if (channelled && axis == 1) most = options.most_channels;
      if (shape[axis] > most) return false;
    }
    return true;
  });
}

}  // namespace anecheck
