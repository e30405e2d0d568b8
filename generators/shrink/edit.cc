#include "generators/shrink/edit.h"

#include <algorithm>

#include "harness/graph/copy_node.h"
#include "harness/graph/validate.h"

namespace anecheck {
namespace {

// Builds the edited graph from its outputs backwards, in the original order of nodes.
class Rebuild {
 public:
  Rebuild(const GraphCase& original, const Edit& edit) : original_(original), edit_(edit) {}

  std::optional<GraphCase> Run() {
    const Graph& from = original_.graph;
    made_.graph.name = from.name;
    const std::vector<ValueId> outputs =
        edit_.outputs.empty() ? std::vector<ValueId>(from.outputs().begin(), from.outputs().end())
                              : edit_.outputs;
    needed_.assign(from.values().size(), false);
    for (const ValueId output : outputs) Need(output);
    known_.assign(from.values().size(), kNoValue);
    for (ValueId id = 0; id < from.values().size(); ++id) {
      if (needed_[id] && !AddValue(id)) return std::nullopt;
    }
    for (const ValueId output : outputs) made_.graph.AddOutput(known_[Resolved(output)]);
    if (!ValidateGraph(made_.graph).ok()) return std::nullopt;
    return std::move(made_);
  }

 private:
  ValueId Resolved(ValueId id) const {
    // A chain longer than the number of redirections would be a ring.
    for (size_t step = 0; step <= edit_.redirect.size(); ++step) {
      const auto found = edit_.redirect.find(id);
      if (found == edit_.redirect.end()) break;
      id = found->second;
    }
    return id;
  }

  bool IsLeaf(ValueId id) const {
    return original_.graph.value(id).kind != ValueKind::kResult || edit_.to_input.contains(id);
  }

  void Need(ValueId id) {
    std::vector<ValueId> open = {Resolved(id)};
    while (!open.empty()) {
      const ValueId next = open.back();
      open.pop_back();
      if (needed_[next]) continue;
      needed_[next] = true;
      if (IsLeaf(next)) continue;
      const Node& node = original_.graph.node(original_.graph.value(next).producer);
      for (const Argument& argument : original_.graph.arguments(node)) {
        open.push_back(Resolved(argument.value));
      }
    }
  }

  bool AddValue(ValueId id) {
    if (known_[id] != kNoValue) return true;
    const Value& value = original_.graph.value(id);
    if (!IsLeaf(id)) return AddNode(value.producer);
    const auto cut = edit_.to_input.find(id);
    if (value.kind == ValueKind::kState) {
      known_[id] = made_.graph.AddState(value.type, value.name);
      return true;
    }
    Tensor tensor = cut != edit_.to_input.end() ? cut->second : Data(id);
    if (value.kind == ValueKind::kConst) {
      known_[id] = made_.graph.AddConst(tensor.type, tensor.bytes, value.name);
      return true;
    }
    known_[id] = made_.graph.AddInput(tensor.type, value.name);
    made_.inputs.push_back(std::move(tensor));
    return true;
  }

  Tensor Data(ValueId id) const {
    const auto found = edit_.data.find(id);
    return found != edit_.data.end() ? found->second : original_.DataOf(id);
  }

  bool AddNode(NodeId id) {
    const Graph& from = original_.graph;
    const Node& node = from.node(id);
    for (const Argument& argument : from.arguments(node)) {
      // A redirection forward would make a ring.
      if (known_[Resolved(argument.value)] == kNoValue && !AddOperand(id, argument.value)) {
        return false;
      }
    }
    made_.graph.BeginNode(node.schema);
    for (const Argument& argument : from.arguments(node)) {
      made_.graph.AddArgument(argument.parameter, known_[Resolved(argument.value)]);
    }
    AddAttributes(id, node);
    std::vector<std::string> names;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      names.push_back(from.value(node.first_result + i).name);
    }
    const Result<ValueId> first = made_.graph.FinishNode(names);
    if (!first.ok()) return false;
    for (uint32_t i = 0; i < node.result_count; ++i) known_[node.first_result + i] = *first + i;
    return true;
  }

  bool AddOperand(NodeId user, ValueId operand) {
    const ValueId id = Resolved(operand);
    const Value& value = original_.graph.value(id);
    if (!IsLeaf(id) && value.producer >= user) return false;
    return AddValue(id);
  }

  void AddAttributes(NodeId id, const Node& node) {
    const Graph& from = original_.graph;
    const bool edited = edit_.attribute && edit_.attribute->node == id;
    if (!edited) return CopyAttributes(from, node, made_.graph);
    const AttributeEdit& change = *edit_.attribute;
    for (const Attribute& attribute : from.attributes(node)) {
      if (attribute.parameter != change.parameter) CopyAttribute(from, attribute, made_.graph);
    }
    switch (change.kind) {
      case AttributeEdit::Kind::kDrop:
        break;
      case AttributeEdit::Kind::kInt:
        made_.graph.AddInt(change.parameter, change.integer);
        break;
      case AttributeEdit::Kind::kFloat:
        made_.graph.AddFloat(change.parameter, change.number);
        break;
      case AttributeEdit::Kind::kInts:
        made_.graph.AddInts(change.parameter, change.integers);
        break;
    }
    for (const Graph& block : from.blocks(node)) made_.graph.AddBlock(block);
  }

  const GraphCase& original_;
  const Edit& edit_;
  GraphCase made_;
  std::vector<bool> needed_;
  std::vector<ValueId> known_;
};

}  // namespace

Tensor GraphCase::DataOf(ValueId value) const {
  if (graph.value(value).kind == ValueKind::kConst) {
    const auto bytes = graph.ConstData(value);
    return {graph.type(value), std::vector<uint8_t>(bytes.begin(), bytes.end())};
  }
  const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
  return inputs[static_cast<size_t>(std::ranges::find(ids, value) - ids.begin())];
}

std::optional<GraphCase> Apply(const GraphCase& original, const Edit& edit) {
  return Rebuild(original, edit).Run();
}

Tensor TakeAlong(const Tensor& tensor, int axis, int64_t extent) {
  Tensor taken;
  taken.type = tensor.type;
  taken.type.shape[axis] = extent;
  int64_t inner = DTypeBits(tensor.type.dtype) / 8;
  for (int i = axis + 1; i < tensor.type.shape.rank(); ++i) inner *= tensor.type.shape[i];
  const auto row = static_cast<size_t>(inner * tensor.type.shape[axis]);
  const auto kept = static_cast<size_t>(inner * extent);
  for (size_t at = 0; at + row <= tensor.bytes.size() && row > 0; at += row) {
    const auto begin = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(at);
    taken.bytes.insert(taken.bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(kept));
  }
  return taken;
}

}  // namespace anecheck
