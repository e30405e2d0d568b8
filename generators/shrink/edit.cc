#include "generators/shrink/edit.h"

#include <algorithm>
#include <span>

#include "harness/graph/copy_node.h"
#include "harness/graph/validate.h"

namespace anecheck {
namespace {

// Builds the edited graph. Finds the needed nodes backwards from the outputs, then adds these nodes
// in their original order.
class Rebuild {
 public:
  Rebuild(const GraphCase& original, const Edit& edit) : original_(original), edit_(edit) {}

  std::optional<GraphCase> Run() {
    const Graph& from = original_.graph;
    made_.graph.name = from.name;
    const std::vector<ValueId> outputs =
        edit_.outputs.empty() ? std::vector<ValueId>(from.outputs().begin(), from.outputs().end())
                              : edit_.outputs;
    FindNeeded(outputs);
    known_.assign(from.values().size(), kNoValue);
    // Inputs and nodes keep their order. The order of nodes decides the values that reads of a
    // state return.
    NodeId next = 0;
    for (ValueId id = 0; id < from.values().size(); ++id) {
      const Value& value = from.value(id);
      if (value.kind == ValueKind::kResult && !AddNodes(next, value.producer + 1)) {
        return std::nullopt;
      }
      // AddNode adds a state together with the first node that takes the state.
      if (needed_[id] && IsLeaf(id) && value.kind != ValueKind::kState) AddLeaf(id);
    }
    if (!AddNodes(next, static_cast<NodeId>(from.nodes().size()))) return std::nullopt;
    for (const ValueId output : outputs) {
      const ValueId known = known_[Resolved(output)];
      if (known == kNoValue) return std::nullopt;
      made_.graph.AddOutput(known);
    }
    if (!ValidateGraph(made_.graph).ok()) return std::nullopt;
    return std::move(made_);
  }

 private:
  ValueId Resolved(ValueId id) const {
    // A chain longer than the number of redirections would be a cycle.
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

  bool IsState(ValueId id) const { return original_.graph.value(id).kind == ValueKind::kState; }

  // Marks the nodes that lead to an output, and their operands. The users of a value come after it,
  // except that an earlier node may read a state in the next execution.
  void FindNeeded(std::span<const ValueId> outputs) {
    const Graph& from = original_.graph;
    needed_.assign(from.values().size(), false);
    live_.assign(from.nodes().size(), false);
    dropped_ = edit_.write == kNoNode ? nullptr : &from.node(edit_.write);
    for (const ValueId output : outputs) needed_[Resolved(output)] = true;
    for (bool grown = true; grown;) {
      grown = false;
      for (auto id = static_cast<NodeId>(from.nodes().size()); id-- > 0;) {
        if (live_[id] || !IsNeeded(from.node(id))) continue;
        live_[id] = grown = true;
        for (const Argument& argument : from.arguments(from.node(id))) {
          if (!IsDropped(id, argument)) needed_[Resolved(argument.value)] = true;
        }
      }
    }
  }

  bool IsNeeded(const Node& node) const {
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const ValueId result = node.first_result + i;
      if (needed_[result] && !IsLeaf(result)) return true;
    }
    // An operation without results is needed if it changes a state that is needed.
    return node.result_count == 0 && &node != dropped_ &&
           std::ranges::any_of(original_.graph.arguments(node), [&](const Argument& argument) {
             return IsState(argument.value) && needed_[argument.value];
           });
  }

  bool IsDropped(NodeId node, const Argument& argument) const {
    if (!edit_.operand || edit_.operand->node != node) return false;
    const auto arguments = original_.graph.arguments(original_.graph.node(node));
    return &argument == &arguments[edit_.operand->argument];
  }

  // Adds the needed nodes from `next` to `end`.
  bool AddNodes(NodeId& next, NodeId end) {
    for (; next < end; ++next) {
      if (live_[next] && !AddNode(next)) return false;
    }
    return true;
  }

  void AddLeaf(ValueId id) {
    if (known_[id] != kNoValue) return;
    const Value& value = original_.graph.value(id);
    const auto cut = edit_.to_input.find(id);
    Tensor tensor = cut != edit_.to_input.end() ? cut->second : Data(id);
    if (value.kind == ValueKind::kConst) {
      known_[id] = made_.graph.AddConst(tensor.type, tensor.bytes, value.name);
      return;
    }
    known_[id] = made_.graph.AddInput(tensor.type, value.name);
    made_.inputs.push_back(std::move(tensor));
  }

  // Changes the extents of `type` by the difference between `before` and `now`, if all three have
  // the same rank. A state that is longer than the value written into it stays longer by the same
  // number of elements.
  static void Follow(const TensorType& before, const TensorType& now, TensorType& type) {
    if (before.shape.rank() != type.shape.rank() || now.shape.rank() != type.shape.rank()) return;
    for (int axis = 0; axis < type.shape.rank(); ++axis) {
      type.shape[axis] += now.shape[axis] - before.shape[axis];
    }
  }

  // Adds a state. `user` is the first node that takes the state. If `user` writes a value into the
  // state, the state's type follows the type of that value. If `user` reads the state, the type
  // follows the input or constant that the edit changes.
  void AddState(ValueId id, const Node& user) {
    const Value& value = original_.graph.value(id);
    TensorType type = value.type;
    if (user.result_count != 0 && !edit_.data.empty()) {
      const auto& [leaf, tensor] = *edit_.data.begin();
      Follow(original_.graph.type(leaf), tensor.type, type);
    }
    for (const Argument& argument : original_.graph.arguments(user)) {
      const ValueId written = known_[Resolved(argument.value)];
      if (user.result_count != 0 || IsState(argument.value) || written == kNoValue) continue;
      const TensorType& before = original_.graph.type(argument.value);
      const TensorType& now = made_.graph.type(written);
      if (before.shape.rank() == type.shape.rank() && now.shape.rank() == type.shape.rank()) {
        type.dtype = now.dtype;
      }
      Follow(before, now, type);
      break;
    }
    known_[id] = made_.graph.AddState(type, value.name);
  }

  Tensor Data(ValueId id) const {
    const auto found = edit_.data.find(id);
    return found != edit_.data.end() ? found->second : original_.DataOf(id);
  }

  bool AddNode(NodeId id) {
    const Graph& from = original_.graph;
    const Node& node = from.node(id);
    if (!AddOperands(id, node)) return false;
    made_.graph.BeginNode(node.schema);
    for (const Argument& argument : from.arguments(node)) {
      if (IsDropped(id, argument)) continue;
      made_.graph.AddArgument(argument.parameter, known_[Resolved(argument.value)]);
    }
    AddAttributes(id, node);
    std::vector<std::string> names;
    names.reserve(node.result_count);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      names.push_back(from.value(node.first_result + i).name);
    }
    const Result<ValueId> first = made_.graph.FinishNode(names);
    if (!first.ok()) return false;
    for (uint32_t i = 0; i < node.result_count; ++i) known_[node.first_result + i] = *first + i;
    return true;
  }

  bool AddOperands(NodeId id, const Node& node) {
    const auto arguments = original_.graph.arguments(node);
    for (const Argument& argument : arguments) {
      const ValueId operand = Resolved(argument.value);
      if (IsDropped(id, argument) || IsState(operand)) continue;
      if (IsLeaf(operand)) AddLeaf(operand);
      // A redirection to a later value would make a cycle.
      if (known_[operand] == kNoValue) return false;
    }
    // States are added last, because their types follow the types of the other operands.
    for (const Argument& argument : arguments) {
      const ValueId operand = Resolved(argument.value);
      if (IsState(operand) && known_[operand] == kNoValue) AddState(operand, node);
    }
    return true;
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
      case AttributeEdit::Kind::kBool:
        made_.graph.AddBool(change.parameter, change.integer != 0);
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
  std::vector<bool> needed_;  // values
  std::vector<bool> live_;    // nodes
  const Node* dropped_ = nullptr;
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
