#include "oracles/plan/dispatch.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace anecheck::plan {
namespace {

using Kind = Segment::Kind;

// A refused layer does not run.
bool NeedsDispatch(Fate fate) {
  return fate != Fate::kFolded && fate != Fate::kStreamed && fate != Fate::kRejected;
}

Kind KindOfFate(Fate fate) {
  if (fate == Fate::kElsewhere) return Kind::kElsewhere;
  return fate == Fate::kBridge || fate == Fate::kCut ? Kind::kBridge : Kind::kEngine;
}

// The level of each layer: engine layers on the same level share a dispatch.
class Levels {
 public:
  explicit Levels(const Plan& plan) : plan_(plan), made_(plan.lowered.values().size(), kConstant) {
    for (const Layer& layer : plan.layers) level_.push_back(Earliest(layer));
    Gather();
  }
  int Of(size_t layer) const { return level_[layer]; }

 private:
  // Markers for values that no dispatch has to wait for; other entries are the index of the layer
  // that makes the value.
  static constexpr size_t kConstant = ~size_t{0};
  static constexpr size_t kGiven = kConstant - 1;

  template <typename Visit>
  void ForEachProducer(const Layer& layer, const Visit& visit) const {
    for (const Argument& argument : plan_.lowered.arguments(plan_.lowered.node(layer.node))) {
      if (made_[argument.value] < kGiven) visit(made_[argument.value]);
    }
  }
  bool IsEngine(size_t layer) const {
    return KindOfFate(plan_.layers[layer].fate) == Kind::kEngine;
  }

  int Earliest(const Layer& layer) {
    const bool engine = KindOfFate(layer.fate) == Kind::kEngine;
    int level = 0;
    ForEachProducer(layer, [&](size_t producer) {
      const bool joins = engine && IsEngine(producer);
      level = std::max(level, level_[producer] + (joins ? 0 : 1));
    });
    const NodeView node(plan_.lowered, layer.node);
    const bool constant = !NeedsDispatch(layer.fate) && OfConstants(node);
    for (uint32_t i = 0; i < node.node().result_count; ++i) {
      made_[node.Result(i)] = constant ? kConstant : level_.size();
    }
    return level;
  }
  bool OfConstants(const NodeView& node) const {
    return std::ranges::all_of(plan_.lowered.arguments(node.node()), [&](const Argument& argument) {
      return made_[argument.value] == kConstant &&
             plan_.lowered.value(argument.value).kind != ValueKind::kInput;
    });
  }

  // Moves the engine's operations on one level to its next level, if no operation between them
  // needs their results.
  void Gather() {
    std::set<int> levels;
    for (size_t i = 0; i < level_.size(); ++i) {
      if (IsEngine(i) && NeedsDispatch(plan_.layers[i].fate)) levels.insert(level_[i]);
    }
    for (auto at = levels.begin(); at != levels.end() && std::next(at) != levels.end(); ++at) {
      if (!NeededBefore(*at, *std::next(at))) Move(*at, *std::next(at));
    }
  }
  bool NeededBefore(int from, int to) const {
    bool needed = false;
    for (size_t i = 0; i < level_.size(); ++i) {
      if (IsEngine(i) || level_[i] > to) continue;
      ForEachProducer(plan_.layers[i], [&](size_t producer) {
        needed = needed || (IsEngine(producer) && level_[producer] == from);
      });
    }
    return needed;
  }
  void Move(int from, int to) {
    for (size_t i = 0; i < level_.size(); ++i) {
      if (IsEngine(i) && level_[i] == from) level_[i] = to;
    }
  }

  const Plan& plan_;
  std::vector<size_t> made_;
  std::vector<int> level_;
};

// The number of sub-layers of split layers beyond the first of each: those shown in the graph, and
// those known only by their number.
int64_t FurtherSubLayers(const Plan& plan, const Segment& segment) {
  int64_t further = 0;
  std::set<std::string_view> names;
  for (const size_t i : segment.layers) {
    names.insert(plan.layers[i].name);
    if (plan.layers[i].weights) further += plan.layers[i].weights->parts - 1;
  }
  for (const Rewrite& rewrite : plan.rewrites) {
    const bool shown = rewrite.occasion == Occasion::kSplit && rewrite.no_graph.empty();
    if (!shown || !names.contains(rewrite.into[0])) continue;
    // The last operation is the concatenation.
    further += static_cast<int64_t>(rewrite.into.size()) - 2;
  }
  return further;
}

void Describe(Plan& plan) {
  const Graph& graph = plan.lowered;
  const auto cast = [&](ValueId id) { plan.descriptor.push_back({"Cast", graph.value(id).name}); };
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) cast(id);
  for (const Segment& segment : plan.segments) {
    const bool engine = segment.kind != Kind::kElsewhere;
    for (int64_t i = 0; i < segment.dispatches; ++i) {
      plan.descriptor.push_back(
          {engine ? "AneInference" : "CpuInference", plan.layers[segment.layers[0]].name});
    }
  }
  for (const ValueId id : graph.outputs()) cast(id);
}

}  // namespace

bool CutsProgram(std::string_view op) { return op == "scaled_dot_product_attention"; }

std::string_view SegmentKindName(Kind kind) {
  constexpr std::string_view kNames[] = {"engine", "bridge", "elsewhere"};
  return kNames[static_cast<size_t>(kind)];
}

void CutIntoDispatches(Plan& plan) {
  const Levels levels(plan);
  // The segments are ordered by level. On a level, dispatches of a single operation precede the
  // shared dispatch.
  std::map<std::tuple<int, bool, size_t>, Segment> segments;
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    const Layer& layer = plan.layers[i];
    if (!NeedsDispatch(layer.fate)) continue;
    const Kind kind = KindOfFate(layer.fate);
    const bool shared = kind == Kind::kEngine;
    Segment& segment = segments[{levels.Of(i), shared, shared ? 0 : i}];
    segment.kind = kind;
    segment.layers.push_back(i);
  }
  for (auto& [place, segment] : segments) segment.dispatches += FurtherSubLayers(plan, segment);
  for (auto& [place, segment] : segments) {
    const int index = static_cast<int>(plan.segments.size());
    for (const size_t layer : segment.layers) plan.layers[layer].segment = index;
    plan.dispatches += segment.kind == Kind::kElsewhere ? 0 : segment.dispatches;
    plan.segments.push_back(std::move(segment));
  }
  Describe(plan);
}

}  // namespace anecheck::plan
