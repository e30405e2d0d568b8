#include "harness/graph/constant_values.h"

#include <algorithm>

#include "harness/graph/copy_node.h"

namespace anecheck {

bool ConstantValues::Contains(ValueId id) {
  const ValueKind kind = graph_.value(id).kind;
  if (kind != ValueKind::kResult) return kind == ValueKind::kConst;
  while (known_.size() <= id) known_.push_back(IsKnown(static_cast<ValueId>(known_.size())));
  return known_[id];
}

bool ConstantValues::IsKnown(ValueId id) const {
  const Value& value = graph_.value(id);
  if (value.kind != ValueKind::kResult) return value.kind == ValueKind::kConst;
  const auto arguments = graph_.arguments(graph_.node(value.producer));
  return !arguments.empty() &&
         std::all_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
           return argument.value < known_.size() && known_[argument.value];
         });
}

void ConstantValues::Copy(ValueId id, std::span<ValueId> places, Graph& to) const {
  std::vector<ValueId> open = {id};  // values to copy after their operands
  while (!open.empty()) {
    const ValueId next = open.back();
    const Value& value = graph_.value(next);
    if (places[next] != kNoValue) {
      open.pop_back();
      continue;
    }
    if (value.kind != ValueKind::kResult) {
      CopyLeaf(graph_, next, places, to);
      continue;
    }
    const Node& node = graph_.node(value.producer);
    const size_t before = open.size();
    for (const Argument& argument : graph_.arguments(node)) {
      if (places[argument.value] == kNoValue) open.push_back(argument.value);
    }
    if (open.size() == before) CopyNode(graph_, node, places, to);
  }
}

}  // namespace anecheck
