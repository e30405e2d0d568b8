#include "oracles/metamorphic/relation.h"

#include <algorithm>
#include <cmath>

#include "harness/graph/copy_node.h"

namespace anecheck {
namespace {

// What is known when the program is compiled must stay so: results of constant expressions, and
// operands that their operation takes as constants alone.
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

// Copies a graph and puts something in the place of one value or node.
class Copier {
 public:
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
    return std::move(made_);
  }

 private:
  bool Leaves() {
    for (ValueId id = 0; id < from_.values().size(); ++id) {
      const Value& value = from_.value(id);
      switch (value.kind) {
        case ValueKind::kInput:
          known_[id] = made_.graph.AddInput(value.type, value.name);
          break;
        case ValueKind::kConst:
          known_[id] = made_.graph.AddConst(value.type, from_.ConstData(id), value.name);
          break;
        case ValueKind::kState:
          known_[id] = made_.graph.AddState(value.type, value.name);
          break;
        case ValueKind::kResult:
          break;
      }
    }
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

  // The names that values get by themselves may be those of the original.
  void NameFrom(size_t first) {
    for (size_t id = first; id < made_.graph.values().size(); ++id) {
      made_.graph.Rename(static_cast<ValueId>(id), "inserted_" + std::to_string(id));
    }
  }

  bool AddNode(const Node& node) {
    const bool here = site_ != kNoValue && node.result_count > 0 && site_ >= node.first_result &&
                      site_ < node.first_result + node.result_count;
    if (here && relation_.site == RelationSite::kNode) {
      std::vector<ValueId> operands;
      for (const Argument& argument : from_.arguments(node)) {
        operands.push_back(known_[argument.value]);
      }
      const size_t before = made_.graph.values().size();
      known_[site_] = relation_.in_place_of(made_.graph, NodeView(from_, node), operands, choice_);
      NameFrom(before);
      return known_[site_] != kNoValue;
    }
    CopyNode(from_, node, known_, made_.graph);
    return !here || Replace();
  }

  const Relation& relation_;
  const Graph& from_;
  const ValueId site_;
  const uint64_t choice_;
  std::vector<ValueId> known_;
  Rewritten made_;
};

uint64_t Stir(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The smallest distance that two numbers inside the bounds of one element each may have.
bool Near(const Estimate& a, const Estimate& b, size_t i, double x, double y) {
  if (x == y || (x != x && y != y)) return true;
  const bool nan = (a.flags[i] & Estimate::kNanAllowed) != 0;
  if (nan || (b.flags[i] & Estimate::kNanAllowed) != 0) return true;
  const double room = (a.high[i] - a.low[i]) + (b.high[i] - b.low[i]);
  // Infinite or undefined room says nothing.
  if (!(room < std::numeric_limits<double>::infinity())) return true;
  return std::fabs(x - y) <= room;
}

}  // namespace

std::optional<Rewritten> RewriteBy(const Relation& relation, const Graph& graph, uint64_t choice) {
  if (relation.site == RelationSite::kGraph && !relation.taps) {
    return Copier(relation, graph, kNoValue, choice).Run();
  }
  std::vector<ValueId> sites;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const bool result = graph.value(id).kind == ValueKind::kResult;
    const bool output = std::ranges::find(graph.outputs(), id) != graph.outputs().end();
    if (!IsSite(graph, id)) continue;
    if (relation.site != RelationSite::kValue && !result) continue;
    if (relation.taps && output) continue;
    sites.push_back(id);
  }
  const size_t first = sites.empty() ? 0 : Stir(choice) % sites.size();
  for (size_t i = 0; i < sites.size(); ++i) {
    const ValueId site = sites[(first + i) % sites.size()];
    if (auto made = Copier(relation, graph, site, Stir(choice + 1)).Run()) return made;
  }
  return std::nullopt;
}

Rewritten Rewrite(const Graph& graph, uint64_t choice, bool direct) {
  const std::span<const Relation> relations = Relations();
  const uint64_t drawn = Stir(choice ^ 0x5851f42d4c957f2d);
  auto first = static_cast<size_t>(drawn % relations.size());
  // Few graphs can be written both ways: every second one that can is.
  if (direct && (drawn >> 32) % 2 == 0) {
    const auto other = std::ranges::find(relations, true, &Relation::direct);
    first = static_cast<size_t>(other - relations.begin());
  }
  for (size_t i = 0; i < relations.size(); ++i) {
    const Relation& relation = relations[(first + i) % relations.size()];
    if (relation.direct && !direct) continue;
    if (auto made = RewriteBy(relation, graph, choice)) return std::move(*made);
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
        agrees = Near(expected_original, expected_rewritten, i, x[i], y[i]);
        break;
    }
    if (!agrees) return Disagreement{i, x[i], y[i]};
  }
  return std::nullopt;
}

}  // namespace anecheck
