#include "generators/graph_generator.h"

#include <algorithm>
#include <array>

#include "generators/chain.h"
#include "generators/composed_curve.h"
#include "generators/drawer.h"
#include "generators/modes.h"
#include "generators/tensor_data.h"
#include "generators/working_set.h"
#include "harness/ops/sheet.h"

namespace anecheck {
namespace {

constexpr int64_t kLargeExtent = 4096;

Shape DrawShape(Drawer& drawer) {
  ChoiceStream& choices = drawer.choices();
  // Rank 4 is the engine's own layout and by far the most common one.
  constexpr std::array<int, 8> kRanks = {4, 4, 4, 4, 3, 2, 5, 1};
  const int rank = choices.Pick(kRanks);
  // With equal extents, an engine that exchanges axes by mistake returns wrong values. Axes of
  // different extents would not fit after the exchange.
  const bool square = rank > 1 && choices.Chance(1, 8);
  Shape shape;
  int64_t left = drawer.options().max_elements;
  for (int axis = 0; axis < rank; ++axis) {
    const bool batch = axis == 0 && rank > 2;
    int64_t extent = batch && !choices.Chance(1, 8) ? 1 : drawer.Extent(left);
    if (square && axis + 1 == rank && shape[axis - 1] <= left) extent = shape[axis - 1];
    shape.Append(extent);
    left = std::max<int64_t>(1, left / extent);
  }
  return shape;
}

// At each of these lengths of a reduced axis, engines change to another method (public guide,
// appendix A; specification 003, table 24.4).
constexpr std::array<int64_t, 2> kReductionThresholds = {192, 384};

Shape DrawLargeShape(Drawer& drawer) {
  const bool threshold = drawer.choices().Chance(1, 4);
  const int64_t about = threshold ? drawer.choices().Pick(kReductionThresholds) : kLargeExtent;
  const int64_t extent = about + drawer.choices().Range(-1, 1);
  if (drawer.choices().Coin()) return Shape{1, extent};
  return Shape{1, extent, 1, 1};
}

// Extents at which engines change their method, and the neighbours of these extents
// (facts/limits.csv, published notes on tiling). 192 and 384 are extents of a reduced axis. The
// shapes are cheap, because the other axes are short. Expensive shapes are in working_set.h.
constexpr std::array<int64_t, 25> kRangeEnds = {
    16385, 16384, 16383, 16382, 8192, 8193, 4096, 4095, 4097, 2048, 2047, 2049, 1024,
    1023,  1025,  511,   512,   513,  384,  383,  385,  192,  191,  193,  256};
// The draws 0 and 1 give the largest extent of the axis and the extent one below it.
constexpr uint64_t kLimits = 2;

Shape DrawRangeEndShape(Drawer& drawer) {
  ChoiceStream& choices = drawer.choices();
  const GeneratorOptions& options = drawer.options();
  const std::array<int64_t, 4> most = {options.most_batch, options.most_channels,
                                       options.longest_axis, options.longest_axis};
  Shape shape = {1, 1, 1, 1};
  const auto axis = static_cast<int>(choices.Range(0, 3));
  const int64_t limit = most[static_cast<size_t>(axis)];
  const uint64_t end = choices.Below(kLimits + kRangeEnds.size());
  shape[axis] = end < kLimits ? limit - static_cast<int64_t>(end)
                              : std::min(kRangeEnds[end - kLimits], limit);
  // Gives a second axis several elements, if the case stays cheap.
  const int other = 1 + axis % 3;
  if (shape[axis] <= 2048) shape[other] = choices.Range(1, 4);
  return shape;
}

Shape DrawFirstShape(Drawer& drawer, ShapeClass shapes) {
  switch (shapes) {
    case ShapeClass::kLong:
      return DrawLargeShape(drawer);
    case ShapeClass::kRangeEnds:
      return DrawRangeEndShape(drawer);
    case ShapeClass::kSmall:
      break;
  }
  return DrawShape(drawer);
}

// Whether published sources state that the operation reaches the engine by the conversion route.
// Native layers and other operations that the matrix lacks count as reached.
bool IsReached(const OpDefinition& op, int family) {
  constexpr size_t kFamilies = 8;
  // Each name is looked up only once, because a lookup takes longer than drawing a graph.
  static const std::array<std::bitset<kOpCount>, kFamilies> kReached = [] {
    std::array<std::bitset<kOpCount>, kFamilies> reached;
    for (size_t row = 0; row < kFamilies; ++row) {
      for (const OpDefinition* candidate : AllOps()) {
        const auto reach = ReachOn(candidate->schema.name, static_cast<int>(row));
        reached[row].set(candidate->schema.id, !reach || *reach == Reach::kNative);
      }
    }
    return reached;
  }();
  if (family < 0 || static_cast<size_t>(family) >= kFamilies) return true;
  return kReached[static_cast<size_t>(family)].test(op.schema.id);
}

// The operations that may be drawn, by weight. If the engine refuses one operation, it refuses the
// whole graph. So operations of weight 0 are drawn only if the caller names them (`all`), or for a
// network description (`direct`).
class Lottery {
 public:
  Lottery(const GeneratorOptions& options, bool all) {
    for (const OpGenerator* generator : AllOpGenerators()) {
      const OpDefinition& op = GetOp(generator->kind);
      // Whether no conversion produces the operation, although every family has its layer.
      const bool bridged = options.direct && op.family_floor == kNoFamily;
      const bool drawn = all || options.direct || generator->weight > 0;
      const bool allowed = generator->draw != nullptr &&
                           options.ops.test(static_cast<size_t>(generator->kind)) &&
                           options.spelt.test(static_cast<size_t>(generator->kind)) &&
                           (op.family_floor <= options.family || bridged) && drawn &&
                           (all || options.direct || IsReached(op, options.family)) &&
                           (ValuesOf(options.mode) != CaseMode::kInteger || generator->integer);
      if (!allowed) continue;
      tickets_.insert(tickets_.end(), std::max<size_t>(1, generator->weight),
                      static_cast<uint16_t>(generator->kind));
    }
  }
  bool empty() const { return tickets_.empty(); }
  const OpGenerator& Draw(ChoiceStream& choices) const {
    return *AllOpGenerators()[choices.Pick(tickets_)];
  }

 private:
  std::vector<uint16_t> tickets_;  // each operation occurs as often as its weight
};

// The lottery for these options. It is kept between graphs with equal options, because making a
// lottery takes nearly as long as drawing a graph. The draws do not depend on the kept lotteries.
const Lottery& LotteryFor(const GeneratorOptions& options) {
  struct Kept {
    int family = 0;
    bool direct = false;
    std::bitset<kOpCount> ops, spelt;
    std::optional<Lottery> lottery;
  };
  thread_local std::array<Kept, 2> kept;
  Kept& mine = kept[ValuesOf(options.mode) == CaseMode::kInteger ? 1 : 0];
  if (!mine.lottery || mine.family != options.family || mine.direct != options.direct ||
      mine.ops != options.ops || mine.spelt != options.spelt) {
    mine.family = options.family;
    mine.direct = options.direct;
    mine.ops = options.ops;
    mine.spelt = options.spelt;
    mine.lottery.emplace(options, !options.ops.all() || options.family == kNoFamily);
  }
  return *mine.lottery;
}

// Draws a wanted operation: a random one or, if that does not fit, the next that fits.
void DrawWanted(Drawer& drawer, std::span<const OpKind> wanted) {
  if (wanted.empty()) return;
  const uint64_t first = drawer.choices().Below(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const OpKind kind = wanted[(first + i) % wanted.size()];
    const OpGenerator& generator = *AllOpGenerators()[static_cast<size_t>(kind)];
    const bool allowed = drawer.options().ops.test(static_cast<size_t>(kind)) &&
                         drawer.options().spelt.test(static_cast<size_t>(kind)) &&
                         GetOp(kind).family_floor <= drawer.options().family;
    if (allowed && generator.draw != nullptr && generator.draw(drawer, drawer.PickOperand())) {
      return;
    }
  }
}

// Appends operations until the graph has `wanted` nodes.
void DrawMore(Drawer& drawer, uint64_t wanted) {
  const Lottery& lottery = LotteryFor(drawer.options());
  const Graph& graph = drawer.graph();
  // A draw that does not fit its operand costs one attempt. The loop must end if none fits.
  for (uint64_t attempt = 0; attempt < 4 * wanted && graph.nodes().size() < wanted; ++attempt) {
    if (lottery.empty()) break;
    lottery.Draw(drawer.choices()).draw(drawer, drawer.PickOperand());
  }
}

uint64_t DrawCount(Drawer& drawer) {
  const GeneratorOptions& options = drawer.options();
  const int most = std::clamp(options.max_nodes, 1, TraitsOf(options.mode).max_nodes);
  const int least = std::clamp(options.min_nodes, 1, most);
  return static_cast<uint64_t>(least) +
         drawer.choices().Below(static_cast<uint64_t>(most - least + 1));
}

// The number of shapes tried for a pair of operations.
constexpr int kChainTries = 8;

// Draws a graph that contains the pair of operations `options.chain`.
bool DrawAround(ChoiceStream& choices, const GeneratorOptions& options, ShapeClass shapes,
                Graph& graph) {
  for (int i = 0; i < kChainTries; ++i) {
    graph.Clear();
    Drawer drawer(choices, options, graph);
    drawer.NewInput(DrawFirstShape(drawer, shapes));
    if (!DrawChain(drawer, *options.chain)) continue;
    DrawMore(drawer, DrawCount(drawer));
    drawer.Close();
    return true;
  }
  return false;
}

// The maximum number of graphs drawn in search of one whose tensors keep to the limits of the
// target. Operations that rearrange axes may exceed these limits.
constexpr int kTriesToFit = 4;

bool DrawWorkingSet(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph) {
  GeneratorOptions narrow = options;
  const bool of_products = options.working_set == WorkingSet::kProducts;
  if (of_products) {
    // Admits operations on the result of the linear map, but no other map of that size.
    narrow.max_elements = kMostOfProducts;
  } else {
    narrow.ops &= WorkingSetOps();
  }
  for (int i = 0; i < kTriesToFit; ++i) {
    graph.Clear();
    Drawer drawer(choices, narrow, graph);
    if (!BeginWorkingSet(drawer, options.ops)) continue;
    DrawMore(drawer, of_products ? DrawCount(drawer)
                                 : std::max<uint64_t>(graph.nodes().size(), 1 + choices.Below(2)));
    if (graph.nodes().empty() || !KeepsToLimits(graph, options)) continue;
    drawer.Close();
    return true;
  }
  return false;
}

void DrawFreely(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph) {
  const ModeTraits& traits = TraitsOf(options.mode);
  graph.Clear();
  Drawer drawer(choices, options, graph);
  drawer.NewInput(DrawFirstShape(drawer, traits.shapes));
  const uint64_t wanted = DrawCount(drawer);
  const bool curve = traits.curves && !options.direct && options.max_nodes >= kComposedCurveNodes;
  if (curve && choices.Chance(1, 4)) DrawComposedCurve(drawer, drawer.PickOperand());
  DrawWanted(drawer, traits.wanted);
  if (!traits.often.empty() && choices.Coin()) DrawWanted(drawer, traits.often);
  DrawMore(drawer, wanted);
  if (graph.nodes().empty()) {
    // Every family has relu, and relu takes any shape.
    drawer.Begin(OpKind::kRelu);
    graph.AddArgument(0, 0);
    drawer.Finish({0, drawer.range(0).high, drawer.range(0).integer});
  }
  drawer.Close();
}

// Whether no tensor exceeds the limits of the target. Checked only for modes that come near them.
bool Fits(const Graph& graph, const GeneratorOptions& options) {
  return TraitsOf(options.mode).shapes != ShapeClass::kRangeEnds || KeepsToLimits(graph, options);
}

}  // namespace

bool KeepsIntegers(OpKind kind) { return AllOpGenerators()[static_cast<size_t>(kind)]->integer; }

void GenerateGraph(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph) {
  if (options.working_set != WorkingSet::kSmall && !options.chain &&
      DrawWorkingSet(choices, options, graph)) {
    return;
  }
  const auto spelt = [&](OpKind kind) { return options.spelt.test(static_cast<size_t>(kind)); };
  const bool chained =
      options.chain && spelt(options.chain->producer) && spelt(options.chain->consumer);
  const ShapeClass shapes = TraitsOf(options.mode).shapes;
  if (chained && DrawAround(choices, options, shapes, graph) && Fits(graph, options)) return;
  for (int i = 0; i < kTriesToFit; ++i) {
    DrawFreely(choices, options, graph);
    if (Fits(graph, options)) return;
  }
  // Applies the smallest limit to all axes, because operations may exchange axes.
  GeneratorOptions narrow = options;
  narrow.longest_axis = std::min({options.longest_axis, options.most_channels, options.most_batch});
  narrow.most_channels = narrow.most_batch = narrow.longest_axis;
  DrawFreely(choices, narrow, graph);
}

std::vector<Tensor> GenerateInputs(ChoiceStream& choices, const Graph& graph, CaseMode mode) {
  std::vector<Tensor> inputs;
  for (const Value& value : graph.values()) {
    if (value.kind != ValueKind::kInput) continue;
    inputs.push_back({value.type, DrawTensor(choices, value.type, mode, InputMagnitude(mode))});
  }
  return inputs;
}

}  // namespace anecheck
