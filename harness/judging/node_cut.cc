#include "harness/judging/node_cut.h"

#include <algorithm>

#include "harness/graph/copy_node.h"

namespace anecheck {

void NodeCut::Take(NodeId node) {
  TakeAll({&node, 1}, {});
  for (uint32_t i = 0; i < graph_.node(node).result_count; ++i) {
    const ValueId result = graph_.node(node).first_result + i;
    if (values_.contains(result)) cut_.AddOutput(known_[result]);
  }
}

void NodeCut::TakeAll(std::span<const NodeId> nodes, std::span<const ValueId> outputs) {
  for (const NodeId node : nodes) Want(node);
  // Includes the operations in order, because the order decides the content of a state.
  for (NodeId id = 0; id < wanted_.size(); ++id) {
    if (wanted_[id]) Include(id);
  }
  for (const ValueId output : outputs) cut_.AddOutput(known_[output]);
}

void NodeCut::Want(NodeId id) {
  if (wanted_[id]) return;
  wanted_[id] = true;
  for (const Argument& argument : graph_.arguments(graph_.node(id))) {
    const Value& value = graph_.value(argument.value);
    if (value.kind == ValueKind::kState) {
      WantWriters(argument.value, id);
    } else if (value.kind == ValueKind::kResult && !values_.contains(argument.value)) {
      Want(value.producer);
    }
  }
}

void NodeCut::WantWriters(ValueId state, NodeId before) {
  for (NodeId id = 0; id < before; ++id) {
    const auto arguments = graph_.arguments(graph_.node(id));
    const bool writes = graph_.node(id).result_count == 0 &&
                        std::ranges::find(arguments, state, &Argument::value) != arguments.end();
    if (writes) Want(id);
  }
}

void NodeCut::Include(NodeId id) {
  const Node& node = graph_.node(id);
  for (const Argument& argument : graph_.arguments(node)) IncludeLeaf(argument.value);
  CopyNode(graph_, node, known_, cut_);
}

void NodeCut::IncludeLeaf(ValueId id) {
  if (known_[id] != kNoValue) return;
  const Value& value = graph_.value(id);
  if (value.kind == ValueKind::kConst || value.kind == ValueKind::kState) {
    CopyLeaf(graph_, id, known_, cut_);
    return;
  }
  inputs_.push_back(*values_.at(id));
  known_[id] = cut_.AddInput(value.type, value.name);
}

}  // namespace anecheck
