#include "harness/campaign/node_cut.h"

#include <string>

#include "harness/graph/copy_node.h"

namespace anecheck {

void NodeCut::Take(NodeId node) {
  const ValueId first = Include(node);
  for (uint32_t i = 0; i < graph_.node(node).result_count; ++i) {
    if (values_.contains(graph_.node(node).first_result + i)) cut_.AddOutput(first + i);
  }
}

ValueId NodeCut::Include(NodeId id) {
  const Node& node = graph_.node(id);
  std::vector<Argument> arguments;
  for (const Argument& argument : graph_.arguments(node)) {
    arguments.push_back({argument.parameter, Operand(argument.value)});
  }
  cut_.BeginNode(node.schema);
  for (const Argument& argument : arguments) cut_.AddArgument(argument.parameter, argument.value);
  CopyAttributes(graph_, node, cut_);
  std::vector<TensorType> types;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < node.result_count; ++i) {
    types.push_back(graph_.type(node.first_result + i));
    names.push_back(graph_.value(node.first_result + i).name);
  }
  const ValueId first = cut_.FinishNodeAs(types, names);
  for (uint32_t i = 0; i < node.result_count; ++i) known_[node.first_result + i] = first + i;
  return first;
}

ValueId NodeCut::Operand(ValueId id) {
  if (const auto found = known_.find(id); found != known_.end()) return found->second;
  const Value& value = graph_.value(id);
  if (value.kind == ValueKind::kConst) {
    return known_[id] = cut_.AddConst(value.type, graph_.ConstData(id), value.name);
  }
  if (const auto tapped = values_.find(id); tapped != values_.end()) {
    inputs_.push_back(*tapped->second);
    return known_[id] = cut_.AddInput(value.type, value.name);
  }
  Include(value.producer);
  return known_[id];
}

}  // namespace anecheck
