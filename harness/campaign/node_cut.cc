#include "harness/campaign/node_cut.h"

#include "harness/graph/copy_node.h"

namespace anecheck {

void NodeCut::Take(NodeId node) {
  Include(node);
  for (uint32_t i = 0; i < graph_.node(node).result_count; ++i) {
    const ValueId result = graph_.node(node).first_result + i;
    if (values_.contains(result)) cut_.AddOutput(known_[result]);
  }
}

void NodeCut::Include(NodeId id) {
  const Node& node = graph_.node(id);
  for (const Argument& argument : graph_.arguments(node)) IncludeOperand(argument.value);
  CopyNode(graph_, node, known_, cut_);
}

void NodeCut::IncludeOperand(ValueId id) {
  if (known_[id] != kNoValue) return;
  const Value& value = graph_.value(id);
  if (value.kind == ValueKind::kConst) {
    known_[id] = cut_.AddConst(value.type, graph_.ConstData(id), value.name);
  } else if (const auto tapped = values_.find(id); tapped != values_.end()) {
    inputs_.push_back(*tapped->second);
    known_[id] = cut_.AddInput(value.type, value.name);
  } else {
    Include(value.producer);
  }
}

}  // namespace anecheck
