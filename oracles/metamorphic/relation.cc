#include "oracles/metamorphic/relation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/hash.h"
#include "harness/graph/copy_node.h"
#include "oracles/metamorphic/alike_axes.h"

namespace anecheck {
namespace {

// Whether the value must stay known at compile time: results of constant expressions, and operands
// that their operation accepts only as constants.
bool IsConstantOfAProgram(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.kind == ValueKind::kResult &&
      graph.node(value.producer).schema->name.starts_with("constexpr_")) {
    return true;
  }
  return std::ranges::any_of(graph.nodes(), [&](const Node& user) {
    return std::ranges::any_of(graph.arguments(user), [&](const Argument& argument) {
      return argument.value == id && user.schema->parameters[argument.parameter].constant;
    });
  });
}

bool IsSite(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  const bool tensor = value.kind == ValueKind::kInput || value.kind == ValueKind::kResult;
  return tensor && value.type.dtype == DType::kFp16 && !IsConstantOfAProgram(graph, id);
}

// Copies a graph and replaces one value or node.
class Copier {
 public:
  // For kNode `site` is the first result of the operation.
  Copier(const Relation& relation, const Graph& from, ValueId site, uint64_t choice)
      : relation_(relation),
        from_(from),
        site_(site),
        choice_(choice),
        known_(from.values().size(), kNoValue) {}

  std::optional<Rewritten> Run() {
    made_.relation = &relation_;
    made_.graph.name = from_.name;
    if (site_ != kNoValue) made_.site = from_.value(site_).name;
    if (!Leaves()) return std::nullopt;
    for (const Node& node : from_.nodes()) {
      if (!AddNode(node)) return std::nullopt;
    }
    for (const ValueId output : from_.outputs()) made_.graph.AddOutput(known_[output]);
    if (relation_.taps) made_.graph.AddOutput(known_[site_]);
    made_.laws.assign(from_.outputs().size(), relation_.law);
    return std::move(made_);
  }

 private:
  bool Leaves() {
    CopyLeaves(from_, known_, made_.graph);
    const bool leaf = site_ != kNoValue && from_.value(site_).kind == ValueKind::kInput;
    return !leaf || Replace();
  }

  bool Replace() {
    if (relation_.site != RelationSite::kValue) return true;
    const size_t before = made_.graph.values().size();
    known_[site_] = relation_.instead_of(made_.graph, known_[site_], choice_);
    NameFrom(before);
    return known_[site_] != kNoValue;
  }

  // The generated names of new values may equal names of the original.
  void NameFrom(size_t first) {
    for (size_t id = first; id < made_.graph.values().size(); ++id) {
      made_.graph.Rename(static_cast<ValueId>(id), "inserted_" + std::to_string(id));
    }
  }

  bool AddNode(const Node& node) {
    const bool here = site_ != kNoValue && node.result_count > 0 && site_ >= node.first_result &&
                      site_ < node.first_result + node.result_count;
    if (here && relation_.site == RelationSite::kNode) return ReplaceNode(node);
    CopyNode(from_, node, known_, made_.graph);
    return !here || Replace();
  }

  bool ReplaceNode(const Node& node) {
    const size_t before = made_.graph.values().size();
    const std::vector<ValueId> made =
        relation_.in_place_of(made_.graph, NodeView(from_, node), known_, choice_);
    if (made.size() != node.result_count) return false;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      if (made_.graph.type(made[i]) != from_.type(node.first_result + i)) return false;
      known_[node.first_result + i] = made[i];
    }
    NameFrom(before);
    return true;
  }

  const Relation& relation_;
  const Graph& from_;
  const ValueId site_;
  const uint64_t choice_;
  std::vector<ValueId> known_;
  Rewritten made_;
};

// The graph without unused constants, which a replaced operation may leave.
Graph WithoutIdleConstants(Graph graph) {
  std::vector<bool> used(graph.values().size(), false);
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : graph.arguments(node)) used[argument.value] = true;
  }
  for (const ValueId output : graph.outputs()) used[output] = true;
  const auto idle = [&](ValueId id) {
    return graph.value(id).kind == ValueKind::kConst && !used[id];
  };
  const std::vector<ValueId> constants = graph.ValuesOfKind(ValueKind::kConst);
  if (std::ranges::none_of(constants, idle)) return graph;
  Graph kept;
  kept.name = graph.name;
  std::vector<ValueId> known(graph.values().size(), kNoValue);
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    if (!idle(id)) CopyLeaf(graph, id, known, kept);
  }
  for (const Node& node : graph.nodes()) CopyNode(graph, node, known, kept);
  for (const ValueId output : graph.outputs()) kept.AddOutput(known[output]);
  return kept;
}

// Whether no operand of the operation is the result of another operation.
bool TakesLeavesAlone(const Graph& graph, const Node& node) {
  return std::ranges::all_of(graph.arguments(node), [&](const Argument& argument) {
    return graph.value(argument.value).kind != ValueKind::kResult;
  });
}

// The order of an extreme's operands decides which of two zeros it returns. A later operation, such
// as a quotient, may distinguish the zeros.
bool TellsOrderByZeros(OpKind kind) { return kind == OpKind::kMaximum || kind == OpKind::kMinimum; }

void SettleLaws(const Graph& graph, ValueId site, Rewritten& made) {
  if (made.relation->site != RelationSite::kNode) return;
  const Node& node = graph.node(graph.value(site).producer);
  if (made.relation->law == RelationLaw::kSameNumbers && TellsOrderByZeros(KindOf(*node.schema))) {
    for (size_t i = 0; i < made.laws.size(); ++i) {
      if (graph.outputs()[i] != site) made.laws[i] = RelationLaw::kWithinBounds;
    }
  }
  if (!made.relation->same_operations) return;
  if (!IsPointwise(KindOf(*node.schema)) || !TakesLeavesAlone(graph, node)) return;
  for (size_t i = 0; i < made.laws.size(); ++i) {
    if (graph.outputs()[i] == site) made.laws[i] = RelationLaw::kSameNumbers;
  }
}

// The values at which a relation may be tried.
std::vector<ValueId> SitesOf(const Relation& relation, const Graph& graph) {
  std::vector<ValueId> sites;
  if (relation.site == RelationSite::kNode) {
    for (const Node& node : graph.nodes()) {
      if (node.result_count > 0) sites.push_back(node.first_result);
    }
    return sites;
  }
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const bool result = graph.value(id).kind == ValueKind::kResult;
    const bool output = std::ranges::find(graph.outputs(), id) != graph.outputs().end();
    if (!IsSite(graph, id)) continue;
    if (relation.site != RelationSite::kValue && !result) continue;
    if (relation.taps && output) continue;
    sites.push_back(id);
  }
  return sites;
}

// Whether two numbers differ by no more than the law allows for their bounds.
bool Near(RelationLaw law, const Estimate& a, const Estimate& b, size_t i, double x, double y) {
  if (x == y || (x != x && y != y)) return true;
  const bool nan = (a.flags[i] & Estimate::kNanAllowed) != 0;
  if (nan || (b.flags[i] & Estimate::kNanAllowed) != 0) return true;
  const double room = law == RelationLaw::kWithinUnion
                          ? std::max(a.high[i], b.high[i]) - std::min(a.low[i], b.low[i])
                          : (a.high[i] - a.low[i]) + (b.high[i] - b.low[i]);
  // An infinite or undefined bound allows any difference.
  if (!(room < std::numeric_limits<double>::infinity())) return true;
  return std::fabs(x - y) <= room;
}

}  // namespace

std::optional<Rewritten> RewriteBy(const Relation& relation, const Graph& graph, uint64_t choice,
                                   const GraphFilter& admits, std::string_view wanted) {
  const auto at = [&](ValueId site, uint64_t drawn) -> std::optional<Rewritten> {
    auto made = Copier(relation, graph, site, drawn).Run();
    if (!made) return std::nullopt;
    made->graph = WithoutIdleConstants(std::move(made->graph));
    if (admits && !admits(made->graph)) return std::nullopt;
    if (site != kNoValue) SettleLaws(graph, site, *made);
    return made;
  };
  if (relation.site == RelationSite::kGraph && !relation.taps) return at(kNoValue, choice);
  std::vector<ValueId> sites = SitesOf(relation, graph);
  if (sites.empty()) return std::nullopt;
  std::ranges::rotate(sites,
                      sites.begin() + static_cast<std::ptrdiff_t>(MixBits(choice) % sites.size()));
  const auto first =
      std::ranges::find_if(sites, [&](ValueId site) { return graph.value(site).name == wanted; });
  if (first != sites.end()) std::swap(*first, sites.front());
  for (const ValueId site : sites) {
    if (auto made = at(site, MixBits(choice + 1))) return made;
  }
  return std::nullopt;
}

const Relation* FindRelation(std::string_view name) {
  const auto found = std::ranges::find(Relations(), name, &Relation::name);
  return found == Relations().end() ? nullptr : &*found;
}

Rewritten Rewrite(const Graph& graph, uint64_t choice, bool direct, const GraphFilter& admits) {
  std::vector<const Relation*> order;
  for (const Relation& relation : Relations()) {
    if (!relation.direct || direct) order.push_back(&relation);
  }
  uint64_t drawn = MixBits(choice ^ 0x5851f42d4c957f2d);
  // Few graphs can run by both routes, so every second of them gets a relation between routes.
  const bool other = direct && drawn % 2 == 0;
  for (size_t i = 0; i < order.size(); ++i) {
    drawn = MixBits(drawn + 1);
    std::swap(order[i], order[i + drawn % (order.size() - i)]);
  }
  if (other) std::iter_swap(order.begin(), std::ranges::find(order, true, &Relation::direct));
  for (const Relation* relation : order) {
    if (auto made = RewriteBy(*relation, graph, choice, admits)) return std::move(*made);
  }
  return {};
}

std::optional<Disagreement> Compare(RelationLaw law, const Estimate& expected_original,
                                    const Estimate& expected_rewritten, const Tensor& original,
                                    const Tensor& rewritten) {
  const size_t count = expected_original.value.size();
  if (original.type != rewritten.type || original.bytes.size() != rewritten.bytes.size() ||
      expected_rewritten.value.size() != count) {
    return Disagreement{};
  }
  std::vector<double> x(count), y(count);
  DecodeElements(original.type.dtype, original.bytes, x);
  DecodeElements(rewritten.type.dtype, rewritten.bytes, y);
  const size_t size = count == 0 ? 0 : original.bytes.size() / count;
  for (size_t i = 0; i < count; ++i) {
    bool agrees = true;
    switch (law) {
      case RelationLaw::kSameBytes:
        agrees = std::equal(original.bytes.begin() + static_cast<std::ptrdiff_t>(i * size),
                            original.bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * size),
                            rewritten.bytes.begin() + static_cast<std::ptrdiff_t>(i * size));
        break;
      case RelationLaw::kSameNumbers:
        agrees = x[i] == y[i] || (x[i] != x[i] && y[i] != y[i]);
        break;
      case RelationLaw::kWithinBounds:
      case RelationLaw::kWithinUnion:
        agrees = Near(law, expected_original, expected_rewritten, i, x[i], y[i]);
        break;
    }
    if (!agrees) return Disagreement{i, x[i], y[i]};
  }
  return std::nullopt;
}

}  // namespace anecheck
