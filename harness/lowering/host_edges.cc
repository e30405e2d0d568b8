#include "harness/lowering/host_edges.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/graph/copy_node.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// The types of an engine's inputs and outputs, and fp32, whose casts are removed separately
// (boundary_casts.h).
bool IsEngines(DType dtype) {
  return dtype == DType::kFp16 || dtype == DType::kUint8 || dtype == DType::kFp32;
}

// Whether the host may compute the operation. Elements of its result are elements of an operand,
// possibly cast.
bool IsHosts(const Node& node) {
  constexpr std::string_view kOps[] = {"cast",    "gather",      "gather_along_axis", "gather_nd",
                                       "reshape", "expand_dims", "squeeze",           "identity"};
  return node.result_count == 1 && std::ranges::find(kOps, node.schema->name) != std::end(kOps);
}

class Splitter {
 public:
  explicit Splitter(const Graph& from)
      : from_(from), hosts_(from.values().size()), kept_(from.values().size()) {
    for (const ValueId output : from.outputs()) {
      if (std::ranges::find(outputs_, output) == outputs_.end()) outputs_.push_back(output);
    }
  }

  HostEdges Run() {
    while (FindHosts()) {
    }
    DropUnread();
    FindWidened();
    BuildHost();
    BuildGraph();
    if (!edges_.graph.outputs().empty()) return std::move(edges_);
    // A split would leave the engine no output, so nothing is split.
    HostEdges all;
    all.graph = from_;
    return all;
  }

 private:
  bool IsHostNode(const Node& node) const {
    return node.result_count == 1 && hosts_[node.first_result];
  }

  // Finds the values that the host can compute if the values in `kept_` stay with the engine.
  // Returns true if further values must stay with the engine.
  bool FindHosts() {
    for (ValueId id = 0; id < from_.values().size(); ++id) {
      const Value& value = from_.value(id);
      hosts_[id] = value.kind == ValueKind::kInput && !IsEngines(value.type.dtype) && !kept_[id];
    }
    for (const Node& node : from_.nodes()) {
      bool reads = false, knows_all = true;
      for (const Argument& argument : from_.arguments(node)) {
        const Value& value = from_.value(argument.value);
        const bool host = hosts_[argument.value];
        // The host stops at the first value that has a type of the engine.
        reads |= host && !IsEngines(value.type.dtype);
        knows_all &= host || value.kind == ValueKind::kConst;
      }
      if (IsHosts(node)) hosts_[node.first_result] = reads && knows_all;
    }
    bool more = false;
    for (const Node& node : from_.nodes()) {
      if (IsHostNode(node)) continue;
      for (const Argument& argument : from_.arguments(node)) {
        const bool known = hosts_[argument.value];
        if (known && !IsEngines(from_.type(argument.value).dtype)) {
          kept_[argument.value] = true;
          more = true;
        }
      }
    }
    if (more) KeepInputs();
    return more;
  }

  // Also keeps with the engine the operands of the values that stay there.
  void KeepInputs() {
    for (size_t i = from_.nodes().size(); i-- > 0;) {
      const Node& node = from_.nodes()[i];
      if (!IsHostNode(node) || !kept_[node.first_result]) continue;
      for (const Argument& argument : from_.arguments(node)) {
        if (hosts_[argument.value]) kept_[argument.value] = true;
      }
    }
  }

  // Finds the host's values that the engine takes (`crosses_`) and all values that these need
  // (`needed_`).
  void DropUnread() {
    crosses_.assign(from_.values().size(), false);
    needed_ = crosses_;
    for (const Node& node : from_.nodes()) {
      if (IsHostNode(node)) continue;
      for (const Argument& argument : from_.arguments(node)) {
        crosses_[argument.value] = hosts_[argument.value];
      }
    }
    for (const ValueId output : outputs_) {
      if (hosts_[output] && !crosses_[output]) {
        edges_.left_out.push_back(from_.value(output).name);
      }
    }
    needed_ = crosses_;
    for (size_t i = from_.nodes().size(); i-- > 0;) {
      const Node& node = from_.nodes()[i];
      if (!IsHostNode(node) || !needed_[node.first_result]) continue;
      for (const Argument& argument : from_.arguments(node)) needed_[argument.value] = true;
    }
  }

  // For each int32 output that is the cast of an fp16 value of the engine and that no operation
  // reads, finds that fp16 value. The cast is not needed.
  void FindWidened() {
    std::vector<bool> read(from_.values().size());
    for (const Node& node : from_.nodes()) {
      for (const Argument& argument : from_.arguments(node)) read[argument.value] = true;
    }
    halves_.assign(from_.values().size(), kNoValue);
    for (const ValueId output : outputs_) {
      const Value& value = from_.value(output);
      if (!IsWidened(output) || from_.node(value.producer).schema->name != "cast") continue;
      const ValueId source = NodeView(from_, value.producer).Input(params::Cast::kX);
      const Value& half = from_.value(source);
      if (half.kind != ValueKind::kResult || half.type.dtype != DType::kFp16) continue;
      if (!hosts_[source] && !read[output]) halves_[output] = source;
    }
  }

  // Whether the output is int32 and computed by the engine.
  bool IsWidened(ValueId output) const {
    const Value& value = from_.value(output);
    return value.kind == ValueKind::kResult && value.type.dtype == DType::kInt32 && !hosts_[output];
  }

  ValueId AddLeaf(ValueId id, Graph& to) const {
    const Value& value = from_.value(id);
    switch (value.kind) {
      case ValueKind::kConst:
        return to.CopyConst(from_, id, value.name);
      case ValueKind::kState:
        return to.AddState(value.type, value.name);
      default:
        return to.AddInput(value.type, value.name);
    }
  }

  void BuildHost() {
    std::vector<ValueId> known(from_.values().size(), kNoValue);
    edges_.host.name = from_.name;
    for (ValueId id = 0; id < from_.values().size(); ++id) {
      if (needed_[id] && from_.value(id).kind != ValueKind::kResult) {
        known[id] = AddLeaf(id, edges_.host);
      }
    }
    for (const Node& node : from_.nodes()) {
      if (!IsHostNode(node) || !needed_[node.first_result]) continue;
      CopyNode(from_, node, known, edges_.host);
      edges_.computed.push_back(
          fmt::format("{} \"{}\"", node.schema->name, from_.value(node.first_result).name));
      if (crosses_[node.first_result]) edges_.host.AddOutput(known[node.first_result]);
    }
  }

  void BuildGraph() {
    std::vector<ValueId> known(from_.values().size(), kNoValue);
    edges_.graph.name = from_.name;
    for (ValueId id = 0; id < from_.values().size(); ++id) {
      const Value& value = from_.value(id);
      const bool taken = crosses_[id] && value.kind == ValueKind::kResult;
      if (taken) known[id] = edges_.graph.AddInput(value.type, value.name);
      if (value.kind != ValueKind::kResult && !hosts_[id]) known[id] = AddLeaf(id, edges_.graph);
    }
    for (const Node& node : from_.nodes()) {
      const bool peeled = node.result_count == 1 && halves_[node.first_result] != kNoValue;
      if (!IsHostNode(node) && !peeled) CopyNode(from_, node, known, edges_.graph);
    }
    for (const ValueId output : outputs_) AddOutput(output, known);
  }

  void AddOutput(ValueId output, std::span<const ValueId> known) {
    if (hosts_[output] && !crosses_[output]) return;
    if (!IsWidened(output)) return Give(known[output]);
    const Value& value = from_.value(output);
    edges_.widened.push_back(value.name);
    if (halves_[output] != kNoValue) return Give(known[halves_[output]]);
    edges_.graph.BeginNode(&GetOp(OpKind::kCast).schema);
    edges_.graph.MarkAdded();
    edges_.graph.AddArgument(params::Cast::kX, known[output]);
    edges_.graph.AddString(params::Cast::kDtype, "fp16");
    const TensorType type = {DType::kFp16, value.type.shape};
    const std::string half = FreeName(value.name + "_as_fp16");
    Give(edges_.graph.FinishNodeAs({&type, 1}, {&half, 1}));
  }

  // An engine returns a value once, even if it represents several outputs of the model.
  void Give(ValueId output) {
    const auto given = edges_.graph.outputs();
    if (std::ranges::find(given, output) == given.end()) edges_.graph.AddOutput(output);
  }

  std::string FreeName(const std::string& wanted) const {
    std::string name = wanted;
    for (int number = 2; from_.FindValue(name) || edges_.graph.FindValue(name); ++number) {
      name = fmt::format("{}_{}", wanted, number);
    }
    return name;
  }

  const Graph& from_;
  std::vector<ValueId> outputs_;  // of `from_`, each once
  HostEdges edges_;
  std::vector<bool> hosts_;      // values that the host knows
  std::vector<bool> kept_;       // values that must stay with the engine, and their operands
  std::vector<bool> crosses_;    // values of the host that the engine takes
  std::vector<bool> needed_;     // `crosses_`, and the values that they need
  std::vector<ValueId> halves_;  // for an int32 output: the fp16 value that replaces it
};

}  // namespace

HostEdges SplitHostEdges(const Graph& graph) { return Splitter(graph).Run(); }

}  // namespace anecheck
