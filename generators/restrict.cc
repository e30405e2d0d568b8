#include "generators/restrict.h"

#include <algorithm>

#include "harness/graph/copy_node.h"

namespace anecheck {
namespace {

bool IsNeeded(const Graph& graph, const Node& node, const std::vector<bool>& wanted) {
  for (uint32_t i = 0; i < node.result_count; ++i) {
    if (wanted[node.first_result + i]) return true;
  }
  // An operation without results is needed if the state that it changes is needed.
  return node.result_count == 0 &&
         std::ranges::any_of(graph.arguments(node), [&](const Argument& argument) {
           return graph.value(argument.value).kind == ValueKind::kState && wanted[argument.value];
         });
}

// Returns the nodes that lead to an output. The users of a value come after it, except that an
// earlier node may read a state in the next execution. Therefore the search repeats until it finds
// no further node.
std::vector<bool> LiveNodes(const Graph& graph, std::vector<bool>& wanted) {
  std::vector<bool> live(graph.nodes().size(), false);
  for (bool grown = true; grown;) {
    grown = false;
    for (NodeId id = static_cast<NodeId>(graph.nodes().size()); id-- > 0;) {
      const Node& node = graph.node(id);
      if (live[id] || !IsNeeded(graph, node, wanted)) continue;
      live[id] = grown = true;
      for (const Argument& argument : graph.arguments(node)) wanted[argument.value] = true;
    }
  }
  return live;
}

class Copy {
 public:
  Copy(const Graph& from, RestrictedGraph& to, std::vector<bool> wanted)
      : from_(from), to_(to), wanted_(std::move(wanted)), known_(from.values().size(), kNoValue) {}

  void Leaf(ValueId id, size_t input) {
    if (!wanted_[id]) return;
    CopyLeaf(from_, id, known_, to_.graph);
    if (from_.value(id).kind == ValueKind::kInput) to_.inputs.push_back(input);
  }

  void OfNode(const Node& node) { CopyNode(from_, node, known_, to_.graph); }

  ValueId operator[](ValueId id) const { return known_[id]; }

 private:
  const Graph& from_;
  RestrictedGraph& to_;
  std::vector<bool> wanted_;
  std::vector<ValueId> known_;
};

}  // namespace

RestrictedGraph Restrict(const Graph& graph, std::span<const ValueId> outputs) {
  RestrictedGraph made;
  made.graph.name = graph.name;
  std::vector<bool> wanted(graph.values().size(), false);
  for (const ValueId output : outputs) wanted[output] = true;
  const std::vector<bool> live = LiveNodes(graph, wanted);
  Copy copy(graph, made, std::move(wanted));
  // Values keep their order, in which inputs and constants lie between the nodes that use them.
  size_t input = 0;
  NodeId node = 0;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.value(id);
    if (value.kind != ValueKind::kResult) {
      copy.Leaf(id, input);
      input += value.kind == ValueKind::kInput ? 1 : 0;
      continue;
    }
    for (; node <= value.producer; ++node) {
      if (live[node]) copy.OfNode(graph.node(node));
    }
  }
  for (; node < graph.nodes().size(); ++node) {
    if (live[node]) copy.OfNode(graph.node(node));
  }
  for (const ValueId output : outputs) made.graph.AddOutput(copy[output]);
  return made;
}

}  // namespace anecheck
