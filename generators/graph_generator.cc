#include "generators/graph_generator.h"

#include <algorithm>
#include <array>

#include "generators/drawer.h"
#include "generators/tensor_data.h"
#include "harness/ops/device_matrix.h"

namespace anecheck {
namespace {

constexpr std::array<std::string_view, kCaseModeCount> kModeNames = {
    "integer", "float", "cancellation", "special", "boundary", "large-axis"};

constexpr int64_t kLargeExtent = 4096;

Shape DrawShape(Drawer& drawer) {
  ChoiceStream& choices = drawer.choices();
  // Rank 4 is the engine's own layout and by far the most common one.
  constexpr std::array<int, 8> kRanks = {4, 4, 4, 4, 3, 2, 5, 1};
  const int rank = choices.Pick(kRanks);
  Shape shape;
  int64_t left = drawer.options().max_elements;
  for (int axis = 0; axis < rank; ++axis) {
    const bool batch = axis == 0 && rank > 2;
    const int64_t extent = batch && !choices.Chance(1, 8) ? 1 : drawer.Extent(left);
    shape.Append(extent);
    left = std::max<int64_t>(1, left / extent);
  }
  return shape;
}

Shape DrawLargeShape(Drawer& drawer) {
  const int64_t extent = kLargeExtent + drawer.choices().Range(-1, 1);
  if (drawer.choices().Coin()) return Shape{1, extent};
  return Shape{1, extent, 1, 1};
}

// Whether the conversion route is published to reach the engine with the operation. Native layers
// and other rows that the matrix lacks count as reached.
bool IsReached(const OpDefinition& op, int family) {
  const auto reach = ReachOn(op.schema.name, family);
  return !reach || *reach == Reach::kNative;
}

// The operations that may be drawn, as a table of weights. One operation that the engine refuses
// refuses the whole graph, so they are drawn only where the caller asks for them (`all`).
class Lottery {
 public:
  Lottery(const GeneratorOptions& options, bool all) {
    for (const OpGenerator* generator : AllOpGenerators()) {
      const OpDefinition& op = GetOp(generator->kind);
      const bool allowed = generator->draw != nullptr &&
                           options.ops.test(static_cast<size_t>(generator->kind)) &&
                           op.family_floor <= options.family && (all || generator->weight > 0) &&
                           (all || IsReached(op, options.family)) &&
                           (options.mode != CaseMode::kInteger || generator->integer);
      if (!allowed) continue;
      total_ += std::max<uint64_t>(1, generator->weight);
      tickets_[count_] = total_;
      generators_[count_++] = generator;
    }
  }
  bool empty() const { return count_ == 0; }
  const OpGenerator& Draw(ChoiceStream& choices) const {
    const uint64_t ticket = choices.Below(total_);
    const auto end = tickets_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto found = std::upper_bound(tickets_.begin(), end, ticket);
    return *generators_[static_cast<size_t>(found - tickets_.begin())];
  }

 private:
  std::array<uint64_t, kOpCount> tickets_{};
  std::array<const OpGenerator*, kOpCount> generators_{};
  size_t count_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

std::string_view CaseModeName(CaseMode mode) { return kModeNames[static_cast<size_t>(mode)]; }

std::optional<CaseMode> CaseModeFromName(std::string_view name) {
  const auto* found = std::find(kModeNames.begin(), kModeNames.end(), name);
  if (found == kModeNames.end()) return std::nullopt;
  return static_cast<CaseMode>(found - kModeNames.begin());
}

void GenerateGraph(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph) {
  graph.Clear();
  Drawer drawer(choices, options, graph);
  const Lottery lottery(options, !options.ops.all() || options.family == kNoFamily);
  drawer.NewInput(options.mode == CaseMode::kLargeAxis ? DrawLargeShape(drawer)
                                                       : DrawShape(drawer));
  const auto most = static_cast<uint64_t>(std::clamp(options.max_nodes, 1, 40));
  const uint64_t wanted = 1 + choices.Below(most);
  // A draw that does not fit its operand costs one attempt; the bound keeps a stream of refusals
  // from running on.
  for (uint64_t attempt = 0; attempt < 4 * wanted && graph.nodes().size() < wanted; ++attempt) {
    if (lottery.empty()) break;
    lottery.Draw(choices).draw(drawer, drawer.PickOperand());
  }
  if (graph.nodes().empty()) {
    // Every family has the rectifier, and it takes any shape.
    drawer.Begin(OpKind::kRelu);
    graph.AddArgument(0, 0);
    drawer.Finish({0, drawer.range(0).high, drawer.range(0).integer});
  }
  drawer.Close();
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
