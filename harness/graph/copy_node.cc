#include "harness/graph/copy_node.h"

#include <string>
#include <vector>

namespace anecheck {

void CopyAttribute(const Graph& from, const Attribute& attribute, Graph& to) {
  const int parameter = attribute.parameter;
  switch (attribute.kind) {
    case AttributeKind::kInt:
      to.AddInt(parameter, attribute.integer);
      break;
    case AttributeKind::kFloat:
      to.AddFloat(parameter, attribute.number);
      break;
    case AttributeKind::kBool:
      to.AddBool(parameter, attribute.integer != 0);
      break;
    case AttributeKind::kString:
      to.AddString(parameter, from.string(attribute));
      break;
    case AttributeKind::kInts:
      to.AddInts(parameter, from.ints(attribute));
      break;
    case AttributeKind::kFloats:
      to.AddFloats(parameter, from.floats(attribute));
      break;
    case AttributeKind::kBools:
      to.AddBools(parameter, from.ints(attribute));
      break;
  }
}

void CopyAttributes(const Graph& from, const Node& node, Graph& to) {
  for (const Attribute& attribute : from.attributes(node)) CopyAttribute(from, attribute, to);
  for (const Graph& block : from.blocks(node)) to.AddBlock(block);
}

void CopyLeaf(const Graph& from, ValueId id, std::span<ValueId> known, Graph& to) {
  const Value& value = from.value(id);
  switch (value.kind) {
    case ValueKind::kInput:
      known[id] = to.AddInput(value.type, value.name);
      break;
    case ValueKind::kConst:
      known[id] = to.CopyConst(from, id, value.name);
      break;
    case ValueKind::kState:
      known[id] = to.AddState(value.type, value.name);
      break;
    case ValueKind::kResult:
      break;
  }
}

void CopyLeaves(const Graph& from, std::span<ValueId> known, Graph& to) {
  for (ValueId id = 0; id < from.values().size(); ++id) CopyLeaf(from, id, known, to);
}

void CopyNode(const Graph& from, const Node& node, std::span<ValueId> known, Graph& to) {
  to.BeginNode(node.schema);
  if (node.added) to.MarkAdded();
  for (const Argument& argument : from.arguments(node)) {
    to.AddArgument(argument.parameter, known[argument.value]);
  }
  CopyAttributes(from, node, to);
  std::vector<TensorType> types;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < node.result_count; ++i) {
    types.push_back(from.type(node.first_result + i));
    names.push_back(from.value(node.first_result + i).name);
  }
  const ValueId first = to.FinishNodeAs(types, names);
  for (uint32_t i = 0; i < node.result_count; ++i) known[node.first_result + i] = first + i;
}

}  // namespace anecheck
